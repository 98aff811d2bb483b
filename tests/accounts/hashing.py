"""The two threads that hash, kept busy: what is answered meanwhile was not hashed."""

from asyncio import gather
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Event

from homeshelf.accounts.limits import AccountLimits
from homeshelf.web.limits import HASHED_AT_ONCE, Limits
from tests.running import RunningApp


@asynccontextmanager
async def nothing_is_hashed(running: RunningApp) -> AsyncIterator[None]:
    limits: Limits = running.app.state.services.limits
    begun, over = [Event() for _ in range(HASHED_AT_ONCE)], Event()

    async def occupy(here: Event) -> None:
        def work() -> None:
            here.set()
            over.wait(30)

        with limits.of(AccountLimits).known.place() as lane:
            await lane.run(work)

    busy = gather(*(occupy(here) for here in begun))
    try:
        yield
    finally:
        over.set()
        await busy
