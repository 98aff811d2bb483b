"""Files of books as rows: our own JSON and CSV, and what Goodreads and StoryGraph export.

A file may be large and lies on disk. It is read from its beginning twice: to see what it is and
how many rows it has, and to take those one after the other.
"""

import csv
import io
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import IO, Any, Literal, TextIO, cast

from homeshelf.books import fields
from homeshelf.books.export import text_of
from homeshelf.books.json_stream import BadJson, members
from homeshelf.books.others_rows import Translated, from_goodreads, from_storygraph
from homeshelf.errors import Invalid
from homeshelf.sentences import _

Kind = Literal["text/csv", "application/json"]
KINDS: Mapping[str, Kind] = {"text/csv": "text/csv", "application/json": "application/json"}
MOST_BYTES = 20_000_000
MOST_ROWS = 200_000
"""What is known of each is kept in memory while they come in."""

UNKNOWN = _("This is no file of books that can be read here.")
_SPACE = uuid.UUID("6f0cf6a5-6f53-4a0c-9d7e-3c2d8ef1a4b7")


@dataclass(frozen=True)
class Row:
    line: int
    values: dict[str, Any]
    has_id: bool
    """Whether the file names the book itself; what it does not is compared with the shelf."""
    remarks: tuple[str, ...] = ()
    wrong: str | None = None


@dataclass(frozen=True)
class BookFile:
    """A file that somebody sent, and what was seen in it at a first reading."""

    content: IO[bytes]
    kind: Kind
    user_id: str
    now: str
    total: int
    yearly_goal: int | None

    def rows(self) -> Iterator[Row]:
        for each in _read(self.content, self.kind, self.user_id, self.now):
            if isinstance(each, Row):
                yield each

    def close(self) -> None:
        self.content.close()


@dataclass(frozen=True)
class Goal:
    """What a file says besides its rows."""

    books: Any


def open_file(content: IO[bytes], kind: Kind, user_id: str, now: str) -> BookFile:
    """Look through a file; Invalid where it is none of ours or theirs."""
    total, goal = 0, None
    for each in _read(content, kind, user_id, now):
        if isinstance(each, Goal):
            goal = each.books
            continue
        total += 1
        if total > MOST_ROWS:
            raise Invalid(
                [
                    (
                        "body",
                        _(
                            "More than {most_rows:,} books are too many for one file.",
                            most_rows=MOST_ROWS,
                        ),
                    )
                ]
            )
    fits = isinstance(goal, int) and not isinstance(goal, bool) and 1 <= goal <= 10_000
    return BookFile(content, kind, user_id, now, total, goal if fits else None)


def _read(content: IO[bytes], kind: Kind, user_id: str, now: str) -> Iterator[Row | Goal]:
    with _text(content) as file:
        try:
            if kind == "application/json":
                yield from _json_rows(file, user_id, now)
            else:
                yield from _csv_rows(file, user_id, now)
        except UnicodeDecodeError:
            raise Invalid([("body", _("The file must be UTF-8 text."))]) from None


@contextmanager
def _text(content: IO[bytes]) -> Iterator[TextIO]:
    content.seek(0)
    file = io.TextIOWrapper(cast("io.BytesIO", content), "utf-8-sig", newline="")
    try:
        yield file
    finally:
        file.detach()  # or it would be closed


def _json_rows(file: TextIO, user_id: str, now: str) -> Iterator[Row | Goal]:
    has_books = False
    try:
        for name, value in members(file, "books"):
            if name == "books":
                has_books = True
                for number, each in enumerate(value, 1):
                    yield _json_row(number, each, user_id, now)
            elif name == "yearlyGoal":
                yield Goal(value)
    except BadJson:
        has_books = False
    if not has_books:
        raise Invalid([("body", UNKNOWN)])


def _json_row(number: int, values: Any, user_id: str, now: str) -> Row:
    if not isinstance(values, dict):
        return Row(number, {}, has_id=True, wrong=_("This is no book."))
    book = _identified(values, user_id)
    for name in ("createdAt", "updatedAt"):
        book[name] = book.get(name) or now
    for name in ("notes", "events"):
        if isinstance(book.get(name), list):
            book[name] = [
                _identified(each, f"{book['id']}\x1f{name}\x1f{place}")
                for place, each in enumerate(book[name])
            ]
    return Row(number, book, has_id=bool(values.get("id")))


def _identified(values: Any, owner: str) -> Any:
    """The same with an id, which follows from whose it is and what it says."""
    if not isinstance(values, dict) or values.get("id"):
        return values
    said = sorted((name, value) for name, value in values.items() if isinstance(value, _PLAIN))
    return values | {"id": str(uuid.uuid5(_SPACE, f"{owner}\x1f{said!r}"))}


_PLAIN = str | int | Decimal


def _csv_rows(file: TextIO, user_id: str, now: str) -> Iterator[Row]:
    reader = csv.reader(file)
    try:
        header = [name.strip() for name in next(reader, [])]
    except csv.Error:
        raise Invalid([("body", UNKNOWN)]) from None
    translate = _translator(set(header))
    line = reader.line_num + 1
    try:
        for cells in reader:
            if any(cells):
                found = dict(zip(header, cells, strict=False))
                yield _with_id(translate(found, now), found, user_id, line, now)
            line = reader.line_num + 1
    except csv.Error:
        yield Row(line, {}, has_id=False, wrong=_("From here on the file cannot be read."))


def _translator(header: set[str]) -> Callable[[Mapping[str, str], str], Translated]:
    if {"Title", "Exclusive Shelf"} <= header:
        return from_goodreads
    if {"Title", "Read Status"} <= header:
        return from_storygraph
    if "title" in header:
        return _from_ours
    raise Invalid([("body", UNKNOWN)])


def _from_ours(found: Mapping[str, str], _now: str) -> Translated:
    values: dict[str, Any] = {name: text_of(cell) for name, cell in found.items() if cell != ""}
    for name in ("currentPage", "totalPages"):
        if values.get(name, "").isascii() and values.get(name, "").isdecimal():
            values[name] = int(values[name])
    for name in ("rating", "price"):
        if name in values:
            values[name] = fields.decimal_of(values[name])
    return values, ()


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
