"""Somebody who asks over the network, and looks closely at every answer.

    async with Callers(url) as callers:
        ada = callers.new()
        await ada.once("GET", "/api/v1/items")            None where it was refused for now
        await ada.until_done("POST", "/api/v1/items", {"name": "Milk"})

Only a success, or a refusal that says when to try again, is an answer to expect; anything else is
a surprise. What is sent again carries the same key, so that it is done once.
"""

import asyncio
import json
from dataclasses import dataclass, field
from time import monotonic
from types import TracebackType
from typing import Any

import aiohttp

from homeshelf import clock

LONGEST_SECONDS = 12.0
"""What anybody waits for an answer at most, on a busy machine."""
AGAIN_SECONDS = 0.1
"""Sooner than an answer asks for, so that tests take less time."""
ORDINARY = frozenset({200, 201, 202, 204, 303})


@dataclass
class Seen:
    acknowledged: int = 0
    refused: int = 0
    slowest: float = 0.0
    expected: frozenset[int] = frozenset({503})
    """How anybody may be refused for now."""
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
        """The status and what came with it, None where it was refused for now; `also` are other
        statuses that are expected."""
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
        elif answer.status == 503 and (trouble := _unclear(answer, content)):
            self.seen.surprises.append(f"{method} {path}: {trouble}")
        return None

    async def until_done(
        self, method: str, path: str, body: Any = None, *, also: frozenset[int] = frozenset()
    ) -> Any:
        headers = {"Idempotency-Key": clock.new_id()}
        while True:
            answer = await self.once(method, path, body, also=also, headers=headers)
            if answer is not None:
                return answer[1]
            assert not self.seen.surprises, self.seen.surprises[:3]
            await asyncio.sleep(AGAIN_SECONDS)


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


def _unclear(answer: aiohttp.ClientResponse, content: bytes) -> str | None:
    """Why somebody who was refused would not know what to do."""
    text = content.decode(errors="replace")
    if not answer.headers.get("Retry-After", "").isdigit():
        return "503 without Retry-After"
    if answer.content_type == "text/html":
        return None if "ry again" in text else f"a page without a way on: {text[:300]}"
    if answer.content_type != "application/problem+json":
        return f"503 as {answer.content_type}"
    problem = json.loads(content)
    return None if problem["code"] == "unavailable" else f"503 with the code {problem['code']}"
