"""The habits of a family: its ticks, kept in memory and written in the background. They are small
records without conditions; a crash loses a few, which the next ticks replace."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Annotated

import structlog
from fastapi import Depends, Request

from homeshelf.background import in_background, keep_flushed
from homeshelf.shopping import order
from homeshelf.shopping.model import ShoppingListItem, purchase_of
from homeshelf.table import Database, TableError
from homeshelf.web.services import Services, services_of

MOST_WAITING = 5000
"""More than a family ticks in a year; the rest is not learned."""

log = structlog.get_logger()


class Habits:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._ticked: dict[str, ShoppingListItem] = {}
        self._noted = asyncio.Event()
        self._turn = asyncio.Lock()

    def note(self, entry: ShoppingListItem) -> None:
        """Remember that an entry was ticked or unticked just now. The last time counts."""
        self._ticked.pop(entry.shopping_item_id, None)
        if len(self._ticked) < MOST_WAITING:
            self._ticked[entry.shopping_item_id] = entry
            self._noted.set()

    async def keep(self, stop: asyncio.Event) -> None:
        await keep_flushed(self._noted, self.flush, stop)

    async def flush(self) -> None:
        """Write all ticks, so that the caller reads what was learned a moment ago."""
        async with self._turn:
            self._noted.clear()
            taken, self._ticked = list(self._ticked.values()), {}
            if not taken:
                return
            try:
                await self._learn(taken)
            except Exception as error:  # noqa: BLE001  # whatever it is, learning goes on
                log.warning("ticks_unlearned", error=repr(error))
                if isinstance(error, TableError):
                    self._keep_for_later(taken)

    async def _learn(self, ticked: Sequence[ShoppingListItem]) -> None:
        purchases = [(entry.status == "purchased", purchase_of(entry)) for entry in ticked]
        await self._db.batch([it.put() if bought else it.delete() for bought, it in purchases])
        stores: dict[tuple[str, str | None], list[ShoppingListItem]] = {}
        for entry in ticked:
            if entry.status == "purchased":
                stores.setdefault((entry.family_id, entry.store_id), []).append(entry)
        for (family_id, store_id), there in stores.items():
            await order.learn(self._db, family_id, store_id, there)

    def _keep_for_later(self, ticked: Sequence[ShoppingListItem]) -> None:
        """Queue them again, before newer ticks, which count for more."""
        since, self._ticked = self._ticked, {}
        for entry in (*ticked, *since.values()):
            self.note(entry)


async def start(services: Services, closing: AsyncExitStack) -> None:
    habits = Habits(services.db)
    services.provide(Habits, habits)
    await closing.enter_async_context(in_background(habits.keep))


async def _habits(request: Request) -> Habits:
    return services_of(request).of(Habits)


TheHabits = Annotated[Habits, Depends(_habits)]
