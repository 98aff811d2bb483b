"""What each of the household reads, and how it went for half a year. Titles are made up."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from homeshelf import clock
from homeshelf.books.model import Book, Note, ReaderSettings, ReadingEvent, Status
from homeshelf.table import Database


@dataclass(frozen=True)
class Volume:
    title: str
    author: str
    pages: int
    status: Status
    begun: int = 0
    """So many days ago."""
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
GOAL = 12


async def fill_library(db: Database, readers: Mapping[str, str], now: datetime) -> None:
    """`readers` has the ids of people by their names. The past cannot come by the API."""
    dice = random.Random(2)  # noqa: S311  # every demo is the same
    for name, volumes in LIBRARY.items():
        user_id = readers[name]
        for volume in volumes:
            await _put(db, user_id, volume, now, dice)
    await db.put(ReaderSettings(user_id=readers["Mina"], yearly_goal=GOAL))


async def _put(
    db: Database, user_id: str, volume: Volume, now: datetime, dice: random.Random
) -> None:
    book_id = clock.new_id()
    events = _reading(volume, user_id, book_id, now, dice)
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


def _reading(
    volume: Volume, user_id: str, book_id: str, now: datetime, dice: random.Random
) -> list[ReadingEvent]:
    """A page on most evenings; who has finished has read to the end."""
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
            occurred_at=clock.timestamp(
                now - timedelta(days=day) + timedelta(minutes=dice.randint(-90, 0))
            ),
        )
        for number, day in enumerate(days)
    ]
