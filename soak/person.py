"""A member of the family with a phone, who signs in again when the session expires."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import aiohttp

from homeshelf import clock

API = "/api/v1"
LISTENED_SECONDS = (0.5, 6.0)
CONSTANT = "/healthz"
PATIENCE_SECONDS = 20.0
TOKENS_TRIED = 5
"""Tokens last for a quarter of an hour, which may be a second here."""


@dataclass
class Answers:
    """The response times since the last sample, and the errors."""

    seconds: list[float] = field(default_factory=list)
    constant: list[float] = field(default_factory=list)
    """The times of a constant response, which depend on the machine alone."""
    wrong: Counter[str] = field(default_factory=Counter)
    number: int = 0
    heard: int = 0
    mails: int = 0

    def taken(self) -> tuple[list[float], list[float]]:
        taken, self.seconds, self.constant = (self.seconds, self.constant), [], []
        return taken


class Person:
    def __init__(self, url: str, answers: Answers) -> None:
        timeout = aiohttp.ClientTimeout(PATIENCE_SECONDS)
        jar = aiohttp.CookieJar(unsafe=True)
        self.session = aiohttp.ClientSession(url, cookie_jar=jar, timeout=timeout)
        self._url = url
        self._answers = answers
        self._tokens: dict[str, str] = {}
        self._turn = asyncio.Lock()

    async def sign_in(self, email: str, password: str) -> None:
        known = {"email": email, "password": password}
        self._tokens = await self._required("POST", f"{API}/tokens", known)
        async with self.session.post(
            "/sign-in", data=known, headers={"Origin": self._url}, allow_redirects=False
        ) as answer:
            await answer.read()

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Return the content of a response; note an error and return None."""
        key = clock.new_id()
        for _ in range(TOKENS_TRIED):
            token = self._tokens.get("accessToken", "")
            status, content = await self._asked(method, path, body, key)
            if status < 300:
                return content
            if status != 401 or not token:
                break
            await self._refresh(token)
        self._answers.wrong[f"{method} {_pattern(path)} {status}"] += 1  # type: ignore[possibly-undefined]  # tried at least once
        return None

    async def open(self, path: str, language: str) -> None:
        """A page, in a language."""
        headers = {"Accept": "text/html", "Accept-Language": language}
        status, _ = await self._timed("GET", path, headers=headers, allow_redirects=False)
        if status != 200:
            self._answers.wrong[f"GET {_pattern(path)} {status}"] += 1

    async def listen(self, seconds: float) -> None:
        """Follow along for a while, and leave without a word."""
        headers = {"Authorization": f"Bearer {self._tokens.get('accessToken', '')}"}
        try:
            async with (
                asyncio.timeout(seconds),
                self.session.get(f"{API}/events", headers=headers) as answer,
            ):
                async for line in answer.content:
                    self._answers.heard += line.startswith(b"data")
        except (TimeoutError, aiohttp.ClientError):
            pass

    async def _asked(self, method: str, path: str, body: Any, key: str) -> tuple[int, Any]:
        headers = {"Idempotency-Key": key} if method in ("POST", "PATCH") else {}
        if self._tokens:
            headers["Authorization"] = f"Bearer {self._tokens['accessToken']}"
        return await self._timed(method, API + path, json=body, headers=headers)

    async def _refresh(self, old: str) -> None:
        async with self._turn:
            if self._tokens.get("accessToken") == old:
                known = {"refreshToken": self._tokens["refreshToken"]}
                self._tokens = await self._required("POST", f"{API}/tokens/refresh", known)

    async def _required(self, method: str, path: str, body: Any) -> Any:
        status, content = await self._timed(method, path, json=body)
        assert status < 300, (path, status, content)
        return content

    async def _timed(self, method: str, path: str, **options: Any) -> tuple[int, Any]:
        began = monotonic()
        try:
            async with self.session.request(method, path, **options) as answer:
                is_json = answer.content_type == "application/json"
                content = await (answer.json() if is_json else answer.read())
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            self._answers.wrong[f"{method} {_pattern(path)} {type(error).__name__}"] += 1
            return 599, None
        kind = self._answers.constant if path == CONSTANT else self._answers.seconds
        kind.append(monotonic() - began)
        self._answers.number += 1
        return answer.status, content


def _pattern(path: str) -> str:
    """The path without its ids."""
    parts = path.partition("?")[0].split("/")
    return "/".join("*" if any(c.isdigit() for c in part) else part for part in parts)
