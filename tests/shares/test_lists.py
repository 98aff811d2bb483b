"""Test the records of a list: creation, changes and deletion."""

import random

import pytest

from homeshelf.coordination.todos import Todo, todo
from homeshelf.errors import Invalid, LimitReached, NotFound
from homeshelf.shares.access import MANAGE, TICK, VIEW, Grant, is_allowed
from homeshelf.shares.checklist import ordering
from homeshelf.shares.checklist.model import ChecklistItem, NewItem
from homeshelf.shares.checklist.ordering import new_orders, reorder
from homeshelf.shares.checklist.store import (
    Tick,
    add_item,
    edit_item,
    item_key,
    items_of,
    remove_item,
    tick_item,
)
from homeshelf.shares.list_creation import clone_of, create
from homeshelf.shares.model import ListContent, Passcodes, Role, Shareable
from homeshelf.shares.store import (
    UNFINISHED_KIND,
    ListChange,
    ListWithItems,
    delete_list,
    delete_unfinished,
    find_shareable,
    load_list,
)
from homeshelf.table import Database
from tests.costs import count_operations
from tests.database_hooks import before_first_transaction, with_hook
from tests.moment import Moment
from tests.records import make_record as made_item

NAMES = ("Tent", "Torch", "Rope", "Map")


def list_content(*names: str) -> ListContent:
    return ListContent("Camping", items=tuple(NewItem(name) for name in names or NAMES))


async def make_record(db: Database, *names: str) -> ListWithItems:
    return await create(db, list_content(*names), Passcodes())


def names_of(found: ListWithItems) -> list[str]:
    return [item.name for item in found.items]


async def read(db: Database, short_id: str) -> ListWithItems:
    shared = await find_shareable(db, short_id)
    assert shared is not None
    return await load_list(db, shared)


async def test_new_list_has_its_items_in_order(database: Database) -> None:
    new = await make_record(database)
    found = await read(database, new.shared.short_id.upper())
    assert found == new
    assert names_of(found) == list(NAMES)
    assert found.shared.hidden is None
    orders = [item.order for item in found.items]
    assert orders[0] == 0
    assert orders == sorted(orders)


async def test_item_is_appended_until_the_list_is_full(database: Database) -> None:
    new = await make_record(database, *(str(number) for number in range(499)))
    key = new.shared.own_key()
    added = await add_item(database, key, NewItem("Socks", "two pairs"))
    found = await read(database, new.shared.short_id)
    assert found.items[-1] == added
    assert found.shared.version == 2
    with pytest.raises(LimitReached):
        await add_item(database, key, NewItem("One too many"))


async def test_only_editing_raises_the_version(database: Database) -> None:
    new = await make_record(database)
    item = new.items[1].checklist_item_id
    ticked = await tick_item(
        database, item_key(new.shared.short_id, item), Tick(checked=True, by="Ada")
    )
    assert (ticked.checked, ticked.checked_by) == (True, "Ada")
    assert (await read(database, new.shared.short_id)).shared.version == 1
    await edit_item(database, new.shared.own_key(), item, lambda old: old.changed(name="Lamp"))
    found = await read(database, new.shared.short_id)
    assert (found.items[1].name, found.items[1].checked, found.shared.version) == ("Lamp", True, 2)
    await tick_item(database, item_key(new.shared.short_id, item), Tick(checked=False))
    assert (await read(database, new.shared.short_id)).items[1].checked is None


async def test_second_tick_keeps_the_time_unless_another_person_ticks(
    database: Database, moment: Moment
) -> None:
    new = await make_record(database)
    item = new.items[1].checklist_item_id
    ticks = []
    for by in ("Ada", "Ada", "Bo"):
        ticks.append(
            await tick_item(
                database, item_key(new.shared.short_id, item), Tick(checked=True, by=by)
            )
        )
        moment.pass_by(60)
    first, again, other = ticks
    assert first.checked_at == "2024-11-01T12:00:00.000Z"
    assert again == first
    assert (other.checked_by, other.checked_at) == ("Bo", "2024-11-01T12:02:00.000Z")


async def test_moving_one_item_writes_one_item(database: Database) -> None:
    new = await make_record(database, *(f"{number:03}" for number in range(500)))
    ids = [item.checklist_item_id for item in new.items]
    moved = [*ids[:10], ids[400], *ids[10:400], *ids[401:]]
    with count_operations(database) as spent:
        found = await reorder(database, new.shared.own_key(), moved)
    assert spent["transact"] == 1
    assert [item.checklist_item_id for item in found.items] == moved
    before = {item.checklist_item_id: item.order for item in new.items}
    changed = [i for i in found.items if before[i.checklist_item_id] != i.order]
    assert [item.checklist_item_id for item in changed] == [ids[400]]


async def test_an_order_names_every_item_once(database: Database) -> None:
    new = await make_record(database)
    ids = [item.checklist_item_id for item in new.items]
    for wrong in (ids[1:], [*ids, ids[0]], [*ids[1:], ids[1]], []):
        with pytest.raises(Invalid):
            await reorder(database, new.shared.own_key(), wrong)


