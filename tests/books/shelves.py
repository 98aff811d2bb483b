"""Shelves of all kinds, for properties that hold of every one.

shelf = draw(shelves)
await db.batch([each.put() for each in shelf.records(user_id)])
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from unicodedata import category

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from homeshelf import clock
from homeshelf.books.model import Book, Note, ReaderSettings, ReadingEvent
from homeshelf.controls import without_control_characters
from homeshelf.table import Record
from homeshelf.web.body import is_visible

AWKWARD = (
    '=HYPERLINK("http://x","y")',
    "+1",
    "-2+3",
    "@SUM(A1)",
    "'=1",
    "''",
    '"',
    '",","',
    "a\r\n=b\n\rc",
    "\N{FAMILY}\u200d\N{BOY}\N{EMOJI MODIFIER FITZPATRICK TYPE-3}",
    "\u202eملح\u202c שלום",
    "NULL",
    "1e5",
    "a\x00b",
    "a\tb;=c|=d",
)
_letters = st.characters(exclude_categories=["Cs"])
texts = st.sampled_from(AWKWARD) | st.text(_letters, min_size=1, max_size=30).filter(
    lambda text: text == text.strip() and any(category(each)[0] in "LNPS" for each in text)
)
lines = texts.map(without_control_characters).map(str.strip).filter(is_visible)
moments = st.datetimes(datetime(1999, 1, 1), datetime(2024, 1, 1)).map(clock.timestamp)  # noqa: DTZ001  # hypothesis wants them bare
pages = st.integers(0, 10**9)
days = st.dates().map(str)
ids = st.uuids().map(str)


def _exact(cents: int) -> Decimal:
    return Decimal(cents // 100) if cents % 100 == 0 else (Decimal(cents) / 100).normalize()


@dataclass(frozen=True)
class Shelf:
    books: list[dict[str, Any]]
    goal: int | None

    def records(self, user_id: str) -> list[Record]:
        goal = [] if self.goal is None else [ReaderSettings(user_id=user_id, yearly_goal=self.goal)]
        return [*goal, *(it for book in self.books for it in _records(user_id, **book))]


def _records(
    user_id: str, notes: list[dict[str, Any]], events: list[dict[str, Any]], **book: Any
) -> list[Record]:
    owned: dict[str, Any] = {"user_id": user_id, "book_id": book["id"]}
    return [
        Book(user_id=user_id, **book),
        *(Note(**owned, **it) for it in notes),
        *(ReadingEvent(**owned, **it) for it in events),
    ]


@st.composite
def _books(draw: st.DrawFn) -> dict[str, Any]:
    status = draw(st.sampled_from(["SHELF", "READING", "READ"]))
    total = draw(st.none() | pages)
    price = draw(st.none() | st.integers(0, 10**12 - 1).map(_exact))
    return {
        "id": draw(ids),
        "title": draw(lines),
        "status": status,
        "author": draw(st.none() | lines),
        "isbn": draw(st.sampled_from([None, "9780441478125"])),
        "description": draw(st.none() | texts),
        "rating": draw(st.none() | st.integers(2, 10).map(lambda half: _exact(half * 50))),
        "current_page": draw(st.none() | st.integers(0, 10**9 if total is None else total)),
        "total_pages": total,
        "price": price,
        "currency": None if price is None else draw(st.sampled_from(["EUR", "SEK"])),
        "store": draw(st.none() | lines),
        "purchase_date": draw(st.none() | days),
        "bought_at": draw(st.none() | lines),
        "finished_at": draw(st.none() | days) if status == "READ" else None,
        "created_at": draw(moments),
        "updated_at": draw(moments),
        "notes": draw(st.lists(_notes, max_size=2, unique_by=lambda it: it["id"])),
        "events": draw(st.lists(_events, max_size=3, unique_by=lambda it: it["id"])),
    }


_notes = st.fixed_dictionaries(
    {"id": ids, "content": texts, "created_at": moments, "updated_at": moments}
)
_events = st.fixed_dictionaries({"id": ids, "page": pages, "occurred_at": moments})
shelves: SearchStrategy[Shelf] = st.builds(
    Shelf,
    st.lists(_books(), max_size=3, unique_by=lambda it: it["id"]),
    st.none() | st.integers(1, 10_000),
)
