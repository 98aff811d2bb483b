"""`homeshelf adopt`: what Homeshelf needs beside records that another program wrote.

It is looked for twice: once to say what there is to do, and once to do it. Every write has a
condition, and nothing is written but what was found missing, so that it goes on where it was
stopped. What is added to the records themselves comes last: one that has it has the rest too.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from homeshelf import clock
from homeshelf.moving.kinds import Kinds
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
from homeshelf.table.database import loaded
from homeshelf.table.limits import row_key
from homeshelf.table.operations import KeyValue
from homeshelf.table.sqlite.copies import Progress
from homeshelf.web.adopting import Adoption, Found, Made
from homeshelf.web.services import Slice

AT_A_TIME = 32
TRIES = 3
UNREADABLE = "Some records cannot be read, and are left as they are: homeshelf doctor names them."
MISPLACED = "Some records stand at keys that are not theirs, and are left as they are."


@dataclass
class Summary:
    made: Counter[str] = field(default_factory=Counter)
    """How many of what."""
    remarks: dict[str, None] = field(default_factory=dict)
    """Each once, in the order in which they came up."""

    def add(self, adoption: Adoption) -> None:
        self.made.update(what for need in adoption.needs for what, _ in need)
        self.remark(*adoption.remarks)

    def remark(self, *sentences: str) -> None:
        self.remarks.update(dict.fromkeys(sentences))


class Adopting:
    def __init__(self, db: Database, slices: Sequence[Slice], issuer: str | None = None) -> None:
        self._db, self._slices, self._issuer = db, slices, issuer
        self._kinds = Kinds()
        self._families: list[KeyValue] | None = None

    async def look(self, progress: Progress) -> Summary:
        """What there is to do; nothing is written."""
        summary = Summary()
        async for found in self._everything(summary, progress):
            summary.add(await self._adoption(found))
        return summary

    async def carry_out(self, progress: Progress) -> Summary:
        """Returns what was done."""
        summary = Summary()
        for _ in range(TRIES):
            refused = 0
            async for found in self._everything(summary, progress):
                adoption = await self._adoption(found)
                summary.add(adoption)
                refused += await self._write(adoption)
            if not refused:
                return summary
        raise CannotOpen("Another program writes to the database: stop it, and run this again.")

    async def _everything(self, summary: Summary, progress: Progress) -> AsyncIterator[Found]:
        """A family at a time, and some of the other tables. Free short ids have nothing of their
        own that would say that they were adopted: they come first."""
        seen, size = 0, await self._db.engine.size()
        at, planned = clock.timestamp(), dict[Key[Any], Record]()

        def found(table: Table, page: Page[Item]) -> Found:
            nonlocal seen
            seen += len(page.items)
            progress(seen, max(size, seen))
            return Found(self._loaded(table, page, summary), at, self._issuer, planned)

        async for page in self._db.scan(SHORT_ID_POOL):
            yield found(SHORT_ID_POOL, page)
        for family in await self._all_families():
            query = Query(INVENTORY, family, dict).up_to_date()
            yield found(INVENTORY, await self._db.engine.query(query))
        for table in (SHAREABLES, BOOKS):
            async for page in self._db.scan(table):
                yield found(table, page)

    async def _all_families(self) -> list[KeyValue]:
        """Where their records stand; a scan promises no order."""
        if self._families is None:
            found: dict[KeyValue, None] = {}
            async for page in self._db.scan(INVENTORY):
                keys = (*(key_in(INVENTORY, item) for item in page.items), *page.unreadable)
                found.update((key.partition, None) for key in keys)
            self._families = list(found)
        return self._families

    def _loaded(
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
                record = loaded(Key(table, key.partition, key.sort, kind.load), item)
            except Unreadable:
                summary.remark(UNREADABLE)
                continue
            own = record.own_key()
            if (own.partition, own.sort) == (key.partition, key.sort):
                records.setdefault(kind, []).append(record)
            else:
                summary.remark(MISPLACED)
        return records

    async def _adoption(self, found: Found) -> Adoption:
        needs: list[Sequence[Made]] = []
        remarks: list[str] = []
        for each in self._slices:
            if each.adopts is not None:
                adoption = await each.adopts(self._db, found)
                needs += adoption.needs
                remarks += adoption.remarks
        return Adoption(needs, remarks)

    async def _write(self, adoption: Adoption) -> int:
        """Returns how many were refused, because something changed meanwhile."""
        beside = [need for need in adoption.needs if _is_beside(need)]
        own = [need for need in adoption.needs if not _is_beside(need)]
        refused = 0
        for needs in (beside, own):
            for first in range(0, len(needs), AT_A_TIME):
                done = map(self._make, needs[first : first + AT_A_TIME])
                refused += (await asyncio.gather(*done)).count(False)
        return refused

    async def _make(self, need: Sequence[Made]) -> bool:
        writes = [write for _, write in need]
        try:
            match writes:
                case [Put() | Update() as only]:  # costs half of what a transaction does
                    await self._db.write(only)
                case _:
                    await self._db.transact(*writes)
        except (TransactionCancelled, ConditionFailed):
            return False
        return True


def _is_beside(need: Iterable[Made]) -> bool:
    """Whether it is made beside the records of the other program, and changes none of them."""
    return all(row_key(write)[0] is HELPER or write.when is absent for _, write in need)
