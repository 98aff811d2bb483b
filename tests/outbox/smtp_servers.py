"""The process that starts mail servers and kills them, as a test asks for it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.servers.programs import LEASH


class SmtpServers:
    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def start(self, port: int, folder: Path) -> int:
        """The process of a server that listens."""
        pid = self._ask("start", port, str(folder))
        assert pid, "the mail server did not start"
        return pid

    def kill(self, pid: int) -> None:
        self._ask("kill", pid)

    def _ask(self, *what: object) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


@contextmanager
def running_smtp_servers() -> Iterator[SmtpServers]:
    program = (sys.executable, "-m", "tests.outbox.smtp_server")
    with subprocess.Popen(
        [sys.executable, "-S", str(LEASH), *program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield SmtpServers(process)
        process.kill()
