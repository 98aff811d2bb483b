"""Another program that has locked the file of the embedded engine."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROGRAM = """
import sqlite3, sys
other = sqlite3.connect(sys.argv[1], isolation_level=None)
other.execute("BEGIN IMMEDIATE")
print(flush=True)
sys.stdin.read()
"""


class Lock:
    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    def release(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


@contextmanager
def locked(path: Path) -> Iterator[Lock]:
    """From here on nobody else writes to the file, until the end or the release of the lock."""
    command = [sys.executable, "-c", PROGRAM, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline()
        lock = Lock(process)
        yield lock
        lock.release()
