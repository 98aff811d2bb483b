"""The provider's metadata and keys, cached and fetched by one task at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import Context
from dataclasses import dataclass
from typing import Any

import structlog

from homeshelf import clock
from homeshelf.background import end
from homeshelf.identity.fetching import PAUSE_SECONDS, ProviderAway

Published = Sequence[Mapping[str, Any]]
"""Keys as the provider publishes them (JWK)."""

ALGORITHMS = {"RS256": "RSA", "ES256": "EC"}
"""Accepted algorithms, and the kind of key that each needs."""


def among(published: Published, algorithm: str, key_id: str | None) -> Published:
    return [
        key
        for key in published
        if key.get("kty") == ALGORITHMS[algorithm]
        and key.get("use", "sig") == "sig"
        and key.get("alg", algorithm) == algorithm
        and key_id in (None, key.get("kid"))
    ]


REFRESH_SECONDS = 45 * 60
"""The age at which it is fetched in the background."""
FRESH_SECONDS = 3600
"""The age at which callers wait for the fetch, so that revoked keys go here too."""
BRIEFLY_SECONDS = 1.0
"""The longest wait: a silent provider's last metadata goes on to serve."""
KEPT_SECONDS = 24 * 3600
"""The age at which it no longer serves."""


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
    """Strangers who invent key ids must not make us ask the provider for each one."""

    def __init__(self, fetch: Callable[[], Awaitable[Metadata]]) -> None:
        """`fetch` raises ProviderAway and has a timeout of its own."""
        self._fetch = fetch
        self._known: Metadata | None = None
        self._fetched_at = 0
        self._tried_at: int | None = None
        self._away: str | None = None
        """Why the last try failed."""
        self._trying: asyncio.Task[None] | None = None

    async def get(self, enough: Callable[[Metadata], bool] = lambda _: True) -> Metadata:
        """Return the cached metadata if it is `enough`, else what the provider says now.

        Raises ProviderAway where it cannot be asked, and at once during the pause.
        """
        known, age = self._known, clock.seconds() - self._fetched_at
        if known is None or age >= KEPT_SECONDS or not enough(known):
            return await self._needed()
        if 0 <= age < REFRESH_SECONDS:  # below 0 the clock was set back, and the age is unknown
            return known
        began, trying = self._try()
        if began and trying is not None and age >= FRESH_SECONDS and self._away is None:
            await asyncio.wait({trying}, timeout=BRIEFLY_SECONDS)
        return self._known or known

    async def close(self) -> None:
        if self._trying is not None:
            await end(self._trying)

    async def _needed(self) -> Metadata:
        """One caller waits for the next try after a failure; the others fail at once."""
        began, trying = self._try()
        if trying is not None and (began or self._away is None):
            await asyncio.wait({trying})
        if self._away is not None or self._known is None:
            raise ProviderAway(self._away or "it was not asked", self._pause_left())
        return self._known

    def _try(self) -> tuple[bool, asyncio.Task[None] | None]:
        """Return the running fetch, if any, and whether this call started it."""
        if self._trying is not None and not self._trying.done():
            return False, self._trying
        if self._pause_left():
            return False, None
        self._tried_at = clock.seconds()
        # In a context of its own: what it logs belongs to no request.
        self._trying = asyncio.create_task(self._fetch_once(), context=Context())
        return True, self._trying

    async def _fetch_once(self) -> None:
        try:
            self._known = await self._fetch()
            self._fetched_at, self._away = clock.seconds(), None
        except ProviderAway as away:
            self._away = str(away)
        except Exception as error:
            self._away = f"what it says about itself cannot be read: {error!r}"
            log.exception("provider_unreadable")

    def _pause_left(self) -> int:
        if self._tried_at is None:
            return 0
        passed = clock.seconds() - self._tried_at
        return PAUSE_SECONDS - passed if 0 <= passed < PAUSE_SECONDS else 0
