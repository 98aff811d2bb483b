"""Test the exact attributes that `homeshelf adopt` adds to foreign records."""

from typing import Any

from homeshelf.app import SLICES
from homeshelf.books.model import ReaderSettings
from homeshelf.moving.export import export_records
from homeshelf.notices.model import Notification, OpenNotice
from homeshelf.table import BOOKS, Database, Delete, Item, Put, Update, Write
from homeshelf.table.limits import row_key
from tests.home import Home
from tests.moving.foreign_tables import (
    AT,
    FAMILY,
    JOHN,
    MARKET,
    NOTICE,
    PANTRY,
    Raw,
    adopt,
    all_records,
    import_time,
    notice,
    smiths,
    thing,
    write_raw,
)
from tests.moving.households import sign_in_member
from tests.records import REQUIRED_ATTRIBUTES
from tests.running import running_app

__all__ = ["import_time"]

OPTIONAL = """
author isbn description rating currentPage totalPages price currency store purchaseDate boughtAt
finishedAt
"""
RICE = "9ba7b810-9dad-11d1-80b4-00c04fd430c1"


def book(number: int, **more: Any) -> Raw:
    id_ = f"32222222-2222-4222-8222-22222222222{number}"
    return BOOKS, {
        "pk": f"USER#{JOHN}",
        "sk": f"BOOK#{id_}",
        "entityType": "BOOK",
        "userId": JOHN,
        "id": id_,
        "title": "Emma",
        "status": "SHELF",
        "createdAt": AT,
        "updatedAt": AT,
        **more,
    }


def metadata(**more: Any) -> Raw:
    return BOOKS, {"pk": f"USER#{JOHN}", "sk": "METADATA", "userId": JOHN, **more}


async def notices_of_family(db: Database) -> list[Item]:
    found = (await all_records(db)).values()
    return [each for each in found if each.get("entityType") == "Notification"]


async def test_nulls_stay_null_and_what_is_missing_stays_missing(database: Database) -> None:
    nulls = dict.fromkeys(OPTIONAL.split())
    records = [*smiths(), book(1, **nulls, colour=None), book(2), metadata(yearlyGoal=None)]
    await write_raw(database, records)
    before = await all_records(database)
    await adopt(database)
    after = await all_records(database)
    added = {"admins", "ttl", "gsi1pk", "gsi1sk", "entityType"}
    for key, item in before.items():
        kept = {name: value for name, value in after[key].items() if name in item}
        assert kept == dict(item)
        assert after[key].keys() - item.keys() <= added
    async with running_app(database) as running:
        shelf = await (await sign_in_member(running, JOHN)).get("/books")
        assert len(shelf.json()["items"]) == 3


async def test_low_things_without_open_notice_get_one(database: Database) -> None:
    archived = thing(FAMILY, MARKET, "Old", 0, 3)
    archived[1]["status"] = "archived"
    resolved = notice(FAMILY, PANTRY, RICE, "Rye", 0, 2)
    resolved[1].update({"status": "resolved", "GSI2SK": f"STATUS#resolved#CREATED#{AT}"})
    await write_raw(database, [*smiths(), archived, thing(FAMILY, RICE, "Rye", 0, 2), resolved])
    await adopt(database)
    found = await notices_of_family(database)
    (new,) = [each for each in found if each["notificationId"] not in (NOTICE, PANTRY)]
    assert sorted(new) == sorted(REQUIRED_ATTRIBUTES[Notification].split())
    expected = {"itemId": RICE, "itemName": "Rye", "currentQuantity": 0, "threshold": 2}
    assert new.items() >= (expected | {"status": "active", "type": "low_stock"}).items()
    assert new["resolvedAt"] is None
    claim = await database.get(OpenNotice.key(family_id=FAMILY, item_id=RICE))
    assert claim is not None
    assert claim.holder == new["notificationId"]
    assert (await adopt(database)).made.total() == 0
    async with running_app(database) as running:
        admin = await sign_in_member(running, JOHN)
        for delta, count in ((-1, 2), (5, 1), (-5, 2)):
            await admin.post(f"/items/{RICE}/adjust", {"delta": delta})
            active = (await admin.get("/notifications?status=active")).json()["items"]
            assert len(active) == count


async def test_claim_of_vanished_notice_is_taken_over(database: Database) -> None:
    await write_raw(database, [*smiths(), thing(FAMILY, RICE, "Rye", 0, 2)])
    await database.put(OpenNotice(family_id=FAMILY, item_id=RICE, holder=NOTICE))
    await adopt(database)
    claim = await database.get(OpenNotice.key(family_id=FAMILY, item_id=RICE))
    assert claim is not None
    found = await notices_of_family(database)
    assert claim.holder in [each["notificationId"] for each in found if each["itemId"] == RICE]


async def test_notices_are_made_before_the_family_counts_as_adopted(database: Database) -> None:
    """The doctor looks at the count alone."""
    await write_raw(database, [*smiths(), thing(FAMILY, RICE, "Rye", 0, 2)])
    really, transact = database.write, database.transact
    order: list[str] = []

    async def written(write: Put | Update | Delete) -> None:
        if isinstance(write, Update) and row_key(write)[1] == f"FAMILY#{FAMILY}":
            order.append("family")
        await really(write)

    async def written_together(*several: Write) -> None:
        await transact(*several)
        order.append("notice")

    database.write = written  # type: ignore[method-assign]
    database.transact = written_together  # type: ignore[method-assign]
    await adopt(database)
    assert order[-2:] == ["notice", "family"]


async def test_adopt_adds_the_entity_type_of_metadata(database: Database) -> None:
    await write_raw(database, [*smiths(), metadata(yearlyGoal=12, colour="red")])
    await adopt(database)
    found = await database.engine.get(ReaderSettings.key(user_id=JOHN))
    assert found == metadata(yearlyGoal=12, colour="red", entityType="METADATA")[1]


async def test_metadata_without_entity_type_is_read_exported_and_completed(home: Home) -> None:
    ada, db = home.admin, home.running.db
    key = ReaderSettings.key(user_id=ada.member_id)
    await ada.patch("/books/settings", {"yearlyGoal": 11})
    new = await db.engine.get(key)
    assert new is not None
    assert new["entityType"] == "METADATA"
    old = {name: value for name, value in new.items() if name != "entityType"}
    await db.engine.write(Put(BOOKS, old))
    assert (await ada.get("/books/settings")).json() == {"yearlyGoal": 11}
    text, _ = await export_records(db, SLICES, "person", ada.member_id)
    assert b'"yearlyGoal": 11' in text
    await ada.patch("/books/settings", {"yearlyGoal": 12})
    assert await db.engine.get(key) == {**new, "yearlyGoal": 12}
