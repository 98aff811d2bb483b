"""The stored signing keys, newest first, each with the time when it begins to sign.

Settings, a file or the helper table hold them as `{key}:{since} {key}`.
"""

import asyncio
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import structlog

from homeshelf import clock
from homeshelf.config import Settings, SqliteAt
from homeshelf.keyring import Keyring, SigningKey
from homeshelf.private_files import keep_private, ownership_advice, replace_private, unused_ending
from homeshelf.signing import Signer, decoded, encoded
from homeshelf.table import (
    HELPER,
    CannotOpen,
    ConditionFailed,
    Database,
    Keys,
    Record,
    TableError,
    absent,
    attr,
)

LOOKED_AT_SECONDS = 30.0
"""The interval of checks for new keys, much shorter than the time before a key is used."""
SHORTEST = 32

log = structlog.get_logger()


class Secret(Record):
    table = HELPER
    keys = Keys(PK="SECRET", SK="SECRET")

    secret: str


def format_keys(keys: Keyring) -> str:
    return " ".join(
        f"{encoded(each.secret)}:{each.since}" if each.since else encoded(each.secret)
        for each in keys.keys
    )


def parse_keys(text: str) -> Keyring:
    parts = [part.partition(":") for part in text.split()]
    keys = tuple(SigningKey(decoded(secret), int(since or 0)) for secret, _, since in parts)
    if not keys or any(len(each.secret) < SHORTEST for each in keys):
        raise ValueError("no key")
    return Keyring(keys)


def key_file(settings: Settings) -> Path | None:
    """Return the file of the keys, unless they are in the settings or the database."""
    if settings.secret is not None or not isinstance(settings.database, SqliteAt):
        return None
    return key_beside(settings.database.path)


def key_beside(database: Path) -> Path:
    return database.parent / "secret.key"


def read_keys(path: Path) -> Keyring:
    try:
        return parse_keys(path.read_text())
    except PermissionError:
        raise CannotOpen(
            f"The signing key {path} cannot be read: {ownership_advice(path)}"
        ) from None
    except OSError as error:
        raise CannotOpen(f"The signing key {path} cannot be read: {error.strerror}.") from None
    except ValueError:
        raise CannotOpen(
            f"The signing key {path} cannot be read; restore it from a backup, or move it away: "
            "a new one is made then, and everybody signs in again."
        ) from None


async def keys_of(settings: Settings, db: Database) -> Keyring:
    if settings.secret is not None:
        before = [] if settings.secret_before is None else [settings.secret_before]
        return Keyring.of(settings.secret, *before)
    if path := key_file(settings):
        await _move_key_to_file(db, path)
        _make_file(path)
        return read_keys(path)
    with suppress(ConditionFailed):  # another machine has made one, now or long ago
        await db.put(Secret(secret=format_keys(Keyring.new())), when=absent)
    kept = await db.get(Secret.key())
    assert kept is not None  # noqa: S101  # it was just put, by us or by another machine
    return parse_keys(kept.secret)


async def replace_keys(settings: Settings, db: Database, old: Keyring, new: Keyring) -> bool:
    if path := key_file(settings):
        with _lock_file(path):
            if read_keys(path) != old:
                return False
            replace_private(path, format_keys(new))
        return True
    try:
        await db.put(Secret(secret=format_keys(new)), when=attr("secret") == format_keys(old))
    except ConditionFailed:
        return False
    return True


async def watch_keys(settings: Settings, db: Database, signer: Signer, stop: asyncio.Event) -> None:
    while settings.secret is None and not stop.is_set():
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOKED_AT_SECONDS):
                await stop.wait()
                return
        await look(settings, db, signer)


async def look(settings: Settings, db: Database, signer: Signer) -> None:
    try:
        kept = await keys_of(settings, db)
        lasting = kept.prune(clock.seconds())
        if lasting != kept and await replace_keys(settings, db, kept, lasting):
            kept = lasting
    except (TableError, CannotOpen, OSError) as error:
        log.warning("signing_key_unread", error=repr(error))
        return
    if kept != signer.keys:
        signer.adopt(kept)
        log.info("signing_key_adopted", count=len(kept.keys))


async def _move_key_to_file(db: Database, path: Path) -> None:
    """Move the key of a restored backup into its file."""
    if brought := await db.get(Secret.key()):
        exchange_key(path, brought.secret)
        await db.write(brought.delete())


def exchange_key(path: Path, key: str) -> Path | None:
    """Replace the key file; return where a different old one is kept."""
    if path.exists() and path.read_bytes() == key.encode():  # a damaged file may not be text
        return None
    kept = None
    if path.exists():
        keep_private(path)
        ending = unused_ending(path, f".before-{clock.now():%Y%m%d-%H%M%S}")
        kept = path.with_name(path.name + ending)
        with suppress(FileExistsError):  # another process of this installation was as quick
            kept.hardlink_to(path)
    replace_private(path, key)
    return kept


def _make_file(path: Path) -> None:
    """Write a key under another name and link it, so that no process reads half of it."""
    if not path.exists():
        made = path.with_name(f"{path.name}.{os.getpid()}")
        made.touch(mode=0o600)
        made.write_text(format_keys(Keyring.new()))
        with suppress(FileExistsError):
            path.hardlink_to(made)
        made.unlink()
    keep_private(path)


@contextmanager
def _lock_file(path: Path) -> Iterator[None]:
    """Lock the file, and lock it again if another process has replaced it."""
    while True:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                yield
                return
        finally:
            os.close(descriptor)
