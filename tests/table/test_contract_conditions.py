from collections.abc import Awaitable
from decimal import Decimal
from typing import Any

import pytest

from homeshelf.table.engine import (
    BadRequest,
    ConditionFailed,
    Engine,
    TableError,
    TransactionCancelled,
)
from homeshelf.table.expressions import (
    Absent,
    All,
    Condition,
    Exists,
    Item,
    OneOf,
    Value,
    absent,
    attr,
    exists,
)
from tests.table.support import HOUR, Clock, Place, found_by

RECORD: dict[str, Value] = {
    "text": "milk",
    "empty": "",
    "accent": "é",
    "three": 3,
    "four": 4,
    "exact": Decimal("12.5"),
    "huge": 10**37 + 1,
    "one": 1,
    "true": True,
    "false": False,
    "null": None,
    "list": [1, "a", [True]],
    "map": {"a": 1, "b": {"c": None}},
    "no list": [],
    "dotted.name": "dots",
    "size": "a reserved word",
}

HOLD: list[Condition] = [
    exists,
    attr("nothing").missing,
    attr("text") == "milk",
    attr("text") < "milky",
    attr("text") <= "milk",
    attr("text") > "MILK",
    attr("text") >= "milk",
    attr("text") > "",
    attr("empty") == "",
    attr("empty") < "a",
    attr("accent") > "z",
    attr("accent") < "\ue000",
    attr("three") == 3,
    attr("three") == Decimal("3.00"),
    attr("three") < 10,
    attr("three") <= 3,
    attr("three") > Decimal("2.99"),
    attr("three") >= 3,
    attr("three") > -3,
    attr("exact") == Decimal("12.50"),
    attr("exact") < 13,
    attr("huge") == 10**37 + 1,
    attr("huge") > 10**37,
    attr("true") == True,  # noqa: E712  # a condition
    attr("false") == False,  # noqa: E712  # a condition
    attr("null") == None,  # noqa: E711  # a condition
    attr("list") == [1, "a", [True]],
    attr("list") == [Decimal("1.0"), "a", [True]],
    attr("map") == {"b": {"c": None}, "a": 1},
    attr("no list") == [],
    attr("dotted.name") == "dots",
    attr("size") == "a reserved word",
    attr("three") < attr("four"),
    attr("three") <= attr("four"),
    attr("four") > attr("three"),
    attr("four") >= attr("three"),
    attr("text") > attr("empty"),
    attr("text").one_of("bread", "milk"),
    attr("three").one_of(Decimal("3.0")),
    attr("null").one_of(1, None),
    attr("true").one_of(1, True),
    attr("list").one_of([], [1, "a", [True]]),
    attr("three").one_of(*range(100)),
    exists & (attr("three") == 3),
    (attr("three") == 3) & (attr("text") == "milk") & attr("nothing").missing,
    All((attr("three") == 3, All((exists, attr("four") == 4)))),
]

FAIL: list[Condition] = [
    absent,
    attr("text").missing,
    attr("null").missing,
    attr("empty").missing,
    attr("text") == "Milk",
    attr("text") < "milk",
    attr("text") <= "mil",
    attr("text") > "milk",
    attr("text") >= "milk ",
    attr("accent") < "z",
    attr("three") == 4,
    attr("three") < 3,
    attr("three") <= Decimal("2.999"),
    attr("three") > 3,
    attr("three") >= 4,
    attr("huge") == 10**37,
    attr("three") == "3",
    attr("three") < "4",
    attr("text") > 1,
    attr("one") == True,  # noqa: E712  # a condition
    attr("true") == 1,
    attr("false") == 0,
    attr("false") == None,  # noqa: E711  # a condition
    attr("null") == "",
    attr("null") < 5,
    attr("null") > "",
    attr("true") < 5,
    attr("list") < 5,
    attr("map") > "a",
    attr("list") == [1, "a", [1]],
    attr("list") == ["a", 1, [True]],
    attr("list") == [1, "a"],
    attr("map") == {"a": 1},
    attr("map") == {"a": 1, "b": {"c": False}},
    attr("no list") == {},
    attr("nothing") == None,  # noqa: E711  # a condition
    attr("nothing") == "",
    attr("nothing") < 5,
    attr("three") > attr("four"),
    attr("three") == attr("four"),
    attr("three") < attr("text"),
    attr("three") < attr("nothing"),
    attr("nothing") < attr("three"),
    attr("nothing") == attr("missing"),
    attr("true") == attr("one"),
    attr("list") < attr("map"),
    attr("false") < attr("true"),
    attr("null") <= attr("null again"),
    attr("text").one_of("Milk", "bread"),
    attr("three").one_of("3"),
    attr("true").one_of(1),
    attr("one").one_of(True),
    attr("nothing").one_of(None, ""),
    exists & (attr("three") == 4),
    exists & absent,
    attr("three").missing & (attr("four") == 4),
]

