"""Runs a part in a process of its own, and no longer than it may take."""

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

LOOK_SECONDS = 0.2


def run(part: AnyPart, seed: int, hear: Callable[[Event | None], None], *, tiny: bool) -> None:
    """Tells what happens, and now and then that nothing does; at the end that it failed, if so.

    Forked, so that all parts share what is loaded, and what one leaves behind goes with it.
    """
    forking = multiprocessing.get_context("fork")
    receiving, sending = forking.Pipe(duplex=False)
    process = forking.Process(target=_become, args=(part, seed, tiny, sending))
    process.start()
    sending.close()
    try:
        hear(_listened(receiving, part.seconds, hear))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid or 0, signal.SIGKILL)
        process.join()
        receiving.close()


def _listened(
    receiving: Connection, seconds: float, hear: Callable[[Event | None], None]
) -> Failed | None:
    """Until it has ended, or must."""
    ends = monotonic() + seconds
    while monotonic() < ends:
        try:
            event: Event | None = receiving.recv() if receiving.poll(LOOK_SECONDS) else None
        except EOFError:
            return None
        hear(event)
    return Failed(f"it took longer than {seconds:.0f} s")


def _become(part: AnyPart, seed: int, tiny: bool, sending: Connection) -> None:
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
