"""Open a database, with its signing key, to copy or to adopt."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from homeshelf.config import DynamoDBAt, SqliteAt
from homeshelf.coordination.signing_keys import Secret, format_keys, key_beside, read_keys
from homeshelf.moving.progress_marks import CopyMark
from homeshelf.private_files import replace_private
from homeshelf.signing import digest
from homeshelf.table import HELPER, TABLES, CannotOpen, Database, Item, Key, Table, open_database
from homeshelf.table.operations import Cursor, Page, key_in
from homeshelf.table.sqlite.copies import exclusive_access, open_for_reading, require_unchanged
from homeshelf.table.sqlite.file import require_readable

UNCOPIED_KEYS: set[Key[Any]] = {Secret.key(), CopyMark.key()}


@dataclass(frozen=True)
class Side:
    at: SqliteAt | DynamoDBAt
    db: Database

    async def pages(self, table: Table, start: Cursor | None = None) -> AsyncIterator[Page[Item]]:
        """Yield all records of a table; raise CannotOpen if one is unreadable."""
        async for page in self.db.scan(table, start):
            if page.unreadable:
                raise CannotOpen(
                    f"{table.name} has {len(page.unreadable)} that cannot be read; "
                    "`homeshelf doctor` names them."
                )
            items = page.items
            if table is HELPER:
                items = [each for each in items if key_in(HELPER, each) not in UNCOPIED_KEYS]
            yield Page(items, page.next)

    async def is_empty(self) -> bool:
        for table in TABLES:
            async for page in self.pages(table):
                if page.items:
                    return False
        return True

    async def signing_key(self) -> str | None:
        if kept := await self.db.get(Secret.key()):
            return kept.secret
        if self._key_file is not None and self._key_file.exists():
            return format_keys(read_keys(self._key_file))
        return None

    async def store_key(self, key: str) -> None:
        file = self._key_file
        if file is None:
            await self.db.put(Secret(secret=key))
        elif not file.exists():
            replace_private(file, key)

    @property
    def digest(self) -> str:
        """The identity of the database, whatever path names it."""
        match self.at:
            case SqliteAt(path):
                return digest(f"sqlite {path.resolve()}")
            case DynamoDBAt(region, endpoint, prefix):
                return digest(f"dynamodb {region} {endpoint or ''} {prefix}")

    @property
    def _key_file(self) -> Path | None:
        return key_beside(self.at.path) if isinstance(self.at, SqliteAt) else None


@asynccontextmanager
async def connect(
    at: SqliteAt | DynamoDBAt, *, new: bool = False, to_read: bool = False
) -> AsyncIterator[Side]:
    """Open a complete database; `new` creates it, and `to_read` leaves every byte of its file."""
    if isinstance(at, SqliteAt):
        require_readable(at.path)
        if not new and not at.path.exists():
            raise CannotOpen(f"There is no database {at.path}.")
        if to_read:
            with open_for_reading(at.path) as connection:
                require_unchanged(connection, at.path)
    db = open_database(at, to_read=to_read)
    try:
        if new:
            await db.engine.create_tables()
        found = await db.engine.list_tables()
        if missing := [table.name for table in TABLES if table.name not in found]:
            names = ", ".join(missing)
            raise CannotOpen(
                f"The database lacks the table {names}: `homeshelf tables create` makes it."
            )
        yield Side(at, db)
    finally:
        await db.close()


def require_unused(at: SqliteAt | DynamoDBAt) -> None:
    """Refuse an embedded database that another process writes to; read-only files stay unlocked."""
    if isinstance(at, SqliteAt):
        require_readable(at.path)
        if at.path.exists() and os.access(at.path, os.W_OK):
            with exclusive_access(at.path):
                pass
