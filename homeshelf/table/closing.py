"""Closing an engine: nothing new is begun, and what was begun is finished first."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from homeshelf.table.engine import Unavailable

P = ParamSpec("P")
T = TypeVar("T")


class InFlight:
    """How many operations are under way."""

    def __init__(self) -> None:
        self._closed = False
        self._count = 0
        self._idle = asyncio.Event()

    def check(self) -> None:
        if self._closed:
            raise Unavailable("The database is closed.")

    def __enter__(self) -> None:
        if self._closed:
            self.check()
        self._count += 1

    def __exit__(self, *_: object) -> None:
        self._count -= 1
        if self._closed and not self._count:
            self._idle.set()

    async def close(self) -> None:
        self._closed = True
        while self._count:
            self._idle.clear()
            await self._idle.wait()


class HasOperations(Protocol):
    in_flight: InFlight


E = TypeVar("E", bound=HasOperations)


def while_open(
    operation: Callable[Concatenate[E, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[E, P], Coroutine[Any, Any, T]]:
    """An operation that a closed engine refuses and a closing one waits for."""

    @wraps(operation)
    async def counted(engine: E, /, *arguments: P.args, **named: P.kwargs) -> T:
        with engine.in_flight:
            return await operation(engine, *arguments, **named)

    return counted
