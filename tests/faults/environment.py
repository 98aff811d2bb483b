"""Runs a program in an environment with a fault: `python -m tests.faults.environment FAULT ...`

    clock FILE           its clock can be set from outside while it runs
    small-disk FOLDER    its data is on a small disk that other programs can fill
    no-rights            it has only the rights of its user, even as root
    slow-disk MILLIS     each fsync takes this much longer
    file-size BYTES      no file may become larger

The further arguments are a command of `homeshelf`, or `python -m MODULE ARGUMENT...`.

    clock = Clock(folder / "clock")
    with served(folder, within=clock.within):
        clock.moves(hours=-1)

    disk = SmallDisk(folder / "data")
    with served(folder, within=disk.within) as homeshelf:
        with disk.full(homeshelf.process.pid):
            ...

    with served(folder, within=WITHOUT_RIGHTS):
        (folder / "data").chmod(0o500)
"""

import ctypes
import errno
import mmap
import os
import resource
import runpy
import shutil
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import apsw

MODULE = "tests.faults.environment"
WITHOUT_RIGHTS = (MODULE, "no-rights")

_SET = struct.Struct("qqd")
"""The format of a setting: the real time, the time set, both in nanoseconds, and the speed."""


class Clock:
    """A wall clock that tests set. It does not affect `time.monotonic`, as on a real machine."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.set_offset(hours=0)

    @property
    def within(self) -> Sequence[str]:
        return (MODULE, "clock", str(self._path))

    def set_offset(self, hours: float, speed: float = 1) -> None:
        """Set the clock to the real time plus these hours, and let it run at this speed."""
        now = time.time_ns()
        setting = _SET.pack(now, now + int(hours * 3600e9), speed)
        with self._path.open("r+b" if self._path.exists() else "wb") as file:
            file.write(setting)

    def seconds(self) -> int:
        """Return the time that the clock shows."""
        since, to, speed = _SET.unpack(self._path.read_bytes())
        return int((to + (time.time_ns() - since) * speed) / 1e9)


def _run_with_clock() -> None:
    path = sys.argv.pop(1)
    with Path(path).open("rb") as file:
        setting = mmap.mmap(file.fileno(), _SET.size, prot=mmap.PROT_READ)
    right = time.time_ns

    def time_ns() -> int:
        since, to, speed = _SET.unpack_from(setting)
        return int(to + (right() - since) * speed)

    time.time_ns = time_ns
    time.time = lambda: time_ns() / 1e9
    _run()


MEGABYTES = 24
_NEW_MOUNTS, _NEW_USER = 0x00020000, 0x10000000
_PRIVATE, _RECURSIVE = 1 << 18, 1 << 14
_PIECE = bytes(64 * 1024)


class SmallDisk:
    """A file system in memory for one process; `unshare -rm` creates one without root."""

    def __init__(self, data: Path) -> None:
        self._data = data
        data.mkdir()

    @property
    def within(self) -> Sequence[str]:
        return (MODULE, "small-disk", str(self._data))

    @contextmanager
    def full(self, pid: int) -> Iterator[None]:
        """Fill the disk to the last byte."""
        other = Path(f"/proc/{pid}/root{self._data}/something-else")
        try:
            with other.open("wb", buffering=0) as file:
                for size in (len(_PIECE), 512, 1):
                    _fill(file.fileno(), size)
            yield
        finally:
            other.unlink()


@cache
def has_small_disks() -> bool:
    """Return whether this machine lets a process mount its own file system."""
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


def _run_on_small_disk() -> None:
    data = sys.argv.pop(1)
    user, group = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    _require_success(libc.unshare(_NEW_USER | _NEW_MOUNTS))
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    _require_success(libc.mount(b"none", b"/", None, _RECURSIVE | _PRIVATE, None))
    size = f"size={MEGABYTES}m,mode=700".encode()
    _require_success(libc.mount(b"tmpfs", data.encode(), b"tmpfs", 0, size))
    if sys.argv[1] == sys.executable:
        os.execv(sys.executable, sys.argv[1:])  # noqa: S606  # the program that is to have the disk
    _run()


def _require_success(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), "no disk of its own")


_VERSION_3 = 0x20080522


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


def _run_without_rights() -> None:
    none = (ctypes.c_uint32 * 6)()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.capset(ctypes.byref(_Header(_VERSION_3, 0)), none) != 0:
        raise OSError(ctypes.get_errno(), "its rights cannot be given up")
    _run()


class _Vfs(apsw.VFS):
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__("slow", "unix", makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> "_File":  # noqa: N802  # SQLite's
        return _File(self.seconds, name, flags)


class _File(apsw.VFSFile):
    def __init__(
        self, seconds: float, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> None:
        self.seconds = seconds
        super().__init__("unix", name, flags)

    def xSync(self, flags: int) -> None:  # noqa: N802  # SQLite's
        time.sleep(self.seconds)
        super().xSync(flags)


def _run_on_slow_disk() -> None:
    vfs = _Vfs(int(sys.argv.pop(1)) / 1000)
    try:
        _run()
    finally:
        vfs.unregister()


def _run_with_file_size() -> None:
    most = int(sys.argv.pop(1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    _run()


def _run() -> None:
    module = "homeshelf"
    if sys.argv[1] == sys.executable:
        module = sys.argv[3]
        del sys.argv[1:4]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


FAULTS = {
    "clock": _run_with_clock,
    "small-disk": _run_on_small_disk,
    "no-rights": _run_without_rights,
    "slow-disk": _run_on_slow_disk,
    "file-size": _run_with_file_size,
}

if __name__ == "__main__":
    FAULTS[sys.argv.pop(1)]()
