"""Test that killed processes leave a list of 500 items either whole or absent."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from homeshelf.coordination.todos import run_or_postpone
from homeshelf.shares import HANDLERS
from homeshelf.shares.checklist import CHECKLIST
from homeshelf.shares.list_creation import create
from homeshelf.shares.model import Passcodes, Shareable
from homeshelf.shares.store import ListWithItems, find_shareable, load_list
from homeshelf.table import SHAREABLES, Database
from tests.forked_processes import run_module
from tests.kill_points import LIST_CONTENT, MANY_LIST_ITEMS
from tests.processes import environment
from tests.queues import todos_of

ROOT = Path(__file__).parents[2]
NEVER = 99
STEPS = {
    "create": [1, 2, 3, 4, 5, 6, NEVER],
    "clone": [2, 4, 6, NEVER],
    "reorder": [1, 2, 4, 9, 13, NEVER],
    "delete": [1, 2, 4, NEVER],
}
"""The steps at which processes are killed; the last one survives."""


def kill(work: str, where: Mapping[str, str], short_ids: Sequence[str]) -> None:
    steps = "".join(f"{step} {id_}\n" for step, id_ in zip(STEPS[work], short_ids, strict=True))
    done = run_module(
        "tests.kill_points", ["writes", f"{work}-list"], ROOT, environment(where), steps
    )
    wanted = ["lived" if step == NEVER else "killed" for step in STEPS[work]]
    assert done.stdout.split() == wanted, done.stderr


async def make(db: Database, number: int) -> list[ListWithItems]:
    return [await create(db, LIST_CONTENT, Passcodes()) for _ in range(number)]


def ids_of(lists: Sequence[ListWithItems]) -> list[str]:
    return [each.shared.short_id for each in lists]


async def stored_lists(db: Database) -> tuple[dict[str, Shareable], dict[str, int]]:
    lists: dict[str, Shareable] = {}
    items: dict[str, int] = {}
    start = None
    while True:
        page = await db.engine.scan(SHAREABLES, 500, start)
        for item in page.items:
            short_id = str(item["shortId"])
            if str(item["pk"]).startswith("shareable#"):
                lists[short_id] = Shareable.load(item)
            else:
                items[short_id] = items.get(short_id, 0) + 1
        if page.next is None:
            return lists, items
        start = page.next


async def run_due_todos(db: Database) -> None:
    for left in await todos_of(db):
        assert await run_or_postpone(db, {**HANDLERS, **CHECKLIST.todos}, left)


@pytest.mark.parametrize("work", ["create", "clone"])
async def test_killed_creation_leaves_a_whole_list_or_none(
    db: Database, where: dict[str, str], work: str
) -> None:
    (source,) = await make(db, 1)
    before = await load_list(db, source.shared)
    kill(work, where, [source.shared.short_id] * len(STEPS[work]))
    lists, items = await stored_lists(db)
    seen = {id_ for id_ in lists if await find_shareable(db, id_) is not None}
    assert len(lists) > len(seen), "some were killed before their items were there"
    assert {items.get(id_) for id_ in seen} == {MANY_LIST_ITEMS}
    assert await load_list(db, source.shared) == before
    await run_due_todos(db)
    lists, items = await stored_lists(db)
    assert lists.keys() == items.keys() == seen, "nothing of the others is left"
    assert await todos_of(db) == []


async def test_killed_reordering_leaves_one_of_both_orders(
    db: Database, where: dict[str, str]
) -> None:
    lists = await make(db, len(STEPS["reorder"]))
    kill("reorder", where, ids_of(lists))
    *killed, last = await order_directions(db, lists)
    assert killed == [1, 1, 0, 0, 0], "some were killed half-way"
    assert last in (0, -1), "what takes longer than a second is left to do"
    await run_due_todos(db)
    assert await order_directions(db, lists) == [1, -1, -1, -1, -1, -1]
    for each in lists:
        now = await find_shareable(db, each.shared.short_id)
        assert now is not None
        assert now.ordering is None


async def order_directions(db: Database, lists: Sequence[ListWithItems]) -> list[int]:
    found = []
    for each in lists:
        names = [item.name for item in (await load_list(db, each.shared)).items]
        straight = [item.name for item in each.items]
        found.append((names == straight) - (names == straight[::-1]))
    return found


async def test_killed_deletion_leaves_no_items(db: Database, where: dict[str, str]) -> None:
    lists = await make(db, len(STEPS["delete"]))
    kill("delete", where, ids_of(lists))
    found, items = await stored_lists(db)
    assert found.keys() < items.keys(), "some were killed between the list and its items"
    await run_due_todos(db)
    found, items = await stored_lists(db)
    assert found.keys() == items.keys() == {ids_of(lists)[0]}, "that one was not begun"
    assert set(items.values()) == {MANY_LIST_ITEMS}
