"""Background tasks, which run from the start of the application to its end."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

import structlog

FLUSHED_EVERY_SECONDS = 0.5
ENDS_WITHIN_SECONDS = 5.0
CANCELLED_WITHIN_SECONDS = 1.0

Job = Callable[[asyncio.Event], Coroutine[Any, Any, None]]

log = structlog.get_logger()


@asynccontextmanager
async def run_in_background(*jobs: Job) -> AsyncIterator[None]:
    """Run the jobs while the block lasts; a failed or hanging one does not keep it from ending."""
    stop = asyncio.Event()
    tasks = [asyncio.create_task(job(stop)) for job in jobs]
    try:
        yield
    finally:
        stop.set()
        _, hanging = await asyncio.wait(tasks, timeout=ENDS_WITHIN_SECONDS)
        for task in hanging:
            task.cancel()
        if hanging:
            log.warning("work_cut_off", after_seconds=ENDS_WITHIN_SECONDS)
            await asyncio.wait(hanging, timeout=CANCELLED_WITHIN_SECONDS)
        for task in tasks:
            if task.done() and not task.cancelled() and (error := task.exception()):
                log.error("work_ended", error=repr(error))


async def end(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def flush_periodically(
    noted: asyncio.Event, flush: Callable[[], Coroutine[Any, Any, None]], stop: asyncio.Event
) -> None:
    """Flush twice a second while `noted` is set, and once more at the end."""
    stopping = asyncio.create_task(stop.wait())
    while not stop.is_set():
        noting = asyncio.create_task(noted.wait())
        await asyncio.wait([noting, stopping], return_when=asyncio.FIRST_COMPLETED)
        noting.cancel()
        with suppress(TimeoutError):
            async with asyncio.timeout(FLUSHED_EVERY_SECONDS):
                await asyncio.shield(stopping)
        await flush()
