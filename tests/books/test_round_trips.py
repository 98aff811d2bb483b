"""Test that an exported shelf is the same after its import."""

import asyncio
import csv
import io
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from unicodedata import category

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from homeshelf import clock
from homeshelf.books import import_jobs, store
from homeshelf.books.export import COLUMNS, as_csv, as_json
from homeshelf.books.file_rows import Kind, open_file, rewrite_as_lines
from homeshelf.books.model import Book, Note, ReaderSettings, ReadingEvent
from homeshelf.controls import without_control_characters
from homeshelf.errors import InUse, Invalid
from homeshelf.table import Database, Record
from homeshelf.table.deadlines import CLOCKS_DIFFER_SECONDS
from homeshelf.web.body import is_visible
from homeshelf.web.json import decode
from tests.moment import HOUR, Moment

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


def _exact_decimal(cents: int) -> Decimal:
    return Decimal(cents // 100) if cents % 100 == 0 else (Decimal(cents) / 100).normalize()


@dataclass(frozen=True)
class Shelf:
    books: list[dict[str, Any]]
    goal: int | None

    def records(self, user_id: str) -> list[Record]:
        goal = [] if self.goal is None else [ReaderSettings(user_id=user_id, yearly_goal=self.goal)]
        return [*goal, *(it for book in self.books for it in _records_of_book(user_id, **book))]


def _records_of_book(
    user_id: str, notes: list[dict[str, Any]], events: list[dict[str, Any]], **book: Any
) -> list[Record]:
    owned: dict[str, Any] = {"user_id": user_id, "book_id": book["id"]}
    return [
        Book(user_id=user_id, **book),
        *(Note(**owned, **it) for it in notes),
        *(ReadingEvent(**owned, **it) for it in events),
    ]


@st.composite
def _book_strategy(draw: st.DrawFn) -> dict[str, Any]:
    status = draw(st.sampled_from(["SHELF", "READING", "READ"]))
    total = draw(st.none() | pages)
    price = draw(st.none() | st.integers(0, 10**12 - 1).map(_exact_decimal))
    return {
        "id": draw(ids),
        "title": draw(lines),
        "status": status,
        "author": draw(st.none() | lines),
        "isbn": draw(st.sampled_from([None, "9780441478125"])),
        "description": draw(st.none() | texts),
        "rating": draw(st.none() | st.integers(2, 10).map(lambda half: _exact_decimal(half * 50))),
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
    st.lists(_book_strategy(), max_size=3, unique_by=lambda it: it["id"]),
    st.none() | st.integers(1, 10_000),
)


FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
"""The characters that begin a formula, or a new cell, in a spreadsheet."""

on_a_table = settings(
    max_examples=25,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


async def join_parts(parts: AsyncIterator[bytes]) -> bytes:
    return b"".join([part async for part in parts])


async def import_content(db: Database, content: bytes, kind: Kind) -> str:
    reader = clock.new_id()
    turns = asyncio.Semaphore()
    file = await import_jobs.read(turns, io.BytesIO(content), kind, reader)
    begun = await import_jobs.begin(db, file)
    await import_jobs.run_import(db, turns, begun, file)
    done = await import_jobs.import_of(db, reader, begun.import_id)
    assert (done.added, done.done, done.problems) == (done.total, done.total, ())
    return reader


async def test_killed_import_blocks_the_next_no_longer_after_the_clock_is_set_back(
    database: Database, moment: Moment
) -> None:
    reader = clock.new_id()
    content = io.BytesIO(b"title\nEmma\n")
    file = await import_jobs.read(asyncio.Semaphore(), content, "text/csv", reader)
    await import_jobs.begin(database, file)
    moment.pass_by(-CLOCKS_DIFFER_SECONDS)
    with pytest.raises(InUse):
        await import_jobs.begin(database, file)
    moment.pass_by(-HOUR)
    await import_jobs.begin(database, file)
    with pytest.raises(InUse):
        await import_jobs.begin(database, file)


async def put(db: Database, shelf: Shelf) -> str:
    reader = clock.new_id()
    await db.batch([record.put() for record in shelf.records(reader)])
    return reader


@on_a_table
@given(shelves)
async def test_json_import_restores_everything_exactly(database: Database, shelf: Shelf) -> None:
    before = await join_parts(as_json(database, await put(database, shelf)))
    again = await import_content(database, before, "application/json")
    assert await join_parts(as_json(database, again)) == before
    found = json.loads(before, parse_float=Decimal)
    assert found["yearlyGoal"] == shelf.goal
    by_id = sorted(shelf.books, key=lambda book: book["id"])
    assert [book["id"] for book in found["books"]] == [book["id"] for book in by_id]
    for book, given_ in zip(found["books"], by_id, strict=True):
        assert {name: book[alias] for name, alias in Book.aliases.items() if alias in book} == {
            name: value for name, value in given_.items() if name not in ("notes", "events")
        }
        notes = sorted(given_["notes"], key=lambda note: note["id"])
        assert [note["content"] for note in book["notes"]] == [note["content"] for note in notes]
        events = sorted(given_["events"], key=lambda it: (it["occurred_at"], it["id"]))
        assert [(it["id"], it["page"], it["occurredAt"]) for it in book["events"]] == [
            (it["id"], it["page"], it["occurred_at"]) for it in events
        ]


@on_a_table
@given(shelves)
async def test_csv_import_restores_the_fields_of_books(database: Database, shelf: Shelf) -> None:
    reader = await put(database, shelf)
    before = await join_parts(as_csv(database, reader))
    cells = list(csv.reader(io.StringIO(before.decode(), newline="")))
    assert not any(cell.startswith(FORMULA_STARTS) for row in cells for cell in row)
    assert tuple(cells[0]) == COLUMNS
    again = await import_content(database, before, "text/csv")
    assert await join_parts(as_csv(database, again)) == before
    old, new = [await database.all(store.shelf(who).up_to_date()) for who in (reader, again)]
    assert [book.changed(user_id=reader) for book in new] == list(old)


_json: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals(allow_nan=False, allow_infinity=False, places=2)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


def to_json(value: Any) -> str:
    return json.dumps(value, default=float, ensure_ascii=False)


def read(text: str) -> list[Any]:
    content = io.BytesIO(text.encode())
    rewrite_as_lines(content)
    return [decode(line) for line in content.getvalue().splitlines()]


@settings(max_examples=50)
@given(st.dictionaries(st.text(max_size=6), _json, max_size=3), st.lists(_json, max_size=4))
def test_books_read_line_by_line_equal_json_read_at_once(
    others: dict[str, Any], books: list[Any]
) -> None:
    text = to_json(others | {"books": books})
    assert read(text) == json.loads(text, parse_float=Decimal)["books"]
    assert read(f" {text}\n") == read(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}{}",
        "{} x",
        '{"books"}',
        '{"books":3}',
        '{"books":[1 2]}',
        '{"books":[1,]}',
        '{"books":[}',
        '{"books":[NaN]}',
        '{"books":[-Infinity]}',
        '{"books":["',
        '{"a":1,}',
        "{1:2}",
        '{"books":[' + "[" * 100_000,
        '{"books":[' + "9" * 5_000 + "]}",
        '{"books":["\n"]}',
    ],
)
def test_invalid_json_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="read books from this file"):
        open_file(io.BytesIO(text.encode()), "application/json", clock.new_id(), clock.timestamp())
