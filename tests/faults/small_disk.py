"""A process whose data is on a small disk of its own, which others can fill up.

    disk = SmallDisk(folder / "data")
    with served(folder, within=disk.within) as homeshelf:
        with disk.full(homeshelf.process.pid):
            ...

The disk is a file system in memory that only this process sees (`unshare -rm` does the same), so
nobody needs to be root. Where a machine allows nobody to have one, `can_be_had` is False.
"""

import ctypes
import errno
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

MEGABYTES = 24
_NEW_MOUNTS, _NEW_USER = 0x00020000, 0x10000000
_PRIVATE, _RECURSIVE = 1 << 18, 1 << 14
_PIECE = bytes(64 * 1024)


class SmallDisk:
    def __init__(self, data: Path) -> None:
        self._data = data
        data.mkdir()

    @property
    def within(self) -> Sequence[str]:
        return ("tests.faults.small_disk", str(self._data))

    @contextmanager
    def full(self, pid: int) -> Iterator[None]:
        """Not a byte is left, as if something else had filled it."""
        other = Path(f"/proc/{pid}/root{self._data}/something-else")
        try:
            with other.open("wb", buffering=0) as file:
                for size in (len(_PIECE), 512, 1):
                    _fill(file.fileno(), size)
            yield
        finally:
            other.unlink()


@cache
def can_be_had() -> bool:
    program = shutil.which("unshare")
    if program is None:
        return False
    return subprocess.run([program, "-rm", "true"], check=False).returncode == 0


def _fill(file: int, size: int) -> None:
    try:
        while True:
            os.write(file, _PIECE[:size])
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise


def main() -> None:
    data = sys.argv.pop(1)
    user, group = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    _done(libc.unshare(_NEW_USER | _NEW_MOUNTS))
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    _done(libc.mount(b"none", b"/", None, _RECURSIVE | _PRIVATE, None))
    size = f"size={MEGABYTES}m,mode=700".encode()
    _done(libc.mount(b"tmpfs", data.encode(), b"tmpfs", 0, size))
    if sys.argv[1] == sys.executable:
        os.execv(sys.executable, sys.argv[1:])  # noqa: S606  # the program that is to have the disk
    runpy.run_module("homeshelf", run_name="__main__", alter_sys=True)


def _done(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), "no disk of its own")


if __name__ == "__main__":
    main()
