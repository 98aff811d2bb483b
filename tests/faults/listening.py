"""A phone that follows along: when its stream ends it comes back and says what it heard last, and
when it is told to read everything again it does."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from time import monotonic

import aiohttp

from homeshelf.background import end

AGAIN_SECONDS = 0.2
WITHIN_SECONDS = 20.0
QUIET_SECONDS = 25.0
"""A stream says something every 15 seconds: one that is silent for longer is dead."""


class Listening:
    def __init__(self, url: str, authorization: dict[str, str]) -> None:
        self._url = url
        self._authorization = authorization
        self._last: str | None = None
        self.heard: set[str] = set()
        """Ids of the records that something was told of, and of the entries that it has read."""
        self.surprises: list[str] = []

    @asynccontextmanager
    async def on(self) -> AsyncIterator[None]:
        opened = asyncio.Event()
        task = asyncio.create_task(self._listen(opened))
        try:
            await asyncio.wait_for(opened.wait(), QUIET_SECONDS)
            yield
        finally:
            await asyncio.sleep(0)
            await end(task)

    async def hears(self, id_: str) -> None:
        await self._hear_of({id_})

    async def catches_up(self, ids: Iterable[str]) -> None:
        """With all of them; what it was told to read again it has read."""
        await self._hear_of(set(ids))

    async def _hear_of(self, ids: set[str]) -> None:
        ends = monotonic() + WITHIN_SECONDS
        while missed := ids - self.heard:
            assert monotonic() < ends, f"{len(missed)} were never told, as {next(iter(missed))}"
            await asyncio.sleep(0.02)

    async def _listen(self, opened: asyncio.Event) -> None:
        timeout = aiohttp.ClientTimeout(sock_read=QUIET_SECONDS)
        async with aiohttp.ClientSession(self._url, timeout=timeout) as session:
            while True:
                headers = dict(self._authorization)
                if self._last is not None:
                    headers["Last-Event-ID"] = self._last
                try:
                    async with session.get("/api/v1/events", headers=headers) as answer:
                        if answer.status == 200:
                            opened.set()
                            await self._hear(session, answer)
                        elif answer.status != 401 and "Retry-After" not in answer.headers:
                            self.surprises.append(f"/events: {answer.status}")
                except (aiohttp.ClientError, OSError, TimeoutError):
                    pass
                await asyncio.sleep(AGAIN_SECONDS)

    async def _hear(self, session: aiohttp.ClientSession, answer: aiohttp.ClientResponse) -> None:
        async for line in answer.content:
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name == "id" and value:
                self._last = value
            elif name == "event" and value == "reset":
                await self._read_again(session)
            elif name == "data" and value != "{}":
                self.heard.add(json.loads(value)["id"])

    async def _read_again(self, session: aiohttp.ClientSession) -> None:
        """The whole list, however often that is refused."""
        query = {"limit": "100"}
        while True:
            path = "/api/v1/shopping-list"
            async with session.get(path, headers=self._authorization, params=query) as answer:
                page = await answer.json() if answer.status == 200 else None
            if page is None:
                await asyncio.sleep(AGAIN_SECONDS)
                continue
            self.heard.update(each["shoppingItemId"] for each in page["items"])
            if "nextToken" not in page:
                return
            query["nextToken"] = page["nextToken"]
