"""A record is in an index while it has both index keys. Index reads may lag."""

import pytest

from homeshelf.table.engine import ConditionFailed, Engine
from homeshelf.table.expressions import Remove, Set, absent
from homeshelf.table.operations import Between, Equals, Prefix
from tests.table.support import Place, found_in_index, list_sort_keys, new_lasting_place, new_place


async def test_an_index_finds_whole_records_by_its_own_keys_in_its_own_order(
    engine: Engine, home: Place
) -> None:
    others = [new_place() for _ in range(3)]
    for other, sort in zip(others, ("c", "a", "b"), strict=True):
        await engine.write(other.put("it", name=sort, **home.index_keys(sort)))
    found = await found_in_index(engine, home.indexed(), 3)
    assert found == [
        others[place].item("it", name=sort, **home.index_keys(sort))
        for place, sort in ((1, "a"), (2, "b"), (0, "c"))
    ]
    newest_first = (await engine.query(home.indexed().newest_first())).items
    assert list(newest_first) == found[::-1]


async def test_index_query_takes_equality_prefix_and_range(engine: Engine, home: Place) -> None:
    for sort in ("A", "A1", "A2", "B", "a", "Ä", "\uffff", "\U0001f34e"):
        await engine.write(home.put(sort, **home.index_keys(sort)))
    await found_in_index(engine, home.indexed(), 8)

    async def found(sort: Equals | Prefix | Between) -> list[str]:
        return list_sort_keys((await engine.query(home.indexed(sort))).items)

    assert await found(Equals("A")) == ["A"]
    assert await found(Prefix("A")) == ["A", "A1", "A2"]
    assert await found(Between("A1", "B")) == ["A1", "A2", "B"]
    assert await found(Between("B", "\U0010ffff")) == ["B", "a", "Ä", "\uffff", "\U0001f34e"]
    assert await engine.count(home.indexed(Prefix("A"))) == 3


async def test_two_indexes_of_a_table_are_independent(engine: Engine, home: Place) -> None:
    await engine.write(home.put("first", **home.index_keys("1")))
    await engine.write(home.put("second", **home.index_keys("2", "GSI2")))
    await engine.write(home.put("both", **home.index_keys("3"), **home.index_keys("0", "GSI2")))
    assert list_sort_keys(await found_in_index(engine, home.indexed(), 2)) == ["first", "both"]
    second = await found_in_index(engine, home.indexed(index="GSI2"), 2)
    assert list_sort_keys(second) == ["both", "second"]


async def test_the_index_of_another_table_works_too(engine: Engine, shelf: Place) -> None:
    keys = shelf.index_keys("x", "gsi1")
    await engine.write(shelf.put("book", **keys))
    found = await found_in_index(engine, shelf.indexed(index="gsi1"), 1)
    assert found == [shelf.item("book", **keys)]
    assert await engine.count(new_lasting_place().indexed(index="gsi1")) == 0


async def test_record_with_one_of_two_index_keys_is_not_in_the_index(
    engine: Engine, home: Place
) -> None:
    await engine.write(home.put("partition only", GSI1PK=home.partition))
    await engine.write(home.put("sort only", GSI1SK="a"))
    await engine.write(home.put("neither"))
    await engine.write(home.put("both", **home.index_keys("a")))
    assert list_sort_keys(await found_in_index(engine, home.indexed(), 1)) == ["both"]
    assert await engine.count(home.all()) == 4


async def test_a_put_moves_a_record_within_an_index_and_out_of_it(
    engine: Engine, home: Place
) -> None:
    elsewhere = new_place()
    await engine.write(home.put("it", **home.index_keys("a")))
    await found_in_index(engine, home.indexed(Equals("a")), 1)
    await engine.write(home.put("it", **home.index_keys("b")))
    await found_in_index(engine, home.indexed(Equals("b")), 1)
    await found_in_index(engine, home.indexed(), 1)
    await engine.write(home.put("it", **elsewhere.index_keys("b")))
    await found_in_index(engine, elsewhere.indexed(), 1)
    await found_in_index(engine, home.indexed(), 0)
    await engine.write(home.put("it"))
    await found_in_index(engine, elsewhere.indexed(), 0)


async def test_an_update_moves_a_record_into_an_index_within_it_and_out_of_it(
    engine: Engine, home: Place
) -> None:
    await engine.write(home.put("it", quantity=1))
    await engine.write(home.update("it", Set("GSI1PK", home.partition), Set("GSI1SK", "a")))
    found = await found_in_index(engine, home.indexed(), 1)
    assert found == [home.item("it", quantity=1, **home.index_keys("a"))]
    await engine.write(home.update("it", Set("GSI1SK", "b")))
    await found_in_index(engine, home.indexed(Equals("b")), 1)
    await found_in_index(engine, home.indexed(), 1)
    await engine.write(home.update("it", Remove("GSI1SK")))
    await found_in_index(engine, home.indexed(), 0)
    assert await engine.get(home.key("it")) == home.item("it", quantity=1, GSI1PK=home.partition)


async def test_index_shows_updated_attributes(engine: Engine, home: Place) -> None:
    await engine.write(home.put("it", quantity=1, **home.index_keys("a")))
    await found_in_index(engine, home.indexed(), 1)
    await engine.write(home.update("it", Set("quantity", 2)))
    query = home.indexed().matching(lambda item: item["quantity"] == 2)
    await found_in_index(engine, query, 1)


@pytest.mark.parametrize("how", ["delete", "transact", "batch"])
async def test_a_deleted_record_leaves_the_index(engine: Engine, home: Place, how: str) -> None:
    await engine.write(home.put("it", **home.index_keys("a")))
    await found_in_index(engine, home.indexed(), 1)
    match how:
        case "delete":
            await engine.write(home.delete("it"))
        case "transact":
            await engine.transact([home.delete("it")])
        case _:
            await engine.batch([home.delete("it")])
    await found_in_index(engine, home.indexed(), 0)


@pytest.mark.parametrize("how", ["put", "transact", "batch"])
async def test_every_way_of_writing_reaches_the_index(
    engine: Engine, home: Place, how: str
) -> None:
    put = home.put("it", **home.index_keys("a"))
    match how:
        case "put":
            await engine.write(put)
        case "transact":
            await engine.transact([put])
        case _:
            await engine.batch([put])
    assert await found_in_index(engine, home.indexed(), 1) == [put.item]


async def test_a_cancelled_write_does_not_reach_the_index(engine: Engine, home: Place) -> None:
    await engine.write(home.put("it", **home.index_keys("a")))
    with pytest.raises(ConditionFailed):
        await engine.write(home.put("it", absent, **home.index_keys("b")))
    assert list_sort_keys(await found_in_index(engine, home.indexed(), 1), "GSI1SK") == ["a"]
