from typing import Any

import pytest

from homeshelf.table.engine import BadRequest, Engine, ItemTooLarge
from homeshelf.table.expressions import Add, All, Remove, Set, attr, exists
from homeshelf.table.operations import Put, Query, item_key
from homeshelf.table.schema import INVENTORY, SHORT_ID_POOL
from tests.table.support import Place

MOST_BYTES = 400 * 1024
EXTENDDB_UPDATES_TO = 400_000
"""ExtendDB counts a kB as 1,000 bytes in an update, but not in a put."""


def filling(place: Place, sort: str, size: int, letter: str = "x") -> str:
    """Return the text that gives the record at this key this size in bytes."""
    keys = sum(len(name) + len(str(value)) for name, value in place.item(sort).items())
    count, rest = divmod(size - keys - len("text"), len(letter.encode()))
    return letter * count + "x" * rest


@pytest.mark.parametrize("letter", ["x", "é", "\U0001f34e"])
async def test_a_record_of_400_kb_is_kept_and_one_byte_more_refused(
    engine: Engine, home: Place, letter: str
) -> None:
    text = filling(home, "it", MOST_BYTES, letter)
    await engine.write(home.put("it", text=text))
    assert await engine.get(home.key("it")) == home.item("it", text=text)
    with pytest.raises(ItemTooLarge):
        await engine.write(home.put("it", text=text + "x"))
    with pytest.raises(ItemTooLarge):
        await engine.transact([home.put("it", text=text + "x")])
    with pytest.raises(ItemTooLarge):
        await engine.batch([home.put("it", text=text + "x")])
    assert await engine.get(home.key("it")) == home.item("it", text=text)


async def test_a_transaction_writes_a_record_of_400_kb(engine: Engine, home: Place) -> None:
    text = filling(home, "it", MOST_BYTES)
    await engine.transact([home.put("it", text=text)])
    assert await engine.get(home.key("it")) == home.item("it", text=text)


async def test_an_update_does_not_let_a_record_grow_above_400_kb(
    engine: Engine, home: Place
) -> None:
    text = filling(home, "it", EXTENDDB_UPDATES_TO)
    await engine.write(home.put("it"))
    await engine.write(home.update("it", Set("text", text)))
    grow = home.update("it", Set("b", "x" * (MOST_BYTES - EXTENDDB_UPDATES_TO)))
    with pytest.raises(ItemTooLarge):
        await engine.write(grow)
    with pytest.raises(ItemTooLarge):
        await engine.transact([home.put("other"), grow])
    assert (await engine.query(home.all())).items == [home.item("it", text=text)]


async def test_the_names_of_attributes_count_for_their_size(engine: Engine, home: Place) -> None:
    text = filling(home, "it", MOST_BYTES)
    with pytest.raises(ItemTooLarge):
        await engine.write(home.put("it", text=text[:-50], **{"n" * 50: ""}, m=""))


async def test_a_record_of_many_small_parts_counts_them_all(engine: Engine, home: Place) -> None:
    await engine.write(home.put("it", numbers=list(range(10_000))))
    with pytest.raises(ItemTooLarge):
        await engine.write(home.put("it", numbers=[1] * 140_000))


@pytest.mark.parametrize(
    ("partition", "sort"),
    [
        ("", "a"),
        ("a", ""),
        ("x" * 2049, "a"),
        ("a", "x" * 1025),
        ("é" * 1025, "a"),
        ("a", "é" * 513),
        (5, "a"),
        ("a", 5),
        (None, "a"),
        ("a", None),
        (True, "a"),
        (["a"], "a"),
        ("a", {"b": "c"}),
        (b"a", "a"),
        ("\ud800", "a"),
        ("a", "\udfff"),
    ],
    ids=lambda value: repr(value)[:20],
)
async def test_invalid_key_is_refused_by_every_operation(
    engine: Engine, partition: Any, sort: Any
) -> None:
    place = Place(INVENTORY, partition)
    with pytest.raises(BadRequest):
        await engine.get(place.key(sort))
    with pytest.raises(BadRequest):
        await engine.get_many([place.key(sort)])
    with pytest.raises(BadRequest):
        await engine.write(place.put(sort))
    with pytest.raises(BadRequest):
        await engine.write(place.update(sort, Set("a", 1)))
    with pytest.raises(BadRequest):
        await engine.write(place.delete(sort))
    with pytest.raises(BadRequest):
        await engine.transact([place.put(sort)])
    with pytest.raises(BadRequest):
        await engine.transact([place.delete(sort)])
    with pytest.raises(BadRequest):
        await engine.batch([place.put(sort)])
    with pytest.raises(BadRequest):
        await engine.batch([place.delete(sort)])


@pytest.mark.parametrize("number", ["5", "", None, True, 0.5, 2**63, -(2**63) - 1])
async def test_a_numeric_key_is_a_whole_number(engine: Engine, number: Any) -> None:
    with pytest.raises(BadRequest):
        await engine.write(Put(SHORT_ID_POOL, {"pk": number, "sk": "a"}))
    with pytest.raises(BadRequest):
        await engine.get(item_key(SHORT_ID_POOL, number, "a"))
    with pytest.raises(BadRequest):
        await engine.query(Query(SHORT_ID_POOL, number, dict))


