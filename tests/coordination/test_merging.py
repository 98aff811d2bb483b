"""Several queries are merged into one list: complete, sorted, in full pages of equal cost."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from homeshelf.coordination.merging import Mark, merged, newest_first
from homeshelf.table import INVENTORY, Database, Keys, Query, Record
from tests.costs import count_operations


class Parcel(Record):
    table = INVENTORY
    keys = Keys(PK="PARCEL#{id}", SK="PARCEL", GSI2PK="PARCELS", GSI2SK="STATUS#{status}#AT#{at}")

    id: str
    status: str
    at: str


STATUSES = ("new", "sent", "there")


async def fill(database: Database, *parcels: tuple[str, str, str]) -> None:
    records = [Parcel(id=id_, status=status, at=at) for id_, status, at in parcels]
    await database.batch([record.put() for record in records])


def make_parcels(count: int, same: int) -> list[tuple[str, str, str]]:
    """Return parcels over all statuses, `same` of them per moment."""
    return [(f"{n:03}", STATUSES[n * 7 % 3], f"{n // same:03}") for n in range(count)]


async def read_all_oldest_first(database: Database, limit: int) -> list[list[Parcel]]:
    found: list[list[Parcel]] = []
    mark: Sequence[Any] | None = None
    while True:
        page, mark = await read_oldest(database, limit, mark)
        found.append(page)
        if mark is None:
            return found


async def read_oldest(
    database: Database, limit: int, mark: Sequence[Any] | None
) -> tuple[list[Parcel], Sequence[Any] | None]:
    def query(status: str) -> Callable[[str | None], Query[Parcel]]:
        return lambda oldest: Parcel.between("at", oldest, None, "GSI2", status=status)

    queries = [query(status) for status in STATUSES]
    return await merged(database, queries, lambda parcel: parcel.at, limit, mark)


async def read_all_latest_first(database: Database, limit: int) -> list[list[Parcel]]:
    found: list[list[Parcel]] = []
    mark: Mark | None = None
    while True:
        page, mark = await read_latest(database, limit, mark)
        found.append(page)
        if mark is None:
            return found


async def read_latest(
    database: Database, limit: int, mark: Mark | None
) -> tuple[list[Parcel], Mark | None]:
    def query(status: str) -> Callable[[str | None], Query[Parcel]]:
        return lambda newest: Parcel.between("at", None, newest, "GSI2", status=status)

    def mark_of(parcel: Parcel) -> Mark:
        return parcel.at, parcel.id

    return await newest_first(database, [query(s) for s in STATUSES], mark_of, limit, mark)


@pytest.mark.parametrize("same", [1, 4, 50])
@pytest.mark.parametrize("limit", [1, 5, 50, 51])
async def test_merged_pages_are_full_ordered_and_complete(
    database: Database, limit: int, same: int
) -> None:
    await fill(database, *make_parcels(50, same))
    for pages, turned in (
        (await read_all_oldest_first(database, limit), False),
        (await read_all_latest_first(database, limit), True),
    ):
        assert all(len(page) == limit for page in pages[:-1])
        assert pages[-1]
        moments = [parcel.at for page in pages for parcel in page]
        assert moments == sorted(moments, reverse=turned)
        assert sorted(parcel.id for page in pages for parcel in page) == [
            f"{n:03}" for n in range(50)
        ]


async def test_merging_empty_queries_returns_one_empty_page(database: Database) -> None:
    assert await read_all_oldest_first(database, 5) == [[]]
    assert await read_all_latest_first(database, 5) == [[]]


async def test_record_that_moves_during_a_page_is_listed_once(database: Database) -> None:
    """It is read as new and again as sent; the newer version counts where it is known."""
    await fill(database, ("a", "new", "1"), ("b", "sent", "2"), ("c", "new", "3"))

    class Moving(Database):
        async def query(self, query: Query[Any], *, skip: bool = True) -> Any:
            page = await super().query(query, skip=skip)
            await fill(self, ("a", "sent", "1"))
            return page

    moving = Moving(database.engine)
    pages = await read_all_oldest_first(moving, 5)
    assert [parcel.id for page in pages for parcel in page] == ["a", "b", "c"]
    await fill(database, ("a", "new", "1"))
    pages = await read_all_latest_first(moving, 5)
    assert [(p.id, p.status) for page in pages for p in page] == [
        ("c", "new"),
        ("b", "sent"),
        ("a", "sent"),
    ]


async def test_record_that_moves_between_pages_is_listed_once(database: Database) -> None:
    asked: list[tuple[Any, str]] = [(read_latest, "543210"), (read_oldest, "012345")]
    for ask, order in asked:
        await fill(database, *((f"{n}", "new", f"{n}") for n in range(6)))
        seen, mark = await ask(database, 3, None)
        await fill(database, ("4", "sent", "4"), ("1", "sent", "1"))
        more, mark = await ask(database, 3, mark)
        assert "".join(parcel.id for parcel in [*seen, *more]) == order
        assert mark is None


async def test_page_costs_one_query_per_status_with_equal_ranks(database: Database) -> None:
    await fill(database, *((f"{n:03}", STATUSES[n % 3], "1") for n in range(200)))
    mark: Sequence[Any] | None = None
    for _ in range(5):
        with count_operations(database) as spent:
            _, mark = await read_oldest(database, 10, mark)
        assert spent == {"query": 3}


async def test_newest_first_costs_one_query_per_status_with_different_times(
    database: Database,
) -> None:
    await fill(database, *((f"{n:03}", STATUSES[n % 3], f"{n:03}") for n in range(100)))
    mark: Mark | None = None
    for _ in range(3):
        with count_operations(database) as spent:
            _, mark = await read_latest(database, 10, mark)
        assert spent == {"query": 3}
