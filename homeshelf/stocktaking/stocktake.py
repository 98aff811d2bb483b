"""Stocktaking: matching of lines to items, and counting them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from homeshelf.errors import Duplicate
from homeshelf.inventory import batches
from homeshelf.inventory import store as inventory
from homeshelf.inventory.bodies import MAX_ITEMS
from homeshelf.inventory.default_threshold import default_threshold
from homeshelf.inventory.item_observer import ItemObserver
from homeshelf.inventory.model import InventoryItem, new_item
from homeshelf.places import store as places
from homeshelf.places.model import StorageLocation, name_key
from homeshelf.shopping.entry_parser import fold_name
from homeshelf.stocktaking.lines import Line, Names, parse_lines
from homeshelf.table import Database
from homeshelf.web.services import Services


@dataclass(frozen=True)
class LineDefaults:
    """The values for lines that name none themselves."""

    location_id: str | None = None
    unit: str | None = None
    store_id: str | None = None
    barcode: str | None = None


@dataclass(frozen=True)
class ResolvedLine:
    """A line with the existing item that it counts up, and its location."""

    line: Line
    item: InventoryItem | None = None
    location: StorageLocation | None = None
    is_repeated: bool = False
    """Set if another line has the same name."""

    @property
    def new_place(self) -> str | None:
        return self.line.place if not self.item and not self.location else None

    def location_id_or(self, here: str | None) -> str | None:
        """Return the location of the item or the line, or else `here`, the current one."""
        if self.item:
            return self.item.location_id
        return self.location.location_id if self.location else here


@dataclass(frozen=True)
class CountedItem:
    item: InventoryItem
    delta: int
    is_new: bool


async def active_items(db: Database, family_id: str) -> list[InventoryItem]:
    items = await db.all(inventory.all_items(family_id).up_to_date())
    return [item for item in items if item.status == "active"]


async def resolve_lines(
    db: Database, family_id: str, text: str, defaults: LineDefaults, place: str | None
) -> list[ResolvedLine]:
    """Match the lines of a text to items; the default location or `place` is the current place."""
    items_by_name: dict[str, list[InventoryItem]] = {}
    for item in await active_items(db, family_id):
        items_by_name.setdefault(fold_name(item.name), []).append(item)
    locations = {fold_name(it.name): it for it in await places.list_locations(db, family_id)}
    lines = []
    units = {name: items[0].unit for name, items in items_by_name.items()}
    for line in parse_lines(text, Names(units, list(locations), defaults.unit), place):
        location = locations.get(fold_name(line.place or ""))
        at = location.location_id if location else defaults.location_id
        match = _best_match(items_by_name.get(fold_name(line.name), ()), line.name, at)
        lines.append(ResolvedLine(line, match, location))
    counts = Counter(fold_name(each.line.name) for each in lines)
    return [replace(each, is_repeated=counts[fold_name(each.line.name)] > 1) for each in lines]


async def take_stock(
    services: Services,
    family_id: str,
    by: str,
    lines: Sequence[ResolvedLine],
    defaults: LineDefaults,
    *,
    makes_places: bool,
) -> list[CountedItem]:
    """Create new items and places, then count up existing items."""
    services.limits.writes.take_rest(by, len(lines))
    db, observers = services.db, services.all(ItemObserver)
    names = new_places(lines) if makes_places else ()
    created = {fold_name(name): await _add_or_find_place(db, family_id, name) for name in names}
    new = [_new_item(family_id, by, each, defaults, created) for each in lines if not each.item]
    for first in range(0, len(new), MAX_ITEMS):
        batch = new[first : first + MAX_ITEMS]
        await batches.finish_todos(
            db, await batches.promise_items(db, family_id, batch, (), observers)
        )
    return [
        *(CountedItem(item, item.quantity, is_new=True) for item in new),
        *[await add_to_item(db, by, it.item, it.line.count) for it in lines if it.item],
    ]


async def add_to_item(db: Database, by: str, item: InventoryItem, count: int) -> CountedItem:
    adjusted = await inventory.adjust(db, item.own_key(), count, "adjust", by)
    return CountedItem(adjusted.item, adjusted.applied, is_new=False)


def new_places(lines: Iterable[ResolvedLine]) -> list[str]:
    """Return each unknown place once, in its first spelling."""
    found: dict[str, str] = {}
    for each in lines:
        if each.new_place:
            found.setdefault(fold_name(each.new_place), each.new_place)
    return list(found.values())


def _best_match(
    same_name: Sequence[InventoryItem], name: str, location_id: str | None
) -> InventoryItem | None:
    """Prefer the exact spelling, then the current place."""
    candidates = [item for item in same_name if name_key(item.name) == name_key(name)] or same_name
    here = (item for item in candidates if item.location_id == location_id)
    return next(here, candidates[0] if candidates else None)


def _new_item(
    family_id: str,
    by: str,
    each: ResolvedLine,
    defaults: LineDefaults,
    created: dict[str, StorageLocation],
) -> InventoryItem:
    line = each.line
    location = each.location or created.get(fold_name(line.place or ""))
    unit = line.unit or (None if line.notes else defaults.unit)
    given = {
        "name": line.name,
        "quantity": line.count,
        "threshold": default_threshold(unit, line.count),
        "unit": unit,
        "notes": line.notes,
        "location_id": location.location_id if location else defaults.location_id,
        "preferred_store_id": defaults.store_id,
        "barcodes": [defaults.barcode] if defaults.barcode else [],
    }
    return new_item(family_id, by, given)


async def _add_or_find_place(db: Database, family_id: str, name: str) -> StorageLocation:
    """Create a place, or find the one that another request created."""
    with suppress(Duplicate):
        return await places.add_place(db, StorageLocation, family_id, {"name": name})
    found = {fold_name(it.name): it for it in await places.list_locations(db, family_id)}
    return found[fold_name(name)]
