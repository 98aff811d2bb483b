from typing import Any

import pytest

from homeshelf.table.engine import BadRequest, Engine
from homeshelf.table.expressions import Condition, Item, absent, attr, exists
from homeshelf.table.operations import HIGHEST, Between, Equals, Prefix, Query
from homeshelf.table.schema import INVENTORY, SHORT_ID_POOL
from tests.table.support import Place, list_sort_keys, new_place, put_all

ODD_NAMES = [
    "\x00",
    " ",
    "!",
    "#",
    "0",
    "1",
    "10",
    "100",
    "2",
    "A",
    "Z",
    "a",
    "a\x00",
    "a b",
    "ab",
    "e\u0301",
    "z",
    "~",
    "\x7f",
    "\u00df",
    "\u00e4",
    "\u00e9",
    "\u07ff",
    "\u0800",
    "\u20ac",
    "\ud7ff",
    "\ue000",
    "\uffff",
    "\U00010000",
    "\U0001f34e",
    "\U0001f9c0",
    "\U0010ffff",
]
"""Names that UTF-8, UTF-16, numbers and dictionaries each sort differently; sorted by UTF-8."""


async def test_a_query_returns_its_partition_and_no_other(engine: Engine, home: Place) -> None:
    neighbour = Place(INVENTORY, f"{home.partition}#")
    await engine.batch([home.put("a"), home.put("b"), neighbour.put("c")])
    page = await engine.query(home.all())
    assert page.items == [home.item("a"), home.item("b")]
    assert page.next is None


async def test_a_query_of_an_empty_partition_is_an_empty_last_page(
    engine: Engine, home: Place
) -> None:
    page = await engine.query(home.all().page(5))
    assert list(page.items) == []
    assert page.next is None


async def test_keys_sort_by_the_bytes_of_their_utf8(engine: Engine, home: Place) -> None:
    await put_all(engine, home, ODD_NAMES[::-1])
    found = list_sort_keys((await engine.query(home.all())).items)
    assert found == ODD_NAMES == sorted(ODD_NAMES, key=str.encode)


async def test_newest_first_is_the_opposite_order(engine: Engine, home: Place) -> None:
    await put_all(engine, home, ODD_NAMES)
    assert list_sort_keys((await engine.query(home.all().newest_first())).items) == ODD_NAMES[::-1]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(
    "prefix",
    [
        "a",
        "1",
        "10",
        "b",
        "a_",
        "a%",
        "*",
        "é",
        "\U0001f34e",
        "z\ud7ff",
        "\uffff",
    ],
)
async def test_prefix_finds_keys_that_begin_with_it(
    engine: Engine, home: Place, prefix: str, descending: bool
) -> None:
    ends = ["", "\x00", "0", "z", "\ud7ff", "\ue000", "\U0010fffe"]
    await expect_what_begins_with(engine, home, prefix, ends, descending)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("prefix", ["a", "é", "\U0001f34e", "z\U0010ffff", "\U0010ffff"])
async def test_a_prefix_finds_the_last_character_too(
    engine_by_range: Engine, home: Place, prefix: str, descending: bool
) -> None:
    ends = ["", "z", "\U0010ffff", "\U0010ffff\U0010ffff"]
    await expect_what_begins_with(engine_by_range, home, prefix, ends, descending)


async def expect_what_begins_with(
    engine: Engine, home: Place, prefix: str, ends: list[str], descending: bool
) -> None:
    inside = [prefix + end for end in ends]
    names = sorted({*inside, *ODD_NAMES, "z", "z\ud7fe", "z\ue000", "{"}, key=str.encode)
    await put_all(engine, home, names)
    query = home.all(Prefix(prefix))
    found = list_sort_keys(
        (await engine.query(query.newest_first() if descending else query)).items
    )
    expected = [name for name in names if name.startswith(prefix)]
    assert found == (expected[::-1] if descending else expected)
    assert await engine.count(query) == len(expected)


