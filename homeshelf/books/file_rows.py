"""Read files of books twice: to check them, and to import their rows one by one."""

import codecs
import csv
import io
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice
from typing import IO, Annotated, Any, Literal, TextIO, cast

import msgspec
from pydantic import Field, ValidationError

from homeshelf.books import fields
from homeshelf.books.bodies import NewBook
from homeshelf.books.export import unescape_cell
from homeshelf.books.model import Book, Note, ReadingEvent
from homeshelf.books.other_formats import (
    MAX_TEXT,
    Translated,
    translate_goodreads,
    translate_storygraph,
)
from homeshelf.controls import without_control_characters
from homeshelf.errors import Invalid
from homeshelf.sentences import _, translate
from homeshelf.web.body import NewBody, id_, is_visible
from homeshelf.web.json import decode
from homeshelf.web.problems import field_errors

Kind = Literal["text/csv", "application/json"]
KINDS: Mapping[str, Kind] = {"text/csv": "text/csv", "application/json": "application/json"}
MAX_BYTES = 20_000_000
MAX_ROWS = 200_000
"""The limit on books: an import keeps their titles, authors and ISBNs in memory."""
MAX_PER_BOOK = 10_000
"""The limit on a book's notes and on its reading events, so that it fits into memory."""
MAX_VALUES = 1_200_000
"""The limit on values in a file; the largest file of the shortest events has fewer."""
MAX_VALUES_PER_BOOK = 400_000
"""The limit on values in a book, which take ten times the memory of their text."""
MULTILINE_FIELDS = frozenset({"description", "content"})
MAX_NAMED_PROBLEMS = 5

Id = Annotated[str, id_(_("This must be a UUID"))]

UNKNOWN = _("We can’t read books from this file.")
TOO_MANY_NOTES = _(
    "A book can have at most {most} notes and {most} reading events.", most=MAX_PER_BOOK
)
_NAMESPACE = uuid.UUID("6f0cf6a5-6f53-4a0c-9d7e-3c2d8ef1a4b7")


@dataclass(frozen=True)
class Row:
    line: int
    values: dict[str, Any]
    has_id: bool
    remarks: tuple[str, ...] = ()
    wrong: str | None = None


@dataclass(frozen=True)
class BookFile:
    """A file that a reader sent, with the results of its first reading."""

    content: IO[bytes]
    kind: Kind
    user_id: str
    now: str
    total: int
    yearly_goal: int | None

    def rows(self) -> Iterator[Row]:
        self.content.seek(0)
        read = _json_rows if self.kind == "application/json" else _csv_rows
        try:
            yield from read(self.content, self.user_id, self.now)
        except UnicodeDecodeError:
            raise Invalid([("body", _("The file must be UTF-8 text."))]) from None


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
    row: Row
    book: Book
    notes: tuple[Note, ...]
    events: tuple[ReadingEvent, ...]

    @property
    def size(self) -> int:
        return 1 + len(self.notes) + len(self.events)


class Unreadable(Exception):
    """The error of a row that is no book; its text is the reason."""


def open_file(content: IO[bytes], kind: Kind, user_id: str, now: str) -> BookFile:
    """Check a file and count its rows; raise Invalid if its format is unknown."""
    goal = rewrite_as_lines(content) if kind == "application/json" else None
    file = BookFile(content, kind, user_id, now, 0, goal)
    total = sum(1 for _row in islice(file.rows(), MAX_ROWS + 1))
    if total > MAX_ROWS:
        why = _("A file can have at most {most_rows} books.", most_rows=MAX_ROWS)
        raise Invalid([("body", why)])
    return replace(file, total=total)


