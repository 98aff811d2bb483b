"""What a process has of its machine: files, of which a connection is one, and memory, which goes
back to the system after an attack rather than staying with the process."""

import ctypes
import gc
import resource
from contextlib import suppress

MOST_CONNECTIONS = 8192
KEPT_FREE = 256
"""For the database, and for whatever else opens one; of a small limit, a quarter."""


def raise_limit() -> None:
    """To what the system allows: many start programs with far less."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # some systems name a hard limit that they do not allow
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def most_connections() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return min(soft - min(KEPT_FREE, soft // 4), MOST_CONNECTIONS)


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
