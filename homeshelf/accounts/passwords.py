"""Passwords and passcodes: argon2id as OWASP recommends it, off the event loop, two at once."""

import base64
import secrets

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from homeshelf.web.lanes import Permit

MEMORY_KIB, TIMES = 19 * 1024, 2

_hasher = PasswordHasher(time_cost=TIMES, memory_cost=MEMORY_KIB, parallelism=1)


async def hashed(password: str, permit: Permit) -> str:
    return await permit.run(lambda: hashed_now(password))


async def matches(password: str, password_hash: str | None, permit: Permit) -> bool:
    """Whether it is the password; where there is none to compare with, it takes as long."""
    return await permit.run(lambda: _matches_now(password, password_hash))


def hashed_now(password: str) -> str:
    """Blocks for some tens of milliseconds: for the command line."""
    return _hasher.hash(password)


def _matches_now(password: str, password_hash: str | None) -> bool:
    try:
        _hasher.verify(password_hash or _nobodys(), password)
    except (VerificationError, InvalidHashError):
        return False
    return password_hash is not None


def _nobodys() -> str:
    """What no password hashes to, and takes as long to find out."""
    salt, digest = (
        base64.b64encode(secrets.token_bytes(size)).rstrip(b"=").decode() for size in (16, 32)
    )
    return f"$argon2id$v=19$m={MEMORY_KIB},t={TIMES},p=1${salt}${digest}"
