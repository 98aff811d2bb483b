"""Commands in processes that are forked from one that has loaded the program.

    done = run(folder, "doctor", HOMESHELF_METRICS="off")
    with served(folder) as homeshelf:
        httpx.get(f"{homeshelf.url}/readyz")

Each process has its own folder, environment and streams, like `python -m homeshelf`; only the
loading is shared, and `tests.quick_program` makes it cheap. `tests.processes` loads everything
again, for tests of the start and of `--workers`.
"""

import os
import random
import runpy
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from multiprocessing import current_process, get_context
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import IO

from tests.processes import READY_WITHIN_SECONDS, Served, environment, free_port
from tests.quick_program import hash_quickly, poll_quickly
from tests.servers.leash import die_with_parent

LOADED = [
    "homeshelf.cli",
    "homeshelf.commands.demo",
    "homeshelf.commands.doctor",
    "homeshelf.commands.serve",
    "homeshelf.commands.adopt",
    "homeshelf.commands.database",
    "homeshelf.commands.files",
    "homeshelf.commands.key",
    "homeshelf.commands.moving",
    "homeshelf.commands.share",
    "homeshelf.commands.user",
    "homeshelf.commands.process",
    "homeshelf.table.dynamodb.engine",
    "tests.forked_processes",
    "tests.warm",
]
WITHIN_SECONDS = 50.0
STOPPED_WITHIN_SECONDS = 20.0

Streams = tuple[Path, Path, Path]


class Forked:
    """A forked process with the interface of `subprocess.Popen`."""

    def __init__(self, process: ForkServerProcess) -> None:
        assert process.pid is not None
        self.pid = process.pid
        self._process = process

    def is_alive(self) -> bool:
        return self._process.is_alive()

    def send_signal(self, number: int) -> None:
        if self._process.is_alive():
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        return self._process.exitcode


@contextmanager
def served(
    folder: Path, *options: str, within: Sequence[str] = (), **settings: str
) -> Iterator[Served]:
    """Serve from this folder until the end of the block.

    `within` names a module, with its arguments, that changes the process before it serves.
    """
    assert "--workers" not in options
    port, log = free_port(), folder / "serve.log"
    log.unlink(missing_ok=True)
    module, *more = within or ("homeshelf",)
    arguments = (*more, "serve", "--port", str(port), *options)
    scheme = "https" if "--certificate" in options else "http"
    with tempfile.TemporaryDirectory() as place:
        streams = (Path(os.devnull), Path(place, "stdout"), log)
        process = _start(module, arguments, folder, environment(settings), streams)
        try:
            greeting = _first_line(process, streams)
            yield Served(f"{scheme}://127.0.0.1:{port}", greeting, process, log)
        finally:
            process.send_signal(signal.SIGTERM)
            _end(process, STOPPED_WITHIN_SECONDS)


def run(
    folder: Path, *arguments: str, typed: str | None = None, **settings: str
) -> "subprocess.CompletedProcess[str]":
    """Run a command without a terminal; it reads `typed`."""
    return run_module("homeshelf", arguments, folder, environment(settings), typed or "")


def run_module(
    name: str,
    arguments: Sequence[str],
    folder: Path,
    variables: Mapping[str, str],
    typed: str = "",
    seconds: float = WITHIN_SECONDS,
) -> "subprocess.CompletedProcess[str]":
    """Run a module like `python -m`."""
    with tempfile.TemporaryDirectory() as place:
        streams = (Path(place, "stdin"), Path(place, "stdout"), Path(place, "stderr"))
        streams[0].write_text(typed)
        process = _start(name, arguments, folder, variables, streams)
        code = _end(process, seconds)
        _, said, complained = (_text(stream) for stream in streams)
    return subprocess.CompletedProcess([name, *arguments], code, said, complained)


@contextmanager
def running_module(
    name: str, arguments: Sequence[str], folder: Path
) -> Iterator[tuple[Forked, IO[str], IO[str]]]:
    """Start a module like `python -m`, yield its streams, and kill it at the end."""
    with tempfile.TemporaryDirectory() as place:
        told, said = Path(place, "stdin"), Path(place, "stdout")
        os.mkfifo(told)
        os.mkfifo(said)
        process = _start(name, arguments, folder, os.environ, (told, said, said))
        try:
            with told.open("w", buffering=1) as telling, said.open() as hearing:
                yield process, telling, hearing
        finally:
            process.kill()
            process.wait()


def _start(
    name: str,
    arguments: Sequence[str],
    folder: Path,
    variables: Mapping[str, str],
    streams: Streams,
) -> Forked:
    target = (name, tuple(arguments), folder, dict(variables), _umask(), streams)
    process = _forking().Process(target=_become, args=target)
    process.start()
    return Forked(process)


def _end(process: Forked, within: float) -> int:
    try:
        return process.wait(within)
    finally:
        process.kill()
        process.wait()


def _first_line(process: Forked, streams: Streams) -> str:
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    while not (said := _text(streams[1])).endswith("\n"):
        silent = f"it did not start:\n{_text(streams[2])}"
        assert process.is_alive(), silent
        assert time.monotonic() < deadline, silent
        time.sleep(0.01)
    return said.strip()


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


@cache
def _forking() -> ForkServerContext:
    """Return the fork server's context, with its socket in a folder that outlives the tests."""
    vars(current_process())["_config"]["tempdir"] = tempfile.mkdtemp()
    context = get_context("forkserver")
    context.set_forkserver_preload(LOADED)
    return context


def _become(
    name: str,
    arguments: Sequence[str],
    folder: Path,
    variables: Mapping[str, str],
    umask: int,
    streams: Streams,
) -> None:
    die_with_parent()
    flags = (os.O_RDONLY, *[os.O_WRONLY | os.O_CREAT | os.O_APPEND] * 2)
    for number, (path, how) in enumerate(zip(streams, flags, strict=True)):
        opened = os.open(path, how)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115  # multiprocessing has closed it
    os.umask(umask)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    tempfile.tempdir = None
    random.seed()
    hash_quickly()
    poll_quickly()
    sys.argv[1:] = arguments
    runpy.run_module(name, run_name="__main__", alter_sys=True)
