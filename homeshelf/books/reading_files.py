"""Files of books: our own JSON and CSV, and what Goodreads and StoryGraph export.

A file becomes rows, and a row a book with its notes and events, or a sentence that says what is
wrong with it.
"""

import csv
import io
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, Any, Literal

import msgspec
from pydantic import Field, ValidationError

from homeshelf.books import fields
from homeshelf.books.bodies import NewBook
from homeshelf.books.export import text_of
from homeshelf.books.isbn import isbn13
from homeshelf.books.model import Book, Note, ReadingEvent
from homeshelf.errors import Invalid
from homeshelf.web.body import NewBody, id_
from homeshelf.web.json import decode
from homeshelf.web.problems import field_errors

Kind = Literal["text/csv", "application/json"]
KINDS: Mapping[str, Kind] = {"text/csv": "text/csv", "application/json": "application/json"}
MOST_BYTES = 20_000_000
Values = dict[str, Any]
Problem = tuple[int, str]
"""A line, and what is wrong with it."""

UNKNOWN = "This is no file of books that can be read here."
HALF = Decimal("0.5")
_SPACE = uuid.UUID("6f0cf6a5-6f53-4a0c-9d7e-3c2d8ef1a4b7")

Id = Annotated[str, id_("This must be a UUID")]


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
class Row:
    line: int
    values: Values
    has_id: bool
    """Whether the file names the book itself; what it does not is compared with the shelf."""
    remarks: tuple[str, ...] = ()
    wrong: str | None = None


@dataclass(frozen=True)
class File:
    rows: list[Row]
    yearly_goal: int | None = None
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True)
class Entry:
    """A book as it goes onto the shelf, with what belongs to it."""

    line: int
    book: Book
    notes: tuple[Note, ...]
    events: tuple[ReadingEvent, ...]
    has_id: bool
    remarks: tuple[str, ...]


class Unreadable(Exception):
    """The row cannot be a book; the text says why."""


def read_file(content: bytes, kind: Kind, user_id: str, now: str) -> File:
    """The rows of a file; Invalid where it is none of ours or theirs."""
    if kind == "application/json":
        return _read_json(content)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Invalid([("body", "The file must be UTF-8 text.")]) from None
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        header = [name.strip() for name in next(reader, [])]
    except csv.Error:
        raise Invalid([("body", UNKNOWN)]) from None
    translate = _translator(set(header))
    file = File([])
    line = reader.line_num + 1
    try:
        for cells in reader:
            if any(cells):
                found = dict(zip(header, cells, strict=False))
                file.rows.append(_with_id(translate(found), found, user_id, line, now))
            line = reader.line_num + 1
    except csv.Error:
        file.problems.append((line, "From here on the file cannot be read."))
    return file


def entry_of(row: Row, user_id: str, now: str) -> Entry:
    if row.wrong:
        raise Unreadable(row.wrong)
    try:
        given = BookInFile.model_validate(row.values)
    except ValidationError as error:
        found = field_errors(error.errors(), skip=0)
        raise Unreadable("; ".join(f"{name}: {why}" for name, why in list(found)[:5])) from None
    details = given.given("id", "created_at", "updated_at", "notes", "events")
    details = {name: None if value == "" else value for name, value in details.items()}
    book = Book(
        id=given.id,
        user_id=user_id,
        created_at=given.created_at,
        updated_at=given.updated_at,
        **details,
    )
    owned: Values = {"user_id": user_id, "book_id": given.id}
    notes = tuple(Note(**owned, **it.given()) for it in given.notes)
    events = tuple(ReadingEvent(**owned, **it.given()) for it in given.events)
    times = [book.created_at, book.updated_at, *(it.occurred_at for it in events)]
    times += [at for it in notes for at in (it.created_at, it.updated_at)]
    wrong = [f"{name}: {why}" for name, why in book.problems()]
    if max(times) > now:
        wrong.append("It has a time that is yet to come.")
    if wrong:
        raise Unreadable("; ".join(wrong))
    return Entry(row.line, book, notes, events, row.has_id, row.remarks)


def _read_json(content: bytes) -> File:
    try:
        whole = decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ArithmeticError):
        raise Invalid([("body", "This is not JSON.")]) from None
    if not isinstance(whole, dict) or not isinstance(whole.get("books"), list):
        raise Invalid([("body", UNKNOWN)])
    goal = whole.get("yearlyGoal")
    fits = isinstance(goal, int) and not isinstance(goal, bool) and 1 <= goal <= 10_000
    rows = [
        Row(number, values, has_id=True)
        if isinstance(values, dict)
        else Row(number, {}, has_id=True, wrong="This is no book.")
        for number, values in enumerate(whole["books"], 1)
    ]
    return File(rows, goal if fits else None)


