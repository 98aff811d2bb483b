"""Runs the command that follows on a disk whose every fsync takes so many milliseconds:

python -m tests.slow_disk 5 python -m homeshelf serve --port 8000
"""

import runpy
import sys
import time

import apsw


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


def main(milliseconds: str, _python: str, _m: str, module: str, *arguments: str) -> None:
    vfs = _Vfs(int(milliseconds) / 1000)
    sys.argv = [module, *arguments]
    try:
        runpy.run_module(module, run_name="__main__")
    finally:
        vfs.unregister()


if __name__ == "__main__":
    main(*sys.argv[1:])
