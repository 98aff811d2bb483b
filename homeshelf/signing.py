"""Signed tokens, with a key for each purpose derived from the installation's secret.

Tokens are JSON Web Tokens by HS256. This module makes and reads them itself, because the sender can
choose nothing and a library for the whole standard takes 10 MB.
"""

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import IO, Any, Literal

from homeshelf import clock
from homeshelf.keyring import Keyring

Purpose = Literal[
    "access",
    "refresh",
    "web",
    "page",
    "share",
    "share-cookie",
    "invitation",
    "mail",
    "unsubscribe",
    "answer",
    "sign-in",
    "sign-in-link",
]

REMEMBERED = 1000
PART_BYTES = 250_000


class Signer:
    def __init__(self, keys: bytes | Keyring) -> None:
        self._keys = Keyring.of(keys) if isinstance(keys, bytes) else keys
        self._derived = cache(_derived)
        self._verified: dict[tuple[str, str], Mapping[str, Any]] = {}

    @property
    def keys(self) -> Keyring:
        return self._keys

    def adopt(self, keys: Keyring) -> None:
        self._keys = keys
        self._derived = cache(_derived)
        self._verified.clear()

    def token(self, purpose: Purpose, lifetime: int, **claims: Any) -> str:
        stated = {k: v for k, v in claims.items() if v is not None}
        stated["exp"] = clock.seconds() + lifetime
        text = f"{_HEADER}.{encoded(json.dumps(stated, separators=(',', ':')).encode())}"
        return f"{text}.{self.seal(purpose, text.encode())}"

    def read(self, purpose: Purpose, token: str) -> dict[str, Any] | None:
        """Return the claims, or None if the token is forged, expired or for another purpose."""
        claims = self._verified.get((purpose, token)) or self._verify(purpose, token)
        expires = claims.get("exp")
        return dict(claims) if isinstance(expires, int) and clock.seconds() < expires else None

    def _verify(self, purpose: Purpose, token: str) -> Mapping[str, Any]:
        """Verify a token and cache it, because it comes with every request of its owner."""
        text, _, seal = token.rpartition(".")
        try:
            is_ours = self.is_seal(seal, purpose, text.encode())
        except UnicodeEncodeError:
            is_ours = False
        if not is_ours:
            return {}
        claims: Mapping[str, Any] = json.loads(decoded(text.partition(".")[2]))
        if len(self._verified) >= REMEMBERED:
            self._verified.clear()
        self._verified[purpose, token] = claims
        return claims

    def seal(self, purpose: Purpose, text: bytes) -> str:
        return next(self.seals(purpose, text))

    def seals(self, purpose: Purpose, text: bytes) -> Iterator[str]:
        """Return the signatures by all valid keys, that of the signing one first."""
        for key in self._keys.verifying_keys(clock.seconds()):
            yield encoded(hmac.digest(self._derived(key.secret, purpose), text, "sha256"))

    def is_seal(self, seal: str, purpose: Purpose, text: bytes) -> bool:
        return any(same(seal, each) for each in self.seals(purpose, text))

    def seals_of_file(self, purpose: Purpose, file: IO[bytes]) -> Iterator[str]:
        for key in self._keys.verifying_keys(clock.seconds()):
            file.seek(0)
            made = hmac.new(self._derived(key.secret, purpose), digestmod="sha256")
            while part := file.read(PART_BYTES):
                made.update(part)
            yield encoded(made.digest())


def _derived(secret: bytes, purpose: str) -> bytes:
    return hmac.digest(secret, f"homeshelf {purpose}".encode(), "sha256")


def same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


_HEADER = encoded(b'{"alg":"HS256","typ":"JWT"}')
