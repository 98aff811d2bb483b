"""Fetch and cache the provider's metadata and keys."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import Context
from dataclasses import dataclass
from typing import Any

import structlog

from homeshelf import clock
from homeshelf.background import end
from homeshelf.identity.provider_http import PAUSE_SECONDS, ProviderUnavailable

Published = Sequence[Mapping[str, Any]]
"""Public keys of the provider (JWK)."""

ALGORITHMS = {"RS256": "RSA", "ES256": "EC"}
"""The accepted algorithms, each with its key type."""


def matching_keys(published: Published, algorithm: str, key_id: str | None) -> Published:
    return [
        key
        for key in published
        if key.get("kty") == ALGORITHMS[algorithm]
        and key.get("use", "sig") == "sig"
        and key.get("alg", algorithm) == algorithm
        and key_id in (None, key.get("kid"))
    ]


REFRESH_SECONDS = 45 * 60
"""The age at which metadata is refreshed in the background."""
FRESH_SECONDS = 3600
"""The age at which callers wait for the refresh, so that revoked keys are dropped."""
MAX_WAIT_SECONDS = 1.0
"""The longest wait for a refresh; after it, the old metadata is used."""
MAX_AGE_SECONDS = 24 * 3600
"""The age at which metadata is no longer used."""


log = structlog.get_logger()


@dataclass(frozen=True)
class Metadata:
    issuer: str
    keys: Published
    authorization: str | None
    token: str | None
    user_info: str | None
    token_methods: Sequence[str]


class MetadataCache:
    """A cache with one fetch at a time, also when clients invent key ids."""

    def __init__(self, fetch: Callable[[], Awaitable[Metadata]]) -> None:
        self._fetch = fetch
        self._cached: Metadata | None = None
        self._fetched_at = 0
        self._tried_at: int | None = None
        self._failure: str | None = None
        self._fetch_task: asyncio.Task[None] | None = None

    async def get(self, is_enough: Callable[[Metadata], bool] = lambda _: True) -> Metadata:
        """Return the cached metadata if `is_enough` accepts it, else fetch it or raise
        ProviderUnavailable."""
        cached, age = self._cached, clock.seconds() - self._fetched_at
        if cached is None or age >= MAX_AGE_SECONDS or not is_enough(cached):
            return await self._fetch_or_raise()
        if 0 <= age < REFRESH_SECONDS:  # a negative age means that the clock was set back
            return cached
        is_started, task = self._start_fetch()
        if is_started and task is not None and age >= FRESH_SECONDS and self._failure is None:
            await asyncio.wait({task}, timeout=MAX_WAIT_SECONDS)
        return self._cached or cached

    async def close(self) -> None:
        if self._fetch_task is not None:
            await end(self._fetch_task)

    async def _fetch_or_raise(self) -> Metadata:
        """Let one caller wait for the retry after a failure; the others fail at once."""
        is_started, task = self._start_fetch()
        if task is not None and (is_started or self._failure is None):
            await asyncio.wait({task})
        if self._failure is not None or self._cached is None:
            raise ProviderUnavailable(self._failure or "it was not asked", self._pause_left())
        return self._cached

    def _start_fetch(self) -> tuple[bool, asyncio.Task[None] | None]:
        """Return the running fetch, if any, and whether this call started it."""
        if self._fetch_task is not None and not self._fetch_task.done():
            return False, self._fetch_task
        if self._pause_left():
            return False, None
        self._tried_at = clock.seconds()
        # Run in a new context, so that its log lines belong to no request.
        self._fetch_task = asyncio.create_task(self._fetch_once(), context=Context())
        return True, self._fetch_task

    async def _fetch_once(self) -> None:
        try:
            self._cached = await self._fetch()
            self._fetched_at, self._failure = clock.seconds(), None
        except ProviderUnavailable as unavailable:
            self._failure = str(unavailable)
        except Exception as error:
            self._failure = f"what it says about itself cannot be read: {error!r}"
            log.exception("provider_unreadable")

    def _pause_left(self) -> int:
        if self._tried_at is None:
            return 0
        passed = clock.seconds() - self._tried_at
        return PAUSE_SECONDS - passed if 0 <= passed < PAUSE_SECONDS else 0
