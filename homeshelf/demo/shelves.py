"""What the household has at home, and how it went for half a year: bought, used, bought again."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from homeshelf import clock
from homeshelf.coordination.changing import added
from homeshelf.inventory import notices
from homeshelf.inventory.model import InventoryItem, QuantityChange, Source, quantity_change
from homeshelf.table import Database

HALF_A_YEAR = timedelta(days=182)


@dataclass(frozen=True)
class Thing:
    name: str
    quantity: int
    """How many there are now."""
    threshold: int
    days: float
    """One is used about this often."""
    pack: int
    """As many are bought at once."""
    location: str
    store: str
    unit: str | None = None
    other_store: str | None = None
    notes: str | None = None


THINGS = [
    Thing("Oat milk", 2, 3, 1.5, 6, "Pantry", "Corner shop", "cartons", "Market"),
    Thing("Spaghetti", 5, 2, 6, 5, "Pantry", "Corner shop", "packs"),
    Thing("Rice", 1, 1, 18, 2, "Pantry", "Corner shop", "kg"),
    Thing("Tinned tomatoes", 8, 4, 4, 8, "Pantry", "Corner shop", "tins"),
    Thing("Coffee", 1, 2, 9, 3, "Pantry", "Market", "bags", "Corner shop", "Whole beans"),
    Thing("Flour", 3, 1, 14, 3, "Pantry", "Corner shop", "kg"),
    Thing("Lentils", 2, 1, 21, 2, "Pantry", "Market", "bags"),
    Thing("Olive oil", 1, 1, 30, 2, "Pantry", "Market", "bottles"),
    Thing("Honey", 2, 1, 40, 2, "Pantry", "Market", "jars"),
    Thing("Muesli", 1, 2, 7, 3, "Pantry", "Corner shop", "boxes"),
    Thing("Eggs", 6, 6, 0.8, 12, "Fridge", "Market", None, "Corner shop"),
    Thing("Butter", 2, 1, 5, 3, "Fridge", "Corner shop", "packs"),
    Thing("Cheddar", 1, 1, 8, 2, "Fridge", "Market", None, "Corner shop"),
    Thing("Yoghurt", 5, 3, 1.2, 8, "Fridge", "Corner shop", "cups"),
    Thing("Carrots", 7, 3, 1, 10, "Fridge", "Market"),
    Thing("Apple juice", 3, 2, 3, 6, "Fridge", "Corner shop", "bottles"),
    Thing("Peas", 3, 1, 10, 4, "Freezer", "Corner shop", "bags"),
    Thing("Bread rolls", 12, 6, 0.7, 20, "Freezer", "Market"),
    Thing("Fish fingers", 2, 1, 9, 3, "Freezer", "Corner shop", "boxes"),
    Thing("Ice cream", 1, 1, 12, 2, "Freezer", "Corner shop", "tubs", None, "Noah's is the mint"),
    Thing("Toothpaste", 0, 1, 25, 2, "Bathroom", "Drugstore", "tubes"),
    Thing("Toilet paper", 9, 4, 1.6, 16, "Bathroom", "Drugstore", "rolls"),
    Thing("Shampoo", 1, 1, 35, 2, "Bathroom", "Drugstore", "bottles"),
    Thing("Soap", 4, 2, 20, 4, "Bathroom", "Drugstore", "bars"),
    Thing("Plasters", 14, 5, 6, 20, "Bathroom", "Drugstore"),
]


async def fill(
    db: Database,
    family_id: str,
    people: Sequence[str],
    places: Mapping[str, str],
    now: datetime,
) -> dict[str, str]:
    """Put everything where it belongs, with its past; returns the ids of items by their names.

    The past cannot come by the API, which knows only the present. `places` has the ids of
    locations and stores by their names, `people` those of who uses things.
    """
    dice = random.Random(1)  # noqa: S311  # every demo is the same
    items = {}
    for thing in THINGS:
        past = list(_life(thing, now, dice))[::-1]
        item = _first(thing, family_id, people[0], places, now - HALF_A_YEAR)
        item = item.changed(quantity=thing.quantity - sum(delta for _, delta in past))
        changes = [_noted(item, item.quantity, "created", people[0], now - HALF_A_YEAR)]
        for at, delta in past:
            item = item.adjusted(delta, clock.timestamp(at))
            source: Source = "put_away" if delta > 0 else "adjust"
            changes.append(_noted(item, delta, source, dice.choice(people), at))
        await db.batch([change.put() for change in changes])
        notice = await notices.following(db, None, item)
        await db.transact(*added(item), *notice)
        items[thing.name] = item.item_id
    return items


def _life(thing: Thing, now: datetime, dice: random.Random) -> Iterator[tuple[datetime, int]]:
    """How it came to what there is now, last things first: one was used, or a pack was bought soon
    after there was too little."""
    full = thing.threshold - 1 + thing.pack
    quantity, at = thing.quantity, now
    pause = timedelta(days=thing.days)
    while (at := at - pause * dice.uniform(0.4, 1.6)) > now - HALF_A_YEAR:
        if quantity == full:
            quantity -= thing.pack
            yield at + pause * 0.3, thing.pack
        quantity += 1
        yield at, -1


def _first(
    thing: Thing, family_id: str, by: str, places: Mapping[str, str], at: datetime
) -> InventoryItem:
    """As it was when the household began to count."""
    return InventoryItem(
        item_id=clock.new_id(),
        family_id=family_id,
        name=thing.name,
        threshold=thing.threshold,
        location_id=places[thing.location],
        preferred_store_id=places[thing.store],
        alternate_store_ids=(places[thing.other_store],) if thing.other_store else (),
        unit=thing.unit,
        notes=thing.notes,
        created_by=by,
        created_at=clock.timestamp(at),
        updated_at=clock.timestamp(at),
    )


def _noted(
    item: InventoryItem, delta: int, source: Source, by: str, at: datetime
) -> QuantityChange:
    return quantity_change(item, delta, source, by, clock.new_id(), at)