def entry_of(row: Row, user_id: str, now: str) -> Entry:
    if row.wrong:
        raise Unreadable(row.wrong)
    title = row.values.get("title")
    if title is None or (isinstance(title, str) and not is_visible(title)):
        raise Unreadable(_("No title; skipped."))
    try:
        given = BookInFile.model_validate(_shown(row.values))
    except ValidationError as error:
        raise Unreadable(_problem_texts(field_errors(error.errors(), skip=0))) from None
    sent = given.given("notes", "events")
    details: dict[str, Any] = {name: value for name, value in sent.items() if value != ""}
    book = Book(user_id=user_id, **details)
    owned: dict[str, Any] = {"user_id": user_id, "book_id": given.id}
    notes = tuple(Note(**owned, **it.given()) for it in given.notes)
    events = tuple(ReadingEvent(**owned, **it.given()) for it in given.events)
    wrong = book.problems()
    noted = (at for it in notes for at in (it.created_at, it.updated_at))
    if max(book.created_at, book.updated_at, *(it.occurred_at for it in events), *noted) > now:
        wrong.append(("", _("One of the times is in the future.")))
    if wrong:
        raise Unreadable(_problem_texts(wrong))
    return Entry(row, book, notes, events)


def _shown(value: Any, name: str = "") -> Any:
    """Remove control characters, so that a book is not refused for one in its title."""
    if isinstance(value, str) and name not in MULTILINE_FIELDS:
        return without_control_characters(value)
    if isinstance(value, dict):
        return {each: _shown(inner, each) for each, inner in value.items()}
    return [_shown(each) for each in value] if isinstance(value, list) else value


class _JsonFile(msgspec.Struct, rename="camel"):
    books: list[msgspec.Raw]
    yearly_goal: msgspec.Raw = msgspec.Raw(b"null")


_decode_file = msgspec.json.Decoder(_JsonFile).decode


def rewrite_as_lines(content: IO[bytes]) -> int | None:
    """Rewrite a JSON file with one book a line, to read it in little memory; return its goal."""
    content.seek(0)
    text = content.read().removeprefix(codecs.BOM_UTF8)
    try:
        if _count_values(text) > MAX_VALUES:
            raise Invalid([("body", UNKNOWN)])
        file = _decode_file(text)
    except (msgspec.DecodeError, RecursionError):
        raise Invalid([("body", UNKNOWN)]) from None
    content.seek(0)
    content.truncate()
    content.writelines(msgspec.json.format(book, indent=-1) + b"\n" for book in file.books)
    goal = re.fullmatch(rb"[1-9][0-9]{0,4}", file.yearly_goal)
    return int(goal[0]) if goal and int(goal[0]) <= 10_000 else None


def _count_values(text: bytes) -> int:
    """Estimate the number of JSON values by counting separators, without parsing."""
    return sum(map(text.count, (b",", b"[", b"{")))


def _json_rows(content: IO[bytes], user_id: str, now: str) -> Iterator[Row]:
    for number, line in enumerate(content, 1):
        if line.count(b"{") > 2 * MAX_PER_BOOK + 1 or _count_values(line) > MAX_VALUES_PER_BOOK:
            yield Row(number, {}, has_id=True, wrong=TOO_MANY_NOTES)
            continue
        try:
            yield _json_row(number, decode(line), user_id, now)
        except (msgspec.DecodeError, ArithmeticError, RecursionError):
            raise Invalid([("body", UNKNOWN)]) from None


def _json_row(number: int, values: Any, user_id: str, now: str) -> Row:
    if not isinstance(values, dict):
        return Row(number, {}, has_id=True, wrong=_("This isn’t a book."))
    lists = [values[name] for name in ("notes", "events") if isinstance(values.get(name), list)]
    if any(len(each) > MAX_PER_BOOK for each in lists):
        return Row(number, {}, has_id=True, wrong=TOO_MANY_NOTES)
    book = _add_id(values, user_id)
    for name in ("createdAt", "updatedAt"):
        book[name] = book.get(name) or now
    for name in ("notes", "events"):
        if isinstance(book.get(name), list):
            book[name] = [
                _add_id(each, f"{book['id']}\x1f{name}\x1f{place}")
                for place, each in enumerate(book[name])
            ]
    return Row(number, book, has_id=bool(values.get("id")))