async def test_an_item_without_its_keys_is_refused(engine: Engine, home: Place) -> None:
    for item in ({}, {"PK": home.partition}, {"SK": "a"}):
        with pytest.raises(BadRequest):
            await engine.write(Put(INVENTORY, item))


@pytest.mark.parametrize("letter", ["x", "é"])
async def test_keys_may_be_as_long_as_dynamodb_allows(
    engine: Engine, home: Place, letter: str
) -> None:
    start = str(home.partition)
    size = len(letter.encode())
    place = Place(INVENTORY, start + "-" * (len(start) % 2) + letter * ((2048 - 44) // size))
    assert len(str(place.partition).encode()) <= 2048
    place = Place(INVENTORY, str(place.partition) + "x" * (2048 - len(place.partition.encode())))  # type: ignore[union-attr]  # a text
    sort = letter * (1024 // size)
    await engine.write(place.put(sort, **home.index_keys(sort)))
    assert await engine.get(place.key(sort)) == place.item(sort, **home.index_keys(sort))
    assert (await engine.query(place.all())).items == [place.item(sort, **home.index_keys(sort))]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GSI1PK", 5),
        ("GSI1SK", 5),
        ("GSI2PK", None),
        ("GSI2SK", None),
        ("GSI1PK", ""),
        ("GSI1SK", ""),
        ("GSI1PK", True),
        ("GSI1SK", ["a"]),
        ("GSI1PK", "x" * 2049),
        ("GSI1SK", "x" * 1025),
        ("GSI1SK", "\ud800"),
    ],
    ids=lambda value: repr(value)[:20],
)
async def test_invalid_index_key_is_refused_without_a_change(
    engine: Engine, home: Place, name: str, value: Any
) -> None:
    keys = home.index_keys("a") | home.index_keys("b", "GSI2")
    await engine.write(home.put("it", **keys))
    wrong = keys | {name: value}
    with pytest.raises(BadRequest):
        await engine.write(home.put("it", **wrong))
    with pytest.raises(BadRequest):
        await engine.write(home.update("it", Set(name, value)))
    with pytest.raises(BadRequest):
        await engine.transact([home.put("other"), home.put("it", **wrong)])
    with pytest.raises(BadRequest):
        await engine.batch([home.put("other"), home.put("it", **wrong)])
    assert (await engine.query(home.all())).items == [home.item("it", **keys)]


async def test_an_update_changes_up_to_100_attributes(engine: Engine, home: Place) -> None:
    names = [f"{number:03}_the_attribute_that_is_changed" for number in range(101)]
    short = [f"attribute_with_24_lett{number:02}" for number in range(100)]
    await engine.write(home.put("it"))
    await engine.write(home.update("it", *(Set(name, 1) for name in names[:100])))
    await engine.write(home.update("it", *(Remove(name) for name in names[:100])))
    await engine.write(home.update("it", *(Add(name, 1) for name in short)))
    assert await engine.get(home.key("it")) == home.item("it", **dict.fromkeys(short, 1))
    with pytest.raises(BadRequest):
        await engine.write(home.update("it", *(Set(name, 1) for name in names)))


async def test_a_condition_has_up_to_20_parts_and_100_values(engine: Engine, home: Place) -> None:
    missing = [attr(f"attribute_with_24_lett{number:02}").missing for number in range(20)]
    named = [attr(f"attribute_with_24_lett{number:02}").one_of(*range(5)) for number in range(20)]
    names = {f"attribute_with_24_lett{number:02}": 4 for number in range(20)}
    await engine.write(home.put("it", All(tuple(missing))))
    await engine.write(home.put("it", All(tuple(missing)), **names))
    await engine.write(home.put("it", All(tuple(named)), **names))
    await engine.write(home.update("it", Set("a", 1), when=All(tuple(named))))
    assert await engine.count(home.all().only(All(tuple(named)))) == 1
    for wrong in (All((*missing, exists)), All((*named[:19], attr("a").one_of(*range(6))))):
        with pytest.raises(BadRequest):
            await engine.write(home.put("it", wrong))


async def test_a_condition_may_look_at_an_attribute_with_a_long_name(
    engine: Engine, home: Place
) -> None:
    name = "n" * 5000
    await engine.write(home.put("it", **{name: 1}))
    await engine.write(home.update("it", Add(name, 1), when=attr(name) == 1))
    assert await engine.get(home.key("it")) == home.item("it", **{name: 2})


@pytest.mark.parametrize("ttl", ["soon", 0.5, True, [], 2**63, {"S": "1"}])
async def test_a_ttl_is_a_time_in_whole_seconds_or_null(
    engine: Engine, home: Place, ttl: Any
) -> None:
    with pytest.raises(BadRequest):
        await engine.write(home.put("it", ttl=ttl))
    await engine.write(home.put("it", ttl=None))
    with pytest.raises(BadRequest):
        await engine.write(home.update("it", Set("ttl", ttl)))
    assert await engine.get(home.key("it")) == home.item("it", ttl=None)
