"""Reorder items with as few writes as possible: most keep their orders, the others get new ones."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import pairwise

from homeshelf import clock
from homeshelf.coordination.changes import change_writes
from homeshelf.coordination.todos import FINISH_DELAY, Todo, todo
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.errors import Invalid
from homeshelf.sentences import _
from homeshelf.shares.checklist.model import GAP, ChecklistItem, sort_items
from homeshelf.shares.model import Shareable
from homeshelf.shares.store import ListWithItems, get_list, load_list
from homeshelf.table import (
    Check,
    Database,
    Key,
    Remove,
    Set,
    TransactionCancelled,
    Write,
    attr,
    exists,
)

REORDERING_KIND = "share_reordered"
MAX_WRITES = 90
"""The most items one transaction moves: it has 100 writes, some of them for other records."""


async def reorder(db: Database, key: Key[Shareable], item_ids: Sequence[str]) -> ListWithItems:
    """Reorder the items, with a to-do if there are many; return them in their final order."""
    left = await _reorder(db, key, item_ids)
    found = await load_list(db, await get_list(db, key))
    if left is None or found.shared.ordering != left.todo_id:
        return found
    orders = left.about["orders"]
    moved = (
        item.changed(order=orders.get(item.checklist_item_id, item.order)) for item in found.items
    )
    return ListWithItems(found.shared, sort_items(moved))


@transaction
async def _reorder(tx: Transaction, key: Key[Shareable], item_ids: Sequence[str]) -> Todo | None:
    old = await get_list(tx.db, key)
    items = {item.checklist_item_id: item for item in (await load_list(tx.db, old)).items}
    if sorted(items) != sorted(item_ids):
        raise Invalid([("checklistItemIds", _("Name each item of the list exactly once."))])
    moved = new_orders([items[id_] for id_ in item_ids], keep=old.ordering is None)
    if not moved:
        return None
    if len(moved) <= MAX_WRITES:
        tx.replace(old, old.with_next_version(ordering=None))
        tx.write(*_order_writes(old.short_id, moved))
        return None
    left = todo(
        REORDERING_KIND, {"shortId": old.short_id, "orders": moved}, clock.now() + FINISH_DELAY
    )
    tx.write(old.with_next_version(ordering=left.todo_id).replacing(old))
    tx.finish_soon(left, finish_reordering)
    return left


async def finish_reordering(db: Database, left: Todo) -> None:
    """Move the items in chunks, until a later reordering has begun."""
    short_id, orders = left.about["shortId"], list(left.about["orders"].items())
    still_ours = Check(Shareable.key(short_id=short_id), attr("ordering") == left.todo_id)
    for first in range(0, len(orders), MAX_WRITES):
        chunk = dict(orders[first : first + MAX_WRITES])
        if not await _move_items(db, short_id, chunk, still_ours):
            return
    shared = await db.get(Shareable.key(short_id=short_id))
    if shared is not None:
        done = Shareable.update(shared.own_key(), Remove("ordering"), when=still_ours.when)
        with suppress(TransactionCancelled):
            await db.transact(done, *change_writes(shared))


def new_orders(wanted: Sequence[ChecklistItem], *, keep: bool = True) -> dict[str, int]:
    """Return the orders that change, or all of them if an unfinished reordering forbids `keep`."""
    kept = _longest_increasing(wanted) if keep else set()
    orders = None
    while orders is None:
        orders, crowded = _orders_around(wanted, kept)
        kept -= {crowded}
    return {
        item.checklist_item_id: order
        for item, order in zip(wanted, orders, strict=True)
        if not keep or item.order != order
    }


def _longest_increasing(wanted: Sequence[ChecklistItem]) -> set[int]:
    """Return the positions of a longest subsequence that is already in order."""
    ends: list[tuple[int, str]] = []
    at_end: list[int] = []
    before: list[int | None] = []
    for position, item in enumerate(wanted):
        length = bisect_left(ends, item.rank)
        before.append(at_end[length - 1] if length else None)
        ends[length : length + 1] = [item.rank]
        at_end[length : length + 1] = [position]
    kept: set[int] = set()
    last = at_end[-1] if at_end else None
    while last is not None:
        kept.add(last)
        last = before[last]
    return kept


def _orders_around(
    wanted: Sequence[ChecklistItem], kept: set[int]
) -> tuple[list[int] | None, int | None]:
    """Return orders around those at the `kept` positions, or the position that has to move too."""
    anchors = sorted(kept)
    if not anchors:
        return [position * GAP for position in range(len(wanted))], None
    orders = [item.order for item in wanted]
    first, last = anchors[0], anchors[-1]
    orders[:first] = [orders[first] - GAP * (first - position) for position in range(first)]
    for low, high in pairwise(anchors):
        parts, room = high - low, orders[high] - orders[low]
        if parts > 1 and room < parts:
            return None, high
        for step in range(1, parts):
            orders[low + step] = orders[low] + room * step // parts
    for position in range(last + 1, len(orders)):
        orders[position] = orders[position - 1] + GAP
    return orders, None


async def _move_items(
    db: Database, short_id: str, orders: Mapping[str, int], still_ours: Check
) -> bool:
    """Move items that still exist; return False if another reordering has replaced this one."""
    moves = _order_writes(short_id, orders)
    while moves:
        try:
            await db.transact(still_ours, *moves)
        except TransactionCancelled as cancelled:
            if cancelled.by(still_ours):
                return False
            moves = [move for move in moves if not cancelled.by(move)]
        else:
            return True
    return True


def _order_writes(short_id: str, orders: Mapping[str, int]) -> list[Write]:
    return [
        ChecklistItem.update(
            ChecklistItem.key(short_id=short_id, checklist_item_id=id_),
            Set("order", order),
            when=exists,
        )
        for id_, order in orders.items()
    ]