def _add_id(values: Any, owner: str) -> Any:
    """Return the values with an id derived from their owner and content."""
    if not isinstance(values, dict) or values.get("id"):
        return values
    content = sorted(
        (name, value) for name, value in values.items() if isinstance(value, str | int | Decimal)
    )
    return values | {"id": str(uuid.uuid5(_NAMESPACE, f"{owner}\x1f{content!r}"))}


def _csv_rows(content: IO[bytes], user_id: str, now: str) -> Iterator[Row]:
    file = io.TextIOWrapper(cast("io.BytesIO", content), "utf-8-sig", newline="")
    try:
        yield from _table_rows(file, user_id, now)
    finally:
        file.detach()  # the wrapper would close the file


def _table_rows(file: TextIO, user_id: str, now: str) -> Iterator[Row]:
    reader = csv.reader(file)
    try:
        header = [name.strip() for name in next(reader, [])]
    except csv.Error:
        raise Invalid([("body", UNKNOWN)]) from None
    translator = next((how for names, how in _FORMATS.items() if names <= set(header)), None)
    if translator is None:
        raise Invalid([("body", UNKNOWN)])
    line = reader.line_num + 1
    try:
        for cells in reader:
            if any(cells):
                found = dict(zip(header, cells, strict=False))
                yield _complete_row(translator(found, now), found, user_id, line, now)
            line = reader.line_num + 1
    except csv.Error:
        yield Row(line, {}, has_id=False, wrong=_("The file can’t be read from this line on."))


def _translate_own_format(found: Mapping[str, str], _now: str) -> Translated:
    return {
        name: _CELL_PARSERS.get(name, str)(unescape_cell(cell))
        for name, cell in found.items()
        if cell != ""
    }, ()


MAX_DIGITS = 20
"""The limit on digits of a page number, as Python refuses numbers of thousands of digits."""


def _parse_page(cell: str) -> int | str:
    is_number = cell.isascii() and cell.isdecimal() and len(cell) <= MAX_DIGITS
    return int(cell) if is_number else cell


_CELL_PARSERS: Mapping[str, Callable[[str], Any]] = {
    "currentPage": _parse_page,
    "totalPages": _parse_page,
    "rating": fields.decimal_of,
    "price": fields.decimal_of,
}
_FORMATS: Mapping[frozenset[str], Callable[[Mapping[str, str], str], Translated]] = {
    frozenset({"Title", "Exclusive Shelf"}): translate_goodreads,
    frozenset({"Title", "Read Status"}): translate_storygraph,
    frozenset({"title"}): _translate_own_format,
}
"""The translation of a row, by the columns that identify the program that wrote the file."""


def _complete_row(
    translated: Translated, found: Mapping[str, str], user_id: str, line: int, now: str
) -> Row:
    """Return a row; one without an id gets an id derived from reader and cells."""
    values, remarks = translated
    has_id = bool(values.get("id"))
    if not has_id:
        content = "\x1f".join(f"{name}\x1e{cell}" for name, cell in sorted(found.items()))
        values["id"] = str(uuid.uuid5(_NAMESPACE, f"{user_id}\x1f{content}"))
    values.setdefault("createdAt", now)
    values.setdefault("updatedAt", now)
    at = min(values["createdAt"], now)
    values["notes"] = [
        {
            "id": str(uuid.uuid5(_NAMESPACE, f"{user_id}\x1f{values['id']}\x1f{text}")),
            "content": text[:MAX_TEXT],
            "createdAt": at,
            "updatedAt": at,
        }
        for text in values.pop("texts", ())
    ]
    return Row(line, values, has_id, remarks)


def _problem_texts(problems: Iterable[tuple[str, str]]) -> str:
    """Return each problem with its field, unless the sentence begins with the field."""
    return "; ".join(
        translate(why)
        if not name or why.lower().startswith(f"{name} ")
        else f"{name}: {translate(why)}"
        for name, why in islice(problems, MAX_NAMED_PROBLEMS)
    )
