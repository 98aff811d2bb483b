"""Memory that goes back to the system after an attack, rather than staying with the process."""

import ctypes
import gc


def freeze() -> None:
    """What is loaded by now stays: looking for garbage passes over it from here on."""
    gc.collect()
    gc.freeze()


def give_back() -> None:
    """Requests that were cut off are garbage in circles (an error, its frames, what they hold),
    and the C library keeps what was freed between two pieces that are in use."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
