"""The one thread that writes to the file, and its group commit.

What is waiting is committed together, so that many callers share one fsync. Each job looks at all
of its conditions before it writes anything, so a job that is refused leaves no trace in the group.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import apsw

from homeshelf.table.engine import TableError, Unavailable

T = TypeVar("T")
Work = Callable[[apsw.Connection], Any]

MOST_TOGETHER = 256


@dataclass(slots=True, eq=False)
class Job:
    work: Work
    loop: asyncio.AbstractEventLoop
    future: "asyncio.Future[Any]"
    result: Any = None
    error: Exception | None = None

    def settle(self) -> None:
        if self.future.cancelled():
            return
        if self.error:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class Writer:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._waiting: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="table-writer", daemon=True)
        self._closed = False
        self._thread.start()

    async def do(self, work: Callable[[apsw.Connection], T]) -> T:
        """Run the work inside a transaction; returns when it is on the disk."""
        if self._closed:
            raise Unavailable("the database is closed")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._waiting.put(Job(work, loop, future))
        return await future

    async def close(self) -> None:
        self._closed = True
        self._waiting.put(None)
        await asyncio.to_thread(self._thread.join)
        self._connection.close()

    def _run(self) -> None:
        while (job := self._waiting.get()) is not None:
            jobs = [job]
            try:
                while len(jobs) < MOST_TOGETHER and (job := self._waiting.get_nowait()):
                    jobs.append(job)
            except Empty:
                pass
            self._commit(jobs)
            _settle(jobs)
            if job is None:
                return

    def _commit(self, jobs: list[Job]) -> None:
        try:
            self._roll_back()
            self._connection.execute("BEGIN IMMEDIATE")
        except apsw.Error as error:
            _fail(jobs, error)
            return
        try:
            for job in jobs:
                try:
                    job.result = job.work(self._connection)
                except TableError as refusal:
                    job.error = refusal
            self._connection.execute("COMMIT")
        except Exception as error:  # noqa: BLE001  # whatever it is, nobody may wait for ever
            with suppress(apsw.Error):  # then it is tried again before the next change
                self._roll_back()
            if len(jobs) == 1:
                _fail(jobs, error)
                return
            for job in jobs:  # one of them may be at fault: let it fail alone
                job.error = None
                self._commit([job])

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")


def _fail(jobs: list[Job], error: Exception) -> None:
    for job in jobs:
        job.error = (
            Unavailable(f"the database did not take the change: {error}")
            if isinstance(error, apsw.Error)
            else error
        )


def _settle(jobs: list[Job]) -> None:
    loops: dict[asyncio.AbstractEventLoop, list[Job]] = {}
    for job in jobs:
        loops.setdefault(job.loop, []).append(job)
    for loop, settled in loops.items():
        try:
            loop.call_soon_threadsafe(_settle_all, settled)
        except RuntimeError:  # the loop is gone, and nobody waits
            continue


def _settle_all(jobs: list[Job]) -> None:
    for job in jobs:
        job.settle()
