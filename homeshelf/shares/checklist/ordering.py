"""Reordering items, with as few writes as possible.

Orders have gaps between them. As many items as possible keep theirs, and the others get orders
between those.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import pairwise

from homeshelf import clock
from homeshelf.coordination.changes import announced
from homeshelf.coordination.todos import FINISHED_SOON, Todo, todo
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.errors import Invalid
from homeshelf.sentences import _
from homeshelf.shares.checklist.model import GAP, ChecklistItem, in_order
from homeshelf.shares.model import Shareable
from homeshelf.shares.store import OpenList, current, opened
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

KIND = "share_reordered"
AT_ONCE = 90
"""A transaction has at most 100 writes, some of them for the list, the change and the to-do."""


async def reorder(db: Database, key: Key[Shareable], item_ids: Sequence[str]) -> OpenList:
    """Reorder the items, through a to-do if there are too many for one transaction.

    While the to-do is not done, return the list as it will be.
    """
    left = await _reorder(db, key, item_ids)
    found = await opened(db, await current(db, key))
    if left is None or found.shared.ordering != left.todo_id:
        return found
    orders = left.about["orders"]
    moved = (it.changed(order=orders.get(it.checklist_item_id, it.order)) for it in found.items)
    return OpenList(found.shared, in_order(moved))


@transaction
async def _reorder(tx: Transaction, key: Key[Shareable], item_ids: Sequence[str]) -> Todo | None:
    old = await current(tx.db, key)
    items = {item.checklist_item_id: item for item in (await opened(tx.db, old)).items}
    if sorted(items) != sorted(item_ids):
        raise Invalid([("checklistItemIds", _("This must name each item of the list once."))])
    moved = new_orders([items[id_] for id_ in item_ids], keep=old.ordering is None)
    if not moved:
        return None
    if len(moved) <= AT_ONCE:
        tx.replace(old, old.revised(ordering=None))
        tx.write(*_moves(old.short_id, moved))
        return None
    left = todo(KIND, {"shortId": old.short_id, "orders": moved}, clock.now() + FINISHED_SOON)
    tx.write(old.revised(ordering=left.todo_id).replacing(old))
    tx.finish_soon(left, finish)
    return left


async def finish(db: Database, left: Todo) -> None:
    """Move some items at a time, unless a later reordering has begun."""
    short_id, orders = left.about["shortId"], list(left.about["orders"].items())
    under_way = Check(Shareable.key(short_id=short_id), attr("ordering") == left.todo_id)
    for first in range(0, len(orders), AT_ONCE):
        chunk = dict(orders[first : first + AT_ONCE])
        if not await _move_some(db, short_id, chunk, under_way):
            return
    shared = await db.get(Shareable.key(short_id=short_id))
    if shared is not None:
        done = Shareable.update(shared.own_key(), Remove("ordering"), when=under_way.when)
        with suppress(TransactionCancelled):
            await db.transact(done, *announced(shared))


def new_orders(wanted: Sequence[ChecklistItem], *, keep: bool = True) -> dict[str, int]:
    """Return the orders that change; without `keep`, which a reordering under way forbids, all."""
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
    """Return the positions of as many items as possible that are already in the right order."""
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
    """Return orders for all, those at the `kept` positions as they are.

    If there is no room between two of these, return the one that has to move as well.
    """
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


async def _move_some(
    db: Database, short_id: str, orders: Mapping[str, int], under_way: Check
) -> bool:
    """Move items that are still there; return whether the reordering is still under way."""
    moves = _moves(short_id, orders)
    while moves:
        try:
            await db.transact(under_way, *moves)
        except TransactionCancelled as cancelled:
            if cancelled.by(under_way):
                return False
            moves = [move for move in moves if not cancelled.by(move)]
        else:
            return True
    return True


def _moves(short_id: str, orders: Mapping[str, int]) -> list[Write]:
    return [
        ChecklistItem.update(
            ChecklistItem.key(short_id=short_id, checklist_item_id=id_),
            Set("order", order),
            when=exists,
        )
        for id_, order in orders.items()
    ]
