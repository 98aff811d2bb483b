"""One secret, and a key of its own for each purpose.

A token says what it is for by the key that signs it: one made for one purpose holds for no other.
It is a JSON Web Token by HS256, made and read here: nothing is chosen by who sends one, so that
little can go wrong, and a library for all of the standard takes 10 MB.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from functools import cache
from typing import IO, Any, Literal

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


class Signer:
    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._derived = cache(self._derive)
        self._verified: dict[tuple[str, str], Mapping[str, Any]] = {}

    def token(self, purpose: Purpose, lifetime: int, **claims: Any) -> str:
        stated = {k: v for k, v in claims.items() if v is not None}
        stated["exp"] = clock.seconds() + lifetime
        text = f"{_HEADER}.{encoded(json.dumps(stated, separators=(',', ':')).encode())}"
        return f"{text}.{self.seal(purpose, text.encode())}"

    def read(self, purpose: Purpose, token: str) -> dict[str, Any] | None:
        """What a token says, or None where it is forged, expired or for another purpose."""
        claims = self._verified.get((purpose, token)) or self._verify(purpose, token)
        expires = claims.get("exp")
        return dict(claims) if isinstance(expires, int) and clock.seconds() < expires else None

    def _verify(self, purpose: Purpose, token: str) -> Mapping[str, Any]:
        """A token that holds is remembered: it comes with every request of its owner."""
        text, _, seal = token.rpartition(".")
        try:
            is_ours = same(seal, self.seal(purpose, text.encode()))
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


_HEADER = encoded(b'{"alg":"HS256","typ":"JWT"}')
