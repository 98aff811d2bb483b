"""Add and decide suggestions through the API.

wish = await ask_for(kid, rice, notes="We are out!")
wish = await propose(kid, "Snack bars", proposedQuantity=10)
answer = await approve(home.admin, wish)
"""

from collections.abc import Sequence
from typing import Any

import httpx

from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.store import all_items
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.shopping.store import whole_list
from homeshelf.suggestions import store
from homeshelf.table import INVENTORY
from homeshelf.table.operations import Put
from tests.api_client import Shown
from tests.home import Home
from tests.running import Person, Visitor


async def ask_for(kid: Visitor, item: Shown, **body: Any) -> Shown:
    return await suggest(kid, type="add_to_shopping", itemId=item["itemId"], **body)


async def propose(kid: Visitor, name: str, **body: Any) -> Shown:
    return await suggest(kid, type="create_item", proposedItemName=name, **body)


async def suggest(kid: Visitor, **body: Any) -> Shown:
    answer = await kid.post("/suggestions", body)
    assert answer.status_code == 201, answer.text
    wish: Shown = answer.json()
    return wish


async def approve(admin: Person, wish: Shown, **options: Any) -> httpx.Response:
    body = {"version": wish["version"]}
    return await admin.post(f"/suggestions/{wish['suggestionId']}/approve", body, **options)


async def reject(
    admin: Person, wish: Shown, notes: str | None = None, **options: Any
) -> httpx.Response:
    body = {"version": wish["version"], "rejectionNotes": notes}
    return await admin.post(f"/suggestions/{wish['suggestionId']}/reject", body, **options)


async def get_created(admin: Person, wish: Shown) -> Shown:
    """Return what an approval created."""
    answer = await approve(admin, wish)
    assert answer.status_code == 200, answer.text
    created: Shown = answer.json()["created"]
    return created


async def wish_now(person: Person, wish: Shown) -> Shown:
    answer = await person.get(f"/suggestions/{wish['suggestionId']}")
    assert answer.status_code == 200, answer.text
    found: Shown = answer.json()
    return found


def without_computed_fields(seen: Shown) -> Shown:
    """Return a suggestion without its computed fields."""
    computed = ("suggesterStatus", "itemStatus", "alreadyOnList")
    return {name: value for name, value in seen.items() if name not in computed}


async def entries_of(home: Home) -> Sequence[ShoppingListItem]:
    return await home.running.db.all(whole_list(home.family_id).up_to_date())


async def items_of(home: Home) -> Sequence[InventoryItem]:
    return await home.running.db.all(all_items(home.family_id).up_to_date())


LATER = ("version", "suggestedByName", "itemNameSnapshot", "rejectionNotes")


async def strip_later_attributes(home: Home, wish: Shown, **changes: Any) -> Shown:
    """Store a suggestion as early versions did, and return it."""
    key = store.key_of(home.family_id, wish["suggestionId"])
    item = await home.running.db.engine.get(key)
    assert item is not None
    old = {name: value for name, value in item.items() if name not in LATER}
    await home.running.db.engine.write(Put(INVENTORY, old | changes))
    return wish
