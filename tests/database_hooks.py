"""A database that calls a hook before and after each operation."""

from collections.abc import Awaitable, Callable
from typing import Any, Literal, cast

from homeshelf.places.model import Store
from homeshelf.table import Database, Engine, Key

OPERATIONS = ("get", "get_many", "query", "count", "write", "transact", "batch")
When = Literal["before", "after"]
Hook = Callable[[When, str], Awaitable[None]]


class HookedEngine:
    def __init__(self, engine: Engine, hook: Hook) -> None:
        self._engine = engine
        self._hook = hook

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._engine, name)
        if name not in OPERATIONS:
            return found

        async def call(*arguments: Any, **named: Any) -> Any:
            await self._hook("before", name)
            result = await found(*arguments, **named)
            await self._hook("after", name)
            return result

        return call


def with_hook(db: Database, hook: Hook) -> Database:
    """Return a database on the same tables with a hook."""
    return Database(cast("Engine", HookedEngine(db.engine, hook)))


def before_first_transaction(act: Callable[[], Awaitable[Any]]) -> Hook:
    """Return a hook that calls `act` once, after reading and before writing."""
    return _once(("before", "transact"), act)


def after_first_query(act: Callable[[], Awaitable[Any]]) -> Hook:
    """Return a hook that calls `act` once, after the first list was read."""
    return _once(("after", "query"), act)


def close_and_reopen_store(db: Database, place: Key[Store]) -> Hook:
    """Begin to delete a store before the first transaction, and give it up before the second."""
    left = ["2024-11-01T12:00:00.000Z", None]

    async def hook(moment: When, operation: str) -> None:
        if (moment, operation) == ("before", "transact") and left:
            closed_at = left.pop(0)
            await db.change(place, lambda old: old.changed(closed_at=closed_at))

    return hook


def _once(when: tuple[When, str], act: Callable[[], Awaitable[Any]]) -> Hook:
    acted = False

    async def hook(moment: When, operation: str) -> None:
        nonlocal acted
        if (moment, operation) == when and not acted:
            acted = True
            await act()

    return hook