async def test_equality_on_the_sort_key_finds_that_record_alone(
    engine: Engine, home: Place
) -> None:
    await put_all(engine, home, ["a", "aa", "A", "b"])
    assert list_sort_keys((await engine.query(home.all(Equals("a")))).items) == ["a"]
    assert list_sort_keys((await engine.query(home.all(Equals("c")))).items) == []


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        ("b", "d", ["b", "c", "c1", "d"]),
        ("b\x00", "c\U0010ffff", ["c", "c1"]),
        ("a", "a", ["a"]),
        ("bb", "bc", []),
        ("\x00", "b", ["a", "b"]),
        ("d", HIGHEST, ["d", "e", "\uffff", "\U0001f34e"]),
        ("\x00", HIGHEST, ["a", "b", "c", "c1", "d", "e", "\uffff", "\U0001f34e"]),
    ],
)
async def test_a_range_includes_both_of_its_ends(
    engine: Engine, home: Place, low: str, high: str, expected: list[str], descending: bool
) -> None:
    await put_all(engine, home, ["a", "b", "c", "c1", "d", "e", "\uffff", "\U0001f34e"])
    query = home.all(Between(low, high))
    if descending:
        query = query.newest_first()
    found = list_sort_keys((await engine.query(query)).items)
    assert found == (expected[::-1] if descending else expected)


async def test_a_filter_keeps_the_records_for_which_it_holds(engine: Engine, home: Place) -> None:
    await engine.batch([home.put(str(number), quantity=number) for number in range(10)])
    query = home.all().only(attr("quantity") >= 4).only(attr("quantity").one_of(3, 5, 7))
    assert list_sort_keys((await engine.query(query)).items) == ["5", "7"]


async def test_a_filter_may_look_at_the_keys_of_another_index(engine: Engine, home: Place) -> None:
    await engine.batch([home.put("a", GSI1PK="x", GSI1SK="1"), home.put("b", GSI1PK="y")])
    assert list_sort_keys((await engine.query(home.all().only(attr("GSI1PK") == "x"))).items) == [
        "a"
    ]


async def test_a_predicate_keeps_the_records_for_which_it_is_true(
    engine: Engine, home: Place
) -> None:
    names = ["Milk", "OATMILK", "bread"]
    await engine.batch([home.put(name, name=name) for name in names])
    query = home.all().matching(lambda item: "milk" in str(item["name"]).lower())
    assert list_sort_keys((await engine.query(query)).items) == ["Milk", "OATMILK"]


async def test_a_predicate_sees_only_what_the_filter_kept(engine: Engine, home: Place) -> None:
    await engine.batch([home.put(str(number), quantity=number) for number in range(6)])
    seen: list[Item] = []

    def look(item: Item) -> bool:
        seen.append(item)
        return True

    query = home.all().only(attr("quantity") > 2).matching(look)
    assert (
        list_sort_keys((await engine.query(query)).items) == list_sort_keys(seen) == ["3", "4", "5"]
    )


async def test_a_query_reads_a_partition_of_several_megabytes(engine: Engine, home: Place) -> None:
    names = [f"{number:02}" for number in range(12)]
    await engine.batch([home.put(name, text=name * 100_000) for name in names])
    assert list_sort_keys((await engine.query(home.all())).items) == names
    assert list_sort_keys((await engine.query(home.all().newest_first())).items) == names[::-1]
    assert await engine.count(home.all()) == 12
    await engine.batch([home.delete(name) for name in names])


async def test_a_query_reads_a_partition_of_a_thousand_records(engine: Engine, home: Place) -> None:
    names = [f"{number:04}" for number in range(1000)]
    await put_all(engine, home, names)
    assert list_sort_keys((await engine.query(home.all())).items) == names
    assert await engine.count(home.all()) == 1000


async def test_count_is_how_many_records_the_query_finds(engine: Engine, home: Place) -> None:
    await engine.batch([home.put(f"{number:02}", quantity=number) for number in range(30)])
    assert await engine.count(home.all()) == 30
    assert await engine.count(home.all(Prefix("1"))) == 10
    assert await engine.count(home.all(Between("05", "07"))) == 3
    assert await engine.count(home.all().only(attr("quantity") < 4)) == 4
    assert await engine.count(home.all().matching(lambda item: item["SK"] == "07")) == 1
    assert await engine.count(new_place().all()) == 0


LOOKALIKES: list[Any] = [
    "1", 1, True, "true", None, "null", "", "[1]", [1], '{"a":1}', {"a": 1},
    '"', "\\", "a\0b", "é😀"
]  # fmt: skip


