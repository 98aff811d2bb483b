"""The embedded engine with indexes that trail behind its tables, as DynamoDB's do."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from homeshelf.table.expressions import Item
from homeshelf.table.operations import Delete, Key, Page, Put, Query, Update, Write
from homeshelf.table.sqlite.engine import Sqlite

T = TypeVar("T")


class LaggingSqlite(Sqlite):
    """Answers for its indexes from a second file, which each write reaches after some seconds."""

    def __init__(self, path: Path, lag: float) -> None:
        super().__init__(path)
        self._lag = lag
        self._behind = Sqlite(path.with_name(f"{path.name}-behind"))
        self._copying: set[asyncio.Task[None]] = set()

    async def query(self, query: Query[Any]) -> Page[Item]:
        return await (self._behind.query(query) if query.index else super().query(query))

    async def count(self, query: Query[Any], at_most: int | None = None) -> int:
        if query.index:
            return await self._behind.count(query, at_most)
        return await super().count(query, at_most)

    async def write(self, write: Put | Update | Delete) -> Item | None:
        return self._copied(await super().write(write), [write])

    async def transact(self, writes: Sequence[Write]) -> None:
        await super().transact(writes)
        self._copied(None, writes)

    async def batch(self, writes: Sequence[Put | Delete]) -> None:
        await super().batch(writes)
        self._copied(None, writes)

    async def close(self) -> None:
        for task in self._copying:
            task.cancel()
        await asyncio.gather(*self._copying, return_exceptions=True)
        await self._behind.close()
        await super().close()

    def _copied(self, result: T, writes: Sequence[Write]) -> T:
        for write in writes:
            task = asyncio.create_task(self._copy(write.key))
            self._copying.add(task)
            task.add_done_callback(self._copying.discard)
        return result

    async def _copy(self, key: Key[Any]) -> None:
        await asyncio.sleep(self._lag)
        item = await self.get(key)
        await self._behind.batch([Delete(key) if item is None else Put(key.table, item)])
