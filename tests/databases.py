"""Databases for the tests: empty tables on a real engine, gone afterwards."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from shutil import copy

import pytest

from homeshelf.table import Database, Engine
from homeshelf.table.sqlite.engine import Sqlite
from tests.used_tables import UsedTables

ENGINES = ["sqlite", "dynoxide"]
Opener = Callable[[], Database]


@asynccontextmanager
async def tables(request: pytest.FixtureRequest, folder: Path) -> AsyncIterator[Opener]:
    """Tables on the engine that the fixture's parameter names, and how to open them again.

    Each `Database` has an engine of its own, as each process has: none knows of the others.
    """
    async with AsyncExitStack() as stack:
        make = await _engine(request, folder, stack)

        def open_another() -> Database:
            database = Database(make())
            stack.push_async_callback(database.close)
            return database

        yield open_another


async def _engine(
    request: pytest.FixtureRequest, folder: Path, stack: AsyncExitStack
) -> Callable[[], Engine]:
    if request.param == "sqlite":
        path = folder / "homeshelf.db"
        copy(request.getfixturevalue("new_file"), path)
        return partial(Sqlite, path)
    tables: UsedTables = request.getfixturevalue(f"tables_of_{request.param}")
    taken = tables.taken(others_write=False)
    return partial(tables.engine, await stack.enter_async_context(taken))
