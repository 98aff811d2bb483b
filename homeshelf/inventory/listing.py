"""The list of items, filtered."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from homeshelf.coordination.merging import merged
from homeshelf.errors import NotFound
from homeshelf.folding import plain
from homeshelf.inventory.low_stock import low_items
from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.store import NO_SUCH_PLACE, items_by_quantity, items_from, names_store
from homeshelf.places.model import StorageLocation, Store
from homeshelf.table import Database, Query, attr

Mark = Any
STATUSES = ("active", "archived")


@dataclass(frozen=True)
class Wanted:
    status: Literal["active", "archived", "all"]
    low_stock: bool
    location_id: str | None = None
    store_id: str | None = None
    q: str | None = None


async def listed(
    db: Database,
    family_id: str,
    wanted: Wanted,
    limit: int,
    mark: Mark = None,
    read_as: Callable[[Query[InventoryItem]], Query[Any]] = lambda query: query,
) -> tuple[list[Any], Mark]:
    """Return a page of items, lowest quantity first, and its end mark.

    Items of one status are read as records, or in the cheaper form that `read_as` says.
    """
    named = ((StorageLocation, wanted.location_id), (Store, wanted.store_id))
    places = [kind.key_for(family_id, place_id) for kind, place_id in named if place_id]
    if places and None in await db.get_many(places):
        raise NotFound(NO_SUCH_PLACE)
    if wanted.low_stock:
        return await _running_low(db, family_id, wanted, limit, mark)
    if wanted.status == "all":

        def query(status: str) -> Callable[[int | None], Query[InventoryItem]]:
            return lambda lowest: _narrowed(items_from(family_id, status, lowest), wanted)

        queries = [query(status) for status in STATUSES]
        return await merged(db, queries, lambda item: item.quantity, limit, mark)
    asked = _narrowed(items_by_quantity(family_id, wanted.status), wanted)
    page = await db.query(read_as(asked).page(limit, mark))
    return list(page.items), page.next


async def _running_low(
    db: Database, family_id: str, wanted: Wanted, limit: int, mark: Mark
) -> tuple[list[InventoryItem], Mark]:
    if wanted.status == "archived":
        return [], None
    fits = _test(wanted)
    low = sorted((it for it in await low_items(db, family_id) if fits(it.item())), key=_place)
    rest = [item for item in low if mark is None or _place(item) > mark]
    page = rest[:limit]
    return page, _place(page[-1]) if len(rest) > limit else None


def _narrowed(query: Query[InventoryItem], wanted: Wanted) -> Query[InventoryItem]:
    if wanted.location_id:
        query = query.only(attr("locationId") == wanted.location_id)
    return query.matching(_test(wanted)) if wanted.store_id or wanted.q else query


def _test(wanted: Wanted) -> Callable[[Mapping[str, Any]], bool]:
    sought, in_store = plain(wanted.q or ""), names_store(wanted.store_id or "")
    return lambda item: (
        wanted.location_id in (None, item.get("locationId"))
        and (not wanted.store_id or in_store(item))
        and (not sought or sought in plain(item["name"]))
    )


def _place(item: InventoryItem) -> list[Any]:
    return [item.quantity, item.item_id]
