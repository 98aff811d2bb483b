"""Listening to event streams in tests."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx


@dataclass(frozen=True)
class Event:
    name: str
    id: str
    data: dict[str, Any]
    heard_at: float

    @property
    def about(self) -> tuple[str, str, int | None]:
        return self.data["type"], self.data["id"], self.data["version"]


class Stream:
    """An open stream, read line by line as browsers do."""

    def __init__(self, answer: httpx.Response) -> None:
        self.answer = answer
        self.comments: list[str] = []
        self._lines = answer.aiter_lines()
        self._coming: asyncio.Future[str] | None = None

    async def first_line(self) -> str:
        async with asyncio.timeout(5):
            return await self._line()

    async def next(self, within: float = 5.0) -> Event:
        """The next event; StopAsyncIteration where the stream ends instead."""
        name, id_, data = "message", "", ""
        async with asyncio.timeout(within):
            while True:
                line = await self._line()
                field, _, value = line.partition(":")
                value = value.removeprefix(" ")
                match field:
                    case "" if line:
                        self.comments.append(value)
                    case "" if data:
                        return Event(name, id_, json.loads(data), time.monotonic())
                    case "event":
                        name = value
                    case "id":
                        id_ = value
                    case "data":
                        data = value

    async def some(self, number: int) -> list[Event]:
        return [await self.next() for _ in range(number)]

    async def ends_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                while True:
                    await self._line()
        except TimeoutError:
            return False
        except StopAsyncIteration:
            return True

    async def _line(self) -> str:
        """The next line; who stops waiting for it does not stop the stream."""
        if self._coming is None:
            self._coming = asyncio.ensure_future(anext(self._lines))
        line = await asyncio.shield(self._coming)
        self._coming = None
        return line

    async def close(self) -> None:
        if self._coming is not None:
            self._coming.cancel()
            await asyncio.gather(self._coming, return_exceptions=True)


@asynccontextmanager
async def listening(
    client: httpx.AsyncClient, last_event_id: str | None = None, **query: str
) -> AsyncIterator[Stream]:
    """A stream whose headers have come."""
    headers = {} if last_event_id is None else {"Last-Event-ID": last_event_id}
    limit = httpx.Timeout(5, read=60)
    async with client.stream(
        "GET", "/api/v1/events", params=query, headers=headers, timeout=limit
    ) as answer:
        assert answer.status_code == 200, await answer.aread()
        stream = Stream(answer)
        try:
            yield stream
        finally:
            await stream.close()
