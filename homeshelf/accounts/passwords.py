"""Hash passwords with argon2id in threads, and refuse passwords that are easy to guess."""

import base64
import re
import secrets
from functools import cache
from pathlib import Path

from argon2 import PasswordHasher, Type, extract_parameters
from argon2.exceptions import InvalidHashError, VerificationError

from homeshelf.sentences import _
from homeshelf.web.limits import Lane

MEMORY_KIB, TIMES = 19 * 1024, 2
MAX_MEMORY_KIB, MAX_TIMES = 64 * 1024, 4

_hasher = PasswordHasher(time_cost=TIMES, memory_cost=MEMORY_KIB, parallelism=1)


async def hash_password(password: str, lane: Lane) -> str:
    return await lane.run(lambda: hash_password_blocking(password))


async def verify_password(password: str, password_hash: str | None, lane: Lane) -> bool:
    """Compare a password; without a hash this takes as long."""
    return await lane.run(lambda: _verify_blocking(password, password_hash))


def hash_password_blocking(password: str) -> str:
    """Hash without a thread, for the command line."""
    return _hasher.hash(password)


def is_safe_hash(password_hash: str) -> bool:
    """Check that a hash from another program is argon2id and not too expensive."""
    try:
        found = extract_parameters(password_hash)
    except (InvalidHashError, ValueError):
        return False
    is_dear = found.memory_cost > MAX_MEMORY_KIB or found.time_cost > MAX_TIMES
    return found.type is Type.ID and not is_dear


def _verify_blocking(password: str, password_hash: str | None) -> bool:
    known = password_hash if password_hash is not None and is_safe_hash(password_hash) else None
    try:
        _hasher.verify(known or _dummy_hash(), password)
    except (VerificationError, InvalidHashError):
        return False
    return known is not None


def _dummy_hash() -> str:
    salt, digest = (
        base64.b64encode(secrets.token_bytes(size)).rstrip(b"=").decode() for size in (16, 32)
    )
    return f"$argon2id$v=19$m={MEMORY_KIB},t={TIMES},p=1${salt}${digest}"


COMMON = _(
    "That password is too easy to guess. Try four words that have nothing to do with each other."
)
PERSONAL = _("That’s easy to guess from your name or address. Choose another.")

SHORTEST_RUN = 3


def is_common(password: str) -> bool:
    plain = password.casefold()
    repeated = re.fullmatch(r"(.{1,4}?)\1+.{0,3}", plain)  # such as `aaaaaaaa` or `abcabcabc`
    return bool(repeated) or _is_keyboard_run(plain) or any(map(_is_listed, _variants(plain)))


def is_personal(password: str, email: str, name: str) -> bool:
    words = _personal_words(email.casefold(), name.casefold())
    return not words.isdisjoint(_variants(password.casefold()))


def _variants(plain: str) -> set[str]:
    core = _strip_signs(plain)
    return {core, core.translate(_LEET), _strip_signs(plain.translate(_LEET))}


def _is_listed(core: str) -> bool:
    return core in _words() or re.sub(r"^(.{3,}?)\1+$", r"\1", core) in _words()


@cache
def _words() -> frozenset[str]:
    return frozenset(Path(__file__).with_name("common_passwords.txt").read_text("utf-8").split())


def _strip_signs(text: str) -> str:
    """Remove digits and signs from both ends, and all spaces."""
    return re.sub(r"^[\W\d_]+|[\W\d_]+$|\s", "", text)


def _is_keyboard_run(text: str) -> bool:
    """Match keyboard rows: `12345678`, `abcd1234`, `1q2w3e4r`, `11223344`."""
    if text[::2] == text[1::2]:
        text = text[::2]
    at = 0
    while at < len(text):
        length = max(_run_length(text, at, row) for row in _ROWS)
        if length < SHORTEST_RUN:
            return re.fullmatch(r"[\W\d_]{0,3}", text[at:]) is not None
        at += length
    return True


def _run_length(text: str, at: int, row: str) -> int:
    length = 0
    while at + length < len(text) and text[at : at + length + 1] in row:
        length += 1
    return length


def _personal_words(email: str, name: str) -> set[str]:
    local, _, host = email.partition("@")
    parts = [email, local, host, f"{local}{host}", name, *re.split(r"[\W\d_]+", f"{local} {name}")]
    return {core for part in parts if len(core := _strip_signs(part)) >= SHORTEST_RUN}


_LEET = str.maketrans("@4310$5!7", "aaeiossit")

_FORWARDS = [
    "01234567890",
    "abcdefghijklmnopqrstuvwxyz",
    "qwertyuiop",
    "qwertzuiop",
    "azertyuiop",
    "asdfghjkl",
    "qsdfghjklm",
    "zxcvbnm",
    "yxcvbnm",
    "wxcvbn",
    "1q2w3e4r5t6y7u8i9o0p",
    "q1w2e3r4t5y6u7i8o9p0",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
    "qazwsxedcrfvtgbyhnujm",
    "zaq12wsxcde34rfv",
    "!@#$%^&*()",
    "147258369",
    "741852963",
]
_ROWS = (*_FORWARDS, *(row[::-1] for row in _FORWARDS))
