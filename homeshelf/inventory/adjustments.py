"""Adjustments of one item that queue up are carried out in one transaction. Each has its own
version, timestamp, history and response, so that nobody sees the batch."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from homeshelf import clock
from homeshelf.coordination.idempotency import ReplayedResponse, ResponseWrite, StoredResponse
from homeshelf.coordination.transaction import Transaction, find
from homeshelf.errors import NotFound
from homeshelf.inventory import notices
from homeshelf.inventory.model import InventoryItem, Source, in_use, quantity_change
from homeshelf.table import Check, Database, Key, TransactionCancelled, Write
from homeshelf.table.database import ExtraWrites
from homeshelf.table.limits import WRITES
from homeshelf.table.queues import Waiting

MOST_JOINED = 40
OF_THE_ITEM = 2
"""The item and its change."""

RowKey = tuple[object, object]


@dataclass(frozen=True)
class Adjusted:
    item: InventoryItem
    applied: int


@dataclass(frozen=True)
class Adjustment:
    delta: int
    source: Source
    by: str | None
    extra_writes: ExtraWrites
    checks: Sequence[Check] = ()


Asked = Waiting[Adjustment, Adjusted]


@dataclass
class Joined:
    old: InventoryItem
    new: InventoryItem
    results: list[tuple[Asked, Adjusted]] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    checks: dict[RowKey, Check] = field(default_factory=dict)
    answers: dict[RowKey, ResponseWrite] = field(default_factory=dict)
    repeated: list[tuple[Asked, RowKey]] = field(default_factory=list)
    """Requests whose key came with another one in this batch, which answers them."""

    def take(self, asked: Asked) -> bool:
        wanted = asked.wanted
        new = self.new.adjusted(wanted.delta, clock.after(self.new.updated_at))
        result = Adjusted(new, new.quantity - self.new.quantity)
        own = list(wanted.extra_writes(result))
        answers = {_row_key(write.key): write for write in own if isinstance(write, ResponseWrite)}
        if again := next((place for place in answers if place in self.answers), None):
            self.repeated.append((asked, again))
            return True
        if new is not self.new:
            told = quantity_change(new, result.applied, wanted.source, wanted.by, clock.now())
            own.append(told.put())
        checks = {_row_key(check.key): check for check in wanted.checks}
        size = len(self.writes) + len(own) + len(self.checks.keys() | checks.keys())
        of_notices = notices.most_writes(new.family_id, new.item_id)
        if self.results and size > WRITES - OF_THE_ITEM - of_notices:
            return False
        self.writes += own
        self.checks = checks | self.checks
        self.answers |= answers
        self.results.append((asked, result))
        self.new = new
        return True

    async def carry_out(self, db: Database) -> None:
        tx = Transaction(db)
        if self.new is not self.old:
            tx.replace(self.old, self.new)
            tx.write(*await notices.writes_of_item_change(db, self.old, self.new))
        await db.transact(*tx.writes(), *self.writes, *self.checks.values())
        for asked, result in self.results:
            asked.resolve(result)
        for asked, place in self.repeated:
            asked.refuse(ReplayedResponse(StoredResponse.load(self.answers[place].item)))

    def refuse_dead(self, cancelled: TransactionCancelled) -> bool:
        """Refuse those whose own checks fail; returns whether there were any."""
        dead = {place for place, check in self.checks.items() if cancelled.by(check)}
        for asked, _result in self.results:
            if any(_row_key(check.key) in dead for check in asked.wanted.checks):
                asked.refuse(NotFound())
        return bool(dead)

    def refuse_replayed(self, replayed: ReplayedResponse) -> None:
        place = _row_key(replayed.stored.own_key())
        for asked, result in self.results:
            own = asked.wanted.extra_writes(result)
            if any(isinstance(w, ResponseWrite) and _row_key(w.key) == place for w in own):
                asked.refuse(ReplayedResponse(replayed.stored))
        for asked, again in self.repeated:
            if again == place:
                asked.refuse(ReplayedResponse(replayed.stored))


async def adjust_together(db: Database, key: Key[InventoryItem], waiting: Sequence[Asked]) -> None:
    """Refuse only the adjustment that fails, and try the others again."""
    while left := [asked for asked in waiting if not asked.is_done]:
        try:
            old = in_use(await find(db, key), NotFound)
            joined = Joined(old, old)
            for asked in left:
                if not joined.take(asked):
                    break
        except Exception as error:  # noqa: BLE001  # whatever it is, all of them are to hear it
            _refuse(left, error)
            return
        try:
            await joined.carry_out(db)
        except ReplayedResponse as replayed:
            joined.refuse_replayed(replayed)
        except TransactionCancelled as cancelled:
            if not joined.refuse_dead(cancelled):
                raise  # somebody else changed the item: all of them are tried again
        except Exception as error:  # noqa: BLE001  # it may have been done: it is not tried again
            _refuse([asked for asked, _ in joined.results], error)
        else:
            return


def _refuse(those: Sequence[Asked], error: Exception) -> None:
    for asked in those:
        asked.refuse(error)


def _row_key(key: Key[Any]) -> RowKey:
    return key.partition, key.sort
