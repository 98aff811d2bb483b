from homeshelf.inventory.model import InventoryItem
from homeshelf.table import Database
from homeshelf.table.operations import Put
from homeshelf.taps.item_observer import repair_tags
from homeshelf.taps.model import NFCUrl
from homeshelf.taps.store import find_by_url_id
from tests.records import make_record


async def test_inconsistent_tags_are_repaired(database: Database) -> None:
    rice = make_record(InventoryItem, family_id="f1", item_id="i1", name="Rice")
    right = make_record(NFCUrl, family_id="f1", item_id="i1", url_id="a" * 22, item_name="Rice")
    named = make_record(NFCUrl, family_id="f1", item_id="i1", url_id="b" * 22, item_name="Oats")
    keyed = make_record(NFCUrl, family_id="f1", item_id="i1", url_id="c" * 22, item_name="Rice")
    orphan = make_record(NFCUrl, family_id="f1", item_id="i9", url_id="d" * 22)
    await database.batch([each.put() for each in (rice, right, named, orphan)])
    await database.write(Put(keyed.table, {**keyed.item(), "GSI1PK": "URL#elsewhere"}))
    assert await find_by_url_id(database, keyed.url_id) is None
    assert await repair_tags(database) == (
        "tags",
        "3 didn’t match their items and were fixed.",
    )
    assert await database.get(right.own_key()) == right
    found = await database.get_many([named.own_key(), orphan.own_key()])
    assert [each and (each.item_name, each.is_active) for each in found] == [
        ("Rice", True),
        (orphan.item_name, False),
    ]
    assert await find_by_url_id(database, keyed.url_id) == keyed
    assert await repair_tags(database) == ("tags", "they are in line with their items.")
