"""Read and change a reader's books and notes; background work deletes the notes and events of a
deleted book."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Any, Literal

from homeshelf import clock
from homeshelf.books.model import (
    STATUSES,
    Book,
    Import,
    Importing,
    Note,
    ReaderSettings,
    ReadingEvent,
    Removal,
    Status,
    page_limit_message,
)
from homeshelf.coordination.merging import merged
from homeshelf.coordination.todos import FINISH_DELAY, Todo, todo
from homeshelf.coordination.transaction import (
    Transaction,
    delete_if_unreadable,
    existing,
    missing,
    transaction,
)
from homeshelf.errors import Invalid
from homeshelf.folding import plain
from homeshelf.table import Check, ConditionFailed, Database, Delete, Key, Query, absent, exists

REMOVAL_KIND = "book_removed"
Sort = Literal["updatedAt_desc", "updatedAt_asc", "title"]


@dataclass(frozen=True)
class BookFilter:
    status: Status | None = None
    sort: Sort = "updatedAt_desc"
    q: str | None = None


def key_of(user_id: str, book_id: str) -> Key[Book]:
    return Book.key(user_id=user_id, id=book_id)


async def book(db: Database, user_id: str, book_id: str) -> Book | None:
    """Get book by ID."""
    return await db.get(key_of(user_id, book_id))


def shelf(user_id: str) -> Query[Book]:
    """List books for user."""
    return Book.where(user_id=user_id)


def books_with_status(user_id: str, status: Status) -> Query[Book]:
    return Book.where("gsi1", user_id=user_id, status=status)


async def current_book(db: Database, user_id: str) -> Book | None:
    return await db.first(books_with_status(user_id, "READING").newest_first())


def books_changed_since(user_id: str, status: Status, at: str | None) -> Query[Book]:
    return Book.between("updated_at", at, None, "gsi1", user_id=user_id, status=status)


def books_changed_until(user_id: str, status: Status, at: str | None) -> Query[Book]:
    """Books of one status that changed up to a moment, latest first."""
    found = Book.between("updated_at", None, at, "gsi1", user_id=user_id, status=status)
    return found.newest_first()


async def list_books(
    db: Database, user_id: str, wanted: BookFilter, limit: int, mark: Any
) -> tuple[list[Book], Any]:
    """Return a page of books and its end; only titles and a search read the whole shelf."""
    if wanted.q or wanted.sort == "title":
        return await _search_shelf(db, user_id, wanted, limit, mark)
    newest_first = wanted.sort == "updatedAt_desc"
    touched = books_changed_until if newest_first else books_changed_since
    if wanted.status is not None:
        page = await db.query(touched(user_id, wanted.status, None).page(limit, mark))
        return list(page.items), page.next
    return await merged(
        db,
        [partial(touched, user_id, status) for status in STATUSES],
        lambda it: it.updated_at,
        limit,
        mark,
        descending=newest_first,
    )


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


def all_events(user_id: str) -> Query[ReadingEvent]:
    return ReadingEvent.where(user_id=user_id)


async def settings(db: Database, user_id: str) -> ReaderSettings:
    found = await db.get(ReaderSettings.key(user_id=user_id))
    return found or ReaderSettings(user_id=user_id)


@transaction
async def change_settings(
    tx: Transaction, default: ReaderSettings, changes: Mapping[str, Any]
) -> ReaderSettings:
    changed = (await settings(tx.db, default.user_id)).changed(**changes)
    tx.write(changed.put())
    return changed


async def set_initial_goal(db: Database, user_id: str, goal: int) -> None:
    """Set the yearly goal unless the reader has settings."""
    with suppress(ConditionFailed):
        await db.put(ReaderSettings(user_id=user_id, yearly_goal=goal), absent)


async def add(db: Database, user_id: str, given: Mapping[str, Any], today: date) -> Book:
    at = clock.timestamp()
    blank = Book(
        id=clock.new_id(), user_id=user_id, title=given["title"], created_at=at, updated_at=at
    )
    return await _add(db, _require_valid(blank.with_details(given, today)))


@transaction
async def _add(tx: Transaction, new: Book) -> Book:
    tx.add(new)
    return new


@transaction
async def edit(tx: Transaction, key: Key[Book], changes: Mapping[str, Any], today: date) -> Book:
    old = await tx.get(key)
    edited = _require_valid(old.with_details(changes, today), changes)
    if edited == old:
        return old
    edited = edited.changed(updated_at=clock.after(old.updated_at))
    tx.replace(old, edited)
    return edited


@transaction
async def reach_page(tx: Transaction, key: Key[Book], page: int) -> ReadingEvent:
    """Record the page that the reader is on: an event, and the book at the same instant."""
    old = await tx.get(key)
    if old.total_pages is not None and page > old.total_pages:
        raise Invalid([("page", page_limit_message(old.total_pages))])
    new = old.changed(current_page=page, updated_at=clock.after(old.updated_at))
    event = ReadingEvent(
        id=clock.new_id(),
        user_id=new.user_id,
        book_id=new.id,
        page=page,
        occurred_at=new.updated_at,
    )
    tx.replace(old, new)
    tx.add(event)
    return event


async def add_note(db: Database, user_id: str, book_id: str, content: str) -> Note:
    at = clock.timestamp()
    new = Note(
        id=clock.ordered_id(),
        user_id=user_id,
        book_id=book_id,
        content=content,
        created_at=at,
        updated_at=at,
    )
    return await _add_note(db, new)


@transaction
async def _add_note(tx: Transaction, new: Note) -> Note:
    tx.add(new)
    tx.write(_check_book(new))
    return new


def note_key(user_id: str, book_id: str, note_id: str) -> Key[Note]:
    return Note.key(user_id=user_id, book_id=book_id, id=note_id)


@transaction
async def edit_note(tx: Transaction, key: Key[Note], content: str | None) -> Note:
    old = await _note_of_book(tx, key)
    if content in (None, old.content):
        return old
    edited = old.changed(content=content, updated_at=clock.after(old.updated_at))
    tx.replace(old, edited)
    tx.write(_check_book(edited))
    return edited


async def remove_note(db: Database, key: Key[Note]) -> None:
    async with delete_if_unreadable(db, key):
        await _remove_note(db, key)


@transaction
async def _remove_note(tx: Transaction, key: Key[Note]) -> None:
    tx.remove(await _note_of_book(tx, key))


async def remove(db: Database, user_id: str, book_id: str) -> None:
    key = key_of(user_id, book_id)
    removal = Removal(user_id=user_id, book_id=book_id)
    async with delete_if_unreadable(db, key, partial(_schedule_removal, removal=removal)):
        await _remove(db, key, removal)


@transaction
async def _remove(tx: Transaction, key: Key[Book], removal: Removal) -> None:
    tx.write(Delete(key, exists).with_refusal(missing()))
    await _schedule_removal(tx, removal)


async def _schedule_removal(tx: Transaction, removal: Removal) -> None:
    about = {"userId": removal.user_id, "bookId": removal.book_id}
    tx.write(removal.put())
    tx.finish_soon(todo(REMOVAL_KIND, about, clock.now() + FINISH_DELAY), finish)


async def finish(db: Database, left: Todo) -> None:
    await delete_leftovers(db, left.about["userId"], left.about["bookId"])


async def delete_leftovers(db: Database, user_id: str, book_id: str) -> None:
    """Delete the notes and events of a deleted book once: an import may restore the book later."""
    marked = Removal.key(user_id=user_id, book_id=book_id)
    if await db.get(marked) is not None:
        await delete_notes_and_events(db, user_id, book_id)
        await db.write(Delete(marked))


async def delete_notes_and_events(db: Database, user_id: str, book_id: str) -> None:
    await db.clear(Note.where(user_id=user_id, book_id=book_id))
    await db.clear(ReadingEvent.where(user_id=user_id, book_id=book_id))


async def forget_reader(db: Database, user_id: str) -> None:
    """Delete everything of a reader; imports come first, to end one that is running."""
    for kind in (Import, Importing, Book, Note, ReadingEvent, Removal):
        await db.clear(kind.where(user_id=user_id))
    await db.batch([ReaderSettings(user_id=user_id).delete()])


async def _search_shelf(
    db: Database, user_id: str, wanted: BookFilter, limit: int, mark: Any
) -> tuple[list[Book], Any]:
    sought = plain(wanted.q or "")

    def fits(item: Mapping[str, Any]) -> bool:
        named = (item["title"], item.get("author") or "", item.get("isbn") or "")
        is_sought = not wanted.q or any(sought in plain(name) for name in named)
        return is_sought and wanted.status in (None, item["status"])

    whole: Query[Any] = shelf(user_id).up_to_date()
    query = replace(whole, load=dict)
    if wanted.q or wanted.status:
        query = query.matching(fits)
    descending = wanted.sort == "updatedAt_desc"
    by = "title" if wanted.sort == "title" else "updatedAt"
    found = [(_sort_key(item[by], item["id"], wanted.sort), item) for item in await db.all(query)]
    found.sort(key=lambda each: each[0], reverse=descending)
    if mark is not None:
        end = _sort_key(mark[-2], mark[-1], wanted.sort)
        found = [it for it in found if (it[0] < end if descending else it[0] > end)]
    page = found[:limit]
    return [Book.load(item) for _, item in page], page[-1][0][-2:] if len(found) > limit else None


def _sort_key(by: str, id_: str, sort: Sort) -> list[str]:
    return [plain(by), by, id_] if sort == "title" else [by, id_]


def _require_valid(new: Book, changes: Mapping[str, Any] | None = None) -> Book:
    """Return a book with consistent fields; an error names the field that was given."""
    wrong = new.problems()
    if changes is not None and "total_pages" in changes:
        wrong = [("totalPages" if name == "currentPage" else name, why) for name, why in wrong]
    if wrong:
        raise Invalid(wrong)
    return new


def _check_book(note: Note) -> Check:
    return Check(key_of(note.user_id, note.book_id), exists).with_refusal(missing())


async def _note_of_book(tx: Transaction, key: Key[Note]) -> Note:
    note = await tx.get(key)
    await existing(tx.db, key_of(note.user_id, note.book_id))
    return note
