"""Somebody who runs the server, and asks again and again whether it is well."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic

import aiohttp

from homeshelf.background import end

EVERY_SECONDS = 0.1
ALIVE_WITHIN_SECONDS = 3.0
"""Whatever the database does; with what a busy machine takes."""


class Watching:
    def __init__(self, url: str) -> None:
        self._url = url
        self.surprises: list[str] = []
        self.is_ready = True
        """As it was told last."""

    @asynccontextmanager
    async def on(self) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(work) for work in (self._ask_alive(), self._ask_ready())]
        try:
            yield
        finally:
            await end(*tasks)

    async def becomes_ready(self, ready: bool, within: float = 20.0) -> None:
        ends = monotonic() + within
        while self.is_ready != ready:
            assert monotonic() < ends, f"/readyz says {self.is_ready} after {within} seconds"
            await asyncio.sleep(0.02)

    async def _ask_alive(self) -> None:
        async with aiohttp.ClientSession(self._url) as session:
            while True:
                began = monotonic()
                async with session.get("/healthz") as answer:
                    await answer.read()
                took = monotonic() - began
                if answer.status != 200 or took > ALIVE_WITHIN_SECONDS:
                    self.surprises.append(f"/healthz: {answer.status} after {took:.1f} s")
                await asyncio.sleep(EVERY_SECONDS)

    async def _ask_ready(self) -> None:
        async with aiohttp.ClientSession(self._url) as session:
            while True:
                async with session.get("/readyz") as answer:
                    await answer.read()
                self.is_ready = answer.status == 200
                if answer.status != 200 and "Retry-After" not in answer.headers:
                    self.surprises.append(f"/readyz: {answer.status} without Retry-After")
                await asyncio.sleep(EVERY_SECONDS)
