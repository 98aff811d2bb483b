"""Homeshelf as it is run: a program of its own, talked to over the network.

with served(folder, "--workers", "2", HOMESHELF_METRICS="anyone") as homeshelf:
    httpx.get(f"{homeshelf.url}/readyz")
"""

import itertools
import os
import resource
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tests.servers.programs import LEASH, Server

SECRET = "the secret of the tests, which is long enough"
READY_WITHIN_SECONDS = 30
USUAL_FILES = 1024
"""The limit on open files on most systems."""
LIMITED = """
import os, resource, sys
soft, hard = int(sys.argv[1]), int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
os.execv(sys.argv[3], sys.argv[3:])
"""

_worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
PORTS = range(11_000, 32_000)[_worker % 7 * 3_000 :][:3_000]
_turns = itertools.count(secrets.randbelow(len(PORTS)))

OURS = {"PYTHONPATH": str(Path(__file__).parents[1])}


class Process(Protocol):
    @property
    def pid(self) -> int: ...
    def send_signal(self, number: int, /) -> None: ...
    def kill(self) -> None: ...
    def wait(self, timeout: float | None = None) -> int: ...


@dataclass(frozen=True)
class Served:
    url: str
    greeting: str
    process: Process
    log: Path

    def tell_to_stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        self.process.send_signal(number)

    def exit_code(self, within: float = 15) -> int:
        return self.process.wait(within)


@contextmanager
def served(folder: Path, *options: str, **settings: str) -> Iterator[Served]:
    with _served(folder, [], options, settings) as homeshelf:
        yield homeshelf


@contextmanager
def served_with_files(folder: Path, soft: int, hard: int | None = None) -> Iterator[Served]:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1] if hard is None else hard
    limited = [sys.executable, "-c", LIMITED, str(min(soft, most)), str(most)]
    with _served(folder, limited, (), {}) as homeshelf:
        yield homeshelf


@contextmanager
def served_within(
    folder: Path, within: Sequence[str], *options: str, **settings: str
) -> Iterator[Served]:
    ours = {"PYTHONPATH": str(Path(__file__).parents[1])}
    with _served(folder, [sys.executable, "-m", *within], options, ours | settings) as homeshelf:
        yield homeshelf


@contextmanager
def served_on_a_slow_disk(
    folder: Path, milliseconds: int, *options: str, **settings: str
) -> Iterator[Served]:
    before = [sys.executable, "-m", "tests.faults.environment", "slow-disk", str(milliseconds)]
    with _served(folder, before, options, OURS | settings) as homeshelf:
        yield homeshelf


@contextmanager
def served_quickly(folder: Path, *options: str, **settings: str) -> Iterator[Served]:
    before = [sys.executable, "-m", "tests.quick_program"]
    with _served(folder, before, options, OURS | settings) as homeshelf:
        yield homeshelf


@contextmanager
def _served(
    folder: Path, before: Sequence[str], options: Sequence[str], settings: Mapping[str, str]
) -> Iterator[Served]:
    port = free_port()
    log = folder / "serve.log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            [
                *(sys.executable, "-S", str(LEASH)),
                *before,
                *command("serve", "--port", str(port), *options),
            ],
            cwd=folder,
            env=environment(settings),
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    try:
        assert process.stdout is not None
        greeting = process.stdout.readline().strip()
        assert greeting, f"it did not start:\n{log.read_text()}"
        scheme = "https" if "--certificate" in options else "http"
        yield Served(f"{scheme}://127.0.0.1:{port}", greeting, process, log)
    finally:
        process.terminate()
        try:
            process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def run(
    folder: Path, *arguments: str, typed: str | None = None, **settings: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command(*arguments),
        cwd=folder,
        env=environment(settings),
        input=typed or "",
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "homeshelf", *arguments]


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return {**kept, "HOMESHELF_SECRET": SECRET, **settings}


def on_dynamodb(server: Server, prefix: str) -> dict[str, str]:
    return {
        "HOMESHELF_DATABASE": (
            f"dynamodb://{server.region}?endpoint={server.endpoint}&prefix={prefix}"
            f"&prefixes={server.prefixes}"
        ),
        "AWS_ACCESS_KEY_ID": server.access_key,
        "AWS_SECRET_ACCESS_KEY": server.secret_key,
    }


def free_port() -> int:
    """Return a port below the system's own range that no other worker uses."""
    while True:
        port = PORTS.start + next(_turns) % len(PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def kept_waiting(pid: int | str = "self") -> float:
    nanoseconds = 0
    for thread in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        with suppress(OSError):  # it has ended
            nanoseconds += int(thread.read_text().split()[1])
    return nanoseconds / 1e9
