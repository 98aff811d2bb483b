"""A server that can be pulled away and brought back, on the same port with the same data."""

import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

from tests.servers import Server
from tests.servers.install import program
from tests.servers.run import ACCESS_KEY, LEASH, REGION, SECRET_KEY

READY_WITHIN_SECONDS = 10


class Restartable:
    def __init__(self, path: Path) -> None:
        self._path = path
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port: int = probe.getsockname()[1]
        endpoint = f"http://127.0.0.1:{self._port}"
        self.server = Server(endpoint, REGION, ACCESS_KEY, SECRET_KEY, "range")
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Restartable":
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()

    def start(self) -> None:
        arguments = ["serve", "--port", str(self._port), "--db-path", str(self._path)]
        self._process = subprocess.Popen(
            [sys.executable, "-S", str(LEASH), str(program("dynoxide")), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + READY_WITHIN_SECONDS
        while not self._listens():
            assert time.monotonic() < deadline, "dynoxide did not start"
            time.sleep(0.01)

    def kill(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self._port)) == 0
