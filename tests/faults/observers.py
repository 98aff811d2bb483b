"""Clients that check every response over the network.

    async with Callers(url) as callers:
        ada = callers.new()
        await ada.once("GET", "/api/v1/items")            None if it was refused for now
        await ada.retry_until_done("POST", "/api/v1/items", {"name": "Milk"})

Only a success, or a refusal with a time to retry, is expected; any other response is a surprise. A
repeated request has the same key, so that it is carried out once.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic
from types import TracebackType
from typing import Any

import aiohttp

from homeshelf import clock
from homeshelf.background import end

LONGEST_SECONDS = 12.0
"""The longest wait for a response on a busy machine."""
RETRY_SECONDS = 0.1
"""The delay before a retry, shorter than requested so that tests take less time."""
ORDINARY = frozenset({200, 201, 202, 204, 303})


@dataclass
class Seen:
    acknowledged: int = 0
    refused: int = 0
    slowest: float = 0.0
    expected: frozenset[int] = frozenset({503})
    """The statuses of expected refusals."""
    surprises: list[str] = field(default_factory=list)


class Caller:
    def __init__(self, url: str, seen: Seen) -> None:
        self.url = url
        self.seen = seen
        self.session = aiohttp.ClientSession(
            url,
            cookie_jar=aiohttp.CookieJar(unsafe=True),
            timeout=aiohttp.ClientTimeout(5 * LONGEST_SECONDS),
        )
        self.authorization: dict[str, str] = {}

    async def once(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        also: frozenset[int] = frozenset(),
        **options: Any,
    ) -> tuple[int, Any] | None:
        """Return the status and the content, or None if the request was refused for now; `also` are
        further expected statuses."""
        headers = self.authorization | options.pop("headers", {})
        began = monotonic()
        try:
            async with self.session.request(
                method, path, json=body, headers=headers, allow_redirects=False, **options
            ) as answer:
                content = await answer.read()
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            self.seen.surprises.append(f"{method} {path}: {error!r}")
            return None
        took = monotonic() - began
        self.seen.slowest = max(self.seen.slowest, took)
        if took > LONGEST_SECONDS:
            self.seen.surprises.append(f"{method} {path} took {took:.1f} seconds")
        if answer.status in ORDINARY | also:
            self.seen.acknowledged += 1
            is_json = answer.content_type == "application/json"
            return answer.status, json.loads(content) if is_json and content else content.decode()
        self.seen.refused += 1
        if answer.status not in self.seen.expected:
            self.seen.surprises.append(f"{method} {path}: {answer.status} {content[:300]!r}")
        elif answer.status == 503 and (trouble := _unclear_refusal(answer, content)):
            self.seen.surprises.append(f"{method} {path}: {trouble}")
        return None

    async def retry_until_done(
        self, method: str, path: str, body: Any = None, *, also: frozenset[int] = frozenset()
    ) -> Any:
        headers = {"Idempotency-Key": clock.new_id()}
        while True:
            answer = await self.once(method, path, body, also=also, headers=headers)
            if answer is not None:
                return answer[1]
            assert not self.seen.surprises, self.seen.surprises[:3]
            await asyncio.sleep(RETRY_SECONDS)


class Callers:
    def __init__(self, url: str) -> None:
        self.url = url
        self.seen = Seen()
        self._all: list[Caller] = []

    def new(self) -> Caller:
        caller = Caller(self.url, self.seen)
        self._all.append(caller)
        return caller

    async def __aenter__(self) -> "Callers":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for caller in self._all:
            await caller.session.close()


def _unclear_refusal(answer: aiohttp.ClientResponse, content: bytes) -> str | None:
    """Return why a refusal does not tell its client what to do."""
    text = content.decode(errors="replace")
    if not answer.headers.get("Retry-After", "").isdigit():
        return "503 without Retry-After"
    if answer.content_type == "text/html":
        return None if "ry again" in text else f"a page without a way on: {text[:300]}"
    if answer.content_type != "application/problem+json":
        return f"503 as {answer.content_type}"
    problem = json.loads(content)
    return None if problem["code"] == "unavailable" else f"503 with the code {problem['code']}"


EVERY_SECONDS = 0.1
ALIVE_WITHIN_SECONDS = 3.0
"""The limit for the health check on a busy machine, whatever the database does."""


class HealthWatcher:
    def __init__(self, url: str) -> None:
        self._url = url
        self.surprises: list[str] = []
        self.is_ready = True
        """The last reported readiness."""

    @asynccontextmanager
    async def on(self) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(work) for work in (self._ask_alive(), self._ask_ready())]
        try:
            yield
        finally:
            await end(*tasks)

    async def wait_until_ready(self, ready: bool, within: float = 20.0) -> None:
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


RECONNECT_SECONDS = 0.2
WITHIN_SECONDS = 20.0
QUIET_SECONDS = 25.0
"""The longest silence of a live stream, which sends something every 15 seconds."""


class StreamListener:
    def __init__(self, url: str, authorization: dict[str, str]) -> None:
        self._url = url
        self._authorization = authorization
        self._last: str | None = None
        self.heard: set[str] = set()
        """The ids of announced records and of entries read again."""
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

    async def wait_for_id(self, id_: str) -> None:
        await self._hear_of({id_})

    async def wait_for_ids(self, ids: Iterable[str]) -> None:
        """Wait until all these ids were announced or read again."""
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
                await asyncio.sleep(RECONNECT_SECONDS)

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
        """Read the whole list, and retry until it succeeds."""
        query = {"limit": "100"}
        while True:
            path = "/api/v1/shopping-list"
            async with session.get(path, headers=self._authorization, params=query) as answer:
                page = await answer.json() if answer.status == 200 else None
            if page is None:
                await asyncio.sleep(RECONNECT_SECONDS)
                continue
            self.heard.update(each["shoppingItemId"] for each in page["items"])
            if "nextToken" not in page:
                return
            query["nextToken"] = page["nextToken"]
