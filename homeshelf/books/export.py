"""Export a shelf: JSON with everything, or CSV with the fields of books.

Books, notes and events come in the order of their book's id, so three queries side by side are
enough for a shelf of any size.
"""

import csv
import io
import re
from collections.abc import AsyncIterator, Mapping
from typing import Any

from homeshelf.books import store
from homeshelf.books.model import Book, Note, ReadingEvent
from homeshelf.books.statistics import items_of
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
"""What no cell may begin with, so that no spreadsheet runs it; and the mark itself."""
_SEPARATED = re.compile("(?<=[;\t\r\n])(?=[\"']*[-=+@\uff1d\uff0b\uff0d\uff20])")
_MARKED = re.compile(f"{_SEPARATED.pattern}'")
"""Programs that end a cell at `;` or a tab would find a formula behind it."""


async def as_json(db: Database, user_id: str) -> AsyncIterator[bytes]:
    notes = _Following(items_of(db, Note.where(user_id=user_id)))
    events = _Following(items_of(db, ReadingEvent.where(user_id=user_id)))
    goal = (await store.settings(db, user_id)).yearly_goal
    yield b'{"yearlyGoal":' + encode(goal) + b',"books":['
    comma = b""
    async for item in items_of(db, store.shelf(user_id)):
        book = {name: item.get(name) for name in COLUMNS}
        book["notes"] = [_only(_NOTE, it) for it in await notes.of(item["id"])]
        book["events"] = [_only(_EVENT, it) for it in await events.of(item["id"])]
        yield comma + b"\n" + encode(book)
        comma = b","
    yield b"\n]}\n"


async def as_csv(db: Database, user_id: str) -> AsyncIterator[bytes]:
    yield _line(COLUMNS)
    async for item in items_of(db, store.shelf(user_id)):
        yield _line([cell_of(item.get(name)) for name in COLUMNS])


def cell_of(value: Any) -> str:
    text = "" if value is None else str(value)
    marked = _SEPARATED.sub("'", text)
    return f"'{marked}" if marked.startswith(FORMULA) else marked


def text_of(cell: str) -> str:
    """Return what `cell_of` was given."""
    return _MARKED.sub("", cell.removeprefix("'"))


def _line(cells: Any) -> bytes:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue().encode()


def _only(names: tuple[str, ...], item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: item[name] for name in names}


class _Following:
    """Notes or events of books that are asked for in the order of their ids."""

    def __init__(self, items: AsyncIterator[Mapping[str, Any]]) -> None:
        self._items = items
        self._next: Mapping[str, Any] | None = None

    async def of(self, book_id: str) -> list[Mapping[str, Any]]:
        found = []
        item = self._next or await anext(self._items, None)
        while item is not None and item["bookId"] <= book_id:
            if item["bookId"] == book_id:  # those before belong to a deleted book
                found.append(item)
            item = await anext(self._items, None)
        self._next = item
        return found
