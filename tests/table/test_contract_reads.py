import pytest

from homeshelf.table.engine import BadRequest, Engine
from homeshelf.table.operations import item_key
from homeshelf.table.schema import SHORT_ID_POOL
from tests.table.support import Place, new_lasting_place, new_place


async def test_get_returns_the_record_at_the_key(engine: Engine, home: Place) -> None:
    await engine.write(home.put("milk", quantity=2))
    assert await engine.get(home.key("milk")) == home.item("milk", quantity=2)


async def test_get_returns_none_for_a_missing_record(engine: Engine, home: Place) -> None:
    await engine.write(home.put("milk"))
    assert await engine.get(home.key("milk ")) is None
    assert await engine.get(new_place().key("milk")) is None


async def test_get_sees_a_write_as_soon_as_it_is_acknowledged(engine: Engine, home: Place) -> None:
    for quantity in range(20):
        await engine.write(home.put("milk", quantity=quantity))
        assert await engine.get(home.key("milk")) == home.item("milk", quantity=quantity)


async def test_inconsistent_read_finds_the_record(engine: Engine, home: Place) -> None:
    await engine.write(home.put("milk"))
    assert await engine.get(home.key("milk"), consistent=False) == home.item("milk")
    assert await engine.get_many([home.key("milk")], consistent=False) == [home.item("milk")]


async def test_records_of_two_tables_with_the_same_key_are_two_records(
    engine: Engine, shelf: Place
) -> None:
    helper = Place(new_place().table, shelf.partition)
    await engine.write(shelf.put("1", here="books"))
    await engine.write(helper.put("1", here="inventory"))
    assert await engine.get(shelf.key("1")) == shelf.item("1", here="books")
    assert await engine.get(helper.key("1")) == helper.item("1", here="inventory")


async def test_a_partition_key_may_be_a_number(engine: Engine) -> None:
    pool = Place(SHORT_ID_POOL, 70_007)
    await engine.write(pool.put("abc"))
    await engine.write(pool.put("abd"))
    assert await engine.get(pool.key("abc")) == {"pk": 70_007, "sk": "abc"}
    assert (await engine.query(pool.all())).items == [pool.item("abc"), pool.item("abd")]
    assert await engine.get(item_key(SHORT_ID_POOL, 7, "abc")) is None


@pytest.mark.parametrize("number", [0, -5, 2**62])
async def test_a_numeric_partition_key_may_be_any_whole_number(engine: Engine, number: int) -> None:
    pool = Place(SHORT_ID_POOL, number)
    await engine.write(pool.put("abc"))
    assert await engine.get(pool.key("abc")) == pool.item("abc")
    assert await engine.write(pool.delete("abc")) == pool.item("abc")


async def test_get_many_returns_the_records_in_the_order_of_the_keys(
    engine: Engine, home: Place, shelf: Place
) -> None:
    await engine.batch([home.put("a"), home.put("b"), shelf.put("c")])
    keys = [home.key("b"), shelf.key("c"), home.key("missing"), home.key("a")]
    found = [home.item("b"), shelf.item("c"), None, home.item("a")]
    assert await engine.get_many(keys) == found


async def test_get_many_reads_100_keys_at_once(engine: Engine, home: Place) -> None:
    names = [f"{number:03}" for number in range(100)]
    await engine.batch([home.put(name) for name in names])
    keys = [home.key(name) for name in reversed(names)]
    assert await engine.get_many(keys) == [home.item(name) for name in reversed(names)]


async def test_get_many_refuses_101_keys(engine: Engine, home: Place) -> None:
    with pytest.raises(BadRequest):
        await engine.get_many([home.key(str(number)) for number in range(101)])


async def test_get_many_refuses_the_same_key_twice(engine: Engine, home: Place) -> None:
    with pytest.raises(BadRequest):
        await engine.get_many([home.key("a"), home.key("b"), home.key("a")])


async def test_get_many_takes_the_same_key_in_two_tables(engine: Engine, shelf: Place) -> None:
    inventory = Place(new_place().table, shelf.partition)
    await engine.batch([shelf.put("1"), inventory.put("1")])
    keys = [shelf.key("1"), inventory.key("1")]
    assert await engine.get_many(keys) == [shelf.item("1"), inventory.item("1")]


async def test_get_many_of_no_keys_returns_an_empty_list(engine: Engine) -> None:
    assert await engine.get_many([]) == []


async def test_get_many_reads_large_records(engine: Engine) -> None:
    shelf = new_lasting_place()
    names = [f"{number:02}" for number in range(45)]
    text = "x" * 390_000
    for name in names:
        await engine.write(shelf.put(name, text=text))
    found = await engine.get_many([shelf.key(name) for name in names])
    assert found == [shelf.item(name, text=text) for name in names]
    await engine.batch([shelf.delete(name) for name in names])
