"""Lists of the API are encoded from stored documents, without building records."""

from typing import Any

import pytest

from homeshelf.books.model import Note, ReadingEvent
from homeshelf.inventory.model import InventoryItem, QuantityChange
from homeshelf.notices.model import Notification
from homeshelf.places.model import StorageLocation, Store
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.table import Database, Record
from homeshelf.taps.model import NFCUrl
from homeshelf.web.json import decode, encode, shown
from tests.api_client import add_item, add_place, adjust
from tests.home import Home
from tests.running import Person


async def test_lists_equal_the_records_shown_one_by_one(
    home: Home, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind, path in (await furnished(home.admin)).items():
        expected = [shown(record) for record in await everything(home, database, kind)]
        with monkeypatch.context() as patch:
            patch.setattr(kind, "load", refused)
            answer = await home.admin.get(path)
        assert answer.status_code == 200, path
        assert sorted(map(encode, decode(answer.content)["items"])) == sorted(map(encode, expected))
        assert expected, path


async def furnished(ada: Person) -> dict[type[Record], str]:
    """Create a record of each kind, and return the paths of their lists."""
    store = await add_place(ada, "stores", "Corner shop", address="Next door")
    location = await add_place(ada, "locations", "Pantry")
    rice = await add_item(
        ada, quantity=2, threshold=2, locationId=location["locationId"], notes="Brown"
    )
    await adjust(ada, rice, -1)
    await made(ada, f"/items/{rice['itemId']}/nfc-urls")
    await made(ada, "/shopping-list", name="Milk", storeId=store["storeId"], quantity=2)
    book = await made(ada, "/books", title="Emma", totalPages=500)
    await made(ada, f"/books/{book['id']}/notes", content="Long")
    await made(ada, f"/books/{book['id']}/page", page=5)
    return {
        Store: "/stores",
        StorageLocation: "/locations",
        ShoppingListItem: f"/shopping-list?status=pending&storeId={store['storeId']}",
        InventoryItem: f"/items?locationId={location['locationId']}&q=rice",
        Notification: "/notifications",
        QuantityChange: f"/items/{rice['itemId']}/history",
        NFCUrl: f"/items/{rice['itemId']}/nfc-urls",
        Note: f"/books/{book['id']}/notes",
        ReadingEvent: f"/books/{book['id']}/events",
    }


async def made(person: Person, path: str, **body: Any) -> dict[str, Any]:
    answer = await person.post(path, body or None)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def everything(home: Home, db: Database, kind: type[Record]) -> list[Record]:
    whose = {"user_id": home.admin.member_id} if kind in (Note, ReadingEvent) else {}
    return list(await db.all(kind.where(**whose or {"family_id": home.family_id})))


def refused(_: object) -> None:
    raise AssertionError("a record was built")
