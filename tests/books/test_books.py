"""Test adding and editing books."""

import asyncio
import re
from typing import Any

import httpx
import pytest

from tests.api_client import (
    Shown,
    add_book,
    edit_book,
    get_book,
    get_reader_records,
    invalid_fields,
    parsed_body,
)
from tests.books.client import FULL_BOOK
from tests.home import NOBODYS
from tests.moment import DAY, Moment
from tests.running import Person, RunningApp, problem_of

NOTHING_GIVEN = dict.fromkeys(FULL_BOOK) | {"title": "Dune", "status": "SHELF"}
STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


async def post_raw(person: Person, body: bytes) -> httpx.Response:
    headers = {"content-type": "application/json"}
    return await person.client.post("/api/v1/books", content=body, headers=headers)


async def test_book_needs_only_a_title(ada: Person) -> None:
    book = await add_book(ada)
    assert {name: book[name] for name in NOTHING_GIVEN} == NOTHING_GIVEN
    assert (book["entityType"], book["userId"]) == ("BOOK", ada.member_id)
    assert not book.keys() & {"pk", "sk", "gsi1pk", "gsi1sk"}
    assert STAMP.fullmatch(book["createdAt"])
    assert book["updatedAt"] == book["createdAt"]
    assert await get_book(ada, book) == book


async def test_a_book_with_title_and_status(ada: Person) -> None:
    assert (await add_book(ada, title=" Dune ", status="READING"))["status"] == "READING"


async def test_a_book_with_every_field(ada: Person) -> None:
    book = await add_book(ada, **FULL_BOOK)
    shown = FULL_BOOK | {"isbn": "9780441478125", "currency": "EUR"}
    assert {name: book[name] for name in shown} == shown
    assert await get_book(ada, book) == book


async def test_a_title_is_needed_and_nulls_are_left_out(ada: Person) -> None:
    assert invalid_fields(await ada.post("/books", {})) == ["title"]
    assert invalid_fields(await ada.post("/books", {"title": None})) == ["title"]
    book = await add_book(ada, status=None, rating=None, price=None)
    assert (book["status"], book["rating"]) == ("SHELF", None)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", ""),
        ("title", "   "),
        ("title", "x" * 501),
        ("title", 3),
        ("status", "read"),
        ("status", "LOST"),
        ("rating", 0),
        ("rating", 0.5),
        ("rating", 6),
        ("rating", 5.5),
        ("rating", 4.25),
        ("rating", "4"),
        ("rating", True),
        ("currentPage", -1),
        ("currentPage", 1.5),
        ("currentPage", "3"),
        ("totalPages", -1),
        ("totalPages", True),
        ("price", -0.01),
        ("price", 1.005),
        ("price", "12.99"),
        ("price", 10**40),
        ("currency", "EURO"),
        ("currency", "E1R"),
        ("author", "x" * 301),
        ("description", "x" * 10_001),
        ("store", "x" * 201),
        ("boughtAt", "x" * 201),
        ("purchaseDate", "2023-02-29"),
        ("purchaseDate", "2023-2-9"),
        ("purchaseDate", "20230209"),
        ("finishedAt", "yesterday"),
        ("isbn", "0441478124"),
        ("isbn", "9780441478126"),
        ("isbn", "4006381333931"),
        ("isbn", "044147812"),
        ("currentPages", 3),
    ],
)
async def test_invalid_field_is_refused_and_nothing_is_stored(
    running: RunningApp, ada: Person, field: str, value: Any
) -> None:
    whole = {"title": "Dune", "price": 1, "currency": "EUR", "status": "READ", field: value}
    assert invalid_fields(await ada.post("/books", whole)) == [field]
    assert await get_reader_records(running.db, ada) == []
    book = await add_book(ada, price=1, currency="EUR", status="READ")
    assert invalid_fields(await ada.patch(f"/books/{book['id']}", {field: value})) == [field]
    assert await get_book(ada, book) == book


async def test_all_invalid_fields_are_named_at_once(ada: Person) -> None:
    sent = {"title": "", "rating": 9, "status": "x", "totalPages": -2, "isbn": "1"}
    assert sorted(invalid_fields(await ada.post("/books", sent))) == sorted(sent)


