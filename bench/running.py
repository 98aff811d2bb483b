"""Run a part in its own process, within its time limit."""

import multiprocessing
import os
import random
import signal
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic

from bench.part import AnyPart, Event, Failed, Report
from homeshelf import logs
from tests.servers.leash import die_with_parent

POLL_SECONDS = 0.2


def run(part: AnyPart, seed: int, on_event: Callable[[Event | None], None], *, tiny: bool) -> None:
    """Run a part, passing its events to `on_event`: None while nothing happens, and a failure.

    The process is forked, so that parts share loaded code and leave nothing behind.
    """
    forking = multiprocessing.get_context("fork")
    receiving, sending = forking.Pipe(duplex=False)
    process = forking.Process(target=_run_in_child, args=(part, seed, tiny, sending))
    process.start()
    sending.close()
    try:
        on_event(_receive_events(receiving, part.seconds, on_event))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid or 0, signal.SIGKILL)
        process.join()
        receiving.close()


def _receive_events(
    receiving: Connection, seconds: float, on_event: Callable[[Event | None], None]
) -> Failed | None:
    """Receive events until the process ends or its time is over."""
    deadline = monotonic() + seconds
    while monotonic() < deadline:
        try:
            event: Event | None = receiving.recv() if receiving.poll(POLL_SECONDS) else None
        except EOFError:
            return None
        on_event(event)
    return Failed(f"it took longer than {seconds:.0f} s")


def _run_in_child(part: AnyPart, seed: int, tiny: bool, sending: Connection) -> None:
    os.setpgid(0, 0)
    die_with_parent()
    random.seed(seed)
    report = Report(part.figures, sending.send)
    with Path(os.devnull).open("w") as nowhere:
        logs.configure("info", nowhere)
        try:
            part.run(report, part.tiny if tiny else part.full)
        except Exception as error:  # noqa: BLE001  # the others can still be measured
            sending.send(Failed(f"{type(error).__name__}: {error}"[:500]))