Translated = tuple[Values, tuple[str, ...]]
"""The fields of a book, and what was changed on the way."""


def _translator(header: set[str]) -> Callable[[Mapping[str, str]], Translated]:
    if {"Title", "Exclusive Shelf"} <= header:
        return _from_goodreads
    if {"Title", "Read Status"} <= header:
        return _from_storygraph
    if "title" in header:
        return _from_ours
    raise Invalid([("body", UNKNOWN)])


def _with_id(
    translated: Translated, found: Mapping[str, str], user_id: str, line: int, now: str
) -> Row:
    """What has no id gets one of reader and row: the same file again names the same books."""
    values, remarks = translated
    has_id = bool(values.get("id"))
    if not has_id:
        said = "\x1f".join(f"{name}\x1e{cell}" for name, cell in sorted(found.items()))
        values["id"] = str(uuid.uuid5(_SPACE, f"{user_id}\x1f{said}"))
    values.setdefault("createdAt", now)
    values.setdefault("updatedAt", now)
    at = min(values["createdAt"], now)
    values["notes"] = [
        {
            "id": str(uuid.uuid5(_SPACE, f"{user_id}\x1f{values['id']}\x1f{text}")),
            "content": text[:10_000],
            "createdAt": at,
            "updatedAt": at,
        }
        for text in values.pop("texts", ())
    ]
    return Row(line, values, has_id, remarks)


def _from_ours(found: Mapping[str, str]) -> Translated:
    values: Values = {name: text_of(cell) for name, cell in found.items() if cell != ""}
    for name in ("currentPage", "totalPages"):
        if values.get(name, "").isascii() and values.get(name, "").isdecimal():
            values[name] = int(values[name])
    for name in ("rating", "price"):
        if name in values:
            values[name] = fields.decimal_of(values[name])
    return values, ()


_SHELVES = {"to-read": "SHELF", "currently-reading": "READING", "read": "READ"}


def _from_goodreads(found: Mapping[str, str]) -> Translated:
    get = _cell(found)
    isbn = get("ISBN13").strip('="') or get("ISBN").strip('="')
    stars = get("My Rating")
    return _theirs(
        found,
        status=get("Exclusive Shelf"),
        author=get("Author"),
        isbn=isbn,
        rating=Decimal(stars) if stars in ("1", "2", "3", "4", "5") else None,
        pages=get("Number of Pages"),
        finished=get("Date Read"),
        added=get("Date Added"),
        texts=[get("My Review"), get("Private Notes")],
    )


def _from_storygraph(found: Mapping[str, str]) -> Translated:
    get = _cell(found)
    rating = fields.decimal_of(get("Star Rating"))
    return _theirs(
        found,
        status=get("Read Status"),
        author=get("Authors"),
        isbn=get("ISBN/UID"),
        rating=rating if isinstance(rating, Decimal) and rating else None,
        pages="",
        finished=get("Last Date Read"),
        added=get("Date Added"),
        texts=[get("Review")],
    )


def _theirs(
    found: Mapping[str, str],
    *,
    status: str,
    author: str,
    isbn: str,
    rating: Decimal | None,
    pages: str,
    finished: str,
    added: str,
    texts: list[str],
) -> Translated:
    remarks: list[str] = []
    values: Values = {"title": _cell(found)("Title"), "author": author[:300]}
    values["status"] = _SHELVES.get(status, "SHELF")
    if status not in _SHELVES:
        remarks.append(f"“{status[:50]}” is no shelf here: it is to be read.")
    if isbn:
        try:
            values["isbn"] = isbn13(isbn)
        except ValueError:
            remarks.append("Its number is no ISBN and was left out.")
    if rating is not None:
        values["rating"] = _halves(rating)
        if values["rating"] != rating:
            remarks.append(f"{rating} stars became {values['rating']}.")
    if pages.isascii() and pages.isdecimal() and len(pages) < 8 and int(pages):
        values["totalPages"] = int(pages)
    finished, added = finished.replace("/", "-"), added.replace("/", "-")
    if values["status"] == "READ" and _is_day(finished):
        values["finishedAt"] = finished
    if _is_day(added):
        values["createdAt"] = f"{added}T00:00:00.000Z"
    values["texts"] = [it for text in texts if (it := text.replace("<br/>", "\n").strip())]
    return values, tuple(remarks)


def _halves(rating: Decimal) -> Decimal:
    steps = (rating / HALF).quantize(Decimal(1), ROUND_HALF_UP)
    return min(Decimal(5), max(Decimal(1), steps * HALF)).normalize() + 0


def _is_day(text: str) -> bool:
    try:
        return bool(fields.real_date(text))
    except ValueError:
        return False


def _cell(found: Mapping[str, str]) -> Callable[[str], str]:
    return lambda name: (found.get(name) or "").strip()
