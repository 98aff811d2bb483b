"""Signing keys, newest first: the next one, the one in use, and older ones that still verify.

A new key signs only after every process has read it. An old key verifies for as long as a token
that it signed may live.
"""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field

LEAD_SECONDS = 120
"""The time from making a key to using it; processes read new ones more often."""
OVERLAP_SECONDS = 61 * 24 * 3600
"""A day longer than the longest life of a token."""


@dataclass(frozen=True)
class SigningKey:
    secret: bytes = field(repr=False)
    since: int = 0
    """The time when it begins to sign, in Unix seconds; 0 for the first one."""


@dataclass(frozen=True)
class Keyring:
    keys: tuple[SigningKey, ...]

    @staticmethod
    def of(*secrets: bytes) -> "Keyring":
        return Keyring(tuple(SigningKey(each) for each in secrets))

    @staticmethod
    def new() -> "Keyring":
        return Keyring.of(_new_secret())

    def signing(self, now: int) -> SigningKey:
        return next((each for each in self.keys if each.since <= now), self.keys[-1])

    def verifying_keys(self, now: int) -> Iterator[SigningKey]:
        """Return the keys that verify, the signing one first because it made most tokens."""
        first = self.signing(now)
        yield first
        yield from (each for each in self.prune(now).keys if each != first)

    def rotate(self, now: int, *, at_once: bool = False) -> "Keyring":
        """Add a new key; `at_once` drops all others and voids their signatures."""
        if at_once:
            return Keyring((SigningKey(_new_secret(), now),))
        new = SigningKey(_new_secret(), now + LEAD_SECONDS)
        return Keyring((new, *self.prune(now).keys))

    def prune(self, now: int) -> "Keyring":
        followers = (SigningKey(b""), *self.keys)
        return Keyring(
            tuple(
                key
                for key, follower in zip(self.keys, followers, strict=False)
                if not follower.since or now < follower.since + OVERLAP_SECONDS
            )
        )


def _new_secret() -> bytes:
    return secrets.token_bytes(32)
