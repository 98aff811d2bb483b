"""The embedded engine: SQLite in one file, through apsw.

Small reads run in the event loop, because a thread takes twenty times as long; large reads use one.
Writes go through one writer thread with group commit.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import apsw
import structlog

from homeshelf import clock
from homeshelf.background import end
from homeshelf.table import limits
from homeshelf.table.deadlines import FILE_SECONDS
from homeshelf.table.engine import ConditionFailed, InFlight, TransactionCancelled, count_in_flight
from homeshelf.table.expressions import Item
from homeshelf.table.operations import Cursor, Delete, Key, Page, Put, Query, Update, Write
from homeshelf.table.schema import TABLES, Table
from homeshelf.table.sqlite.file import (
    READING,
    create_layout,
    layout_of,
    open_file,
    open_reader,
    open_to_read,
    quoted,
)
from homeshelf.table.sqlite.items import STATEMENTS, item_at, items_at, open_rows, read_some, scan
from homeshelf.table.sqlite.statements import after_prefix
from homeshelf.table.sqlite.writer import Writer
from homeshelf.table.sqlite.writing import apply, prepare_write

T = TypeVar("T")

log = structlog.get_logger()
ROWS_IN_LOOP = 256
SWEPT_AT_ONCE = 500
LARGE_CACHE = 8 * 1024
"""The kilobytes of the file cached for large reads: a household's stock takes two megabytes."""


