"""Batches of queued adjustments of one item, written in one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from homeshelf import clock
from homeshelf.coordination.idempotency import ReplayedResponse, ResponseWrite, StoredResponse
from homeshelf.coordination.transaction import Transaction, find
from homeshelf.errors import NotFound
from homeshelf.inventory import notices
from homeshelf.inventory.model import InventoryItem, Source, quantity_change, require_active
from homeshelf.table import Check, Database, Key, TransactionCancelled, Write
from homeshelf.table.database import ExtraWrites
from homeshelf.table.limits import WRITES
from homeshelf.table.queues import Waiting

MAX_ADJUSTMENTS = 40
ITEM_WRITES = 2


@dataclass(frozen=True)
class AdjustmentResult:
    item: InventoryItem
    applied: int


@dataclass(frozen=True)
class Adjustment:
    delta: int
    source: Source
    by: str | None
    extra_writes: ExtraWrites
    checks: Sequence[Check] = ()


WaitingAdjustment = Waiting[Adjustment, AdjustmentResult]


@dataclass
class AdjustmentBatch:
    old: InventoryItem
    new: InventoryItem
    results: list[tuple[WaitingAdjustment, AdjustmentResult]] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    checks: dict[Key[Any], Check] = field(default_factory=dict)
    answers: dict[Key[Any], ResponseWrite] = field(default_factory=dict)
    repeated: list[tuple[WaitingAdjustment, Key[Any]]] = field(default_factory=list)
    """Requests with the idempotency key of an earlier request in this batch."""

    def try_add(self, waiting: WaitingAdjustment) -> bool:
        wanted = waiting.wanted
        new = self.new.adjusted(wanted.delta, clock.after(self.new.updated_at))
        result = AdjustmentResult(new, new.quantity - self.new.quantity)
        own = list(wanted.extra_writes(result))
        answers = {write.key: write for write in own if isinstance(write, ResponseWrite)}
        if earlier := next((key for key in answers if key in self.answers), None):
            self.repeated.append((waiting, earlier))
            return True
        if new is not self.new:
            change = quantity_change(new, result.applied, wanted.source, wanted.by, clock.now())
            own.append(change.put())
        checks = {check.key: check for check in wanted.checks}
        size = len(self.writes) + len(own) + len(self.checks.keys() | checks.keys())
        notice_writes = notices.max_writes(new.family_id, new.item_id)
        if self.results and size > WRITES - ITEM_WRITES - notice_writes:
            return False
        self.writes += own
        self.checks = checks | self.checks
        self.answers |= answers
        self.results.append((waiting, result))
        self.new = new
        return True

    async def write(self, db: Database) -> None:
        tx = Transaction(db)
        if self.new is not self.old:
            tx.replace(self.old, self.new)
            tx.write(*await notices.writes_of_item_change(db, self.old, self.new))
        await db.transact(*tx.writes(), *self.writes, *self.checks.values())
        for waiting, result in self.results:
            waiting.resolve(result)
        for waiting, key in self.repeated:
            waiting.refuse(ReplayedResponse(StoredResponse.load(self.answers[key].item)))

    def refuse_failed_checks(self, cancelled: TransactionCancelled) -> bool:
        """Refuse adjustments whose own checks failed; return whether there were any."""
        failed = {key for key, check in self.checks.items() if cancelled.by(check)}
        for waiting, _result in self.results:
            if any(check.key in failed for check in waiting.wanted.checks):
                waiting.refuse(NotFound())
        return bool(failed)

    def refuse_replayed(self, replayed: ReplayedResponse) -> None:
        key: Key[Any] = replayed.stored.own_key()
        for waiting, result in self.results:
            own = waiting.wanted.extra_writes(result)
            if any(isinstance(w, ResponseWrite) and w.key == key for w in own):
                waiting.refuse(ReplayedResponse(replayed.stored))
        for waiting, earlier in self.repeated:
            if earlier == key:
                waiting.refuse(ReplayedResponse(replayed.stored))


async def adjust_together(
    db: Database, key: Key[InventoryItem], queue: Sequence[WaitingAdjustment]
) -> None:
    """Refuse only the adjustment that fails, and retry the others."""
    while waiting := [each for each in queue if not each.is_done]:
        try:
            old = require_active(await find(db, key), NotFound)
            batch = AdjustmentBatch(old, old)
            for each in waiting:
                if not batch.try_add(each):
                    break
        except Exception as error:  # noqa: BLE001  # every caller gets the error
            _refuse(waiting, error)
            return
        try:
            await batch.write(db)
        except ReplayedResponse as replayed:
            batch.refuse_replayed(replayed)
        except TransactionCancelled as cancelled:
            if not batch.refuse_failed_checks(cancelled):
                raise  # another writer changed the item: retry the whole batch
        except Exception as error:  # noqa: BLE001  # it may have been written, so it is not retried
            _refuse([each for each, _result in batch.results], error)
        else:
            return


def _refuse(adjustments: Sequence[WaitingAdjustment], error: Exception) -> None:
    for waiting in adjustments:
        waiting.refuse(error)
