"""How long a process was ready to run while others had all processors.

What a machine with others on it takes longer is no fault of what is measured on it.
"""

from contextlib import suppress
from pathlib import Path


def kept_waiting(pid: int | str = "self") -> float:
    """In seconds, of all threads that it has; 0 where the system does not tell."""
    nanoseconds = 0
    for thread in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        with suppress(OSError):  # it has ended
            nanoseconds += int(thread.read_text().split()[1])
    return nanoseconds / 1e9
