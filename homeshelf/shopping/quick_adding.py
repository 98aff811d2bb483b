from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from homeshelf.inventory import store as inventory
from homeshelf.inventory.model import InventoryItem
from homeshelf.places.model import name_key
from homeshelf.shopping.model import ShoppingListItem, latest_of_each_name
from homeshelf.shopping.store import whole_list
from homeshelf.shopping.typed import TypedEntry, folded, parted, understood
from homeshelf.table import Database, Query

OFFERED = 300


@dataclass(frozen=True)
class Known:
    """A name that is offered while typing: of the stock, or lately on the list."""

    name: str
    item_id: str | None
    store_id: str | None
    unit: str | None = None


@dataclass(frozen=True)
class Meant:
    text: str
    entry: TypedEntry
    given: dict[str, Any]
    there: ShoppingListItem | None = None
    """A pending entry of the same name, where both are free text."""


async def meant(
    db: Database, family_id: str, text: str, item_id: str | None, store_id: str | None
) -> list[Meant]:
    """Resolve what was typed: each entry is of the chosen item, or of one with its name."""
    items = (await db.all(inventory.items_by_quantity(family_id, "active")))[::-1]
    listed = await db.all(whole_list(family_id).up_to_date())
    called = {folded(item.name): item.item_id for item in items}
    exactly = {name_key(item.name): item.item_id for item in items}
    waiting = {folded(it.name): it for it in listed if it.status == "pending" and not it.item_id}
    entries = understood(text, {*called, *(folded(entry.name) for entry in listed)})
    chosen = item_id if len(entries) == 1 else None
    found = []
    for part, entry in zip(parted(text), entries, strict=True):
        name = folded(entry.name)
        of = chosen or exactly.get(name_key(entry.name)) or called.get(name)
        there = None if of else waiting.get(name)
        found.append(Meant(part, entry, _given(entry, of, store_id), there))
    return found


def _given(entry: TypedEntry, item_id: str | None, store_id: str | None) -> dict[str, Any]:
    named = {"item_id": item_id} if item_id else {"name": entry.name}
    details = {"quantity": entry.quantity, "notes": entry.notes, "store_id": store_id}
    return named | {field: value for field, value in details.items() if value}


def stock_of(family_id: str) -> Query[InventoryItem]:
    return inventory.items_by_quantity(family_id, "active").page(OFFERED)


def offered(items: Iterable[InventoryItem], entries: Iterable[ShoppingListItem]) -> list[Known]:
    """Return what is offered while typing: the stock, and what was on the list lately."""
    known = {
        name_key(item.name): Known(item.name, item.item_id, item.preferred_store_id, item.unit)
        for item in items
    }
    for entry in latest_of_each_name(entries):
        known.setdefault(name_key(entry.name), Known(entry.name, None, entry.store_id))
    return sorted(known.values(), key=lambda it: it.name)
