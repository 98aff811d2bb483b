"""Passwords and passcodes: argon2id as OWASP recommends it, off the event loop, two at once."""

import asyncio
import base64
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

T = TypeVar("T")

AT_ONCE = 2

MEMORY_KIB, TIMES = 19 * 1024, 2

_hasher = PasswordHasher(time_cost=TIMES, memory_cost=MEMORY_KIB, parallelism=1)
_threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="passwords")


async def hashed(password: str) -> str:
    return await _aside(lambda: hashed_now(password))


async def matches(password: str, password_hash: str | None) -> bool:
    """Whether it is the password; where there is none to compare with, it takes as long."""
    return await _aside(lambda: _matches_now(password, password_hash))


def hashed_now(password: str) -> str:
    """Blocks for some tens of milliseconds: for the command line."""
    return _hasher.hash(password)


async def _aside(work: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(_threads, work)


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
