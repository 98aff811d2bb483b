"""Tables as another program leaves them: records in the documented shapes, without claims or
tokens.

The Smiths have the documented examples and the records that those refer to. No record has a
version, because the oldest documents know none.
"""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from homeshelf import clock
from homeshelf.accounts.model import digest_of_email
from homeshelf.app import SLICES
from homeshelf.moving.adoption import AdoptionRun, Summary
from homeshelf.table import (
    BOOKS,
    INVENTORY,
    SHAREABLES,
    SHORT_ID_POOL,
    TABLES,
    Database,
    Item,
    Put,
    Table,
    key_in,
)
from homeshelf.table.dynamodb.engine import BATCH, DynamoDB
from homeshelf.table.dynamodb.items import to_wire
from tests.moment import Moment
from tests.moving.households import sign_in_member
from tests.running import RunningApp, Visitor, running_app

SEEDS = Path(__file__).parents[1] / "seeds"
FAMILY = "f47ac10b-58cc-4372-a567-0e02b2c3d479"
JOHN = "550e8400-e29b-41d4-a716-446655440000"
EMMA = "660e8400-e29b-41d4-a716-446655440001"
TIM = "770e8400-e29b-41d4-a716-446655440002"
MARKET = "123e4567-e89b-12d3-a456-426614174000"
PANTRY = "223e4567-e89b-12d3-a456-426614174001"
TOWELS = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
MILK = "7ba7b810-9dad-11d1-80b4-00c04fd430c9"
TAGGED = "d5e8f9a0-1234-4567-89ab-cdef01234567"
LOW = "8ba7b810-9dad-11d1-80b4-00c04fd430ca"
TAG = "2gSZw8ZQPb7D5kN3X8mQ7"
LIST = "abc-def-12345"
WAITING = "8f14e45f-ceea-467a-9b36-34f6c3b3e7d1"
NOTICE = "1f14e45f-ceea-467a-9b36-34f6c3b3e701"
INVITATION = "2f14e45f-ceea-467a-9b36-34f6c3b3e702"
INVITED = "gran@smith.example"
JOHNS_ADDRESS = "John@Smith.example"
AT = "2025-12-10T10:00:00Z"
WHEN = "2025-12-20T12:00:00.000Z"
"""The time of the import, before the examples expire."""

Raw = tuple[Table, dict[str, Any]]


async def write_raw(db: Database, records: list[Raw]) -> None:
    """Write as another program does: on DynamoDB, by its own API."""
    engine = db.engine
    if not isinstance(engine, DynamoDB):
        await db.batch([Put(table, item) for table, item in records])
        return
    for first in range(0, len(records), BATCH):
        requests: dict[str, list[Any]] = {}
        for table, item in records[first : first + BATCH]:
            put = {"PutRequest": {"Item": to_wire(item)}}
            requests.setdefault(engine._prefix + table.name, []).append(put)
        answer = await engine._wire.call("BatchWriteItem", {"RequestItems": requests})
        assert not answer.get("UnprocessedItems")


def smiths(*, versions: bool = False) -> list[Raw]:
    records = [*examples(), *household(FAMILY), *_lists(), *_books()]
    if not versions:
        for _, item in records:
            item.pop("version", None)
    return records


def unexpired_smiths() -> list[Raw]:
    """Return the Smiths with lists that have not expired."""
    found = smiths()
    for _, item in found:
        if "expiresAt" in item:
            item["expiresAt"] = f"{clock.now().year + 1}-06-01T12:00:00.000Z"
    return found


def examples() -> Iterator[Raw]:
    """Return the examples of the documents, unchanged."""
    for name in ("shopping", "suggestions", "tags"):
        for example in json.loads((SEEDS / f"{name}.json").read_text()).values():
            yield INVENTORY, example
    shared = json.loads((SEEDS / "shareables.json").read_text())
    yield SHORT_ID_POOL, shared["a free short id"]
    yield SHAREABLES, shared["list"]
    yield SHAREABLES, shared["list item"]


