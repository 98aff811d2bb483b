"""An engine that calls somebody around each operation, who may do something or end it all."""

from collections.abc import Awaitable, Callable
from typing import Any, Literal, cast

from homeshelf.places.model import Store
from homeshelf.table import Database, Engine, Key

OPERATIONS = ("get", "get_many", "query", "count", "write", "transact", "batch")
Moment = Literal["before", "after"]
Watcher = Callable[[Moment, str], Awaitable[None]]


class Watched:
    def __init__(self, engine: Engine, watcher: Watcher) -> None:
        self._engine = engine
        self._watcher = watcher

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._engine, name)
        if name not in OPERATIONS:
            return found

        async def watched(*arguments: Any, **named: Any) -> Any:
            await self._watcher("before", name)
            result = await found(*arguments, **named)
            await self._watcher("after", name)
            return result

        return watched


def watched(db: Database, watcher: Watcher) -> Database:
    """The same tables, with somebody looking on."""
    return Database(cast("Engine", Watched(db.engine, watcher)))


def just_before_the_first_transaction(act: Callable[[], Awaitable[Any]]) -> Watcher:
    """Somebody who comes in between reading and writing, once."""
    return _once(("before", "transact"), act)


def just_after_the_first_query(act: Callable[[], Awaitable[Any]]) -> Watcher:
    """Somebody who comes in once a list is read, before anything is done with it."""
    return _once(("after", "query"), act)


def closing_and_opening(db: Database, place: Key[Store]) -> Watcher:
    """Somebody who is about to remove a shop at the first transaction, and leaves it after all."""
    left = ["2024-11-01T12:00:00.000Z", None]

    async def watcher(moment: Moment, operation: str) -> None:
        if (moment, operation) == ("before", "transact") and left:
            closed_at = left.pop(0)
            await db.change(place, lambda old: old.changed(closed_at=closed_at))

    return watcher


def _once(when: tuple[Moment, str], act: Callable[[], Awaitable[Any]]) -> Watcher:
    acted = False

    async def watcher(moment: Moment, operation: str) -> None:
        nonlocal acted
        if (moment, operation) == when and not acted:
            acted = True
            await act()

    return watcher
