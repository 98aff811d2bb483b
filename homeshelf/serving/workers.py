"""Worker processes that serve one port, and their supervisor.

The supervisor loads the application once and forks, so that workers share the memory of its code.
"""

import gc
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from tempfile import TemporaryDirectory

import structlog

HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)
SIGNAL_NAMES = {each.value: each.name for each in signal.Signals}
MEMORY = "/dev/shm"  # noqa: S108  # a folder of its own is made there
TOO_SOON_SECONDS = 5.0
"""A worker that dies within its first seconds may die again each time it is started."""
MOST_EARLY_DEATHS = 3
"""In a row; then all end, because another start would not help."""

log = structlog.get_logger()


Serve = Callable[[int, int], int]
"""Serves in a worker and returns its exit code; takes the worker's number and the end of a pipe
that closes with the supervisor."""


def run(workers: int, load: Callable[[], Serve]) -> int:
    """Keep so many workers running until told to stop; return the exit code.

    `load` imports the application, which must know by then where its workers count.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)  # they wait until `sigwait` takes them
    # A process that counts into a file on a full disk is killed for it.
    folder = MEMORY if os.access(MEMORY, os.R_OK | os.W_OK | os.X_OK) else None
    with TemporaryDirectory("", "homeshelf-metrics-", folder, ignore_cleanup_errors=True) as counts:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = counts
        serve = load()
        gc.collect()
        gc.freeze()  # collecting would write to the pages that are shared
        return _Supervisor(serve).run(workers)


class _Supervisor:
    def __init__(self, serve: Serve) -> None:
        self._serve = serve
        self._started: dict[int, tuple[int, float]] = {}
        """The number of each worker and when it started, by its process id."""
        self._early_deaths: Counter[int] = Counter()
        self._is_stopping = False
        self._exit_code = 0
        self._ours, self._theirs = os.pipe()

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

    def _start(self, number: int) -> None:
        pid = os.fork()
        if pid == 0:
            os._exit(self._work(number))
        self._started[pid] = number, time.monotonic()

    def _work(self, number: int) -> int:
        """Serve in the new process; return its exit code whatever happens."""
        code = 1
        try:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
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

    def _replace_dead(self) -> None:
        for pid in [*self._started]:
            dead, status = os.waitpid(pid, os.WNOHANG)
            if not dead:
                continue
            number, started = self._started.pop(pid)
            if self._is_stopping:
                self._exit_code |= status not in (0, signal.SIGTERM)
            elif self._may_start_again(number, status, time.monotonic() - started):
                self._start(number)
            else:
                self._exit_code = 1
                self._stop()

    def _may_start_again(self, number: int, status: int, lived_seconds: float) -> bool:
        """Log the death of a worker; return whether another may take its place."""
        code = os.waitstatus_to_exitcode(status)
        cause = {"exit_status": code} if code >= 0 else {"signal": SIGNAL_NAMES.get(-code, -code)}
        log.error("worker_died", worker=number, after_seconds=round(lived_seconds, 1), **cause)
        self._early_deaths[number] += 1
        if lived_seconds >= TOO_SOON_SECONDS:
            self._early_deaths[number] = 0
        if self._early_deaths[number] < MOST_EARLY_DEATHS:
            return True
        log.error("workers_keep_dying", worker=number, times=MOST_EARLY_DEATHS)
        return False

    def _stop(self) -> None:
        self._is_stopping = True
        self._send_to_workers(signal.SIGTERM)

    def _send_to_workers(self, number: int) -> None:
        for pid in self._started:  # none is reaped in between, so that each id is still theirs
            os.kill(pid, number)
