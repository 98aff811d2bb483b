"""One secret, and a key of its own for each purpose.

A token says what it is for by the key that signs it: one made for one purpose holds for no other.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from functools import cache
from typing import IO, Any, Literal

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

from homeshelf import clock

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
"""As many tokens are not verified again."""
PART_BYTES = 250_000
_ALGORITHM = "HS256"


class Signer:
    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._derived = cache(self._derive)
        self._jwk = cache(self._jwk_of)
        self._verified: dict[tuple[str, str], Mapping[str, Any]] = {}

    def token(self, purpose: Purpose, lifetime: int, **claims: Any) -> str:
        stated = {k: v for k, v in claims.items() if v is not None}
        stated["exp"] = clock.seconds() + lifetime
        return jwt.encode({"alg": _ALGORITHM}, stated, self._jwk(purpose))

    def read(self, purpose: Purpose, token: str) -> dict[str, Any] | None:
        """What a token says, or None where it is forged, expired or for another purpose."""
        claims = self._verified.get((purpose, token)) or self._verify(purpose, token)
        expires = claims.get("exp")
        return dict(claims) if isinstance(expires, int) and clock.seconds() < expires else None

    def _verify(self, purpose: Purpose, token: str) -> Mapping[str, Any]:
        """A token that holds is remembered: it comes with every request of its owner."""
        try:
            claims = jwt.decode(token, self._jwk(purpose), algorithms=[_ALGORITHM]).claims
        except (JoseError, ValueError):
            return {}
        if len(self._verified) >= REMEMBERED:
            self._verified.clear()
        self._verified[purpose, token] = claims
        return claims

    def seal(self, purpose: Purpose, text: bytes) -> str:
        """A short code that only this house can make of this text."""
        return encoded(hmac.digest(self._derived(purpose), text, "sha256"))

    def seal_file(self, purpose: Purpose, file: IO[bytes]) -> str:
        """The same code, without having all of the text in memory."""
        file.seek(0)
        made = hmac.new(self._derived(purpose), digestmod="sha256")
        while part := file.read(PART_BYTES):
            made.update(part)
        return encoded(made.digest())

    def _derive(self, purpose: str) -> bytes:
        return hmac.digest(self._secret, f"homeshelf {purpose}".encode(), "sha256")

    def _jwk_of(self, purpose: str) -> OctKey:
        return OctKey.import_key(self._derived(purpose))


def new_secret() -> bytes:
    return secrets.token_bytes(32)


def same(one: str, other: str) -> bool:
    """Compared in a time that says nothing about where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
