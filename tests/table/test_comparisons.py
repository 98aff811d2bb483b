"""Each engine and the model compare every pair of values with the same result."""

from decimal import Decimal
from typing import Any

from homeshelf.table import Engine
from homeshelf.table.expressions import Compare, Condition, Operator, attr
from tests.table.model import condition_holds
from tests.table.support import Place, list_sort_keys, new_lasting_place

VALUES: list[Any] = [
    None,
    False,
    True,
    0,
    1,
    -1,
    Decimal("1.0"),
    Decimal("1.5"),
    Decimal("-1.5"),
    Decimal("1E-130"),
    10**30,
    10**30 + 1,
    Decimal("1E+30"),
    "",
    "0",
    "1",
    "A",
    "a",
    "a\0",
    "aa",
    "é",
    "e\u0301",
    "\uffff",
    "\U00010000",
    [],
    [1],
    [True],
    [1, 1],
    [[1]],
    {},
    {"a": 1},
    {"a": True},
    {"a": 1, "b": 1},
]
EQUAL: list[Operator] = ["="]
ORDERS: list[Operator] = ["<", "<=", ">", ">="]


async def test_comparison_with_a_value_matches_the_model(engine: Engine, shelf: Place) -> None:
    items = {f"{n:02}": {"a": value} for n, value in enumerate(VALUES)} | {"none": {}}
    await engine.batch([shelf.put(name, **item) for name, item in items.items()])
    conditions: list[Condition] = [attr("a").missing]
    for value in VALUES:
        conditions += [attr("a") == value, attr("a").one_of(value, "other")]
        if _has_order(value):
            conditions += [Compare("a", operator, value) for operator in ORDERS]
    for condition in conditions:
        found = await engine.query(shelf.all().only(condition))
        expected = [name for name, item in items.items() if condition_holds(condition, item)]
        assert list_sort_keys(found.items, "sk") == expected, condition


async def test_comparison_of_two_attributes_matches_the_model(engine: Engine) -> None:
    """Only texts and numbers are ordered: servers disagree whether null <= null."""
    for values, operators in [(VALUES, EQUAL), ([*filter(_has_order, VALUES)], ORDERS)]:
        items = {
            f"{m:02} {n:02}": {"a": one, "b": other}
            for m, one in enumerate(values)
            for n, other in enumerate(values)
        }
        shelf = new_lasting_place()
        await engine.batch([shelf.put(name, **item) for name, item in items.items()])
        for operator in operators:
            condition = Compare("a", operator, attr("b"))
            found = await engine.query(shelf.all().only(condition))
            expected = [name for name, item in items.items() if condition_holds(condition, item)]
            assert list_sort_keys(found.items, "sk") == expected, condition


def _has_order(value: object) -> bool:
    return isinstance(value, str | int | Decimal) and not isinstance(value, bool)
