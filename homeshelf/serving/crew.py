"""Several processes that serve at one port, and the one that watches them.

It loads the application once and forks, so that the processes share the memory of its code.
"""

import gc
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

import structlog

STOPS = (signal.SIGINT, signal.SIGTERM)
HANDLED = (*STOPS, signal.SIGHUP)
MEMORY = "/dev/shm"  # noqa: S108  # a folder of its own is made there
TOO_SOON_SECONDS = 5.0
"""A worker that dies within its first seconds may die again each time it is started."""
MOST_EARLY_DEATHS = 3
"""In a row; then all end, because another start would not help."""

log = structlog.get_logger()


Serve = Callable[[int, int], int]
"""Called in each process with its number and the end of a pipe that closes with the watching one;
returns the exit code."""


def run(workers: int, load: Callable[[], Serve]) -> int:
    """Keep so many processes serving until told to stop; returns the exit code.

    `load` brings in what serves. It is called here once the processes have a place to count in.
    """
    counts = tempfile.mkdtemp(prefix="homeshelf-metrics-", dir=_in_memory())
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = counts
    try:
        serve = load()
        gc.collect()
        gc.freeze()  # collecting would write to the pages that are shared
        return _Crew(serve).keep(workers)
    finally:
        shutil.rmtree(counts, ignore_errors=True)


def _in_memory() -> str | None:
    """Where there is such a folder: who counts into a file on a full disk is killed for it."""
    return MEMORY if os.access(MEMORY, os.R_OK | os.W_OK | os.X_OK) else None


class _Crew:
    def __init__(self, serve: Serve) -> None:
        self._serve = serve
        self._began: dict[int, tuple[int, float]] = {}
        self._early_deaths: Counter[int] = Counter()
        """In a row, by the number of the worker."""
        self._stopping = False
        self._ours, self._theirs = os.pipe()

    def keep(self, workers: int) -> int:
        for each in STOPS:
            signal.signal(each, self._stop)
        signal.signal(signal.SIGHUP, self._send_to_workers)
        for number in range(workers):
            self._begin(number)
        code = 0
        while self._began:
            pid, status = os.wait()
            number, began = self._began.pop(pid)
            if self._stopping:
                code = code or int(status not in (0, signal.SIGTERM))
            elif self._may_start_again(number, status, time.monotonic() - began):
                self._begin(number)
            else:
                code = 1
                self._stop()
        return code

    def _may_start_again(self, number: int, status: int, lived_seconds: float) -> bool:
        """Log the death of a worker; return whether another may take its place."""
        cause = _cause_of_death(os.waitstatus_to_exitcode(status))
        log.error("worker_died", worker=number, after_seconds=round(lived_seconds, 1), **cause)
        if lived_seconds >= TOO_SOON_SECONDS:
            self._early_deaths[number] = 0
            return True
        self._early_deaths[number] += 1
        if self._early_deaths[number] < MOST_EARLY_DEATHS:
            return True
        log.error("workers_keep_dying", worker=number, times=MOST_EARLY_DEATHS)
        return False

    def _begin(self, number: int) -> None:
        """No signal comes in between, neither to a process that nobody knows of yet nor to one
        that still takes itself for the watching one."""
        signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)
        if not self._stopping:  # a stop may come between a death and here
            pid = os.fork()
            if pid == 0:
                os._exit(self._work(number))
            self._began[pid] = (number, time.monotonic())
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)

    def _work(self, number: int) -> int:
        """In the new process, which ends with it whatever happens."""
        code = 1
        try:
            for each in STOPS:
                signal.signal(each, signal.SIG_DFL)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until it serves
            signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)
            os.close(self._theirs)
            code = self._serve(number, self._ours)
        except Exception:
            log.exception("worker_failed", worker=number)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
        return code

    def _stop(self, _number: int = 0, _frame: FrameType | None = None) -> None:
        self._stopping = True
        self._send_to_workers(signal.SIGTERM)

    def _send_to_workers(self, number: int, _frame: FrameType | None = None) -> None:
        for pid in self._began:
            with suppress(ProcessLookupError):  # it has just ended
                os.kill(pid, number)


def _cause_of_death(exit_code: int) -> dict[str, int | str]:
    if exit_code >= 0:
        return {"exit_status": exit_code}
    try:
        return {"signal": signal.Signals(-exit_code).name}
    except ValueError:  # real-time signals have no name
        return {"signal": -exit_code}
