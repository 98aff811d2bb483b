"""The provider's public keys, fetched when one is needed that is not at hand."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from joserfc.errors import JoseError
from joserfc.jwk import ECKey, RSAKey

from homeshelf import clock
from homeshelf.identity.fetching import ProviderAway

FRESH_SECONDS = 3600
"""Then they are fetched anew, so that a key which the provider took back is gone here too."""
KEPT_SECONDS = 24 * 3600
"""How long they are of use while the provider is away."""
AGAIN_AFTER_SECONDS = 30
"""Strangers make up key ids as they like, and shall not make us ask for each."""

Key = RSAKey | ECKey
_KINDS: dict[str, tuple[str, type[RSAKey] | type[ECKey]]] = {
    "RS256": ("RSA", RSAKey),
    "ES256": ("EC", ECKey),
}
ALGORITHMS = tuple(_KINDS)


class KeyRing:
    def __init__(self, fetch: Callable[[], Awaitable[Mapping[str, Any]]]) -> None:
        """`fetch` gets the provider's key set, or raises ProviderAway."""
        self._fetch = fetch
        self._keys: Sequence[Mapping[str, Any]] = ()
        self._fetched_at: int | None = None
        self._tried_at: int | None = None
        self._away: ProviderAway | None = None
        self._lock = asyncio.Lock()

    async def fitting(self, algorithm: str, key_id: str | None) -> list[Key]:
        """The keys that a token may be signed with; none where the provider has no such key."""
        found = self._among(algorithm, key_id)
        if found and self._age() < FRESH_SECONDS:
            return found
        async with self._lock:
            await self._fetch_again()
        found = self._among(algorithm, key_id)
        if self._away and (not found or self._age() >= KEPT_SECONDS):
            raise self._away
        return found

    async def _fetch_again(self) -> None:
        now = clock.seconds()
        if self._tried_at is not None and 0 <= now - self._tried_at < AGAIN_AFTER_SECONDS:
            return
        self._tried_at = now
        try:
            found = (await self._fetch()).get("keys")
            self._keys = [key for key in found or () if isinstance(key, dict)]
            self._fetched_at, self._away = now, None
        except ProviderAway as away:
            self._away = away

    def _age(self) -> float:
        return float("inf") if self._fetched_at is None else clock.seconds() - self._fetched_at

    def _among(self, algorithm: str, key_id: str | None) -> list[Key]:
        name, kind = _KINDS[algorithm]
        found: list[Key] = []
        for key in self._keys:
            if key.get("kty") != name or key.get("use", "sig") != "sig":
                continue
            if key.get("alg", algorithm) != algorithm or key_id not in (None, key.get("kid")):
                continue
            with suppress(JoseError, ValueError, TypeError, KeyError):  # not one of its kind
                found.append(kind.import_key(dict(key)))
        return found
