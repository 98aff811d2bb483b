"""The questions about a reader's books, and what happens to a book. See `notes.py` for notes."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from homeshelf import clock
from homeshelf.books.model import (
    Book,
    Import,
    Importing,
    Note,
    ReaderSettings,
    ReadingEvent,
    Removal,
    Status,
    beyond,
    new_book,
)
from homeshelf.coordination import changing
from homeshelf.coordination.changing import Outcome, added, carry_out, change, existing, replaced
from homeshelf.errors import Invalid
from homeshelf.table import Database, Key, Query


def key_of(user_id: str, book_id: str) -> Key[Book]:
    return Book.key(user_id=user_id, id=book_id)


async def book(db: Database, user_id: str, book_id: str) -> Book | None:
    """Get book by ID."""
    return await db.get(key_of(user_id, book_id))


def shelf(user_id: str) -> Query[Book]:
    """List books for user."""
    return Book.where(user_id=user_id)


def with_status(user_id: str, status: Status) -> Query[Book]:
    """Books of one status, by when they were last touched."""
    return Book.where("gsi1", user_id=user_id, status=status)


async def current_book(db: Database, user_id: str) -> Book | None:
    """The one that somebody is in: of those being read, the one touched last."""
    return await db.first(with_status(user_id, "READING").newest_first())


def touched_from(user_id: str, status: Status, at: str | None) -> Query[Book]:
    """The same, from a moment on."""
    return Book.between("updated_at", at, None, "gsi1", user_id=user_id, status=status)


def touched_until(user_id: str, status: Status, at: str | None) -> Query[Book]:
    """The same, up to a moment."""
    return Book.between("updated_at", None, at, "gsi1", user_id=user_id, status=status)


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


def all_reading(user_id: str) -> Query[ReadingEvent]:
    """The events of all of a reader's books, book by book."""
    return ReadingEvent.where(user_id=user_id)


async def settings(db: Database, user_id: str) -> ReaderSettings | None:
    return await db.get(ReaderSettings.key(user_id=user_id))


async def set_goal(db: Database, user_id: str, changes: Mapping[str, Any]) -> ReaderSettings:
    old = await settings(db, user_id) or ReaderSettings(user_id=user_id)
    new = old.changed(**changes)
    await db.transact(*db.besides(new), new.put())
    return new


async def add(db: Database, user_id: str, given: Mapping[str, Any], today: date) -> Book:
    return await changing.add(
        db, _sound(new_book(user_id, clock.new_id(), given, clock.timestamp(), today))
    )


async def edit(db: Database, key: Key[Book], changes: Mapping[str, Any], today: date) -> Book:
    """Change the fields that are given, and no others, also while somebody changes those."""

    async def edited(old: Book) -> Outcome[Book]:
        new = _sound(old.with_details(changes, today), changes)
        return new if new == old else new.changed(updated_at=clock.after(old.updated_at)), ()

    return await change(db, key, edited)


async def reach_page(db: Database, key: Key[Book], page: int) -> ReadingEvent:
    """The reader is on this page: an event, and the book at the same instant."""

    async def decide() -> Outcome[ReadingEvent]:
        old = await existing(db, key)
        if old.total_pages is not None and page > old.total_pages:
            raise Invalid([("page", beyond(old.total_pages))])
        new = old.at_page(page, clock.after(old.updated_at))
        event = ReadingEvent(
            id=clock.new_id(),
            user_id=new.user_id,
            book_id=new.id,
            page=page,
            occurred_at=new.updated_at,
        )
        return event, (*replaced(old, new), *added(event))

    return await carry_out(db, key, decide)


async def forget_reader(db: Database, user_id: str) -> None:
    """Everything of a reader who is gone; an import under way sees first that it has to end."""
    kinds: list[Query[Any]] = [
        Import.where(user_id=user_id),
        Importing.where(user_id=user_id),
        Book.where(user_id=user_id),
        Note.where(user_id=user_id),
        ReadingEvent.where(user_id=user_id),
        Removal.where(user_id=user_id),
    ]
    for kind in kinds:
        await db.clear(kind)
    await db.batch([ReaderSettings(user_id=user_id).delete()])


def _sound(new: Book, changes: Mapping[str, Any] | None = None) -> Book:
    """The book, if what it says goes together; a change is named by what was given."""
    wrong = new.problems()
    if changes is not None and "total_pages" in changes:
        wrong = [("totalPages" if name == "currentPage" else name, why) for name, why in wrong]
    if wrong:
        raise Invalid(wrong)
    return new
