"""A family with one of everything, and its file."""

from typing import Any

from homeshelf import clock
from homeshelf.app import SLICES
from homeshelf.commands.files import take_in
from homeshelf.home.steps import SettledStep
from homeshelf.moving.exporting import exported
from homeshelf.moving.importing import read_file
from homeshelf.shopping.habits import Habits
from homeshelf.shopping.model import Purchase, StorePlace, digest_of_name
from homeshelf.suggestions.model import CreatedItem, HeardAnswer
from homeshelf.table import TABLES, Database, Record
from homeshelf.taps.model import WeekOfTaps
from homeshelf.taps.uses import AccessCounts
from homeshelf.web.services import services_of
from tests.api_client import add_item, add_place, adjust, make_barcodes
from tests.home import Home
from tests.running import Person, RunningApp, Visitor
from tests.taps.tags import make_tag, tap

Exported = dict[str, Any]
(CODE,) = make_barcodes(1)
BY_ITSELF = ("LEASE#", "TODO#", "SHORTID#", *"0123456789")
"""How the keys of work under way begin, and of short ids that are drawn for later."""


async def file_of(home: Home) -> bytes:
    text, _ = await exported(home.running.db, SLICES, "family", home.family_id)
    return text


async def moved(home: Home, there: RunningApp, text: bytes | None = None) -> list[str]:
    """Into another house; returns what is said about the people."""
    text = text or await file_of(home)
    _, said = await take_in(there.app.state.services, read_file(text, SLICES))
    return said


async def furnished(home: Home, kid: Person) -> dict[str, Any]:
    """One of everything."""
    ada = home.admin
    pantry = await add_place(ada, "locations", "Pantry")
    shop = await add_place(ada, "stores", "Corner shop")
    rice = await add_item(
        ada,
        name="Rice",
        quantity=3,
        threshold=2,
        locationId=pantry["locationId"],
        preferredStoreId=shop["storeId"],
        barcodes=[CODE],
    )
    await adjust(ada, rice, -2)
    tag = await make_tag(ada, rice, label="shelf")
    assert (await tap(home.running.visitor(), tag, 1)).status_code == 200
    salt = await add_item(ada, name="Salt", quantity=0, threshold=2)
    entry = (await ada.post("/shopping-list", {"itemId": rice["itemId"]})).json()
    cake = (await ada.post("/shopping-list", {"name": "Cake"})).json()
    bought = {"status": "purchased", "version": 1}
    await ada.patch(f"/shopping-list/{cake['shoppingItemId']}/status", bought)
    kite = {"type": "create_item", "proposedItemName": "Kite"}
    wish = (await kid.post("/suggestions", kite)).json()
    child = (await ada.post("/members", {"name": "Byron"})).json()
    invitation = await home.invite("guest@home.local")
    await noted(home)
    return {
        "rice": rice,
        "salt": salt,
        "tag": tag,
        "entry": entry,
        "wish": wish,
        "child": child,
        "invitation": invitation,
    }


async def noted(home: Home) -> None:
    """What is noted of taps and purchases comes into the table, which takes half a second else."""
    await services_of(home.running.app).of(Habits).flush()
    await services_of(home.running.app).of(AccessCounts).flush()


async def with_what_comes_with_time(home: Home, made: dict[str, Any]) -> None:
    """What a household has after some weeks."""
    family_id, at, ttl = home.family_id, clock.timestamp(), clock.seconds() + 10**6
    item_id, url_id = made["rice"]["itemId"], made["tag"]["urlId"]
    digest = digest_of_name(family_id, "Cake")
    bought: dict[str, Any] = {
        "family_id": family_id,
        "name": "Cake",
        "name_digest": digest,
        "ttl": ttl,
    }
    records: list[Record] = [
        Purchase(shopping_item_id=clock.new_id(), added_at=at, bought_at=at, **bought),
        StorePlace(position=7, ticked_at=at, **bought),
        SettledStep(family_id=family_id, name="places", state="done"),
        HeardAnswer(family_id=family_id, suggestion_id=made["wish"]["suggestionId"], ttl=ttl),
        CreatedItem(
            family_id=family_id, suggestion_id=made["wish"]["suggestionId"], item_id=item_id
        ),
        WeekOfTaps(
            family_id=family_id,
            item_id=item_id,
            url_id=url_id,
            week="2024-01-01",
            count=3,
            ttl=ttl,
        ),
    ]
    for record in records:
        await home.running.db.put(record)


async def told(ada: Visitor) -> list[str]:
    """What runs low and is told."""
    found = (await ada.get("/notifications?status=active")).json()["items"]
    return sorted(each["itemName"] for each in found)


async def everything(db: Database) -> list[Any]:
    """But for what the house does meanwhile by itself."""
    found = [(await db.engine.scan(table, 100_000)).items for table in TABLES]
    return [
        [each for each in items if not str(each.get("PK", each.get("pk"))).startswith(BY_ITSELF)]
        for items in found
    ]
