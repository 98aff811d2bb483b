"""A row of a file as it goes onto a shelf: a book with its notes and events."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, ValidationError

from homeshelf.books import fields
from homeshelf.books.bodies import NewBook
from homeshelf.books.model import Book, Note, ReadingEvent
from homeshelf.books.rows import Row
from homeshelf.sentences import _
from homeshelf.web.body import NewBody, id_
from homeshelf.web.problems import field_errors

MOST_NAMED = 5
"""So many of a row's problems are named."""

Id = Annotated[str, id_(_("This must be a UUID"))]


class NoteInFile(NewBody):
    id: Id
    content: fields.NoteContent
    created_at: fields.Timestamp
    updated_at: fields.Timestamp


class EventInFile(NewBody):
    id: Id
    page: fields.Page
    occurred_at: fields.Timestamp


class BookInFile(NewBook):
    id: Id
    created_at: fields.Timestamp
    updated_at: fields.Timestamp
    notes: list[NoteInFile] = Field(default_factory=list)
    events: list[EventInFile] = Field(default_factory=list)


@dataclass(frozen=True)
class Entry:
    line: int
    book: Book
    notes: tuple[Note, ...]
    events: tuple[ReadingEvent, ...]
    has_id: bool
    remarks: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many records it is."""
        return 1 + len(self.notes) + len(self.events)


class Unreadable(Exception):
    """The row cannot be a book; the text says why."""


def entry_of(row: Row, user_id: str, now: str) -> Entry:
    if row.wrong:
        raise Unreadable(row.wrong)
    try:
        given = BookInFile.model_validate(row.values)
    except ValidationError as error:
        raise Unreadable(_said(field_errors(error.errors(), skip=0))) from None
    details = given.given("id", "created_at", "updated_at", "notes", "events")
    details = {name: None if value == "" else value for name, value in details.items()}
    book = Book(
        id=given.id,
        user_id=user_id,
        created_at=given.created_at,
        updated_at=given.updated_at,
        **details,
    )
    owned: dict[str, Any] = {"user_id": user_id, "book_id": given.id}
    notes = tuple(Note(**owned, **it.given()) for it in given.notes)
    events = tuple(ReadingEvent(**owned, **it.given()) for it in given.events)
    wrong = book.problems()
    if max(_times(book, notes, events)) > now:
        wrong.append(("", _("It has a time that is yet to come.")))
    if wrong:
        raise Unreadable(_said(wrong))
    return Entry(row.line, book, notes, events, row.has_id, row.remarks)


def _times(book: Book, notes: Iterable[Note], events: Iterable[ReadingEvent]) -> list[str]:
    times = [book.created_at, book.updated_at, *(it.occurred_at for it in events)]
    return times + [at for it in notes for at in (it.created_at, it.updated_at)]


def _said(problems: Iterable[tuple[str, str]]) -> str:
    said = [f"{name}: {why}" if name else why for name, why in list(problems)[:MOST_NAMED]]
    return "; ".join(said)
