"""Conditions and changes, as small values that every engine understands.

    absent                                  nothing is stored there
    exists & (attr("version") == 3)         something is, at version 3
    attr("quantity") < attr("threshold")    two of its attributes compared
    attr("status").one_of("new", "open")
    attr("version").missing                 it has no such attribute

A condition about an attribute never holds where there is no record, and an expired record is no
record. `missing` is the exception: what is not there has no attributes either.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from operator import ge, gt, le, lt
from typing import Any, Literal

Value = str | int | Decimal | bool | None | list["Value"] | dict[str, "Value"]
Item = Mapping[str, Value]
Operator = Literal["=", "<", "<=", ">", ">="]

_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}


class Condition:
    __slots__ = ()

    def __and__(self, other: "Condition") -> "All":
        return All((self, other))


@dataclass(frozen=True, slots=True)
class Exists(Condition):
    pass


@dataclass(frozen=True, slots=True)
class Absent(Condition):
    pass


@dataclass(frozen=True, slots=True)
class Missing(Condition):
    attribute: str


@dataclass(frozen=True, slots=True)
class Compare(Condition):
    attribute: str
    operator: Operator
    operand: "Value | Attribute"


@dataclass(frozen=True, slots=True)
class OneOf(Condition):
    attribute: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class All(Condition):
    parts: tuple[Condition, ...]


exists = Exists()
absent = Absent()


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """An attribute by name; comparing it makes a condition."""

    name: str

    def __eq__(self, other: "Value | Attribute") -> Compare:  # type: ignore[override]  # a condition
        return Compare(self.name, "=", other)

    def __lt__(self, other: "Value | Attribute") -> Compare:
        return Compare(self.name, "<", other)

    def __le__(self, other: "Value | Attribute") -> Compare:
        return Compare(self.name, "<=", other)

    def __gt__(self, other: "Value | Attribute") -> Compare:
        return Compare(self.name, ">", other)

    def __ge__(self, other: "Value | Attribute") -> Compare:
        return Compare(self.name, ">=", other)

    def __hash__(self) -> int:
        return hash(self.name)

    def one_of(self, *values: Value) -> OneOf:
        return OneOf(self.name, values)

    @property
    def missing(self) -> Missing:
        return Missing(self.name)


attr = Attribute


@dataclass(frozen=True, slots=True)
class Set:
    attribute: str
    value: Value


@dataclass(frozen=True, slots=True)
class Remove:
    attribute: str


@dataclass(frozen=True, slots=True)
class Add:
    """Add to a number; an attribute that is not there counts as 0."""

    attribute: str
    amount: int | Decimal


Change = Set | Remove | Add


def holds(condition: Condition | None, item: Item | None) -> bool:
    """Whether the condition is true of this record; `None` is a record that is not there."""
    match condition:
        case None:
            return True
        case Absent():
            return item is None
        case Missing(name):
            return item is None or name not in item
        case All(parts):
            return all(holds(part, item) for part in parts)
    if item is None:
        return False
    match condition:
        case Exists():
            return True
        case OneOf(name, values):
            return name in item and any(same(item[name], value) for value in values)
        case Compare(name, operator, operand):
            if isinstance(operand, Attribute):
                if operand.name not in item:
                    return False
                operand = item[operand.name]
            return name in item and _compares(item[name], operator, operand)
    raise TypeError(f"not a condition: {condition!r}")


def same(one: Value, other: Value) -> bool:
    """Equality as DynamoDB has it: true is not 1, and nothing equals a value of another type."""
    if kind(one) != kind(other):
        return False
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    return one == other


def kind(value: object) -> str:
    """DynamoDB's letter for the type of a value."""
    match value:
        case None:
            return "NULL"
        case bool():
            return "BOOL"
        case str():
            return "S"
        case int() | Decimal():
            return "N"
        case list():
            return "L"
        case dict():
            return "M"
        case _:
            return "?"


def attributes(condition: Condition | None) -> Iterator[str]:
    """The attributes that a condition looks at."""
    match condition:
        case Missing(name) | OneOf(name, _):
            yield name
        case Compare(name, _, operand):
            yield name
            if isinstance(operand, Attribute):
                yield operand.name
        case All(parts):
            for part in parts:
                yield from attributes(part)


def _compares(one: Value, operator: Operator, other: Value) -> bool:
    if operator == "=":
        return same(one, other)
    return kind(one) == kind(other) and kind(one) in "SN" and _ORDER[operator](one, other)
