"""The only thread that writes to the file, with group commit.

Waiting jobs share a commit and its fsync. Each job checks its conditions before it writes, so a
refused job leaves no trace. A job that has not begun by its deadline is refused; one that has begun
answers with its own outcome.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, TypeVar

import apsw

from homeshelf.table.deadlines import FILE_SECONDS, time_left
from homeshelf.table.engine import TableError, Unavailable
from homeshelf.table.sqlite.file import pause

T = TypeVar("T")
Task = Callable[[apsw.Connection], Any]

MOST_TOGETHER = 256
WATCH_SECONDS = 0.05


@dataclass(slots=True, eq=False)
class Job:
    work: Task
    loop: asyncio.AbstractEventLoop
    future: "asyncio.Future[Any]"
    ends: float
    result: Any = None
    error: Exception | None = None
    _begun: bool = False
    _refused: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def waits(self) -> bool:
        return not self._refused and monotonic() < self.ends

    def begin(self) -> bool:
        """Begin the job and return True, unless its deadline has passed."""
        with self._lock:
            self._begun = self.waits
            self._refused = not self._begun
        if self._refused:
            self.error = _late()
        return self._begun

    def begin_again(self) -> None:
        with self._lock:
            self._begun = False
        self.error = None

    def refuse_unless_begun(self) -> None:
        with self._lock:
            self._refused = not self._begun
        if self._refused and not self.future.done():
            self.future.set_exception(_late())

    def answer(self) -> None:
        if self.future.done():
            return
        if self.error:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class Writer:
    def __init__(self, connection: apsw.Connection, seconds: float = FILE_SECONDS) -> None:
        self._connection = connection
        self._seconds = seconds
        self._asked: set[Job] = set()
        self._watched: asyncio.AbstractEventLoop | None = None
        self._group: list[Job] = []
        self._connection.set_busy_handler(self._wait)
        self._waiting: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="table-writer", daemon=True)
        self._closed = False
        self._thread.start()

    async def do(self, work: Callable[[apsw.Connection], T]) -> T:
        """Run the work inside a transaction, and return when it is on the disk."""
        if self._closed:
            raise Unavailable("the database is closed")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        job = Job(work, loop, future, monotonic() + time_left(self._seconds))
        self._asked.add(job)
        self._waiting.put(job)
        if self._watched is not loop:
            self._watch(loop)
        try:
            return await future
        finally:
            self._asked.discard(job)

    async def close(self) -> None:
        self._closed = True
        self._waiting.put(None)
        await asyncio.to_thread(self._thread.join)
        self._connection.close()

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Refuse late jobs periodically, because a timer for each would cost a tenth of the job."""
        self._watched = None
        asked = [job for job in self._asked if job.loop is loop]
        for job in asked:
            if not job.waits:
                job.refuse_unless_begun()
        if asked:
            self._watched = loop
            loop.call_later(WATCH_SECONDS, self._watch, loop)

    def _run(self) -> None:
        while (job := self._waiting.get()) is not None:
            jobs = [job]
            with suppress(Empty):
                while len(jobs) < MOST_TOGETHER and (job := self._waiting.get_nowait()):
                    jobs.append(job)
            self._commit(jobs)
            _answer(jobs)
            if job is None:
                return

    def _commit(self, jobs: list[Job]) -> None:
        self._group = jobs
        try:
            self._roll_back()
            self._connection.execute("BEGIN IMMEDIATE")
        except apsw.Error as error:
            _fail(jobs, error)
            return
        begun = [job for job in jobs if job.begin()]
        try:
            for job in begun:
                try:
                    job.result = job.work(self._connection)
                except TableError as refusal:
                    job.error = refusal
            self._connection.execute("COMMIT")
        except Exception as error:  # noqa: BLE001  # no caller may wait for ever
            with suppress(apsw.Error):  # the next change retries this
                self._roll_back()
            if len(begun) == 1:
                _fail(begun, error)
                return
            for job in begun:
                job.begin_again()
            for job in begun:  # retry each job by itself, so that only the faulty one fails
                self._commit([job])
                _answer([job])

    def _wait(self, _tries: int) -> bool:
        pause()
        return any(job.waits for job in self._group)

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")


def _late() -> Unavailable:
    return Unavailable("the database was busy for too long; the change was not made")


def _fail(jobs: list[Job], error: Exception) -> None:
    for job in jobs:
        if isinstance(error, apsw.BusyError):
            job.error = _late()
        elif isinstance(error, apsw.Error):
            job.error = Unavailable(f"the database did not take the change: {error}")
        else:
            job.error = error


def _answer(jobs: list[Job]) -> None:
    loops: dict[asyncio.AbstractEventLoop, list[Job]] = {}
    for job in jobs:
        loops.setdefault(job.loop, []).append(job)
    for loop, finished in loops.items():
        with suppress(RuntimeError):  # the event loop is closed, so no caller waits
            loop.call_soon_threadsafe(_answer_all, finished)


def _answer_all(jobs: list[Job]) -> None:
    for job in jobs:
        job.answer()