@pytest.mark.parametrize("given", ["0-441-47812-3", "978 0 441 47812 5", "9780441478125"])
async def test_isbn_is_stored_with_thirteen_digits(ada: Person, given: str) -> None:
    assert (await add_book(ada, isbn=given))["isbn"] == "9780441478125"


async def test_an_isbn_may_end_with_an_x(ada: Person) -> None:
    assert (await add_book(ada, isbn="080442957x"))["isbn"] == "9780804429573"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", "x" * 500),
        ("author", "x" * 300),
        ("description", "x" * 10_000),
        ("rating", 1),
        ("rating", 5),
        ("price", 0),
        ("price", 0.01),
        ("totalPages", 0),
        ("currentPage", 1_000_000_000),
        ("store", "x" * 200),
        ("boughtAt", "x" * 200),
    ],
)
async def test_values_at_their_limits_are_stored(ada: Person, field: str, value: object) -> None:
    book = await add_book(ada, **{"price": 1, "currency": "EUR", field: value})
    assert book[field] == value


async def test_empty_text_is_stored_as_null(ada: Person) -> None:
    names = ("author", "description", "store", "boughtAt")
    book = await add_book(ada, **dict.fromkeys(names, "something"))
    emptied = await edit_book(ada, book, **dict.fromkeys(names, ""))
    assert [emptied[name] for name in names] == [None] * 4


async def test_money_and_ratings_are_exact(ada: Person) -> None:
    body = b'{"title":"Dune","price":9999999999.99,"currency":"EUR","rating":4.50}'
    answer = await post_raw(ada, body)
    assert answer.status_code == 201
    assert b'"price":9999999999.99,' in answer.content
    assert b'"rating":4.5,' in answer.content
    again = await ada.get(f"/books/{answer.json()['id']}")
    assert again.content == answer.content
    nearly = b'{"title":"Dune","price":0.1000000000000000000000000000000001,"currency":"EUR"}'
    assert invalid_fields(await post_raw(ada, nearly)) == ["price"]
    nearly = b'{"title":"Dune","rating":4.5000000000000000000000000000000001}'
    assert invalid_fields(await post_raw(ada, nearly)) == ["rating"]


async def test_price_requires_a_currency(ada: Person) -> None:
    assert invalid_fields(await ada.post("/books", {"title": "Dune", "price": 3})) == ["currency"]
    assert invalid_fields(await ada.post("/books", {"title": "Dune", "currency": "EUR"})) == [
        "price"
    ]
    book = await add_book(ada, price=3, currency="EUR")
    path = f"/books/{book['id']}"
    assert invalid_fields(await ada.patch(path, {"currency": None})) == ["currency"]
    assert invalid_fields(await ada.patch(path, {"price": None, "currency": "SEK"})) == ["price"]
    assert (await edit_book(ada, book, currency="sek"))["price"] == 3
    bare = await edit_book(ada, book, price=None)
    assert (bare["price"], bare["currency"]) == (None, None)
    assert invalid_fields(await ada.patch(path, {"price": 5})) == ["currency"]


async def test_current_page_beyond_the_last_is_refused(ada: Person) -> None:
    sent = {"title": "Dune", "currentPage": 11, "totalPages": 10}
    assert invalid_fields(await ada.post("/books", sent)) == ["currentPage"]
    book = await add_book(ada, currentPage=10, totalPages=10)
    assert invalid_fields(await ada.patch(f"/books/{book['id']}", {"totalPages": 9})) == [
        "totalPages"
    ]
    assert (await edit_book(ada, book, totalPages=None))["totalPages"] is None


async def test_finish_date_is_today_in_the_readers_time_zone(ada: Person, moment: Moment) -> None:
    parsed_body(await ada.patch("/me/preferences", {"timeZone": "Pacific/Auckland"}))
    book = await add_book(ada, status="READ")
    assert book["finishedAt"] == "2024-11-02", "noon in Greenwich is tomorrow there"
    assert (await edit_book(ada, book, status="READING"))["finishedAt"] is None
    assert (await edit_book(ada, book, status="READ"))["finishedAt"] == "2024-11-02"
    moment.pass_by(3 * DAY)
    assert (await edit_book(ada, book, status="READ"))["finishedAt"] == "2024-11-02", (
        "it was already"
    )
    assert (await edit_book(ada, book, finishedAt=None))["finishedAt"] is None
    assert (await edit_book(ada, book, finishedAt="2020-05-06"))["finishedAt"] == "2020-05-06"


