"""Queue ticks in memory, and learn a family's shopping habits from them in the background."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Annotated

import structlog
from fastapi import Depends, Request

from homeshelf.background import flush_periodically, run_in_background
from homeshelf.shopping import shelf_order
from homeshelf.shopping.model import ShoppingListItem, purchase_of
from homeshelf.table import Database, TableError
from homeshelf.web.services import Services, services_of

MAX_QUEUED_TICKS = 5000

log = structlog.get_logger()


class HabitLearner:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._queue: dict[str, ShoppingListItem] = {}
        self._wake_up = asyncio.Event()
        self._lock = asyncio.Lock()

    def record_tick(self, entry: ShoppingListItem) -> None:
        """Queue a tick; a later tick of the same entry replaces it."""
        self._queue.pop(entry.shopping_item_id, None)
        if len(self._queue) < MAX_QUEUED_TICKS:
            self._queue[entry.shopping_item_id] = entry
            self._wake_up.set()

    async def run(self, stop: asyncio.Event) -> None:
        await flush_periodically(self._wake_up, self.flush, stop)

    async def flush(self) -> None:
        """Write the queued ticks, so that the caller reads them."""
        async with self._lock:
            self._wake_up.clear()
            batch, self._queue = list(self._queue.values()), {}
            if not batch:
                return
            try:
                await self._write_ticks(batch)
            except Exception as error:  # noqa: BLE001  # whatever it is, learning goes on
                log.warning("ticks_unlearned", error=repr(error))
                if isinstance(error, TableError):
                    self._requeue(batch)

    async def _write_ticks(self, ticked: Sequence[ShoppingListItem]) -> None:
        purchases = [(entry.status == "purchased", purchase_of(entry)) for entry in ticked]
        await self._db.batch([it.put() if bought else it.delete() for bought, it in purchases])
        stores: dict[tuple[str, str | None], list[ShoppingListItem]] = {}
        for entry in ticked:
            if entry.status == "purchased":
                stores.setdefault((entry.family_id, entry.store_id), []).append(entry)
        for (family_id, store_id), there in stores.items():
            await shelf_order.learn_order(self._db, family_id, store_id, there)

    def _requeue(self, ticked: Sequence[ShoppingListItem]) -> None:
        """Queue ticks again before newer ones, which take precedence."""
        newer, self._queue = self._queue, {}
        for entry in (*ticked, *newer.values()):
            self.record_tick(entry)


async def start(services: Services, closing: AsyncExitStack) -> None:
    habits = HabitLearner(services.db)
    services.provide(HabitLearner, habits)
    await closing.enter_async_context(run_in_background(habits.run))


async def _habits(request: Request) -> HabitLearner:
    return services_of(request).of(HabitLearner)


TheHabits = Annotated[HabitLearner, Depends(_habits)]