class Sqlite:
    def __init__(
        self,
        path: Path,
        *,
        seconds: Callable[[], int] = clock.seconds,
        sweep_every: float | None = 60.0,
        wait_seconds: float = FILE_SECONDS,
        to_read: bool = False,
        upgrade: bool = False,
    ) -> None:
        self.path = path
        self.consumed: Counter[str] = Counter()
        self.rows = 0
        self.reads_at_once = True
        self.in_flight = InFlight()
        self._seconds = seconds
        self._open_reader = open_to_read if to_read else open_reader
        opened = open_to_read(path) if to_read else open_file(path, upgrade=upgrade)
        self._writer = Writer(opened, wait_seconds)
        self._reader = self._open_reader(path)
        self._large_reads = ThreadPoolExecutor(1, thread_name_prefix="table-reader")
        self._large_reader: apsw.Connection | None = None
        self._sweep_every = sweep_every
        self._sweeper: asyncio.Task[None] | None = None

    @count_in_flight
    async def get(self, key: Key[Any], *, consistent: bool = True) -> Item | None:  # noqa: ARG002  # always is
        limits.check_key(key)
        self.consumed["get"] += 1
        with READING:
            return item_at(self._reader, key.table, key.partition, key.sort, self._seconds())

    @count_in_flight
    async def get_many(
        self,
        keys: Sequence[Key[Any]],
        *,
        consistent: bool = True,  # noqa: ARG002  # always is
    ) -> list[Item | None]:
        limits.check_keys(keys)
        self.consumed["get_many"] += 1
        with READING:
            return items_at(self._reader, keys, self._seconds())

    @count_in_flight
    async def query(self, query: Query[Any]) -> Page[Item]:
        page, seen = await self._query(query)
        self.rows += seen
        return page

    @count_in_flight
    async def count(self, query: Query[Any], at_most: int | None = None) -> int:
        page, _ = await self._query(replace(query, limit=at_most, start=None))
        return min(len(page.items) + len(page.unreadable), at_most or sys.maxsize)

    @count_in_flight
    async def write(self, write: Put | Update | Delete) -> Item | None:
        limits.check_write(write)
        prepared = prepare_write(write)
        self.consumed[write.verb.lower()] += 1
        now = self._seconds()

        def work(connection: apsw.Connection) -> Item | None:
            try:
                return apply([prepared], now, connection, returning=True)[0]
            except TransactionCancelled as cancelled:
                raise ConditionFailed(cancelled.failures[0][1]) from None

        return await self._commit(work)

    @count_in_flight
    async def transact(self, writes: Sequence[Write]) -> None:
        limits.check_writes(writes)
        prepared = [prepare_write(write) for write in writes]
        self.consumed["transact"] += 1
        await self._commit(partial(apply, prepared, self._seconds()))

    @count_in_flight
    async def batch(self, writes: Sequence[Put | Delete]) -> None:
        limits.check_batch(writes)
        prepared = [prepare_write(write) for write in writes]
        for first in range(0, len(prepared), 25):
            chunk = prepared[first : first + 25]
            self.consumed["batch"] += 1
            await self._commit(partial(apply, chunk, self._seconds()))

    @count_in_flight
    async def scan(self, table: Table, limit: int, start: Cursor | None = None) -> Page[Item]:
        limits.check_scan(table, limit, start)
        self.consumed["scan"] += 1
        with READING:
            return scan(self._reader, table, limit, start, self._seconds())

    @count_in_flight
    async def size(self) -> int:
        counts = [f"(SELECT count(*) FROM {quoted(name)})" for name in self._names()]  # noqa: S608  # our names
        with READING:
            return int(self._reader.execute(f"SELECT {' + '.join(counts)}").get)

    @count_in_flight
    async def stamp(self) -> int | None:
        """Return SQLite's data version, which counts all writes because the reader makes none."""
        with READING:
            return int(self._reader.pragma("data_version"))

    @count_in_flight
    async def keys_expiring(
        self, table: Table, partitions: str, first: int, last: int
    ) -> Sequence[tuple[str, str]]:
        self.consumed["keys_expiring"] += 1
        first = max(first, self._seconds() + 1)
        values = (first, last, partitions, after_prefix(partitions))
        with (
            READING,
            open_rows(self._reader, STATEMENTS[table.name].keys_expiring, values) as rows,
        ):
            return [(pk, sk) for pk, sk in rows]

    @count_in_flight
    async def create_tables(self) -> list[str]:
        before = self._names()
        await self._writer.do(create_layout)
        return [name for name in self._names() if name not in before]

    @count_in_flight
    async def list_tables(self) -> list[str]:
        return self._names()

    @count_in_flight
    async def check_tables(self) -> list[str]:
        with READING, open_rows(self._reader, "SELECT sql FROM sqlite_master") as rows:
            found = {sql for (sql,) in rows}
        names = self._names()
        differences = []
        for table in TABLES:
            if table.name not in names:
                differences.append(f"The table {table.name} is missing.")
            elif any(s.replace("IF NOT EXISTS ", "") not in found for s in layout_of(table)):
                differences.append(f"The table {table.name} has other columns or indexes.")
        return differences

    async def sweep(self) -> int:
        now = self._seconds()

        def work(connection: apsw.Connection) -> int:
            before = connection.total_changes()
            for table in TABLES:
                if table.ttl:
                    connection.execute(STATEMENTS[table.name].sweep, (now, SWEPT_AT_ONCE))
            return connection.total_changes() - before

        return await self._writer.do(work)

    async def close(self) -> None:
        """Close every part, even if one fails, and raise the last failure."""
        async with AsyncExitStack() as last_first:
            last_first.callback(self._reader.close)
            last_first.callback(self._close_large_reads)
            last_first.push_async_callback(self._writer.close)
            last_first.push_async_callback(self._end_sweeping)
            last_first.push_async_callback(self.in_flight.close)

    async def _query(self, query: Query[Any]) -> tuple[Page[Item], int]:
        limits.check_query(query)
        seen = 0
        found: list[Item] = []
        unreadable: list[Key[Any]] = []
        asked, rows, ended = query, ROWS_IN_LOOP, None
        while True:
            self.consumed["query"] += 1
            room = None if query.limit is None else query.limit - len(found)
            read = partial(read_some, asked, room, rows, self._seconds(), unreadable)
            with READING:
                if asked is query:
                    some = read(self._reader)
                else:
                    some = await self._off_loop(read)
                    rows = 20 * ROWS_IN_LOOP
            seen += some.seen
            found += some.items
            ended = some.ended or ended
            if some.start is None:
                return Page(found, ended if some.is_full else None, unreadable), seen
            asked = replace(query, start=some.start)

    async def _commit(self, work: Callable[[apsw.Connection], T]) -> T:
        if self._sweeper is None and self._sweep_every:
            self._sweeper = asyncio.create_task(self._sweep_for_ever(self._sweep_every))
        return await self._writer.do(work)

    async def _sweep_for_ever(self, every: float) -> None:
        while True:
            try:
                while await self.sweep() >= SWEPT_AT_ONCE:
                    pass
            except Exception as error:  # noqa: BLE001  # what has expired waits for the next time
                log.warning("sweep_failed", error=repr(error))
            await asyncio.sleep(every)

    async def _end_sweeping(self) -> None:
        if self._sweeper:
            await end(self._sweeper)

    def _close_large_reads(self) -> None:
        self._large_reads.shutdown()
        if self._large_reader:
            self._large_reader.close()

    def _names(self) -> list[str]:
        with READING, open_rows(self._reader, "SELECT name FROM sqlite_master") as rows:
            found = {name for (name,) in rows}
        return [table.name for table in TABLES if table.name in found]

    async def _off_loop(self, read: Callable[[apsw.Connection], T]) -> T:
        def work() -> T:
            if self._large_reader is None:
                self._large_reader = self._open_reader(self.path)
                self._large_reader.pragma("cache_size", -LARGE_CACHE)
            return read(self._large_reader)

        return await asyncio.get_running_loop().run_in_executor(self._large_reads, work)