OF_NOTHING: list[Condition] = [
    absent,
    attr("text").missing,
    absent & attr("text").missing,
    attr("text").missing & attr("three").missing,
]
"""The only conditions that hold for a missing record."""

NOT_OF_NOTHING: list[Condition] = [
    exists,
    attr("text") == "milk",
    attr("null") == None,  # noqa: E711  # a condition
    attr("three") < 5,
    attr("three") < attr("four"),
    attr("three").one_of(3),
    exists & attr("nothing").missing,
    absent & (attr("three") == 3),
]


async def holds(engine: Engine, place: Place, condition: Condition) -> bool:
    """Return whether the condition holds; a check and a conditional write must agree."""
    found = await engine.get(place.key("it"))
    check, put = place.check("it", condition), place.put("it", condition, **_attributes(found))
    by_check = await refusal(engine.transact([check]))
    by_put = await refusal(engine.write(put))
    assert (by_check is None) == (by_put is None)
    if isinstance(by_check, TransactionCancelled):
        assert found_by(by_check, check) == found
    if isinstance(by_put, ConditionFailed):
        assert by_put.current == found
    return by_put is None


async def refusal(attempt: Awaitable[object]) -> TableError | None:
    try:
        await attempt
    except (ConditionFailed, TransactionCancelled) as error:
        return error
    return None


def _attributes(item: Item | None) -> dict[str, Any]:
    return {name: value for name, value in (item or {}).items() if name not in ("PK", "SK")}


@pytest.mark.parametrize("condition", HOLD, ids=str)
async def test_a_condition_holds(engine: Engine, home: Place, condition: Condition) -> None:
    await engine.write(home.put("it", **RECORD))
    assert await holds(engine, home, condition)


@pytest.mark.parametrize("condition", FAIL, ids=str)
async def test_a_condition_does_not_hold(engine: Engine, home: Place, condition: Condition) -> None:
    await engine.write(home.put("it", **RECORD))
    assert not await holds(engine, home, condition)
    with pytest.raises(ConditionFailed):
        await engine.write(home.delete("it", condition))
    assert await engine.get(home.key("it")) == home.item("it", **RECORD)


async def test_filter_and_condition_agree(engine: Engine, home: Place) -> None:
    await engine.write(home.put("it", **RECORD))
    for conditions, count in ((HOLD, 1), (FAIL, 0)):
        for condition in conditions:
            if not asks_for_presence(condition):
                assert await engine.count(home.all().only(condition)) == count, condition


def asks_for_presence(condition: Condition) -> bool:
    if isinstance(condition, All):
        return any(map(asks_for_presence, condition.parts))
    return isinstance(condition, Exists | Absent)


@pytest.mark.parametrize("condition", OF_NOTHING, ids=str)
async def test_missing_record_is_absent_and_lacks_attributes(
    engine: Engine, home: Place, condition: Condition
) -> None:
    assert await holds(engine, home, condition)


@pytest.mark.parametrize("condition", NOT_OF_NOTHING, ids=str)
async def test_other_conditions_fail_on_a_missing_record(
    engine: Engine, home: Place, condition: Condition
) -> None:
    assert not await holds(engine, home, condition)
    with pytest.raises(ConditionFailed):
        await engine.write(home.delete("it", condition))
    assert await engine.get(home.key("it")) is None


