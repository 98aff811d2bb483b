"""A member of the family, who signs in again when the session expires."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import aiohttp

from homeshelf import clock

API = "/api/v1"
LISTENING_SECONDS = (0.5, 6.0)
BASELINE_PATH = "/healthz"
TIMEOUT_SECONDS = 20.0
MAX_ATTEMPTS = 5
"""The attempts of a request: a token may expire after a second, as the clock runs fast."""


@dataclass
class Measurements:
    """The response times since the last sample, and the counts of the whole run."""

    seconds: list[float] = field(default_factory=list)
    baseline: list[float] = field(default_factory=list)
    """The response times of `/healthz`, which depend only on the machine."""
    failures: Counter[str] = field(default_factory=Counter)
    request_count: int = 0
    event_count: int = 0
    mail_count: int = 0

    def take_response_times(self) -> tuple[list[float], list[float]]:
        times, self.seconds, self.baseline = (self.seconds, self.baseline), [], []
        return times


class Person:
    def __init__(self, url: str, measured: Measurements) -> None:
        timeout = aiohttp.ClientTimeout(TIMEOUT_SECONDS)
        jar = aiohttp.CookieJar(unsafe=True)
        self.session = aiohttp.ClientSession(url, cookie_jar=jar, timeout=timeout)
        self._url = url
        self._measured = measured
        self._tokens: dict[str, str] = {}
        self._refresh_lock = asyncio.Lock()

    async def sign_in(self, email: str, password: str) -> None:
        credentials = {"email": email, "password": password}
        self._tokens = await self._send_or_fail("POST", f"{API}/tokens", credentials)
        async with self.session.post(
            "/sign-in", data=credentials, headers={"Origin": self._url}, allow_redirects=False
        ) as answer:
            await answer.read()

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Return the content of the response, or count a failure and return None."""
        key = clock.new_id()
        for _ in range(MAX_ATTEMPTS):
            token = self._tokens.get("accessToken", "")
            status, content = await self._send_as_person(method, path, body, key)
            if status < 300:
                return content
            if status != 401 or not token:
                break
            await self._refresh(token)
        self._measured.failures[f"{method} {_without_ids(path)} {status}"] += 1  # type: ignore[possibly-undefined]  # tried at least once
        return None

    async def open(self, path: str, language: str) -> None:
        """Open a page in a language."""
        headers = {"Accept": "text/html", "Accept-Language": language}
        status, _ = await self._send("GET", path, headers=headers, allow_redirects=False)
        if status != 200:
            self._measured.failures[f"GET {_without_ids(path)} {status}"] += 1

    async def listen(self, seconds: float) -> None:
        """Read events for some seconds, then disconnect."""
        headers = {"Authorization": f"Bearer {self._tokens.get('accessToken', '')}"}
        try:
            async with (
                asyncio.timeout(seconds),
                self.session.get(f"{API}/events", headers=headers) as answer,
            ):
                async for line in answer.content:
                    self._measured.event_count += line.startswith(b"data")
        except (TimeoutError, aiohttp.ClientError):
            pass

    async def _send_as_person(self, method: str, path: str, body: Any, key: str) -> tuple[int, Any]:
        headers = {"Idempotency-Key": key} if method in ("POST", "PATCH") else {}
        if self._tokens:
            headers["Authorization"] = f"Bearer {self._tokens['accessToken']}"
        return await self._send(method, API + path, json=body, headers=headers)

    async def _refresh(self, old_token: str) -> None:
        async with self._refresh_lock:
            if self._tokens.get("accessToken") == old_token:
                credentials = {"refreshToken": self._tokens["refreshToken"]}
                self._tokens = await self._send_or_fail(
                    "POST", f"{API}/tokens/refresh", credentials
                )

    async def _send_or_fail(self, method: str, path: str, body: Any) -> Any:
        status, content = await self._send(method, path, json=body)
        assert status < 300, (path, status, content)
        return content

    async def _send(self, method: str, path: str, **options: Any) -> tuple[int, Any]:
        started_at = monotonic()
        try:
            async with self.session.request(method, path, **options) as answer:
                is_json = answer.content_type == "application/json"
                content = await (answer.json() if is_json else answer.read())
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            self._measured.failures[f"{method} {_without_ids(path)} {type(error).__name__}"] += 1
            return 599, None
        times = self._measured.baseline if path == BASELINE_PATH else self._measured.seconds
        times.append(monotonic() - started_at)
        self._measured.request_count += 1
        return answer.status, content


def _without_ids(path: str) -> str:
    """Return the path with `*` in place of ids."""
    parts = path.partition("?")[0].split("/")
    return "/".join("*" if any(c.isdigit() for c in part) else part for part in parts)