def household(family: str) -> Iterator[Raw]:
    """Return the records that the examples refer to."""
    yield family_record(family, "Smith", by=JOHN)
    yield member(family, JOHN, "John Smith", "admin", JOHNS_ADDRESS)
    yield member(family, EMMA, "Emma Smith", "suggester", "emma@smith.example")
    yield member(family, TIM, "Tim Smith", "suggester", None)
    yield place(family, "Store", MARKET, "Market")
    yield place(family, "StorageLocation", PANTRY, "Pantry")
    yield thing(family, TOWELS, "Paper Towels", 4, 2)
    yield thing(family, MILK, "Milk", 1, 0, barcodes=["4006381333931"])
    yield thing(family, TAGGED, "Paper Towels", 5, 2)
    yield thing(family, LOW, "Rice", 1, 3)
    yield notice(family, NOTICE, LOW, "Rice", 1, 3)
    invited = {"GSI1PK": f"INVITED#{digest_of_email(INVITED)}"}
    yield record(
        family,
        "Invitation",
        "INVITATION",
        INVITATION,
        **invited,
        GSI1SK=f"INVITATION#{INVITATION}",
        email=INVITED,
        role="admin",
        status="pending",
        invitedBy=JOHN,
        expiresAt="2025-12-24T12:00:00Z",
    )


def large_family(family: str, records: int) -> list[Raw]:
    """Return a family with this number of records."""
    made = [
        family_record(family, "Large", by=JOHN),
        member(family, JOHN, "John Smith", "admin", JOHNS_ADDRESS),
    ]
    number = 0
    while len(made) < records:
        number += 1
        item_id = f"00000000-0000-4000-8000-{number:012}"
        name = f"Thing {number}"
        made += [
            thing(family, item_id, name, number % 5, 2),
            place(family, "StorageLocation", item_id, f"Place {number}"),
            entry(family, item_id.replace("8000", "8001"), item_id, name),
        ]
        if number % 5 < 2:
            made.append(notice(family, item_id.replace("8000", "8002"), item_id, name, 0, 2))
    return made[:records]


def family_record(family: str, name: str, *, by: str) -> Raw:
    return record(family, "Family", "FAMILY", family, name=name, createdBy=by)


def member(family: str, member_id: str, name: str, role: str, email: str | None) -> Raw:
    return record(
        family,
        "Member",
        "MEMBER",
        member_id,
        GSI1PK=f"MEMBER#{member_id}",
        GSI1SK=f"FAMILY#{family}",
        name=name,
        role=role,
        email=email,
        status="active",
    )


def place(family: str, kind: str, place_id: str, name: str) -> Raw:
    word = "STORE" if kind == "Store" else "LOCATION"
    return record(family, kind, word, place_id, name=name)


def thing(family: str, item_id: str, name: str, quantity: int, threshold: int, **more: Any) -> Raw:
    return record(
        family,
        "InventoryItem",
        "ITEM",
        item_id,
        GSI2PK=f"FAMILY#{family}#ITEMS",
        GSI2SK=f"STATUS#active#QUANTITY#{quantity:010}",
        name=name,
        quantity=quantity,
        threshold=threshold,
        alternateStoreIds=[],
        status="active",
        createdBy=JOHN,
        **more,
    )


def notice(
    family: str, notice_id: str, item_id: str, name: str, quantity: int, threshold: int
) -> Raw:
    return record(
        family,
        "Notification",
        "NOTIFICATION",
        notice_id,
        GSI2PK=f"FAMILY#{family}#NOTIFICATIONS",
        GSI2SK=f"STATUS#active#CREATED#{AT}",
        itemId=item_id,
        itemName=name,
        currentQuantity=quantity,
        threshold=threshold,
        type="low_stock",
        status="active",
        resolvedAt=None,
    )


def entry(family: str, entry_id: str, item_id: str | None, name: str) -> Raw:
    return record(
        family,
        "ShoppingListItem",
        "SHOPPING",
        entry_id,
        GSI2PK=f"FAMILY#{family}#SHOPPING",
        GSI2SK="STORE#UNASSIGNED#STATUS#pending",
        itemId=item_id,
        name=name,
        storeId=None,
        status="pending",
        quantity=None,
        notes=None,
        ttl=None,
        addedBy=JOHN,
    )


