"""Find the records of the program and the access patterns that read them.

An access pattern is a function that returns a `Query`, or that reads once and returns records. Each
is called with the names of its parameters as values, to see the keys that it uses.
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

SAMPLE_TIME = datetime(2000, 1, 1, tzinfo=UTC)
KeyOrQuery = Key[Any] | Query[Any]


@dataclass(frozen=True)
class AccessPattern:
    function: Callable[..., Any]
    read: KeyOrQuery
    names: dict[str, str]
    """The placeholder for each argument of the function."""

    @property
    def record(self) -> Any:
        return getattr(self.read.load, "__self__", None)


def records_of(module: ModuleType) -> Iterator[type[Record]]:
    for value in _public_members(module):
        if inspect.isclass(value) and issubclass(value, Record) and hasattr(value, "keys"):
            yield value


def access_patterns_of(module: ModuleType) -> Iterator[AccessPattern]:
    for value in _public_members(module):
        if inspect.isfunction(value) and (found := _access_pattern(value)):
            yield found


def _public_members(module: ModuleType) -> Iterator[Any]:
    """Yield the public members that a module defines itself."""
    for name, value in vars(module).items():
        if getattr(value, "__module__", None) == module.__name__ and not name.startswith("_"):
            yield value


def _access_pattern(function: Callable[..., Any]) -> AccessPattern | None:
    returned = inspect.signature(function).return_annotation
    if not any(inspect.isclass(part) and issubclass(part, Record) for part in _parts(returned)):
        return None
    engine = _RecordingEngine()
    given = _arguments(function, engine)
    if given is None:
        return None
    arguments, names = given
    try:
        answer = function(**arguments)
        if isinstance(answer, Query):
            engine.reads.append(answer)
        else:
            _finish(answer)
    except Exception:  # noqa: BLE001  # a query gets no answer here
        return None
    return AccessPattern(function, engine.reads[0], names) if len(engine.reads) == 1 else None


def _arguments(
    function: Callable[..., Any], engine: "_RecordingEngine"
) -> tuple[dict[str, Any], dict[str, str]] | None:
    """Return a value for each parameter, and the placeholders that appear in keys."""
    arguments: dict[str, Any] = {}
    names: dict[str, str] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.default not in (inspect.Parameter.empty, None):
            continue
        placeholder = f"<{name.replace('_', '')}>"
        match set(_parts(parameter.annotation)) - {type(None)}:
            case kinds if kinds == {Database}:
                arguments[name] = _ReadOnlyDatabase(cast("Engine", engine))
                continue
            case kinds if kinds == {datetime}:
                arguments[name], placeholder = SAMPLE_TIME, clock.timestamp(SAMPLE_TIME)
            case kinds if kinds == {int}:
                arguments[name] = 0
            case kinds if kinds == {str}:
                arguments[name] = placeholder
            case _:
                return None
        names[placeholder] = to_camel(name)
    return arguments, names


class _NotARead(Exception):
    pass


class _RecordingEngine:
    """An empty engine that records its reads."""

    def __init__(self) -> None:
        self.consumed: Counter[str] = Counter()
        self.reads: list[KeyOrQuery] = []

    async def get(self, key: Key[Any], *, consistent: bool = True) -> None:  # noqa: ARG002  # the contract's
        self.reads.append(key)

    async def query(self, query: Query[Any]) -> Page[Any]:
        self.reads.append(query)
        return Page([])


class _ReadOnlyDatabase(Database):
    async def settle(self, *_: Any, **_named: Any) -> NoReturn:
        raise _NotARead


def _finish(answer: Coroutine[Any, Any, Any]) -> None:
    """Run a coroutine without an event loop, because its database never waits."""
    try:
        answer.send(None)
    except StopIteration:
        return
    answer.close()
    raise _NotARead


def _parts(annotation: Any) -> Iterator[Any]:
    """Yield the types in an annotation; a choice of texts is a text."""
    if get_origin(annotation) is Literal:
        yield from {type(value) for value in get_args(annotation)}
    elif get_origin(annotation) in (UnionType, Union):
        for part in get_args(annotation):
            yield from _parts(part)
    elif get_origin(annotation):  # a function's arguments are a list in it
        yield from (part for part in get_args(annotation) if not isinstance(part, list))
    else:
        yield annotation
