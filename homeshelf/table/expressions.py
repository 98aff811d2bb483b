"""Conditions and changes as values that every engine understands.

    absent                                  there is no record
    exists & (attr("version") == 3)         there is one, at version 3
    attr("quantity") < attr("threshold")    compares two of its attributes
    attr("status").one_of("new", "open")
    attr("version").missing                 it has no such attribute

A condition on an attribute fails if there is no record; an expired record counts as none. Only
`missing` also holds then.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from operator import ge, gt, le, lt
from typing import Any, Literal

Value = str | int | Decimal | bool | None | list["Value"] | dict[str, "Value"]
Item = Mapping[str, Value]
Operator = Literal["=", "<", "<=", ">", ">="]

_ORDER: dict[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}
_KINDS: dict[type, str] = {
    str: "S",
    int: "N",
    bool: "BOOL",
    type(None): "NULL",
    Decimal: "N",
    list: "L",
    dict: "M",
}


class Condition:
    __slots__ = ()

    def __and__(self, other: "Condition") -> "All":
        return All((self, other))

    def holds(self, item: Item | None) -> bool:
        """Return whether the condition holds for this record, or for None, an absent one."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Exists(Condition):
    def holds(self, item: Item | None) -> bool:
        return item is not None


@dataclass(frozen=True, slots=True)
class Absent(Condition):
    def holds(self, item: Item | None) -> bool:
        return item is None


@dataclass(frozen=True, slots=True)
class Missing(Condition):
    attribute: str

    def holds(self, item: Item | None) -> bool:
        return item is None or self.attribute not in item


@dataclass(frozen=True, slots=True)
class Compare(Condition):
    attribute: str
    operator: Operator
    operand: "Value | Attribute"

    def holds(self, item: Item | None) -> bool:
        if item is None or self.attribute not in item:
            return False
        value, operand = item[self.attribute], self.operand
        if isinstance(operand, Attribute):
            if operand.name not in item:
                return False
            operand = item[operand.name]
        if self.operator == "=":
            return same(value, operand)
        return kind(value) == kind(operand) in "SN" and _ORDER[self.operator](value, operand)


@dataclass(frozen=True, slots=True)
class OneOf(Condition):
    attribute: str
    values: tuple[Value, ...]

    def holds(self, item: Item | None) -> bool:
        if item is None or self.attribute not in item:
            return False
        return any(same(item[self.attribute], value) for value in self.values)


@dataclass(frozen=True, slots=True)
class All(Condition):
    parts: tuple[Condition, ...]

    def holds(self, item: Item | None) -> bool:
        return all(part.holds(item) for part in self.parts)


exists = Exists()
absent = Absent()


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
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
    """Add to a number; a missing attribute counts as 0."""

    attribute: str
    amount: int | Decimal


UpdateAction = Set | Remove | Add


def holds(condition: Condition | None, item: Item | None) -> bool:
    return condition is None or condition.holds(item)


def same(one: Value, other: Value) -> bool:
    """Compare as DynamoDB does: values of different types differ, so true is not 1."""
    if type(one) is str:
        return one == other
    if kind(one) != kind(other):
        return False
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    return one == other


def kind(value: object) -> str:
    """Return DynamoDB's type letter for a value, or "?" if it cannot be stored."""
    found = _KINDS.get(type(value))
    if found is not None:
        return found
    return next((letter for type_, letter in _KINDS.items() if isinstance(value, type_)), "?")
