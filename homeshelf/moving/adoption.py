"""Create the records that Homeshelf needs beside those of another program; it can be resumed."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from homeshelf import clock
from homeshelf.coordination.adopting import Adoption, Found, Made
from homeshelf.moving.record_kinds import KindIndex
from homeshelf.table import (
    BOOKS,
    HELPER,
    INVENTORY,
    SHAREABLES,
    SHORT_ID_POOL,
    CannotOpen,
    ConditionFailed,
    Database,
    Item,
    Key,
    Page,
    Put,
    Query,
    Record,
    Table,
    TransactionCancelled,
    Unreadable,
    Update,
    absent,
    key_in,
)
from homeshelf.table.database import load_item
from homeshelf.table.limits import row_key
from homeshelf.table.operations import KeyValue
from homeshelf.table.sqlite.copies import Progress
from homeshelf.web.services import Slice

CONCURRENCY = 32
MAX_ATTEMPTS = 3
UNREADABLE = "Some records cannot be read, and are left as they are: homeshelf doctor names them."
MISPLACED = "Some records stand at keys that are not theirs, and are left as they are."


@dataclass
class Summary:
    made: Counter[str] = field(default_factory=Counter)
    remarks: dict[str, None] = field(default_factory=dict)

    def add(self, adoption: Adoption) -> None:
        self.made.update(what for need in adoption.needs for what, _ in need)
        self.remark(*adoption.remarks)

    def remark(self, *sentences: str) -> None:
        self.remarks.update(dict.fromkeys(sentences))


class AdoptionRun:
    def __init__(self, db: Database, slices: Sequence[Slice], issuer: str | None = None) -> None:
        self._db, self._slices, self._issuer = db, slices, issuer
        self._kinds = KindIndex()
        self._families: list[KeyValue] | None = None

    async def preview(self, progress: Progress) -> Summary:
        summary = Summary()
        async for found in self._read_all(summary, progress):
            summary.add(await self._collect_adoption(found))
        return summary

    async def apply(self, progress: Progress) -> Summary:
        summary = Summary()
        for _ in range(MAX_ATTEMPTS):
            refused = 0
            async for found in self._read_all(summary, progress):
                adoption = await self._collect_adoption(found)
                summary.add(adoption)
                refused += await self._write_needs(adoption)
            if not refused:
                return summary
        raise CannotOpen("Another program writes to the database: stop it, and run this again.")

    async def _read_all(self, summary: Summary, progress: Progress) -> AsyncIterator[Found]:
        """Yield free short ids first, which never show that they were adopted, then families."""
        seen, size = 0, await self._db.engine.size()
        at, planned = clock.timestamp(), dict[Key[Any], Record]()

        def found(table: Table, page: Page[Item]) -> Found:
            nonlocal seen
            seen += len(page.items)
            progress(seen, max(size, seen))
            return Found(self._load_page(table, page, summary), at, self._issuer, planned)

        async for page in self._db.scan(SHORT_ID_POOL):
            yield found(SHORT_ID_POOL, page)
        for family in await self._list_families():
            query = Query(INVENTORY, family, dict).up_to_date()
            yield found(INVENTORY, await self._db.engine.query(query))
        for table in (SHAREABLES, BOOKS):
            async for page in self._db.scan(table):
                yield found(table, page)

    async def _list_families(self) -> list[KeyValue]:
        if self._families is None:
            found: dict[KeyValue, None] = {}
            async for page in self._db.scan(INVENTORY):
                keys = (*(key_in(INVENTORY, item) for item in page.items), *page.unreadable)
                found.update((key.partition, None) for key in keys)
            self._families = list(found)
        return self._families

    def _load_page(
        self, table: Table, page: Page[Item], summary: Summary
    ) -> dict[type[Record], list[Record]]:
        records: dict[type[Record], list[Record]] = {}
        if page.unreadable:
            summary.remark(UNREADABLE)
        for item in page.items:
            key = key_in(table, item)
            kind = self._kinds.at(key)
            if kind is None:
                continue
            try:
                record = load_item(Key(table, key.partition, key.sort, kind.load), item)
            except Unreadable:
                summary.remark(UNREADABLE)
                continue
            own = record.own_key()
            if (own.partition, own.sort) == (key.partition, key.sort):
                records.setdefault(kind, []).append(record)
            else:
                summary.remark(MISPLACED)
        return records

    async def _collect_adoption(self, found: Found) -> Adoption:
        needs: list[Sequence[Made]] = []
        remarks: list[str] = []
        for each in self._slices:
            if each.adopts is not None:
                adoption = await each.adopts(self._db, found)
                needs += adoption.needs
                remarks += adoption.remarks
        return Adoption(needs, remarks)

    async def _write_needs(self, adoption: Adoption) -> int:
        """Return the number of writes that a concurrent change refused."""
        beside = [need for need in adoption.needs if _is_addition(need)]
        own = [need for need in adoption.needs if not _is_addition(need)]
        refused = 0
        for needs in (beside, own):
            for first in range(0, len(needs), CONCURRENCY):
                done = map(self._write_need, needs[first : first + CONCURRENCY])
                refused += (await asyncio.gather(*done)).count(False)
        return refused

    async def _write_need(self, need: Sequence[Made]) -> bool:
        writes = [write for _, write in need]
        try:
            if len(writes) == 1 and isinstance(writes[0], Put | Update):
                await self._db.write(writes[0])  # half the cost of a transaction
            else:
                await self._db.transact(*writes)
        except (TransactionCancelled, ConditionFailed):
            return False
        return True


def _is_addition(need: Iterable[Made]) -> bool:
    """Check that no write changes a record of the other program."""
    return all(row_key(write)[0] is HELPER or write.when is absent for _, write in need)
