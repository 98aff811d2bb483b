"""Test that the claim of each item lists exactly its pending entries after any actions."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from homeshelf import clock
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.errors import HomeshelfError
from homeshelf.inventory import store as inventory
from homeshelf.inventory.model import InventoryItem
from homeshelf.shopping import entry_creation, stock_transfer, store
from homeshelf.shopping.habits import HabitLearner
from homeshelf.shopping.model import PendingEntries, latest_by_name
from homeshelf.shopping.store import ShoppingItemObserver, listed_items, pending_key
from homeshelf.table import Database, Key
from tests.api_client import add_entry, add_item, add_purchased_entry, get_pending_entry_ids
from tests.costs import count_operations
from tests.databases import ENGINES, tables
from tests.home import Home
from tests.moment import Moment
from tests.records import make_record
from tests.table.faulty_engines import warp

ITEMS = ("i1", "i2")
MEMBER_COUNT = 3

entries = st.integers(0, 7)
items = st.sampled_from(ITEMS)
action_strategy = st.one_of(
    st.tuples(st.just("add"), items, st.booleans()),
    st.tuples(st.just("write"), st.just("Cake")),
    st.tuples(st.just("mark"), entries, st.sampled_from(["pending", "purchased"])),
    st.tuples(st.just("edit"), entries),
    st.tuples(st.just("remove"), entries),
    st.tuples(st.just("put_away"), entries),
    st.tuples(st.just("take_back"), entries),
    st.tuples(st.just("approve"), items),
    st.tuples(st.just("archive"), items),
    st.tuples(st.just("unarchive"), items),
    st.tuples(st.just("remove_item"), items),
)
"""An entry is named by the number of its addition, an item by its id."""


@transaction
async def approve(tx: Transaction, key: Key[InventoryItem]) -> str:
    """Put an item on the list as an approval does, and return the id of the entry."""
    item = await tx.get(key)
    if item.status != "active":
        raise HomeshelfError
    new = entry_creation.build_entry(item.family_id, "ada", {"item_id": item.item_id}, item)
    await entry_creation.add_forced_entry(tx, new)
    return new.shopping_item_id


@dataclass
class ConcurrentFamily:
    """A family with several members, each with a separate database object like a process."""

    databases: Sequence[Database]
    family_id: str = field(default_factory=clock.new_id)
    ids: list[str] = field(default_factory=list)

    async def move_in(self) -> None:
        for item_id in ITEMS:
            known = {"item_id": item_id, "family_id": self.family_id, "name": item_id}
            item = make_record(InventoryItem, **known, updated_at=clock.timestamp())
            await self.databases[0].put(item)

    async def run_action(self, who: int, name: str, *about: Any) -> None:
        """Run an action and ignore a refusal, which must change nothing."""
        try:
            await getattr(self, name)(self.databases[who], *about)
        except HomeshelfError:
            return

    async def add(self, db: Database, item_id: str, force: bool) -> None:
        new = await entry_creation.add_entry(
            db, self.family_id, "ada", {"item_id": item_id}, force=force
        )
        self.ids.append(new.shopping_item_id)

    async def write(self, db: Database, name: str) -> None:
        self.ids.append(
            (
                await entry_creation.add_entry(db, self.family_id, "ada", {"name": name})
            ).shopping_item_id
        )

    async def approve(self, db: Database, item_id: str) -> None:
        self.ids.append(await approve(db, inventory.key_of(self.family_id, item_id)))

    async def mark(self, db: Database, entry: int, status: Any) -> None:
        await store.mark_entry(
            db, *await self._seen_version(db, entry), status, HabitLearner(db), "admin"
        )

    async def edit(self, db: Database, entry: int) -> None:
        await store.edit_entry(db, *await self._seen_version(db, entry), {"notes": clock.new_id()})

    async def remove(self, db: Database, entry: int) -> None:
        await store.remove_entry(db, (await self._seen_version(db, entry))[0])

    async def put_away(self, db: Database, entry: int) -> None:
        await stock_transfer.put_away(db, *await self._seen_version(db, entry), None, "ada")

    async def take_back(self, db: Database, entry: int) -> None:
        await stock_transfer.undo_put_away(db, *await self._seen_version(db, entry), "ada")

    async def archive(self, db: Database, item_id: str) -> None:
        await inventory.set_status(db, inventory.key_of(self.family_id, item_id), "archived")

    async def unarchive(self, db: Database, item_id: str) -> None:
        await inventory.set_status(db, inventory.key_of(self.family_id, item_id), "active")

    async def remove_item(self, db: Database, item_id: str) -> None:
        await inventory.remove(
            db, inventory.key_of(self.family_id, item_id), [ShoppingItemObserver()]
        )

    async def check_claims(self) -> None:
        db = self.databases[0]
        there = await db.all(store.whole_list(self.family_id).up_to_date())
        for item_id in ITEMS:
            claim = await db.get(pending_key(self.family_id, item_id))
            pending = {each.shopping_item_id for each in there if each.pending_item_id == item_id}
            assert (claim is None) == (not pending)
            assert sorted(claim.members if claim else ()) == sorted(pending)
            if await inventory.get_item(db, self.family_id, item_id) is None:
                assert all(each.item_id != item_id for each in there)
        assert await listed_items(db, self.family_id, [*ITEMS, "i3", "i1"]) == {
            each.pending_item_id for each in there if each.pending_item_id
        }
        for each in there:
            assert (each.ttl is None) == (each.status == "pending")
            assert each.put_away_at is None or each.status == "purchased"

    async def _seen_version(self, db: Database, entry: int) -> tuple[Any, int]:
        if entry >= len(self.ids):
            raise HomeshelfError
        found = await store.entry(db, self.family_id, self.ids[entry])
        if found is None:
            raise HomeshelfError
        return found.own_key(), found.version


@pytest.mark.parametrize("engine", ENGINES)
def test_claim_lists_pending_entries(
    engine: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> None:
    request.param = engine
    if engine != "sqlite":
        request.getfixturevalue(engine)
    opened = tables(request, tmp_path_factory.mktemp("households"))
    with asyncio.Runner() as runner:
        open_another = runner.run(opened.__aenter__())
        databases = [open_another() for _ in range(MEMBER_COUNT)]

        @settings(max_examples=30, deadline=None, phases=[Phase.generate])
        @given(st.lists(st.lists(action_strategy, min_size=1, max_size=MEMBER_COUNT), max_size=12))
        def hold(rounds: list[list[tuple[Any, ...]]]) -> None:
            runner.run(_run_rounds(ConcurrentFamily(databases), rounds))

        try:
            hold()
        finally:
            runner.run(opened.__aexit__(None, None, None))


async def _run_rounds(family: ConcurrentFamily, rounds: list[list[tuple[Any, ...]]]) -> None:
    await family.move_in()
    for actions in rounds:
        await asyncio.gather(
            *(family.run_action(who, *action) for who, action in enumerate(actions))
        )
        await family.check_claims()


async def test_listed_items_cost_one_read(home: Home) -> None:
    items = [(await add_item(home.admin, name=f"Item {n}"))["itemId"] for n in range(3)]
    await add_entry(home.admin, itemId=items[0])
    await add_purchased_entry(home.admin, itemId=items[1])
    with count_operations(home.running.db) as spent:
        found = await listed_items(home.running.db, home.family_id, [*items, items[0]])
    assert found == {items[0]}
    assert spent == {"get_many": 1}


async def test_unreadable_claim_does_not_hide_others(home: Home) -> None:
    items = [(await add_item(home.admin, name=f"Item {n}"))["itemId"] for n in range(2)]
    for item_id in items:
        await add_entry(home.admin, itemId=item_id)
    await warp(home.running.db, pending_key(home.family_id, items[0]), members="many")
    assert await listed_items(home.running.db, home.family_id, items) == {items[1]}


async def test_remembered_names_are_unique_and_newest_first(moment: Moment, home: Home) -> None:
    for name in ("Tea", "Cake", "tea", "Nails"):
        await add_entry(home.admin, name=name)
        moment.pass_by(1)
    remembered = latest_by_name(await home.running.db.all(store.whole_list(home.family_id)))
    assert [each.name for each in remembered] == ["Nails", "tea", "Cake"]


async def test_deleted_family_leaves_no_claim(home: Home) -> None:
    milk = await add_item(home.admin, name="Milk")
    await add_entry(home.admin, itemId=milk["itemId"])
    assert await get_pending_entry_ids(home, milk)
    gone = await home.admin.delete("/me", {"password": home.admin.password})
    assert gone.status_code == 204
    claims = PendingEntries.where(family_id=home.family_id)
    assert await home.running.db.all(claims.up_to_date()) == []
