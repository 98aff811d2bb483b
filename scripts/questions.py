"""The records of the program and the questions that it asks about them, found in its code.

A question is a function that returns a `Query`, or that reads once and returns records. Each is
called with the names of its parameters for values, which shows the keys that it really uses.
"""

import inspect
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from types import ModuleType, UnionType
from typing import Any, Literal, NoReturn, Union, cast, get_args, get_origin

from pydantic.alias_generators import to_camel

from homeshelf import clock
from homeshelf.table import Database, Engine, Key, Page, Query, Record

SOME_DAY = datetime(2000, 1, 1, tzinfo=UTC)
Asked = Key[Any] | Query[Any]


@dataclass(frozen=True)
class Question:
    function: Callable[..., Any]
    asked: Asked
    names: dict[str, str]
    """The placeholder for each argument of the function."""

    @property
    def record(self) -> Any:
        return getattr(self.asked.load, "__self__", None)


def records_of(module: ModuleType) -> Iterator[type[Record]]:
    for value in _own(module):
        if inspect.isclass(value) and issubclass(value, Record) and hasattr(value, "keys"):
            yield value


def questions_of(module: ModuleType) -> Iterator[Question]:
    for value in _own(module):
        if inspect.isfunction(value) and (found := _question(value)):
            yield found


def _own(module: ModuleType) -> Iterator[Any]:
    """Yield the public members that a module defines itself."""
    for name, value in vars(module).items():
        if getattr(value, "__module__", None) == module.__name__ and not name.startswith("_"):
            yield value


def _question(function: Callable[..., Any]) -> Question | None:
    returned = inspect.signature(function).return_annotation
    if not any(inspect.isclass(part) and issubclass(part, Record) for part in _parts(returned)):
        return None
    listener = _Listener()
    given = _arguments(function, listener)
    if given is None:
        return None
    arguments, names = given
    try:
        answer = function(**arguments)
        if isinstance(answer, Query):
            listener.heard.append(answer)
        else:
            _finish(answer)
    except Exception:  # noqa: BLE001  # a query gets no answer here
        return None
    return Question(function, listener.heard[0], names) if len(listener.heard) == 1 else None


def _arguments(
    function: Callable[..., Any], listener: "_Listener"
) -> tuple[dict[str, Any], dict[str, str]] | None:
    """A value for each parameter, and what stands for it in a key."""
    arguments: dict[str, Any] = {}
    names: dict[str, str] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.default not in (inspect.Parameter.empty, None):
            continue
        stand_in = f"<{name.replace('_', '')}>"
        match set(_parts(parameter.annotation)) - {type(None)}:
            case kinds if kinds == {Database}:
                arguments[name] = _Reading(cast("Engine", listener))
                continue
            case kinds if kinds == {datetime}:
                arguments[name], stand_in = SOME_DAY, clock.timestamp(SOME_DAY)
            case kinds if kinds == {int}:
                arguments[name] = 0
            case kinds if kinds == {str}:
                arguments[name] = stand_in
            case _:
                return None
        names[stand_in] = to_camel(name)
    return arguments, names


class _MoreThanAsking(Exception):
    pass


class _Listener:
    """An engine that has nothing, and remembers what it was asked."""

    def __init__(self) -> None:
        self.consumed: Counter[str] = Counter()
        self.heard: list[Asked] = []

    async def get(self, key: Key[Any], *, consistent: bool = True) -> None:  # noqa: ARG002  # the contract's
        self.heard.append(key)

    async def query(self, query: Query[Any]) -> Page[Any]:
        self.heard.append(query)
        return Page([])


class _Reading(Database):
    async def settle(self, *_: Any, **_named: Any) -> NoReturn:
        raise _MoreThanAsking


def _finish(answer: Coroutine[Any, Any, Any]) -> None:
    """Run a coroutine without an event loop, because its database never waits."""
    try:
        answer.send(None)
    except StopIteration:
        return
    answer.close()
    raise _MoreThanAsking


def _parts(annotation: Any) -> Iterator[Any]:
    """The types that an annotation is made of; a choice of texts is a text."""
    if get_origin(annotation) is Literal:
        yield from {type(value) for value in get_args(annotation)}
    elif get_origin(annotation) in (UnionType, Union):
        for part in get_args(annotation):
            yield from _parts(part)
    elif get_origin(annotation):  # a function's arguments are a list in it
        yield from (part for part in get_args(annotation) if not isinstance(part, list))
    else:
        yield annotation
