"""Test two processes that reorder the same list."""

import asyncio

import pytest

from homeshelf.shares.checklist import ordering
from homeshelf.shares.checklist.model import ChecklistItem, NewItem
from homeshelf.shares.checklist.ordering import reorder
from homeshelf.shares.list_creation import create
from homeshelf.shares.model import ListContent, Passcodes, Shareable
from homeshelf.shares.store import ListWithItems, load_list
from homeshelf.table import Database
from tests.databases import Opener
from tests.queues import todos_of

ITEMS = 200


@pytest.fixture(autouse=True)
def small_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordering, "MAX_WRITES", 10)


async def new_list(db: Database) -> ListWithItems:
    items = tuple(NewItem(f"{number:03}") for number in range(ITEMS))
    return await create(db, ListContent("Camping", None, items), Passcodes())


async def now(db: Database, made: ListWithItems) -> ListWithItems:
    shared = await db.get(Shareable.key(short_id=made.shared.short_id))
    assert shared is not None
    return await load_list(db, shared)


async def finish_and_reload(db: Database, made: ListWithItems) -> ListWithItems:
    for left in await todos_of(db):
        if left.kind == ordering.REORDERING_KIND:
            await ordering.finish_reordering(db, left)
    return await now(db, made)


def ids_of(found: ListWithItems) -> list[str]:
    return [item.checklist_item_id for item in found.items]


@pytest.mark.parametrize("moved", [1, 45, 120])
async def test_second_order_during_a_long_one_is_the_order_afterwards(
    open_another: Opener, moved: int
) -> None:
    first, second = open_another(), open_another()
    made = await new_list(first)
    ids = ids_of(made)
    long = asyncio.create_task(reorder(first, made.shared.own_key(), ids[::-1]))
    before = {item.checklist_item_id: item.order for item in made.items}
    changed: list[ChecklistItem] = []
    while len(changed) < moved and not long.done():
        await asyncio.sleep(0.001)
        found = await now(second, made)
        changed = [it for it in found.items if it.order != before[it.checklist_item_id]]
    wanted = ids[50:] + ids[:50]
    await reorder(second, made.shared.own_key(), wanted)
    await long
    found = await finish_and_reload(first, made)
    assert ids_of(found) == wanted
    assert found.shared.ordering is None


async def test_two_orders_begun_at_once_by_two_processes_leave_one_of_them(
    open_another: Opener,
) -> None:
    first, second = open_another(), open_another()
    made = await new_list(first)
    ids = ids_of(made)
    for one, other in ((ids[::-1], ids[50:] + ids[:50]), (ids[::2] + ids[1::2], ids)):
        await asyncio.gather(
            reorder(first, made.shared.own_key(), one),
            reorder(second, made.shared.own_key(), other),
        )
        found = await finish_and_reload(first, made)
        assert ids_of(found) in (one, other)
        assert found.shared.ordering is None
