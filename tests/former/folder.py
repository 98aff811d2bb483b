"""A data folder of a former version of the program.

It holds a household in daily use: signed-in people, unfinished work, waiting mail and settings.
`made.json` names the records in it, and holds the tokens of its people.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from shutil import copy
from typing import Any

from fastapi import FastAPI

from homeshelf.app import create_app
from homeshelf.config import read_settings
from homeshelf.signing import decoded
from homeshelf.table import HELPER, TABLES, Database
from homeshelf.table.operations import Put
from homeshelf.table.sqlite.engine import Sqlite
from homeshelf.table.sqlite.file import open_file
from homeshelf.web.services import services_of
from tests.running import HOST, RunningApp, Visitor


@dataclass(frozen=True)
class Folder:
    path: Path

    @cached_property
    def made(self) -> Mapping[str, Any]:
        made: Mapping[str, Any] = json.loads((self.path / "made.json").read_text())
        return made

    @property
    def secret(self) -> bytes:
        return decoded((self.path / "secret.key").read_text())

    def copied_to(self, place: Path) -> Path:
        """Copy the folder and upgrade its file, as `homeshelf serve` does."""
        copied = place / "data"
        copied.mkdir()
        for name in ("homeshelf.db", "secret.key"):
            copy(self.path / name, copied / name)
        open_file(copied / "homeshelf.db", upgrade=True).close()
        return copied


FOLDERS = Path(__file__).parent
FOLDER = Folder(FOLDERS / "2026_11")
"""A data folder of the version before tags, shared lists and books existed."""
LATER = Folder(FOLDERS / "2026_11_16")
"""A folder with tags, shared lists and books."""
COMPLETE = Folder(FOLDERS / "2026_11_19")
"""A folder with a to-do and a letter of every kind."""


class FormerApp(RunningApp):
    """The program that made a folder, in its current version."""

    def __init__(self, folder: Folder, app: FastAPI, db: Database, stack: AsyncExitStack) -> None:
        super().__init__(app, db, stack)
        self.folder = folder
        self.made = folder.made

    def signed_in(self, name: str) -> Visitor:
        """Return a visitor with the stored access token of this person."""
        visitor = self.visitor()
        visitor.bear(self.made[name]["accessToken"])
        return visitor

    async def waiting(self, kind: str) -> int:
        """Return the number of to-dos (`TODO`) or letters (`OUTBOX`) in all partitions."""
        page = await self.db.engine.scan(HELPER, 10_000)
        return sum(str(item["PK"]).startswith(kind) for item in page.items)


@asynccontextmanager
async def opened(
    folder: Folder,
    settings: Mapping[str, Any],
    *,
    copied: Path | None = None,
    database: Database | None = None,
) -> AsyncIterator[FormerApp]:
    """Open the folder; without a copy the secret is a setting, as on a machine with DynamoDB."""
    chosen = read_settings({"HOMESHELF_DATA_DIR": str(copied)} if copied else {})
    if copied is None:
        chosen = replace(chosen, secret=folder.secret)
    app = create_app(replace(chosen, hosts=(HOST,), **settings), database)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(app.router.lifespan_context(app))
        yield FormerApp(folder, app, services_of(app).db, stack)


@asynccontextmanager
async def reopened(former: FormerApp, settings: Mapping[str, Any]) -> AsyncIterator[FormerApp]:
    """Open the same records with other settings."""
    async with opened(former.folder, settings, database=former.db) as running:
        yield running


async def fill(database: Database, folder: Path) -> None:
    """Copy every record of a folder's file unchanged into other tables."""
    engine = Sqlite(folder / "homeshelf.db", sweep_every=None)
    try:
        for table in TABLES:
            page = await engine.scan(table, 10_000)
            await database.batch([Put(table, item) for item in page.items])
    finally:
        await engine.close()


async def wait_until_empty(former: FormerApp, kind: str, but: int = 0, within: float = 25) -> None:
    end = time.monotonic() + within
    while await former.waiting(kind) > but:
        assert time.monotonic() < end, f"{kind} still holds something"
        await asyncio.sleep(0.05)
