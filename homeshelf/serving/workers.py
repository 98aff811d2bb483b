"""Worker processes that serve one port, and their supervisor.

The supervisor forks after loading the application, so that workers share the memory of its code.
"""

import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.context import ForkProcess
from tempfile import TemporaryDirectory

import structlog

HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)
SIGNAL_NAMES = {each.value: each.name for each in signal.Signals}
MEMORY = "/dev/shm"  # noqa: S108  # a temporary folder is created in it
EARLY_DEATH_SECONDS = 5.0
MAX_EARLY_DEATHS = 3
"""After this number in a row all workers end, because another start would not help."""

log = structlog.get_logger()

Serve = Callable[[int], int]
"""A function that serves as the worker of this number and returns the exit code."""


def run(workers: int, load: Callable[[], Serve]) -> int:
    """Keep this number of workers running until a signal ends them; return the exit code.

    `load` imports the application, whose metrics need their folder at import.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)  # `sigwait` receives them
    # A full disk would kill a process that writes its metrics to a mapped file.
    folder = MEMORY if os.access(MEMORY, os.R_OK | os.W_OK | os.X_OK) else None
    with TemporaryDirectory("", "homeshelf-metrics-", folder, ignore_cleanup_errors=True) as counts:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = counts
        serve = load()
        gc.collect()
        gc.freeze()  # a collection would write to the shared pages
        return _Supervisor(serve).run(workers)


class _Supervisor:
    def __init__(self, serve: Serve) -> None:
        self._serve = serve
        self._started: dict[ForkProcess, tuple[int, float, int]] = {}
        """The number, start time and earlier deaths of each worker."""
        self._is_stopping = False
        self._exit_code = 0

    def run(self, workers: int) -> int:
        for number in range(workers):
            self._start(number)
        while self._started:
            received = signal.sigwait(HANDLED)
            if received == signal.SIGCHLD:
                self._replace_dead()
            elif received == signal.SIGHUP:
                self._send_to_workers(signal.SIGHUP)
            else:
                self._stop()
        return self._exit_code

    def _start(self, number: int, early_deaths: int = 0) -> None:
        worker = get_context("fork").Process(target=self._work, args=(number,))
        worker.start()
        self._started[worker] = number, time.monotonic(), early_deaths

    def _work(self, number: int) -> None:
        """Serve in the forked process, and exit."""
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until it serves
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)
        try:
            sys.exit(self._serve(number))
        except Exception:
            log.exception("worker_failed", worker=number)
            sys.exit(1)

    def _replace_dead(self) -> None:
        for worker in [each for each in self._started if each.exitcode is not None]:
            number, started, early_deaths = self._started.pop(worker)
            code, seconds = worker.exitcode or 0, time.monotonic() - started
            if self._is_stopping:
                self._exit_code |= code not in (0, -signal.SIGTERM)
                continue
            cause = (
                {"exit_status": code} if code >= 0 else {"signal": SIGNAL_NAMES.get(-code, -code)}
            )
            log.error("worker_died", worker=number, after_seconds=round(seconds, 1), **cause)
            early_deaths = early_deaths + 1 if seconds < EARLY_DEATH_SECONDS else 0
            if early_deaths < MAX_EARLY_DEATHS:
                self._start(number, early_deaths)
            else:
                log.error("workers_keep_dying", worker=number, times=early_deaths)
                self._exit_code = 1
                self._stop()

    def _stop(self) -> None:
        self._is_stopping = True
        self._send_to_workers(signal.SIGTERM)

    def _send_to_workers(self, number: int) -> None:
        for worker in self._started:
            if worker.pid is not None and worker.exitcode is None:
                os.kill(worker.pid, number)
