"""The check of a whole database notices each kind of disagreement."""

from datetime import timedelta
from typing import Any

import pytest

from homeshelf import clock
from homeshelf.accounts.model import Account, EmailClaim
from homeshelf.books.model import Book, ReadingEvent, Removal
from homeshelf.coordination.todos import todo
from homeshelf.families.model import Family, Member, PendingClaim
from homeshelf.inventory.barcodes import BarcodeClaim
from homeshelf.inventory.batches import PromisedItems
from homeshelf.inventory.model import InventoryItem, QuantityChange
from homeshelf.notices.model import Notification, OpenNotice
from homeshelf.places.model import PlaceName, StorageLocation
from homeshelf.shares.checklist.model import ChecklistItem
from homeshelf.shares.model import Shareable, ShortIdClaim
from homeshelf.shopping.model import PendingEntries, ShoppingListItem
from homeshelf.table import TABLES, Database, Delete, Item, Key, Put, Record, key_in
from homeshelf.taps.model import NFCUrl
from tests.api_client import (
    add_book,
    add_entry,
    add_item,
    add_place,
    adjust,
    make_barcodes,
    reach_page,
)
from tests.home import Home, add_child
from tests.queues import todos_of
from tests.records import make_record
from tests.shares.clients import new_list
from tests.torture.soundness import find_inconsistencies

MISSING_RECORDS: dict[type[Record], str] = {
    QuantityChange: "the history of",
    Notification: "low items and open notices differ",
    OpenNotice: "open notices and their claims differ",
    BarcodeClaim: "barcodes and their claims differ",
    PlaceName: "names and their claims differ",
    EmailClaim: "addresses and their claims differ",
    PendingClaim: "invitations and their claims differ",
    PendingEntries: "waiting entries and their claims differ",
    InventoryItem: "is gone and has a history",
    StorageLocation: "names what is gone",
    Member: "members and accounts differ",
    Account: "members and accounts differ",
    ShortIdClaim: "a short id could be handed out twice",
    Shareable: "is of a list that is gone",
    Book: "is of a book that is gone",
}
"""Kinds of records, and the sentence about a missing one."""
DAMAGED_RECORDS: list[tuple[type[Record], dict[str, Any], str]] = [
    (InventoryItem, {"quantity": 77}, "the history of"),
    (InventoryItem, {"GSI2SK": "STATUS#active#QUANTITY#0000000099"}, "are not those of its record"),
    (InventoryItem, {"preferredStoreId": "nowhere"}, "names what is gone"),
    (QuantityChange, {"quantity": 99}, "breaks at"),
    (StorageLocation, {"closedAt": "2024-01-01T00:00:00.000Z"}, "is closed"),
    (ShoppingListItem, {"itemId": "nothing"}, "names what is gone"),
    (NFCUrl, {"itemName": "Something else"}, "a tag calls"),
    (Family, {"admins": 9}, "9 admins are counted"),
    (Shareable, {"hidden": True}, "is half done"),
    (Shareable, {"ordering": "x"}, "is half done"),
    (ChecklistItem, {"ttl": 32_472_144_000}, "is kept for another time"),
    (ReadingEvent, {"page": 1}, "is on another page"),
]
"""Records to damage: the fields to change, and part of the complaint that each causes."""
TOO_MANY: list[tuple[Record, str]] = [
    (todo("item_removed", {}, clock.now() + timedelta(days=1)), "is left to do"),
    (make_record(PromisedItems, family_id="f", item_ids=("a", "b")), "2 items are promised"),
    (make_record(Removal, user_id="u", book_id="b"), "the removal of b is half done"),
]


@pytest.fixture
async def home_with_all_records(home: Home) -> Home:
    """A home with a record of every kind."""
    ada = home.admin
    pantry = await add_place(ada, "locations", "Pantry")
    given = {"locationId": pantry["locationId"], "threshold": 9, "barcodes": make_barcodes(1)}
    rice = await add_item(ada, quantity=2, **given)
    await adjust(ada, rice, 1)
    await add_entry(ada, itemId=rice["itemId"])
    assert (await ada.post(f"/items/{rice['itemId']}/nfc-urls")).status_code == 201
    await new_list(ada, "Tent", "Rope")
    book = await add_book(ada)
    await reach_page(ada, book, 42)
    await add_child(home)
    await home.invite("new@home.local")
    for left in await todos_of(home.running.db):
        await home.running.todos[left.kind](home.running.db, left)
        await home.running.db.write(left.delete())
    return home


async def test_every_inconsistency_is_noticed(home_with_all_records: Home) -> None:
    db = home_with_all_records.running.db
    assert await find_inconsistencies(db) == []
    for kind, said in MISSING_RECORDS.items():
        await _expect_inconsistency(db, kind, None, said)
    for kind, other, said in DAMAGED_RECORDS:
        await _expect_inconsistency(db, kind, other, said)
    for more, said in TOO_MANY:
        await db.put(more)
        assert said in " ".join(await find_inconsistencies(db))
        await db.write(more.delete())
    assert await find_inconsistencies(db) == []


async def test_partial_transaction_is_noticed(home_with_all_records: Home) -> None:
    db = home_with_all_records.running.db
    there = str((await _first_item(db, InventoryItem) or {})["itemId"])
    assert await find_inconsistencies(db, [["a", "b"], [there]]) == []
    assert await find_inconsistencies(db, [[there, "a"]]) == [
        "1 of 2 items are there that come together"
    ]


async def _expect_inconsistency(
    db: Database, kind: type[Record], other: Item | None, said: str
) -> None:
    """Delete or change a record of the kind, expect the sentence, and restore the record."""
    item = await _first_item(db, kind)
    assert item is not None, f"there is no {kind.__name__}"
    key: Key[Any] = key_in(kind.table, item)
    if other is None:
        await db.write(Delete(key))
    else:
        await db.engine.write(Put(kind.table, {**item, **other}))
    assert said in " ".join(await find_inconsistencies(db)), kind.__name__
    await db.engine.write(Put(kind.table, item))


async def _first_item(db: Database, kind: type[Record]) -> Item | None:
    table = next(table for table in TABLES if table is kind.table)
    found = (await db.engine.scan(table, 10**6)).items
    return next((item for item in found if kind.matches_key(key_in(table, item))), None)
