"""Closing an engine: nothing new is begun, and what was begun is finished first."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from homeshelf.table.engine import Unavailable

P = ParamSpec("P")
T = TypeVar("T")


class Work:
    """How many operations are under way."""

    def __init__(self) -> None:
        self.ended = False
        self.under_way = 0
        self.idle: asyncio.Event | None = None

    def check(self) -> None:
        if self.ended:
            raise Unavailable("The database is closed.")

    async def end(self) -> None:
        self.ended = True
        self.idle = self.idle or asyncio.Event()
        while self.under_way:
            self.idle.clear()
            await self.idle.wait()


class Worker(Protocol):
    work: Work


E = TypeVar("E", bound=Worker)


def while_open(
    operation: Callable[Concatenate[E, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[E, P], Coroutine[Any, Any, T]]:
    """An operation that a closed engine refuses and a closing one waits for."""

    @wraps(operation)
    async def counted(engine: E, /, *arguments: P.args, **named: P.kwargs) -> T:
        work = engine.work
        work.check()
        work.under_way += 1
        try:
            return await operation(engine, *arguments, **named)
        finally:
            work.under_way -= 1
            if work.idle and not work.under_way:
                work.idle.set()

    return counted