IDS = {
    "FAMILY": "familyId",
    "MEMBER": "memberId",
    "STORE": "storeId",
    "LOCATION": "locationId",
    "ITEM": "itemId",
    "NOTIFICATION": "notificationId",
    "INVITATION": "invitationId",
    "SHOPPING": "shoppingItemId",
}


def record(family: str, kind: str, word: str, id_: str, **more: Any) -> Raw:
    return INVENTORY, {
        "PK": f"FAMILY#{family}",
        "SK": f"{word}#{id_}",
        IDS[word]: id_,
        "familyId": family,
        "entityType": kind,
        "createdAt": AT,
        "updatedAt": AT,
        **more,
    }


def _lists() -> Iterator[Raw]:
    """Return a list without passcodes, with three items in consecutive order."""
    bare = "openli00001"
    yield (
        SHAREABLES,
        {
            "pk": f"shareable#{bare}",
            "sk": "01#",
            "entity": "checklist",
            "shortId": "ope-nli-00001",
            "name": "Camping",
            "expiresAt": "2026-06-01T12:00:00.000Z",
        },
    )
    for number, name in enumerate(("Tent", "Stove", "Rope")):
        item_id = f"00000000-0000-4000-8000-{number:012}"
        yield (
            SHAREABLES,
            {
                "pk": f"checklist_item#{bare}",
                "sk": f"01#{item_id.replace('-', '')}#",
                "shortId": "ope-nli-00001",
                "checklistItemId": item_id,
                "order": number,
                "name": name,
            },
        )


def _books() -> Iterator[Raw]:
    book_id = "31111111-1111-4111-8111-111111111111"
    own = {"userId": JOHN, "createdAt": AT}
    yield (
        BOOKS,
        {
            "pk": f"USER#{JOHN}",
            "sk": f"BOOK#{book_id}",
            "entityType": "BOOK",
            "id": book_id,
            "title": "The Hobbit",
            "status": "READING",
            "currentPage": 12,
            "totalPages": 300,
            "updatedAt": AT,
            **own,
        },
    )
    event_id = "41111111-1111-4111-8111-111111111111"
    yield (
        BOOKS,
        {
            "pk": f"USER#{JOHN}",
            "sk": f"EVENT#{book_id}#{AT}#{event_id}",
            "entityType": "EVENT",
            "id": event_id,
            "userId": JOHN,
            "bookId": book_id,
            "page": 12,
            "occurredAt": AT,
        },
    )


OPEN_LIST = "ope-nli-00001"
OTHER_FAMILY = "a47ac10b-58cc-4372-a567-0e02b2c3d479"
WRITES = ("put", "update", "delete", "transact", "batch")


async def adopt(db: Database, issuer: str | None = None) -> Summary:
    return await AdoptionRun(db, SLICES, issuer).apply(silent)


def silent(_done: int, _of: int) -> None:
    pass


async def all_records(db: Database) -> dict[Any, Item]:
    """Return all items by key."""
    found: dict[Any, Item] = {}
    for table in TABLES:
        page = await db.engine.scan(table, 1000)
        while True:
            found |= {key_in(table, item): item for item in page.items}
            if page.next is None:
                break
            page = await db.engine.scan(table, 1000, page.next)
    return found


@pytest.fixture(autouse=True)
def import_time(moment: Moment) -> None:
    moment.move(WHEN)


@pytest.fixture
async def house(database: Database) -> AsyncIterator[RunningApp]:
    """The running app of the Smiths after the adoption."""
    await write_raw(database, smiths())
    await adopt(database)
    async with running_app(database) as running:
        yield running


@pytest.fixture
async def john(house: RunningApp) -> Visitor:
    return await sign_in_member(house, JOHN)


@pytest.fixture
async def emma(house: RunningApp) -> Visitor:
    return await sign_in_member(house, EMMA)
