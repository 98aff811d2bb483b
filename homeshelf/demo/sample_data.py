"""Create the demo's items and books, with half a year of history."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from homeshelf import clock
from homeshelf.books.model import Book, Note, ReaderSettings, ReadingEvent, Status
from homeshelf.coordination.changes import change_writes
from homeshelf.inventory import notices
from homeshelf.inventory.model import InventoryItem, Source, quantity_change
from homeshelf.shopping.model import Purchase, ShoppingListItem, purchase_of
from homeshelf.shopping.shelf_order import set_order
from homeshelf.table import Database, absent

HALF_A_YEAR = timedelta(days=182)


@dataclass(frozen=True)
class Thing:
    name: str
    quantity: int
    threshold: int
    days: float  # days until one is used up
    pack: int  # pieces in one purchase
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


async def create_items(
    db: Database, family_id: str, people: Sequence[str], places: Mapping[str, str], now: datetime
) -> dict[str, str]:
    """Store the items with a history, which the API cannot create, and return ids by name."""
    dice = random.Random(1)  # noqa: S311  # every demo is the same
    items = {}
    for thing in THINGS:
        past = list(_past_changes(thing, now, dice))[::-1]
        began = clock.timestamp(now - HALF_A_YEAR)
        item = InventoryItem(
            item_id=clock.new_id(),
            family_id=family_id,
            name=thing.name,
            quantity=thing.quantity - sum(delta for _, delta in past),
            threshold=thing.threshold,
            location_id=places[thing.location],
            preferred_store_id=places[thing.store],
            alternate_store_ids=(places[thing.other_store],) if thing.other_store else (),
            unit=thing.unit,
            notes=thing.notes,
            created_by=people[0],
            created_at=began,
            updated_at=began,
        )
        changes = [quantity_change(item, item.quantity, "created", people[0], now - HALF_A_YEAR)]
        for at, delta in past:
            item = item.adjusted(delta, clock.timestamp(at))
            source: Source = "put_away" if delta > 0 else "adjust"
            by = dice.choice(people)
            changes.append(quantity_change(item, delta, source, by, at))
        bought = [_build_purchase(item, at) for at, delta in past if delta > 0]
        await db.batch([record.put() for record in (*changes, *bought)])
        opened = await notices.writes_of_item_change(db, None, item)
        await db.transact(item.put(absent), *change_writes(item), *opened)
        items[thing.name] = item.item_id
    for store in {thing.store for thing in THINGS}:
        names = [thing.name for thing in THINGS if thing.store == store]
        await set_order(db, family_id, places[store], names)
    return items


def _build_purchase(item: InventoryItem, at: datetime) -> Purchase:
    moment = clock.timestamp(at)
    entry = ShoppingListItem(
        shopping_item_id=clock.new_id(),
        family_id=item.family_id,
        item_id=item.item_id,
        name=item.name,
        store_id=item.preferred_store_id,
        status="purchased",
        added_by=item.created_by,
        created_at=moment,
        updated_at=moment,
    )
    return purchase_of(entry)


def _past_changes(
    thing: Thing, now: datetime, dice: random.Random
) -> Iterator[tuple[datetime, int]]:
    """Yield changes, newest first: one item used, or a pack bought."""
    full = thing.threshold - 1 + thing.pack
    quantity, at = thing.quantity, now
    pause = timedelta(days=thing.days)
    while (at := at - pause * dice.uniform(0.4, 1.6)) > now - HALF_A_YEAR:
        if quantity == full:
            quantity -= thing.pack
            yield at + pause * 0.3, thing.pack
        quantity += 1
        yield at, -1


@dataclass(frozen=True)
class Volume:
    title: str
    author: str
    pages: int
    status: Status
    begun: int = 0  # days ago
    finished: int = 0
    rating: str | None = None
    note: str | None = None


LIBRARY: Mapping[str, tuple[Volume, ...]] = {
    "Mina": (
        Volume("The Lighthouse Ledger", "Ida Falk", 412, "READING", 24, note="The storm, page 88!"),
        Volume("A Field Guide to Quiet", "Tomas Brandt", 236, "READ", 60, 44, "4.5"),
        Volume("Salt and Cedar", "Nadia Rahm", 318, "READ", 92, 66, "4"),
        Volume("The Clockmaker's Orchard", "Per Ekdahl", 504, "READ", 150, 101, "5"),
        Volume("Bread, Slowly", "Agnes Moreau", 188, "READ", 170, 160, "3.5"),
        Volume("Northbound", "Sami Aalto", 290, "SHELF"),
        Volume("رسائل من البحر", "ليلى حداد", 221, "SHELF"),
    ),
    "Jonas": (
        Volume("Rivers of Copper", "Elin Storm", 377, "READING", 12),
        Volume("How Bridges Sleep", "Karl Wendt", 264, "READ", 80, 52, "4"),
    ),
    "Alva": (
        Volume("Otto and the Moon Bus", "Pim de Vries", 96, "READING", 6),
        Volume("The Fox Who Counted", "Maja Lund", 48, "READ", 30, 28, "5"),
    ),
}


async def create_books(db: Database, readers: Mapping[str, str], now: datetime) -> None:
    dice = random.Random(2)  # noqa: S311  # every demo is the same
    for name, volumes in LIBRARY.items():
        for volume in volumes:
            await _store_book(db, readers[name], volume, now, dice)
    await db.put(ReaderSettings(user_id=readers["Mina"], yearly_goal=12))


async def _store_book(
    db: Database, user_id: str, volume: Volume, now: datetime, dice: random.Random
) -> None:
    book_id = clock.new_id()
    events = _reading_events(volume, user_id, book_id, now, dice)
    added = clock.timestamp(now - timedelta(days=volume.begun + dice.randint(1, 20)))
    finished = now - timedelta(days=volume.finished)
    book = Book(
        id=book_id,
        user_id=user_id,
        title=volume.title,
        author=volume.author,
        status=volume.status,
        total_pages=volume.pages,
        current_page=events[-1].page if events else None,
        rating=Decimal(volume.rating) if volume.rating else None,
        finished_at=f"{finished:%Y-%m-%d}" if volume.status == "READ" else None,
        created_at=added,
        updated_at=events[-1].occurred_at if events else added,
    )
    records: list[Book | Note | ReadingEvent] = [book, *events]
    if volume.note:
        at = clock.timestamp(now - timedelta(days=3))
        records.append(
            Note(
                id=clock.ordered_id(),
                user_id=user_id,
                book_id=book_id,
                content=volume.note,
                created_at=at,
                updated_at=at,
            )
        )
    await db.batch([record.put() for record in records])


def _reading_events(
    volume: Volume, user_id: str, book_id: str, now: datetime, dice: random.Random
) -> list[ReadingEvent]:
    if volume.status == "SHELF":
        return []
    days = [day for day in range(volume.begun, volume.finished, -1) if dice.random() < 0.7]
    days = days or [volume.begun]
    share = 1.0 if volume.status == "READ" else 0.6
    return [
        ReadingEvent(
            id=clock.new_id(),
            user_id=user_id,
            book_id=book_id,
            page=max(1, round(volume.pages * share * (number + 1) / len(days))),
            occurred_at=clock.timestamp(now - timedelta(days=day, minutes=dice.randint(0, 90))),
        )
        for number, day in enumerate(days)
    ]