async def test_count_distinguishes_similar_values(engine: Engine, home: Place) -> None:
    names = ["status", "a.b", "a b", 'a"b', "a[0]", "é"]
    await engine.batch(
        [home.put(f"{n:02}", **dict.fromkeys(names, each)) for n, each in enumerate(LOOKALIKES)]
    )
    await engine.write(home.put("without"))
    for each in LOOKALIKES:
        for name in names:
            assert await engine.count(home.all().only(attr(name) == each)) == 1, (name, each)
        either = home.all().only(attr("status").one_of(each, "something else"))
        assert await engine.count(either) == 1, each
    assert await engine.count(home.all().only(attr("status") == "a")) == 0
    assert await engine.count(home.all().only(attr("status").missing)) == 1
    both = (attr("status") == "1") & attr("a b").one_of("1", "2")
    assert await engine.count(home.all().only(both)) == 1
    neither = (attr("status") == "1") & (attr("a b") == "2")
    assert await engine.count(home.all().only(neither)) == 0


async def test_count_exceeds_one_internal_page(engine: Engine, home: Place) -> None:
    await engine.batch([home.put(f"{number:04}", status=str(number % 3)) for number in range(700)])
    assert await engine.count(home.all()) == 700
    assert await engine.count(home.all(Prefix("06"))) == 100
    assert await engine.count(home.all().only(attr("status") == "0")) == 234
    assert await engine.count(home.all().only(attr("status").one_of("1", "2"))) == 466


async def test_count_is_of_all_pages(engine: Engine, home: Place) -> None:
    await put_all(engine, home, [f"{number:02}" for number in range(30)])
    first = await engine.query(home.all().page(7))
    assert await engine.count(home.all().page(7)) == 30
    assert await engine.count(home.all().page(7, first.next)) == 30


async def test_a_query_of_a_numeric_partition_sorts_by_its_text(engine: Engine) -> None:
    pool = Place(SHORT_ID_POOL, 900_001)
    await put_all(engine, pool, ["b", "10", "9"])
    assert list_sort_keys((await engine.query(pool.all())).items, "sk") == ["10", "9", "b"]
    assert list_sort_keys((await engine.query(pool.all(Prefix("1")))).items, "sk") == ["10"]


@pytest.mark.parametrize(
    "sort",
    [
        Equals(""),
        Equals(5),
        Equals("x" * 1025),
        Prefix(""),
        Prefix("\ud800"),
        Prefix("x" * 1025),
        Between("b", "a"),
        Between("", "a"),
        Between("\U0001f34e", "\uffff"),
        Between(1, 2),
        Between("a", 2),
        Between("a", "\udfff"),
    ],
)
async def test_impossible_sort_key_condition_is_refused(
    engine: Engine, home: Place, sort: Any
) -> None:
    with pytest.raises(BadRequest):
        await engine.query(home.all(sort))
    with pytest.raises(BadRequest):
        await engine.count(home.all(sort))


@pytest.mark.parametrize(
    "condition",
    [
        attr("SK") == "a",
        attr("PK") == "a",
        attr("quantity") < attr("SK"),
        (attr("quantity") == 1) & attr("SK").missing,
        exists,
        absent,
        exists & (attr("quantity") == 1),
    ],
)
async def test_a_filter_on_the_keys_of_the_query_is_refused(
    engine: Engine, home: Place, condition: Condition
) -> None:
    with pytest.raises(BadRequest):
        await engine.query(home.all().only(condition))


async def test_a_filter_on_the_keys_of_the_index_that_is_read_is_refused(
    engine: Engine, home: Place
) -> None:
    for name in ("GSI1PK", "GSI1SK", "PK", "SK"):
        with pytest.raises(BadRequest):
            await engine.query(home.indexed().only(attr(name) == "a"))


async def test_a_page_of_less_than_one_is_refused(engine: Engine, home: Place) -> None:
    for limit in (0, -1):
        with pytest.raises(BadRequest):
            await engine.query(home.all().page(limit))


async def test_a_consistent_read_of_an_index_is_refused(engine: Engine, home: Place) -> None:
    with pytest.raises(BadRequest):
        await engine.query(home.indexed().up_to_date())


@pytest.mark.parametrize("partition", ["", 5, None, True, "x" * 2049, "\ud800"])
async def test_query_of_an_invalid_partition_is_refused(engine: Engine, partition: Any) -> None:
    with pytest.raises(BadRequest):
        await engine.query(Query(INVENTORY, partition, dict))
