"""Fuzz the import with malformed files: each row is a book, an error or no file at all."""

import csv
import io
from typing import Any

import pytest
from hypothesis import strategies as st

from homeshelf.books.export import COLUMNS, FORMULA, escape_cell, unescape_cell
from homeshelf.books.file_rows import KINDS, Entry, Kind, Unreadable, entry_of, open_file
from homeshelf.errors import Invalid
from tests.cases import KINDS as CHARACTERS
from tests.cases import for_long, fuzz, spoiled

NOW, READER = "2025-01-15T10:00:00.000Z", "0b0d1e5a-7c55-4c1b-9f6e-0d5f1e3f7a10"
THEIRS = (
    *("Title", "Exclusive Shelf", "Read Status", "Author", "Authors", "ISBN13", "ISBN", "ISBN/UID"),
    *("My Rating", "Star Rating", "Number of Pages", "Date Read", "Last Date Read", "Date Added"),
    *("My Review", "Private Notes", "Review"),
)
CELLS = (
    *("", "Emma", "READ", "read", "to-read", "5", "0.25", "9" * 12, "9" * 5000, "1e999999", "-1"),
    *("NaN", "Infinity", "2025-01-15", "0000-00-00", "9999-12-31", "2025/02/30", NOW),
    *(
        "9999-12-31T23:59:59.999Z",
        "0001-01-01T00:00:00+14:00",
        READER,
        '="9780306406157"',
        "\u0665",
    ),
    *("=1+1", "@SUM(1)", "'", "\t=1", "a\0b", "\ufeff", "<script>", "EUR", "99,999999", "a" * 600),
)
cells = st.sampled_from(CELLS) | st.text("".join(CHARACTERS), max_size=6)
tables = st.lists(
    st.sampled_from([*COLUMNS, *THEIRS, "title", "Title"]), min_size=1, max_size=12
).flatmap(
    lambda names: st.lists(st.lists(cells, max_size=len(names) + 1), max_size=4).map(
        lambda rows: _to_csv([names, *rows])
    )
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | cells,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*COLUMNS, "notes", "events", "content", "page"]), inner)
    ),
    max_leaves=12,
)
FORMULA_STARTS = tuple("=+-@\uff1d\uff0b\uff0d\uff20")
"""The characters that begin a formula in a spreadsheet."""
DEEP = b"[" * 100_000 + b"]" * 100_000


@for_long(150, 3000)
def test_fuzzed_csv_gives_books_or_errors(examples: int) -> None:
    @fuzz(examples, spoiled(tables, b'"', b"\0", b"\n", b"\r", b",", b"\xff", b"\xef\xbb\xbf"))
    def check(content: bytes) -> None:
        _read(content, "text/csv")


@for_long(100, 2000)
def test_fuzzed_json_gives_books_or_errors(examples: int) -> None:
    @fuzz(examples, st.lists(values, max_size=4), values, st.booleans(), st.binary(max_size=3))
    def check(books: list[Any], goal: Any, is_whole: bool, spoiling: bytes) -> None:
        content = _to_json({"yearlyGoal": goal, "books": books})
        _read(content if is_whole else content[:-3] + spoiling, "application/json")


def test_invalid_yearly_goal_is_ignored() -> None:
    for goal, kept in ((0, None), (1, 1), (10_000, 10_000), (10_001, None), (True, None)):
        content = io.BytesIO(_to_json({"yearlyGoal": goal, "books": []}))
        assert open_file(content, "application/json", READER, NOW).yearly_goal == kept


@for_long(100, 3000)
def test_random_bytes_are_refused(examples: int) -> None:
    @fuzz(examples, st.binary(max_size=300), st.sampled_from(sorted(KINDS)))
    def check(content: bytes, kind: Kind) -> None:
        _read(content, kind)


