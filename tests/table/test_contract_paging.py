import asyncio
from collections.abc import Mapping
from dataclasses import replace
from itertools import cycle
from typing import Any

import pytest

from homeshelf.table.engine import BadRequest, Engine
from homeshelf.table.expressions import Add, Item, attr
from homeshelf.table.operations import Between, Equals, KeyValue, Prefix, Query, Sort
from homeshelf.table.sqlite.engine import Sqlite
from tests.costs import Bill
from tests.table.support import Place, found_in_index, list_sort_keys, new_place, pages, put_all

NAMES = [f"{number:02}" for number in range(20)]


def flat(found: list[Any]) -> list[Any]:
    return [sort for page in found for sort in list_sort_keys(page.items)]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("limit", [1, 3, 19, 20, 21, 1000])
async def test_pages_are_full_and_contain_each_record_once(
    engine: Engine, home: Place, limit: int, descending: bool
) -> None:
    await put_all(engine, home, NAMES)
    found = await pages(engine, replace(home.all(), descending=descending), limit)
    assert flat(found) == (NAMES[::-1] if descending else NAMES)
    assert all(len(page.items) == limit for page in found[:-1])
    assert 1 <= len(found[-1].items) <= limit


@pytest.mark.parametrize("limit", [5, 10, 20])
async def test_next_is_none_on_the_last_page_when_all_pages_are_full(
    engine: Engine, home: Place, limit: int
) -> None:
    await put_all(engine, home, NAMES)
    found = await pages(engine, home.all(), limit)
    assert [len(page.items) for page in found] == [limit] * (20 // limit)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("limit", [1, 2, 5, 7])
async def test_pages_are_full_behind_a_filter(
    engine: Engine, home: Place, limit: int, descending: bool
) -> None:
    await engine.batch([home.put(name, kept=name.endswith(("3", "7", "9"))) for name in NAMES])
    query = replace(home.all(), filter=attr("kept") == True, descending=descending)  # noqa: E712  # a condition
    expected = ["03", "07", "09", "13", "17", "19"]
    found = await pages(engine, query, limit)
    assert flat(found) == (expected[::-1] if descending else expected)
    assert [len(page.items) for page in found[:-1]] == [limit] * (-(-6 // limit) - 1)


@pytest.mark.parametrize("limit", [1, 2, 5, 7])
async def test_pages_are_full_behind_a_predicate(engine: Engine, home: Place, limit: int) -> None:
    await put_all(engine, home, NAMES)
    query = home.all().matching(lambda item: int(str(item["SK"])) % 4 == 0)
    found = await pages(engine, query, limit)
    assert flat(found) == ["00", "04", "08", "12", "16"]
    assert [len(page.items) for page in found[:-1]] == [limit] * (-(-5 // limit) - 1)


async def test_next_is_none_when_only_records_follow_that_the_filter_drops(
    engine: Engine, home: Place
) -> None:
    await engine.batch([home.put(name, kept=int(name) < 5) for name in NAMES])
    query = home.all().only(attr("kept") == True)  # noqa: E712  # a condition
    assert (await engine.query(query.page(5))).next is None
    by_predicate = home.all().matching(lambda item: bool(item["kept"]))
    assert (await engine.query(by_predicate.page(5))).next is None


@pytest.mark.parametrize("sort", [Prefix("1"), Between("10", "19")])
async def test_prefix_and_range_queries_are_paged(engine: Engine, home: Place, sort: Any) -> None:
    await put_all(engine, home, [*NAMES, "1", "1a", "2"])
    expected = [name for name in sorted([*NAMES, "1", "1a"]) if name[0] == "1"]
    if isinstance(sort, Between):
        expected = expected[1:-1]
    assert flat(await pages(engine, home.all(sort), 4)) == expected
    assert flat(await pages(engine, home.all(sort).newest_first(), 4)) == expected[::-1]


async def test_a_rare_match_among_many_records_is_found(engine: Engine, home: Place) -> None:
    names = [f"{number:04}" for number in range(800)]
    await engine.batch([home.put(name, kept=name in ("0003", "0777")) for name in names])
    query = home.all().only(attr("kept") == True)  # noqa: E712  # a condition
    assert flat(await pages(engine, query, 1)) == ["0003", "0777"]
    assert await engine.count(query) == 2


async def test_a_page_of_large_records_is_full(engine: Engine, home: Place) -> None:
    names = [f"{number:02}" for number in range(8)]
    await engine.batch([home.put(name, text="x" * 300_000) for name in names])
    found = await pages(engine, home.all(), 6)
    assert [len(page.items) for page in found] == [6, 2]
    await engine.batch([home.delete(name) for name in names])


async def test_next_page_continues_after_a_deleted_record(engine: Engine, home: Place) -> None:
    await put_all(engine, home, NAMES)
    first = await engine.query(home.all().page(5))
    await engine.batch([home.delete("04"), home.delete("05")])
    second = await engine.query(home.all().page(5, first.next))
    assert list_sort_keys(second.items) == ["06", "07", "08", "09", "10"]


async def test_next_is_the_keys_of_the_last_record(engine: Engine, home: Place) -> None:
    await put_all(engine, home, NAMES)
    page = await engine.query(home.all().page(5))
    assert page.next == home.key("04").attributes


async def test_many_records_with_the_same_index_key_page_once_each(
    engine: Engine, home: Place
) -> None:
    places = [new_place() for _ in range(30)]
    keys = home.index_keys("same")
    await engine.batch([place.put("x", number=n, **keys) for n, place in enumerate(places)])
    await found_in_index(engine, home.indexed(), 30)
    for descending in (False, True):
        found = await pages(engine, replace(home.indexed(), descending=descending), 7)
        assert [len(page.items) for page in found] == [7, 7, 7, 7, 2]
        numbers = [item["number"] for page in found for item in page.items]
        assert sorted(map(int, map(str, numbers))) == list(range(30))


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(
    "sort", [Equals("b#1"), Prefix("b#"), Prefix("b"), Between("b#0", "b#2"), Between("a", "b#1")]
)
async def test_a_part_of_an_index_pages_once_each_and_in_order(
    engine: Engine, home: Place, sort: Sort, descending: bool
) -> None:
    names = [f"{first}#{second}" for first in "abc" for second in range(4)]
    places = sorted((new_place() for _ in range(4)), key=lambda place: str(place.partition))
    await engine.batch(
        [place.put(name, **home.index_keys(name)) for place in places for name in names]
    )
    everything = await found_in_index(engine, home.indexed(), 48)
    expected = [(item["GSI1SK"], item["PK"]) for item in everything if _is_in_range(item, sort)]
    query = replace(home.indexed(sort), descending=descending)
    for limit in (1, 3, 7):
        items = [item for page in await pages(engine, query, limit) for item in page.items]
        found = [(item["GSI1SK"], item["PK"]) for item in items]
        assert sorted(found, key=str) == sorted(expected, key=str)
        assert list_sort_keys(items, "GSI1SK") == sorted(
            list_sort_keys(items, "GSI1SK"), reverse=descending
        )


def _is_in_range(item: Item, sort: Sort) -> bool:
    key = str(item["GSI1SK"])
    match sort:
        case Equals(value):
            return key == value
        case Prefix(value):
            return key.startswith(value)
        case Between(low, high):
            return str(low) <= key <= str(high)


@pytest.mark.parametrize("descending", [False, True])
async def test_an_index_pages_behind_a_filter(
    engine: Engine, home: Place, descending: bool
) -> None:
    await engine.batch(
        [home.put(name, kept=int(name) % 3 == 0, **home.index_keys(name[::-1])) for name in NAMES]
    )
    await found_in_index(engine, home.indexed(), 20)
    query = replace(home.indexed(), descending=descending).only(attr("kept") == True)  # noqa: E712  # a condition
    found = await pages(engine, query, 3)
    expected = sorted((name for name in NAMES if int(name) % 3 == 0), key=lambda name: name[::-1])
    assert flat(found) == (expected[::-1] if descending else expected)
    assert [len(page.items) for page in found] == [3, 3, 1]


@pytest.mark.parametrize("index", [None, "GSI1"])
async def test_pages_are_complete_during_concurrent_writes(
    engine: Engine, home: Place, index: str | None
) -> None:
    names = [f"{number:03}" for number in range(60)]
    await engine.batch([home.put(name, edits=0, **home.index_keys(f"S{name}")) for name in names])
    await found_in_index(engine, home.indexed(), 60)
    query = home.indexed() if index else home.all()
    enough = asyncio.Event()
    others = asyncio.create_task(_keep_editing(engine, home, names, enough))
    try:
        for _ in range(5):
            found = flat(await pages(engine, query, 7))
            assert [name for name in found if name in names] == names
    finally:
        enough.set()
        await others


async def _keep_editing(
    engine: Engine, home: Place, names: list[str], enough: asyncio.Event
) -> None:
    """Edit records until enough. Stop between requests: some servers hang if one is cancelled."""
    for name in cycle(names):
        if enough.is_set():
            return
        await engine.write(home.update(name, Add("edits", 1)))
        await engine.write(home.put(name, edits=0, **home.index_keys(f"S{name}")))
        await engine.write(home.put(f"{name}+", **home.index_keys(f"S{name}+")))
        await engine.write(home.delete(f"{name}+"))


async def test_a_page_starts_only_where_another_page_of_its_query_ended(
    engine: Engine, home: Place
) -> None:
    key: dict[str, KeyValue] = dict(home.key("15").attributes)
    index = {**key, **home.index_keys("a")}
    wrong: list[tuple[Query[Any], Mapping[str, KeyValue]]] = [
        (home.all(), {}),
        (home.all(), {"PK": home.partition}),
        (home.all(), index),
        (home.all(), {**key, "SK": ""}),
        (home.all(), {**key, "SK": 5}),
        (new_place().all(), key),
        (home.all(Prefix("2")), key),
        (home.all(Between("16", "19")), key),
        (home.indexed(), key),
        (home.indexed(), {**index, "GSI1PK": "other"}),
        (home.indexed(index="GSI2"), index),
    ]
    for query, start in wrong:
        with pytest.raises(BadRequest):
            await engine.query(query.page(5, start))


@pytest.mark.parametrize("kept", [True, False])
async def test_bounded_count_stops_at_its_bound(engine: Engine, home: Place, kept: bool) -> None:
    words = ["yes" if kept or number % 3 == 0 else "no" for number in range(600)]
    puts = [home.put(f"{n:03}", kept=word, **home.index_keys("x")) for n, word in enumerate(words)]
    await engine.batch(puts)
    there = words.count("yes")
    by_filter = attr("kept") == "yes"
    await found_in_index(engine, home.indexed(), 600)
    for query in (
        home.all().only(by_filter),
        home.all().only(by_filter & (attr("kept") > "no")),
        home.all().matching(lambda item: item["kept"] == "yes"),
        home.indexed().only(by_filter),
        home.all().only(by_filter).newest_first().page(3),
    ):
        for at_most in (1, 85, there - 1, there, there + 1, 1000):
            assert await engine.count(query, at_most) == min(at_most, there)
        assert await engine.count(query) == there
    with pytest.raises(BadRequest):
        await engine.count(home.all(), 0)


async def test_a_count_that_is_bounded_reads_no_further(engine: Engine, home: Place) -> None:
    names = [f"{number:03}" for number in range(40)]
    await engine.batch([home.put(name, text="x" * 40_000) for name in names])
    bill = Bill(engine)
    assert await engine.count(home.all(), 4) == 4
    read = bill.units.read
    assert read <= 50, "four records of ten units each, and not forty"
    assert (read > 0) is not isinstance(engine, Sqlite)
