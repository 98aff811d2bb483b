"""Test the order, the filters and the cost of the shelf."""

import pytest

from homeshelf import clock
from homeshelf.books.model import Book
from homeshelf.books.store import BookFilter, list_books
from homeshelf.table import Database
from tests.api_client import (
    add_book,
    edit_book,
    get_all_pages,
    get_titles,
    invalid_fields,
    parsed_body,
)
from tests.costs import count_operations
from tests.moment import Moment
from tests.records import make_record as record
from tests.running import Person, RunningApp


@pytest.fixture
async def shelf(ada: Person, charles: Person, moment: Moment) -> list[str]:
    await add_book(charles, title="Passages")
    for number, (title, status) in enumerate(
        [("Émile", "READ"), ("dune", "READING"), ("Emma", "SHELF"), ("Dune Messiah", "READ")]
    ):
        moment.pass_by(1)
        await add_book(ada, title=title, status=status, author=f"Author {number}")
    return ["Émile", "dune", "Emma", "Dune Messiah"]


async def test_shelf_has_own_books_with_the_latest_update_first(
    ada: Person, shelf: list[str], moment: Moment
) -> None:
    assert await get_titles(ada) == shelf[::-1]
    books = parsed_body(await ada.get("/books"))["items"]
    moment.pass_by(1)
    await edit_book(ada, books[-1], rating=5)
    assert await get_titles(ada) == ["Émile", "Dune Messiah", "Emma", "dune"]


async def test_shelf_is_sorted_by_update_or_title(ada: Person, shelf: list[str]) -> None:
    assert await get_titles(ada, "/books?sort=updatedAt_asc") == shelf
    assert await get_titles(ada, "/books?sort=updatedAt_desc") == shelf[::-1]
    by_title = ["dune", "Dune Messiah", "Émile", "Emma"]
    assert await get_titles(ada, "/books?sort=title") == by_title
    assert invalid_fields(await ada.get("/books?sort=author")) == ["sort"]


async def test_shelf_is_filtered_by_status(ada: Person, shelf: list[str], moment: Moment) -> None:
    assert await get_titles(ada, "/books?status=READ") == [shelf[3], shelf[0]]
    assert await get_titles(ada, "/books?status=READ&sort=updatedAt_asc") == [shelf[0], shelf[3]]
    assert await get_titles(ada, "/books?status=READ&sort=title") == ["Dune Messiah", "Émile"]
    assert await get_titles(ada, "/books?status=READING") == ["dune"]
    assert invalid_fields(await ada.get("/books?status=LOST")) == ["status"]
    book = parsed_body(await ada.get("/books?status=READING"))["items"][0]
    moment.pass_by(1)
    await edit_book(ada, book, status="READ")
    assert await get_titles(ada, "/books?status=READING") == []
    assert await get_titles(ada, "/books?status=READ") == ["dune", "Dune Messiah", "Émile"]


async def test_shelf_is_searched(ada: Person, shelf: list[str]) -> None:
    assert await get_titles(ada, "/books?q=em") == ["Emma", "Émile"]
    assert await get_titles(ada, "/books?q=DUNE&sort=title") == ["dune", "Dune Messiah"]
    assert await get_titles(ada, "/books?q=dune&status=READ") == ["Dune Messiah"]
    assert await get_titles(ada, "/books?q=author+2") == [shelf[2]]
    assert await get_titles(ada, "/books?q=passages") == []


@pytest.mark.parametrize(
    "question",
    ["", "&sort=updatedAt_asc", "&sort=title", "&q=book", "&status=READ", "&q=book&sort=title"],
)
async def test_pages_contain_each_book_once(
    running: RunningApp, ada: Person, question: str
) -> None:
    books = [
        record(
            Book,
            user_id=ada.member_id,
            id=clock.new_id(),
            title=f"Book {number // 3}",
            status=("SHELF", "READING", "READ")[number % 3],
            updated_at=f"2025-01-0{number // 20 + 1}T10:00:00.000Z",
        )
        for number in range(47)
    ]
    await running.db.batch([book.put() for book in books])
    wanted = [book for book in books if "status" not in question or book.status == "READ"]
    found = await get_all_pages(ada, f"/books?{question}", 5)
    assert sorted(book["id"] for book in found) == sorted(book.id for book in wanted)
    by = "title" if "title" in question else "updatedAt"
    order = [book[by] for book in found]
    if by == "updatedAt":
        assert order == sorted(order, reverse="asc" not in question)


async def test_page_costs_the_same_on_a_large_shelf(
    database: Database,
) -> None:
    costs = []
    for reader, count in (("few", 300), ("many", 2_000)):
        books = [
            record(
                Book,
                user_id=reader,
                id=clock.new_id(),
                status=("SHELF", "READING", "READ")[number % 3],
                updated_at=f"2025-01-01T10:00:{number // 1000:02}.{number % 1000:03}Z",
            )
            for number in range(count)
        ]
        await database.batch([book.put() for book in books])
        for wanted in (BookFilter(), BookFilter(sort="updatedAt_asc"), BookFilter(status="READ")):
            before, mark = database.engine.rows, None
            with count_operations(database) as spent:
                for _ in range(3):
                    _, mark = await list_books(database, reader, wanted, 20, mark)
            costs.append((wanted, spent, database.engine.rows - before))
    assert costs[:3] == costs[3:]
    assert max(rows for _, _, rows in costs) <= 3 * 3 * 22


async def test_next_token_works_with_the_longest_titles(ada: Person) -> None:
    long = ["ж" * 500, "📚" * 500, "a" + "\u2028" * 498 + "a", '"' * 500, "Ǆ" * 500]
    for title in long * 2:
        await add_book(ada, title=title)
    found = await get_all_pages(ada, "/books?sort=title", 1)
    assert [book["title"] for book in found] == await get_titles(ada, "/books?sort=title")
    assert len({book["id"] for book in found}) == 10
