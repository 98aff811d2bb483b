from decimal import Decimal
from typing import Any

import pytest

from homeshelf.table.engine import BadRequest, Engine
from homeshelf.table.expressions import Set
from tests.table.support import Place, exactly


def nested(depth: int, inside: Any, *, as_map: bool) -> Any:
    value = inside
    for _ in range(depth):
        value = {"inner": value} if as_map else [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        "",
        "milk",
        "Crème brûlée \U0001f36e",
        "\x00\x1f\u2028\\\"'",
        "\ud7ff\ue000\U0010ffff",
        None,
        True,
        False,
        0,
        1,
        -1,
        2**53 + 1,
        2**63,
        -(2**63) - 1,
        2**64,
        int("9" * 38),
        -int("9" * 38),
        10**125,
        Decimal("12.5"),
        Decimal("-0.01"),
        Decimal("0.1"),
        Decimal("1234567890123456789.0123456789012345678"),
        Decimal("1E-130"),
        Decimal("-1E-130"),
        Decimal("9.9999999999999999999999999999999999999E-93"),
        [],
        {},
        [[], {}, ""],
        [1, "1", True, None, Decimal("1.5"), {"a": [None, 0, False]}],
        {"with space": 1, "a.b": 2, "ünï": {"$": None}},
        nested(31, "deep", as_map=True),
        nested(31, 1, as_map=False),
        nested(30, [], as_map=True),
        nested(30, {}, as_map=False),
    ],
    ids=lambda value: repr(value)[:40],
)
async def test_value_is_read_as_it_was_written(engine: Engine, home: Place, value: Any) -> None:
    await engine.write(home.put("it", value=value))
    found = await engine.get(home.key("it"))
    assert found is not None
    assert exactly(found["value"], value)
    assert exactly((await engine.query(home.all())).items[0]["value"], value)
    await engine.write(home.put("it", value="other"))
    await engine.write(home.update("it", Set("value", value)))
    replaced = await engine.write(home.delete("it"))
    assert replaced is not None
    assert exactly(replaced["value"], value)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (Decimal("12.50"), Decimal("12.5")),
        (Decimal("3.00"), 3),
        (Decimal("1E+2"), 100),
        (Decimal("-0"), 0),
        (Decimal("0.000"), 0),
        (Decimal("0E-200"), 0),
        (Decimal("1E+125"), 10**125),
        (Decimal("9.9999999999999999999999999999999999999E+125"), int("9" * 38 + "0" * 88)),
        ([Decimal("2.0"), {"a": Decimal("1.10")}], [2, {"a": Decimal("1.1")}]),
    ],
)
async def test_number_is_returned_in_its_shortest_form(
    engine: Engine, home: Place, written: Any, read: Any
) -> None:
    await engine.write(home.put("it", value=written))
    found = await engine.get(home.key("it"))
    assert found is not None
    assert exactly(found["value"], read)


@pytest.mark.parametrize(
    "value",
    [
        0.5,
        float("nan"),
        float("inf"),
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("-Infinity"),
        {1, 2},
        {"a", "b"},
        frozenset[str](),
        b"milk",
        bytearray(b"milk"),
        ("a", "b"),
        object(),
        "\ud800",
        "ab\udfff",
        10**38 + 1,
        10**5000,
        Decimal("1.00000000000000000000000000000000000001"),
        Decimal("1." + "0" * 600 + "1"),
        Decimal("1E-131"),
        Decimal("1E+126"),
        Decimal("1E+999999999"),
        nested(32, 1, as_map=True),
        nested(32, "deep", as_map=False),
        nested(31, [], as_map=True),
        nested(31, {}, as_map=False),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_unsupported_value_is_refused_at_any_depth(
    engine: Engine, home: Place, value: Any
) -> None:
    await engine.write(home.put("it", value=1))
    places: list[Any] = [value, [value], {"a": value}, [{"a": [value]}]]
    for hidden in places:
        with pytest.raises(BadRequest):
            await engine.write(home.put("it", value=hidden))
        with pytest.raises(BadRequest):
            await engine.write(home.update("it", Set("value", hidden)))
        with pytest.raises(BadRequest):
            await engine.transact([home.put("it", value=hidden)])
        with pytest.raises(BadRequest):
            await engine.batch([home.put("it", value=hidden)])
    assert await engine.get(home.key("it")) == home.item("it", value=1)


@pytest.mark.parametrize("name", ["", "\ud800"])
async def test_empty_attribute_name_is_refused(engine: Engine, home: Place, name: str) -> None:
    with pytest.raises(BadRequest):
        await engine.write(home.put("it", **{name: 1}))
    with pytest.raises(BadRequest):
        await engine.write(home.put("it", value={name: 1}))


async def test_read_returns_a_copy(engine: Engine, home: Place) -> None:
    await engine.write(home.put("it", list=[1]))
    found: Any = await engine.get(home.key("it"))
    found["list"].append(2)
    assert await engine.get(home.key("it")) == home.item("it", list=[1])


async def test_write_does_not_change_the_callers_item(engine: Engine, home: Place) -> None:
    put = home.put("it", price=Decimal("1.50"), list=[Decimal("2.0")])
    await engine.write(put)
    assert exactly(put.item["price"], Decimal("1.50"))
    assert exactly(put.item["list"], [Decimal("2.0")])
