"""Records in outline: what they are put in order by is what the record says, and so is the rest."""

from typing import Any

from structlog.testing import capture_logs

from homeshelf.inventory.model import InventoryItem
from homeshelf.table import Database, Outline, Query, as_shown, in_outline
from homeshelf.table.operations import Put
from homeshelf.web.json import encode
from tests.made import made
from tests.table.spoiling import spoil

NAMES = "name", "location_id"


def items(number: int, **given: Any) -> list[InventoryItem]:
    return [
        made(InventoryItem, family_id="f", item_id=f"{each:03}", name=f"Thing {each}", **given)
        for each in range(number)
    ]


def every_item() -> Query[InventoryItem]:
    return InventoryItem.where(family_id="f").up_to_date()


async def outlines(db: Database, limit: int = 500) -> list[Outline]:
    return list((await db.query(in_outline(every_item(), *NAMES).page(limit))).items)


async def test_it_has_the_fields_and_the_rest_is_what_clients_see(database: Database) -> None:
    written = items(300, location_id="pantry", quantity=1, threshold=2)
    written[7] = written[7].changed(location_id=None, name="Crème “brûlée”")
    await database.batch([each.put() for each in written])
    found = await outlines(database)
    assert [(it.fields.name, it.fields.location_id) for it in found] == [
        (it.name, it.location_id) for it in written
    ]
    shown = (await database.query(as_shown(every_item()))).items
    assert encode([*database.whole(InventoryItem, found)]) == encode(shown)
    assert b'"isLowStock":true' in encode(shown)


async def test_what_changed_is_seen_at_once(database: Database) -> None:
    milk = made(InventoryItem, family_id="f", name="Milk", quantity=1)
    await database.put(milk)
    assert [it.fields.name for it in await outlines(database)] == ["Milk"]
    several: list[dict[str, Any]] = [{"name": "Oat milk"}, {"quantity": 7}]
    for changes in several:
        milk = milk.changed(**changes)
        await database.put(milk)
        found = await outlines(database)
        (shown,) = database.whole(InventoryItem, found)
        assert (found[0].fields.name, shown.quantity) == (milk.name, milk.quantity)


async def test_what_nobody_can_read_is_left_out_when_it_is_looked_at(database: Database) -> None:
    written = items(8)
    stored = [dict(each.item()) for each in written]
    stored[1]["quantity"] = "7"
    stored[2]["quantity"] = {"none": "of ours"}
    stored[3]["name"] = {"none": "of ours"}
    stored[4]["entityType"] = "Something"
    del stored[5]["status"]
    await database.batch([Put(InventoryItem.table, item) for item in stored])
    await spoil(database.engine, [written[6].own_key()])
    with capture_logs() as logs:
        found = await outlines(database)
    assert [line["event"] for line in logs] == ["record_unreadable"] * 2
    assert [it.fields.name for it in found] == [f"Thing {n}" for n in (0, 1, 2, 5, 7)]
    assert found[3].fields.location_id is None
    with capture_logs() as logs:
        shown = [*database.whole(InventoryItem, found)]
    assert [(line["event"], line["why"]) for line in logs] == [
        ("record_unreadable", "quantity (int_type)")
    ]
    assert [each.item_id for each in shown] == ["000", "001", "005", "007"]
    assert shown[1].quantity == 7


async def test_what_became_a_record_is_the_whole_of_it(database: Database) -> None:
    stored = dict(items(1)[0].item()) | {"quantity": "7"}
    await database.batch([Put(InventoryItem.table, stored)])
    (found,) = await database.all(in_outline(every_item(), "quantity"))
    assert found.fields == InventoryItem.load(stored)
    (shown,) = database.whole(InventoryItem, [found])
    assert shown is found.fields
    assert shown.stored == stored


async def test_each_is_read_when_it_is_asked_for(database: Database) -> None:
    await database.batch([each.put() for each in items(5)])
    left = iter(await outlines(database))
    first = database.whole(InventoryItem, left)
    assert [next(first).name, next(first).name] == ["Thing 0", "Thing 1"]
    assert len([*left]) == 3


async def test_a_predicate_looks_at_what_is_stored(database: Database) -> None:
    await database.batch([each.put() for each in items(5)])
    odd = every_item().matching(lambda item: str(item["name"]) in ("Thing 1", "Thing 3"))
    for limit in (1, 5):
        page = await database.query(in_outline(odd, "name").page(limit))
        names = [each.name for each in database.whole(InventoryItem, page.items)]
        assert names == ["Thing 1", "Thing 3"][:limit]
