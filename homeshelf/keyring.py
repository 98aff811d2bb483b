"""The keys that sign, newest first: the next one, the one in use, and those that still count.

A new key signs a while after it was made, so that every process knows it before it meets what it
has signed. The one before counts for as long as anything lives that it may have signed.
"""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field

LEAD_SECONDS = 120
"""From making a key to using it; processes look for a new one more often than that."""
OVERLAP_SECONDS = 61 * 24 * 3600
"""A day longer than the longest life of a token."""


@dataclass(frozen=True)
class SigningKey:
    secret: bytes = field(repr=False)
    since: int = 0
    """When it began to sign, in Unix seconds; nobody asks where it was the first."""


@dataclass(frozen=True)
class Keyring:
    keys: tuple[SigningKey, ...]

    @staticmethod
    def of(*secrets: bytes) -> "Keyring":
        """The first one signs, and all of them count."""
        return Keyring(tuple(SigningKey(each) for each in secrets))

    @staticmethod
    def made() -> "Keyring":
        return Keyring.of(_new_secret())

    def signing(self, now: int) -> SigningKey:
        return next((each for each in self.keys if each.since <= now), self.keys[-1])

    def counting(self, now: int) -> Iterator[SigningKey]:
        """Those whose signatures hold; the one that signs comes first, as most are its own."""
        first = self.signing(now)
        yield first
        yield from (each for each in self.pruned(now).keys if each != first)

    def rotated(self, now: int, *, at_once: bool = False) -> "Keyring":
        """With a new key. `at_once` that one alone counts, and what others signed is void."""
        if at_once:
            return Keyring((SigningKey(_new_secret(), now),))
        new = SigningKey(_new_secret(), now + LEAD_SECONDS)
        return Keyring((new, *self.pruned(now).keys))

    def pruned(self, now: int) -> "Keyring":
        """Without those that another one followed long enough ago."""
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