@pytest.mark.parametrize("condition", OF_NOTHING, ids=str)
async def test_expired_record_counts_as_absent(
    engine: Engine, home: Place, clock: Clock, condition: Condition
) -> None:
    await engine.write(home.put("it", ttl=clock() + HOUR, **RECORD))
    clock.forward(HOUR)
    assert await holds(engine, home, condition)


@pytest.mark.parametrize("condition", NOT_OF_NOTHING, ids=str)
async def test_no_condition_about_an_attribute_holds_for_an_expired_record(
    engine: Engine, home: Place, clock: Clock, condition: Condition
) -> None:
    await engine.write(home.put("it", ttl=clock() + HOUR, **RECORD))
    clock.forward(HOUR)
    assert not await holds(engine, home, condition)


async def test_condition_can_test_keys_and_ttl(engine: Engine, home: Place, clock: Clock) -> None:
    later = clock() + HOUR
    await engine.write(home.put("it", ttl=later, expires=later, **home.index_keys("a")))
    assert await holds(engine, home, attr("ttl") == attr("expires"))
    assert await holds(engine, home, attr("ttl") > clock())
    assert await holds(engine, home, attr("GSI1SK") == "a")
    assert await holds(engine, home, attr("SK") == "it")
    assert not await holds(engine, home, attr("ttl").missing)
    assert await engine.count(home.all().only(attr("ttl") == later)) == 1


async def test_conditions_work_in_a_table_whose_records_do_not_expire(
    engine: Engine, shelf: Place
) -> None:
    await engine.write(shelf.put("it", absent, title="Emma"))
    with pytest.raises(ConditionFailed) as failed:
        await engine.write(shelf.put("it", absent, title="Ulysses"))
    assert failed.value.current == shelf.item("it", title="Emma")
    await engine.write(shelf.put("it", exists & (attr("title") == "Emma"), title="Ulysses"))
    await engine.transact([shelf.check("it", exists), shelf.check("other", absent)])
    assert await engine.get(shelf.key("it")) == shelf.item("it", title="Ulysses")


async def test_attribute_named_ttl_is_ordinary_in_tables_without_expiry(
    engine: Engine, shelf: Place, clock: Clock
) -> None:
    await engine.write(shelf.put("it", ttl=clock() - HOUR))
    assert await engine.get(shelf.key("it")) == shelf.item("it", ttl=clock() - HOUR)
    with pytest.raises(ConditionFailed):
        await engine.write(shelf.put("it", absent))


@pytest.mark.parametrize(
    "condition",
    [
        attr("text") < True,
        attr("text") < None,
        attr("text") >= [],
        attr("text") <= {"a": 1},
        attr("text") == attr("text"),
        attr("text") == float("1.5"),
        attr("text") == b"milk",
        attr("text") == "\ud800",
        attr("text") == Decimal("NaN"),
        attr("") == 1,
        attr("\ud800").missing,
        attr("text") == attr(""),
        OneOf("text", ()),
        attr("text").one_of(*range(101)),
        attr("text").one_of("a", 1.5),  # type: ignore[arg-type]  # wrong on purpose
        All(()),
        exists & All(()),
        exists & (attr("text") < False),
    ],
    ids=repr,
)
async def test_condition_unsupported_by_dynamodb_is_refused(
    engine: Engine, home: Place, condition: Condition
) -> None:
    await engine.write(home.put("it", text="milk"))
    with pytest.raises(BadRequest):
        await engine.write(home.put("it", condition, text="bread"))
    with pytest.raises(BadRequest):
        await engine.write(home.delete("it", condition))
    with pytest.raises(BadRequest):
        await engine.transact([home.check("it", condition)])
    with pytest.raises(BadRequest):
        await engine.query(home.all().only(condition))
    assert await engine.get(home.key("it")) == home.item("it", text="milk")
