"""Create the demo's items and books, with half a year of history."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec

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


@dataclass(frozen=True)
class Volume:
    title: str
    author: str
    pages: int
    status: Status
    begun: int = 0  # days ago
    finished: int = 0
    rating: Decimal | None = None
    note: str | None = None


@dataclass(frozen=True)
class SampleData:
    locations: dict[str, str | None]
    stores: dict[str, str]
    things: list[Thing]
    to_buy: list[str]
    also_to_buy: list[dict[str, Any]]
    tags: dict[str, list[str]]
    barcodes: dict[str, list[str]]
    """In-store codes, which belong to no product."""
    packing: dict[str, Any]
    packed: dict[str, str]
    wishes: list[tuple[str, str, str | None]]
    books: dict[str, list[Volume]]


SAMPLE = msgspec.json.decode(Path(__file__).with_suffix(".json").read_bytes(), type=SampleData)


async def create_items(
    db: Database, family_id: str, people: Sequence[str], places: Mapping[str, str], now: datetime
) -> dict[str, str]:
    """Store the items with a history, which the API cannot create, and return ids by name."""
    dice = random.Random(1)  # noqa: S311  # every demo is the same
    items = {}
    for thing in SAMPLE.things:
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
    for store in {thing.store for thing in SAMPLE.things}:
        names = [thing.name for thing in SAMPLE.things if thing.store == store]
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


async def create_books(db: Database, readers: Mapping[str, str], now: datetime) -> None:
    dice = random.Random(2)  # noqa: S311  # every demo is the same
    for name, volumes in SAMPLE.books.items():
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
        rating=volume.rating,
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