@pytest.mark.parametrize(
    "content",
    [
        b'{"books":[' + DEEP + b"]}",
        b'{"books":' + b'{"books":' * 100_000,
        b'{"books":[{"notes":' + DEEP + b"}]}",
        b'{"books":[' + b"9" * 1_000_000 + b"]}",
        b'{"books":[{"price":1e' + b"9" * 1000 + b"}]}",
        b'{"books":[{"price":1e999999,"rating":-1e-999999,"totalPages":1e99999}]}',
        b'{"yearlyGoal":1e999999999,"books":[]}',
        b'{"books":[' + b"{}," * 2000 + b"{}]}",
        b'{"books":["' + b"a" * 2_000_000 + b'"]}',
        b'{"books":["\\ud800"]}',
        b'{"books":[{"title":"\\ud800"}]}',
    ],
    ids=lambda content: content[:30].decode(),
)
def test_deep_or_long_json_gives_no_books(content: bytes) -> None:
    assert _read(content, "application/json") == []


@pytest.mark.parametrize(
    "content",
    [
        b"title\n" + b'"' + b"a" * 2_000_000,
        b"title\n" + b"a" * 2_000_000,
        b"," * 1_000_000 + b"title\n",
        b"title" + b",title" * 10_000 + b"\n" + b"x," * 10_000,
    ],
    ids=["a quote that never ends", "a long cell", "many columns", "one column often"],
)
def test_unusual_csv_is_read(content: bytes) -> None:
    for entry in _read(content, "text/csv"):
        assert entry.book.title


@pytest.mark.parametrize("digits", [12, 20, 21, 4301, 5000])
@pytest.mark.parametrize("column", ["totalPages", "currentPage", "rating", "price"])
def test_very_long_number_rejects_its_row(column: str, digits: int) -> None:
    table = f"title,{column}\nEmma,{'9' * digits}\nPersuasion,\n"
    assert [each.book.title for each in _read(table.encode(), "text/csv")] == ["Persuasion"]


@for_long(150, 3000)
def test_exported_cell_is_never_a_formula(examples: int) -> None:
    @fuzz(
        examples,
        st.text() | cells | st.sampled_from(FORMULA).flatmap(lambda f: cells.map(f.__add__)),
    )
    def check(text: str) -> None:
        cell = escape_cell(text)
        assert not cell.startswith(tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"))
        assert unescape_cell(cell) == text


@for_long(300, 3000)
def test_cell_is_no_formula_with_other_delimiters(
    examples: int,
) -> None:
    pieces = st.sampled_from([*";\t\n\r\"',=+-@\uff1da1", "=1+1", '";"', ";'="])

    @fuzz(examples, st.lists(pieces, max_size=8).map("".join))
    def check(text: str) -> None:
        line = _to_csv([["an id", escape_cell(text), "the end"]]).decode()
        for delimiter in ";\t":
            for row in csv.reader(io.StringIO(line, newline=""), delimiter=delimiter):
                assert not any(cell.startswith(FORMULA_STARTS) for cell in row)
        assert unescape_cell(escape_cell(text)) == text


def test_cell_of_an_earlier_version_is_restored() -> None:
    for text in ("a;b", "it's; 'so'", "one\ttwo;'three'", "a;'b'=c"):
        assert unescape_cell(text) == text


def _read(content: bytes, kind: Kind) -> list[Entry]:
    found: list[Entry] = []
    try:
        file = open_file(io.BytesIO(content), kind, READER, NOW)
        for row in file.rows():
            try:
                found.append(entry_of(row, READER, NOW))
            except Unreadable as wrong:
                str(wrong).encode()
    except Invalid:
        return []
    for entry in found:
        assert entry.book.title
        assert entry.book.user_id == READER
        assert max(entry.book.created_at, entry.book.updated_at) <= NOW
    return found


def _to_csv(rows: list[list[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def _to_json(value: Any) -> bytes:
    match value:
        case None:
            return b"null"
        case bool():
            return b"true" if value else b"false"
        case int() | float():
            return str(value).encode()
        case str():
            escaped = "".join(f"\\u{ord(c):04x}" if ord(c) < 0x10000 else c for c in value)
            return f'"{escaped}"'.encode()
        case list():
            return b"[" + b",".join(map(_to_json, value)) + b"]"
        case _:
            pairs = (_to_json(name) + b":" + _to_json(each) for name, each in value.items())
            return b"{" + b",".join(pairs) + b"}"
