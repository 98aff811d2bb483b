from typing import Any

from homeshelf.books.model import Book, Note, ReaderSettings, ReadingEvent, Status
from homeshelf.table import Database, Query


async def book(db: Database, user_id: str, book_id: str) -> Book | None:
    """Get book by ID."""
    return await db.get(Book.key(user_id=user_id, id=book_id))


def shelf(user_id: str) -> Query[Book]:
    """List books for user."""
    return Book.where(user_id=user_id)


def with_status(user_id: str, status: Status) -> Query[Book]:
    """Books of one status, by when they were last touched."""
    return Book.where("gsi1", user_id=user_id, status=status)


def notes_of(user_id: str, book_id: str) -> Query[Note]:
    """List notes for book."""
    return Note.where(user_id=user_id, book_id=book_id)


def timeline(user_id: str, book_id: str) -> Query[ReadingEvent]:
    """List events for book."""
    return ReadingEvent.where(user_id=user_id, book_id=book_id)


def timeline_between(
    user_id: str, book_id: str, start: str | None, end: str | None
) -> Query[ReadingEvent]:
    return ReadingEvent.between("occurred_at", start, end, user_id=user_id, book_id=book_id)


async def settings(db: Database, user_id: str) -> ReaderSettings | None:
    return await db.get(ReaderSettings.key(user_id=user_id))


async def forget_reader(db: Database, user_id: str) -> None:
    """Everything of a reader who is gone."""
    kinds: list[Query[Any]] = [
        Book.where(user_id=user_id),
        Note.where(user_id=user_id),
        ReadingEvent.where(user_id=user_id),
    ]
    for kind in kinds:
        await db.clear(kind)
    await db.batch([ReaderSettings(user_id=user_id).delete()])
