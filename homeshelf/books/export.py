"""Export a shelf as JSON with everything, or as CSV with the fields of books."""

import csv
import io
import re
from collections.abc import AsyncIterator, Mapping
from typing import Any

from homeshelf.books import store
from homeshelf.books.model import Book, Note, ReadingEvent
from homeshelf.books.statistics import iterate_items
from homeshelf.table import Database
from homeshelf.web.json import encode

COLUMNS = tuple(
    alias for name, alias in Book.aliases.items() if name not in ("user_id", "entity_type")
)
_NOTE = ("id", "content", "createdAt", "updatedAt")
_EVENT = ("id", "page", "occurredAt")
FORMULA = (
    *("=", "+", "-", "@", "\t", "\r", "\n", "'"),
    *("\uff1d", "\uff0b", "\uff0d", "\uff20"),  # wide, as in Japanese
)
"""The characters that may start a formula in a spreadsheet, and the mark put before them."""
_SEPARATED = re.compile("(?<=[;\t\r\n])(?=[\"']*[-=+@\uff1d\uff0b\uff0d\uff20])")
_MARKED = re.compile(f"{_SEPARATED.pattern}'")
"""A marked formula after `;` or a tab, where some programs begin a new cell."""


async def as_json(db: Database, user_id: str) -> AsyncIterator[bytes]:
    notes = _ItemsByBook(iterate_items(db, Note.where(user_id=user_id)))
    events = _ItemsByBook(iterate_items(db, ReadingEvent.where(user_id=user_id)))
    goal = (await store.settings(db, user_id)).yearly_goal
    yield b'{"yearlyGoal":' + encode(goal) + b',"books":['
    comma = b""
    async for item in iterate_items(db, store.shelf(user_id)):
        book = {name: item.get(name) for name in COLUMNS}
        book["notes"] = [_select(_NOTE, it) for it in await notes.of(item["id"])]
        book["events"] = [_select(_EVENT, it) for it in await events.of(item["id"])]
        yield comma + b"\n" + encode(book)
        comma = b","
    yield b"\n]}\n"


async def as_csv(db: Database, user_id: str) -> AsyncIterator[bytes]:
    yield _line(COLUMNS)
    async for item in iterate_items(db, store.shelf(user_id)):
        yield _line([escape_cell(item.get(name)) for name in COLUMNS])


def escape_cell(value: Any) -> str:
    text = "" if value is None else str(value)
    marked = _SEPARATED.sub("'", text)
    return f"'{marked}" if marked.startswith(FORMULA) else marked


def unescape_cell(cell: str) -> str:
    return _MARKED.sub("", cell.removeprefix("'"))


def _line(cells: Any) -> bytes:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue().encode()


def _select(names: tuple[str, ...], item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: item[name] for name in names}


class _ItemsByBook:
    """The notes or events of books, requested in the order of the book ids."""

    def __init__(self, items: AsyncIterator[Mapping[str, Any]]) -> None:
        self._items = items
        self._next: Mapping[str, Any] | None = None

    async def of(self, book_id: str) -> list[Mapping[str, Any]]:
        found = []
        item = self._next or await anext(self._items, None)
        while item is not None and item["bookId"] <= book_id:
            if item["bookId"] == book_id:  # earlier items belong to a deleted book
                found.append(item)
            item = await anext(self._items, None)
        self._next = item
        return found