async def test_only_a_read_book_has_a_finish_date(ada: Person) -> None:
    sent = {"title": "Dune", "finishedAt": "2024-01-01"}
    assert invalid_fields(await ada.post("/books", sent)) == ["finishedAt"]
    book = await add_book(ada, status="READ", finishedAt="2024-01-01")
    assert book["finishedAt"] == "2024-01-01"
    change = {"status": "SHELF", "finishedAt": "2024-01-02"}
    assert invalid_fields(await ada.patch(f"/books/{book['id']}", change)) == ["finishedAt"]


async def test_change_affects_only_given_fields(ada: Person) -> None:
    book = await add_book(ada, **FULL_BOOK)
    new = await edit_book(ada, book, rating=2, description=None)
    assert new["updatedAt"] > book["updatedAt"]
    changed = {"rating": 2, "description": None, "updatedAt": new["updatedAt"]}
    assert new == book | changed
    assert await edit_book(ada, new, rating=2) == new, "what changes nothing is no change"
    assert await edit_book(ada, new) == new


async def test_null_title_or_status_is_refused(ada: Person) -> None:
    book = await add_book(ada)
    sent = {"title": None, "status": None, "currentPage": 3}
    assert sorted(invalid_fields(await ada.patch(f"/books/{book['id']}", sent))) == sorted(sent)


async def test_concurrent_changes_of_different_fields_are_all_kept(ada: Person) -> None:
    book = await add_book(ada)
    changes: Shown = {
        "author": "Herbert",
        "description": "Sand",
        "store": "Corner",
        "boughtAt": "noon",
        "rating": 5,
        "totalPages": 412,
        "isbn": "9780441478125",
        "purchaseDate": "2020-01-02",
    }
    await asyncio.gather(*(edit_book(ada, book, **{name: of}) for name, of in changes.items()))
    now = await get_book(ada, book)
    assert {name: now[name] for name in changes} == changes


async def test_update_time_increases_after_the_clock_was_set_back(
    ada: Person, moment: Moment
) -> None:
    book = await add_book(ada)
    moment.pass_by(-18000)
    first = await edit_book(ada, book, rating=3)
    assert first["updatedAt"] == "2024-11-01T12:00:00.001Z"
    assert (await edit_book(ada, book, rating=4))["updatedAt"] == "2024-11-01T12:00:00.002Z"


async def test_repeated_idempotency_key_adds_one_book(ada: Person) -> None:
    answers = await asyncio.gather(
        *(ada.post("/books", {"title": "Dune"}, key="once") for _ in range(5))
    )
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert len(parsed_body(await ada.get("/books"))["items"]) == 1
    other = await ada.post("/books", {"title": "Emma"}, key="once")
    assert problem_of(other) == (409, "idempotency_mismatch")


async def test_repeated_idempotency_key_changes_a_book_once(ada: Person) -> None:
    book = await add_book(ada)
    path = f"/books/{book['id']}"
    first = await ada.patch(path, {"rating": 3}, key="k")
    await edit_book(ada, book, rating=5)
    assert (await ada.patch(path, {"rating": 3}, key="k")).json() == first.json()
    assert (await get_book(ada, book))["rating"] == 5


@pytest.mark.parametrize("id_", [NOBODYS, "malformed", "settings%20"])
async def test_unknown_book_returns_404(ada: Person, id_: str) -> None:
    for method, path, body in (
        ("GET", "", None),
        ("PATCH", "", {"rating": 3}),
        ("DELETE", "", None),
        ("POST", "/page", {"page": 3}),
        ("GET", "/events", None),
        ("GET", "/notes", None),
        ("POST", "/notes", {"content": "x"}),
        ("PATCH", f"/notes/{NOBODYS}", {"content": "x"}),
        ("DELETE", f"/notes/{NOBODYS}", None),
    ):
        answer = await ada.ask(method, f"/books/{id_}{path}", body)
        assert problem_of(answer) == (404, "not_found")
