"""What a condition may be made of, and what a filter may look at."""

from homeshelf.table.engine import BadRequest
from homeshelf.table.expressions import (
    Absent,
    All,
    Attribute,
    Compare,
    Condition,
    Exists,
    OneOf,
    absent,
    exists,
    kind,
)
from homeshelf.table.values import checked_value, name_bytes

PARTS, VALUES = 20, 100
"""What DynamoDB's 4 kB of an expression hold in any case."""


def check_condition(condition: Condition | None) -> None:
    if condition is None or condition is absent or condition is exists:
        return
    if isinstance(condition, Compare):  # most others are, and every write comes through here
        _check_comparison(condition)
        return
    parts = _parts(condition)
    values = sum(len(part.values) for part in parts if isinstance(part, OneOf))
    if len(parts) > PARTS or values > VALUES:
        raise BadRequest(
            f"a condition of {len(parts)} parts and {values} values; at most {PARTS} and {VALUES}"
        )
    for part in parts:
        _check_part(part)


def check_filter(condition: Condition, keys: tuple[str, ...]) -> None:
    check_condition(condition)
    for part in (condition,) if isinstance(condition, Compare) else _parts(condition):
        if isinstance(part, (Exists, Absent)):
            raise BadRequest("a filter looks at attributes; what is found exists")
        for name in part.attributes:
            if name in keys:
                raise BadRequest("a filter looks at attributes that are no keys")


def _parts(condition: Condition) -> list[Condition]:
    if not isinstance(condition, All):
        return [condition]
    if not condition.parts:
        raise BadRequest("a conjunction of nothing")
    return [part for among in condition.parts for part in _parts(among)]


def _check_part(part: Condition) -> None:
    if isinstance(part, Compare):
        _check_comparison(part)
        return
    for name in part.attributes:
        name_bytes(name)
    if isinstance(part, OneOf):
        if not part.values:
            raise BadRequest("one of no values")
        for value in part.values:
            checked_value(value)


def _check_comparison(part: Compare) -> None:
    name, operator, operand = part.attribute, part.operator, part.operand
    name_bytes(name)
    if isinstance(operand, Attribute):
        name_bytes(operand.name)
        if operand.name == name:
            raise BadRequest(f"{name} compared with itself")
        return
    checked_value(operand)
    if operator != "=" and kind(operand) not in "SN":
        raise BadRequest(f"{operator} compares texts and numbers, not {operand!r}")
