"""The filtered list of items."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from homeshelf.coordination.merging import merged
from homeshelf.errors import NotFound
from homeshelf.folding import plain
from homeshelf.inventory.low_stock import find_low_items
from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.store import (
    NO_SUCH_PLACE,
    items_by_quantity,
    items_from_quantity,
    uses_store,
)
from homeshelf.places.model import StorageLocation, Store
from homeshelf.table import Database, Query, attr

Mark = Any
STATUSES = ("active", "archived")


@dataclass(frozen=True)
class ItemFilter:
    status: Literal["active", "archived", "all"]
    low_stock: bool
    location_id: str | None = None
    store_id: str | None = None
    q: str | None = None


async def list_items(
    db: Database,
    family_id: str,
    wanted: ItemFilter,
    limit: int,
    mark: Mark = None,
    read_as: Callable[[Query[InventoryItem]], Query[Any]] = lambda query: query,
) -> tuple[list[Any], Mark]:
    """Return a page of items, lowest quantity first, and the cursor of the next page."""
    references = ((StorageLocation, wanted.location_id), (Store, wanted.store_id))
    places = [kind.key_for(family_id, place_id) for kind, place_id in references if place_id]
    if places and None in await db.get_many(places):
        raise NotFound(NO_SUCH_PLACE)
    if wanted.low_stock:
        return await _low_page(db, family_id, wanted, limit, mark)
    if wanted.status == "all":

        def query(status: str) -> Callable[[int | None], Query[InventoryItem]]:
            return lambda lowest: _apply_filter(
                items_from_quantity(family_id, status, lowest), wanted
            )

        queries = [query(status) for status in STATUSES]
        return await merged(db, queries, lambda item: item.quantity, limit, mark)
    asked = _apply_filter(items_by_quantity(family_id, wanted.status), wanted)
    page = await db.query(read_as(asked).page(limit, mark))
    return list(page.items), page.next


async def _low_page(
    db: Database, family_id: str, wanted: ItemFilter, limit: int, mark: Mark
) -> tuple[list[InventoryItem], Mark]:
    if wanted.status == "archived":
        return [], None
    matches = _matcher(wanted)
    low = sorted(
        (it for it in await find_low_items(db, family_id) if matches(it.item())), key=_position
    )
    rest = [item for item in low if mark is None or _position(item) > mark]
    page = rest[:limit]
    return page, _position(page[-1]) if len(rest) > limit else None


def _apply_filter(query: Query[InventoryItem], wanted: ItemFilter) -> Query[InventoryItem]:
    if wanted.location_id:
        query = query.only(attr("locationId") == wanted.location_id)
    return query.matching(_matcher(wanted)) if wanted.store_id or wanted.q else query


def _matcher(wanted: ItemFilter) -> Callable[[Mapping[str, Any]], bool]:
    search, in_store = plain(wanted.q or ""), uses_store(wanted.store_id or "")
    return lambda item: (
        wanted.location_id in (None, item.get("locationId"))
        and (not wanted.store_id or in_store(item))
        and (not search or search in plain(item["name"]))
    )


def _position(item: InventoryItem) -> list[Any]:
    return [item.quantity, item.item_id]
