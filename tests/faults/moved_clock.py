"""A process whose clock can be set from outside while it runs.

    clock = Clock(folder / "clock")
    with served(folder, within=clock.within):
        clock.moves(hours=-1)

Everything in it that asks Python for the time of day hears of it; the time that passes, which
`time.monotonic` tells, goes on as ever, as it does on a machine whose clock is corrected.
"""

import mmap
import runpy
import struct
import sys
import time
from collections.abc import Sequence
from pathlib import Path

_SET = struct.Struct("qqd")
"""Since when, to what, and how much faster it goes from there; in nanoseconds."""


class Clock:
    def __init__(self, path: Path) -> None:
        self._path = path
        self.moves(hours=0)

    @property
    def within(self) -> Sequence[str]:
        return ("tests.faults.moved_clock", str(self._path))

    def moves(self, hours: float, speed: float = 1) -> None:
        """To so many hours from what it is in truth, and on from there at that speed."""
        now = time.time_ns()
        setting = _SET.pack(now, now + int(hours * 3600e9), speed)
        with self._path.open("r+b" if self._path.exists() else "wb") as file:
            file.write(setting)

    def seconds(self) -> int:
        """What it says now."""
        since, to, speed = _SET.unpack(self._path.read_bytes())
        return int((to + (time.time_ns() - since) * speed) / 1e9)


def main() -> None:
    path = sys.argv.pop(1)
    with Path(path).open("rb") as file:
        setting = mmap.mmap(file.fileno(), _SET.size, prot=mmap.PROT_READ)
    right = time.time_ns

    def time_ns() -> int:
        since, to, speed = _SET.unpack_from(setting)
        return int(to + (right() - since) * speed)

    time.time_ns = time_ns
    time.time = lambda: time_ns() / 1e9
    runpy.run_module("homeshelf", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
