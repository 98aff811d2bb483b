"""What the whole application shares while it runs."""

import os
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, Request

from homeshelf.config import Settings, SqliteAt
from homeshelf.private_files import keep_private
from homeshelf.signing import Signer, decoded, encoded, new_secret
from homeshelf.table import HELPER, CannotOpen, ConditionFailed, Database, Keys, Record, absent
from homeshelf.web.limits import Limits
from homeshelf.web.slice import Slice


@dataclass(frozen=True)
class Services:
    settings: Settings
    db: Database
    signer: Signer
    limits: Limits
    slices: tuple[Slice, ...] = ()

    @cached_property
    def families(self) -> Any:
        """Who is in which family, as the slice says that knows: see `access/families.py`."""
        return next((each.families for each in self.slices if each.families), None)


async def open_services(
    settings: Settings, db: Database, slices: tuple[Slice, ...] = ()
) -> Services:
    db = db.under(settings)
    signer = Signer(settings.secret or await _kept_secret(settings, db))
    return Services(settings, db, signer, Limits(settings, db), slices)


def key_file(settings: Settings) -> Path | None:
    """Where the key is kept, unless it is in a setting or in the database."""
    if settings.secret is not None or not isinstance(settings.database, SqliteAt):
        return None
    return settings.database.path.parent / "secret.key"


def read_key(path: Path) -> bytes:
    try:
        key = decoded(path.read_text())
    except (OSError, ValueError):
        key = b""
    if len(key) < 32:
        raise CannotOpen(
            f"The signing key {path} cannot be read; restore it from a backup, or delete it, "
            "and everybody signs in again."
        )
    return key


async def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


async def _db(request: Request) -> Database:
    db: Database = request.app.state.services.db
    return db


TheServices = Annotated[Services, Depends(_services)]
Db = Annotated[Database, Depends(_db)]


class Secret(Record):
    table = HELPER
    keys = Keys(PK="SECRET", SK="SECRET")

    secret: str


async def _kept_secret(settings: Settings, db: Database) -> bytes:
    """The key made on the first start: beside the embedded database, or in the helper table."""
    if path := key_file(settings):
        return _in_file(path)
    with suppress(ConditionFailed):  # another machine was first, today or long ago
        await db.put(Secret(secret=encoded(new_secret())), when=absent)
    kept = await db.get(Secret.key())
    assert kept is not None  # noqa: S101  # it was just put, or somebody else's was found
    return decoded(kept.secret)


def _in_file(path: Path) -> bytes:
    """Written aside and linked, so that nobody ever reads half of one."""
    if not path.exists():
        made = path.with_name(f"{path.name}.{os.getpid()}")
        made.touch(mode=0o600)
        made.write_text(encoded(new_secret()))
        with suppress(FileExistsError):
            path.hardlink_to(made)
        made.unlink()
    keep_private(path)
    return read_key(path)


def base_url(request: Request) -> str:
    """The house's public address, or else the one that the request came by."""
    services: Services = request.app.state.services
    return services.settings.public_url or f"{request.url.scheme}://{request.url.netloc}"


async def _base_url(request: Request) -> str:
    return base_url(request)


BaseUrl = Annotated[str, Depends(_base_url)]