def test_repr_of_a_list_hides_its_passcodes() -> None:
    hashes = Passcodes("a-hash", "a-hash")
    shared = made_item(Shareable, view_passcode="a-hash", admin_passcode="a-hash")
    change = ListChange(1, {"view_passcode": "a-hash"})
    for each in (hashes, shared, change):
        assert "a-hash" not in repr(each)


def test_order_is_correct_after_many_moves() -> None:
    chance = random.Random(7)
    items = [made_item(ChecklistItem, checklist_item_id=f"{n:02}", order=n) for n in range(20)]
    for turn in range(300):
        taken = items.pop(chance.randrange(20))
        items.insert(5 if turn < 150 else chance.randrange(20), taken)
        orders = new_orders(items)
        items = [i.changed(order=orders.get(i.checklist_item_id, i.order)) for i in items]
        assert items == sorted(items, key=lambda item: item.rank)
        assert len({item.order for item in items}) == 20
        assert all(abs(item.order) < 2**53 for item in items)


async def test_clone_has_the_same_items_without_ticks(database: Database) -> None:
    new = await make_record(database)
    await tick_item(
        database, item_key(new.shared.short_id, new.items[0].checklist_item_id), Tick(checked=True)
    )
    source = await read(database, new.shared.short_id)
    clone = await create(database, clone_of(source), Passcodes())
    assert clone.shared.short_id != new.shared.short_id
    assert names_of(clone) == list(NAMES)
    assert not any(item.checked for item in clone.items)


async def test_deleted_list_leaves_no_records(database: Database) -> None:
    new = await make_record(database)
    await delete_list(database, new.shared.own_key())
    assert await find_shareable(database, new.shared.short_id) is None
    assert await database.all(items_of(new.shared.short_id)) == []
    with pytest.raises(NotFound):
        await add_item(database, new.shared.own_key(), NewItem("Socks"))
    with pytest.raises(NotFound):
        await remove_item(database, new.shared.own_key(), new.items[0].checklist_item_id)


async def test_cleanup_deletes_only_unfinished_lists(database: Database) -> None:
    new = await make_record(database)
    left = todo(UNFINISHED_KIND, {"shortId": new.shared.short_id})
    await delete_unfinished(database, left)
    assert await read(database, new.shared.short_id) == new
    await database.put(new.shared.changed(hidden=True))
    for _ in range(2):
        await delete_unfinished(database, left)
        assert await database.get(new.shared.own_key()) is None
        assert await database.all(items_of(new.shared.short_id).up_to_date()) == []
    await database.put(new.items[0])
    await delete_unfinished(database, left)
    assert await database.all(items_of(new.shared.short_id).up_to_date()) == []


async def test_tick_does_not_restore_a_removed_item(database: Database) -> None:
    new = await make_record(database)
    key, item_id = new.shared.own_key(), new.items[0].checklist_item_id

    async def remove_item_once() -> None:
        await remove_item(database, key, item_id)

    meanwhile = with_hook(database, before_first_transaction(remove_item_once))
    with pytest.raises(NotFound):
        await tick_item(meanwhile, item_key(new.shared.short_id, item_id), Tick(checked=True))
    assert names_of(await read(database, new.shared.short_id)) == list(NAMES[1:])


async def test_replaced_reordering_is_not_finished(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = await make_record(database, *(f"{number:03}" for number in range(150)))
    ids = [item.checklist_item_id for item in new.items]
    left: list[Todo] = []

    async def crash(_: Database, todo: Todo, *_more: object) -> None:
        left.append(todo)

    monkeypatch.setattr("homeshelf.coordination.transaction.finish_soon", crash)
    await reorder(database, new.shared.own_key(), ids[::-1])
    monkeypatch.undo()
    wanted = ids[75:] + ids[:75]
    await reorder(database, new.shared.own_key(), wanted)
    for each in left:
        await ordering.finish_reordering(database, each)
    found = await read(database, new.shared.short_id)
    assert [item.checklist_item_id for item in found.items] == wanted


@pytest.mark.usefixtures("moment")
@pytest.mark.parametrize(
    ("role", "other"), [("admin", "view_passcode"), ("view", "admin_passcode")]
)
def test_role_is_void_if_the_list_has_no_such_passcode(role: Role, other: str) -> None:
    later = {"entity": "checklist", "expires_at": "2024-11-02T00:00:00.000Z"}
    shared = made_item(Shareable, **later, **{other: "hash"})
    assert Grant(role).valid_role(shared) is None
    assert not is_allowed(shared, Grant(role), MANAGE)
    assert (
        is_allowed(shared, Grant(role), VIEW)
        is is_allowed(shared, Grant(), VIEW)
        is (role == "view")
    )


@pytest.mark.usefixtures("moment")
def test_maker_accesses_an_expired_list_only_without_admin_passcode() -> None:
    over = "2024-11-01T11:59:59.999Z"
    maker = Grant(is_maker=True)
    for passcodes, may_see in (
        ({}, True),
        ({"view_passcode": "v"}, True),
        ({"admin_passcode": "a"}, False),
        ({"view_passcode": "v", "admin_passcode": "a"}, False),
    ):
        expired = made_item(Shareable, entity="checklist", expires_at=over, **passcodes)
        assert is_allowed(expired, maker, VIEW) is may_see
        assert not is_allowed(expired, maker, TICK)
