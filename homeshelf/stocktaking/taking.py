"""Matching of written lines to items, and counting them."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from homeshelf.errors import Duplicate
from homeshelf.inventory import batches
from homeshelf.inventory import store as inventory
from homeshelf.inventory.bodies import MOST_ITEMS
from homeshelf.inventory.following import following_of
from homeshelf.inventory.marks import start_of
from homeshelf.inventory.model import InventoryItem, new_item
from homeshelf.places import store as places
from homeshelf.places.model import StorageLocation, name_key
from homeshelf.shopping.entry_parser import fold_name
from homeshelf.stocktaking.lines import Line, Names, lines_in
from homeshelf.table import Database
from homeshelf.web.services import Services


@dataclass(frozen=True)
class Around:
    """What stays from one thing to the next: place, store, unit and barcode."""

    location_id: str | None = None
    unit: str | None = None
    store_id: str | None = None
    barcode: str | None = None


@dataclass(frozen=True)
class ResolvedLine:
    """A line, the item that it counts up if there is one, and its place."""

    line: Line
    item: InventoryItem | None = None
    location: StorageLocation | None = None

    @property
    def new_place(self) -> str | None:
        return self.line.place if not self.item and not self.location else None

    def kept_in(self, here: str | None) -> str | None:
        """Return the place's id; `here` is the current place."""
        if self.item:
            return self.item.location_id
        return self.location.location_id if self.location else here


@dataclass(frozen=True)
class Taken:
    """The item after the change, and how many were added."""

    item: InventoryItem
    delta: int
    is_new: bool


async def stock(db: Database, family_id: str) -> list[InventoryItem]:
    items = await db.all(inventory.every_item(family_id).up_to_date())
    return [item for item in items if item.status == "active"]


async def resolve_lines(
    db: Database, family_id: str, text: str, location_id: str | None, place: str | None
) -> list[ResolvedLine]:
    """Match a text to items; `location_id` or the new `place` is the current place."""
    called: dict[str, list[InventoryItem]] = {}
    for item in await stock(db, family_id):
        called.setdefault(fold_name(item.name), []).append(item)
    locations = {fold_name(it.name): it for it in await places.list_locations(db, family_id)}
    wanted = []
    for line in lines_in(text, Names(called.keys(), locations.keys()), place):
        location = locations.get(fold_name(line.place or ""))
        at = location.location_id if location else location_id
        counted = _counted(called.get(fold_name(line.name), ()), line.name, at)
        wanted.append(ResolvedLine(line, counted, location))
    return wanted


async def take(
    services: Services,
    family_id: str,
    by: str,
    wanted: Sequence[ResolvedLine],
    around: Around,
    *,
    makes_places: bool,
) -> list[Taken]:
    """Add new items, after their new places where `makes_places`, then count up the others. Each
    counts towards the writes of the caller."""
    services.limits.writes.take_rest(by, len(wanted))
    db, following = services.db, following_of(services)
    names = new_places(wanted) if makes_places else ()
    made = {fold_name(name): await _place(db, family_id, name) for name in names}
    new = [_new_item(family_id, by, each, around, made) for each in wanted if not each.item]
    for first in range(0, len(new), MOST_ITEMS):
        some = new[first : first + MOST_ITEMS]
        await batches.finish(db, await batches.promise(db, family_id, some, (), following))
    return [
        *(Taken(item, item.quantity, is_new=True) for item in new),
        *[await count_up(db, by, it.item, it.line.count) for it in wanted if it.item],
    ]


async def count_up(db: Database, by: str, item: InventoryItem, count: int) -> Taken:
    adjusted = await inventory.adjust(db, item.own_key(), count, "adjust", by)
    return Taken(adjusted.item, adjusted.applied, is_new=False)


def new_places(wanted: Iterable[ResolvedLine]) -> list[str]:
    """Return unknown places, each once, as first written."""
    found: dict[str, str] = {}
    for each in wanted:
        if each.new_place:
            found.setdefault(fold_name(each.new_place), each.new_place)
    return list(found.values())


def _counted(
    same: Sequence[InventoryItem], name: str, location_id: str | None
) -> InventoryItem | None:
    """Return the item with this exact spelling if there is one, preferably in the current place."""
    exactly = [item for item in same if name_key(item.name) == name_key(name)] or same
    here = (item for item in exactly if item.location_id == location_id)
    return next(here, exactly[0] if exactly else None)


def _new_item(
    family_id: str, by: str, each: ResolvedLine, around: Around, made: dict[str, StorageLocation]
) -> InventoryItem:
    line = each.line
    location = each.location or made.get(fold_name(line.place or ""))
    unit = line.unit or around.unit
    given = {
        "name": line.name,
        "quantity": line.count,
        "threshold": start_of(unit, line.count),
        "unit": unit,
        "location_id": location.location_id if location else around.location_id,
        "preferred_store_id": around.store_id,
        "barcodes": [around.barcode] if around.barcode else [],
    }
    return new_item(family_id, by, given)


async def _place(db: Database, family_id: str, name: str) -> StorageLocation:
    """Create a place, or find the one that somebody made meanwhile."""
    with suppress(Duplicate):
        return await places.add_place(db, StorageLocation, family_id, {"name": name})
    found = {fold_name(it.name): it for it in await places.list_locations(db, family_id)}
    return found[fold_name(name)]
