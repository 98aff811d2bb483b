"""What somebody types into the list: what it means, and what it may come to mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from homeshelf.inventory import store as inventory
from homeshelf.places.model import name_key
from homeshelf.shopping.model import ShoppingListItem, latest_of_each_name, understood
from homeshelf.table import Database

OFFERED = 300
"""So many things of the stock are offered while somebody types."""


@dataclass(frozen=True)
class Known:
    """Something that can be meant while typing: of the stock, or as it was on the list lately."""

    name: str
    item_id: str | None
    store_id: str | None
    unit: str | None = None


async def meant(
    db: Database, family_id: str, text: str, item_id: str | None, store_id: str | None
) -> dict[str, Any]:
    """An entry as it was typed: of the item that was chosen or has that name, if there is one."""
    name, quantity = understood(text)
    item_id = item_id or await _called(db, family_id, name)
    given = {"item_id": item_id} if item_id else {"name": name}
    also = {"quantity": quantity, "store_id": store_id}
    return given | {field: value for field, value in also.items() if value}


async def offered(db: Database, family_id: str, entries: Sequence[ShoppingListItem]) -> list[Known]:
    """What can be meant while typing: the stock, and what was on the list lately."""
    items = await db.query(inventory.items_by_quantity(family_id, "active").page(OFFERED))
    known = {
        name_key(item.name): Known(item.name, item.item_id, item.preferred_store_id, item.unit)
        for item in items.items
    }
    for entry in latest_of_each_name(entries):
        known.setdefault(name_key(entry.name), Known(entry.name, None, entry.store_id))
    return sorted(known.values(), key=lambda it: it.name)


async def _called(db: Database, family_id: str, name: str) -> str | None:
    """The item of that name, if there is one."""
    wanted = name_key(name)
    query = inventory.items_by_quantity(family_id, "active")
    found = await db.first(query.matching(lambda item: name_key(str(item["name"])) == wanted))
    return found.item_id if found else None
