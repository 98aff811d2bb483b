"""Databases for the tests: empty tables on a real engine, gone afterwards."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from homeshelf import clock
from homeshelf.table import Database, Engine
from homeshelf.table.dynamodb.credentials import Credentials
from homeshelf.table.dynamodb.engine import DynamoDB
from homeshelf.table.sqlite.engine import Sqlite
from tests.servers import Server

ENGINES = ["sqlite", "dynoxide"]
Opener = Callable[[], Database]


@asynccontextmanager
async def tables(request: pytest.FixtureRequest, folder: Path) -> AsyncIterator[Opener]:
    """Tables on the engine that the fixture's parameter names, and how to open them again.

    Each `Database` has an engine of its own, as each process has: none knows of the others.
    """
    make = _engine(request, folder)
    async with AsyncExitStack() as stack:

        def open_another() -> Database:
            database = Database(make())
            stack.push_async_callback(database.close)
            return database

        await open_another().engine.create_tables()
        yield open_another


def _engine(request: pytest.FixtureRequest, folder: Path) -> Callable[[], Engine]:
    if request.param == "sqlite":
        return partial(Sqlite, folder / "homeshelf.db")
    return _dynamodb(request.getfixturevalue(request.param))


def _dynamodb(server: Server) -> Callable[[], Engine]:
    credentials = Credentials(server.access_key, server.secret_key)
    prefix = f"{clock.new_id()}."
    return partial(
        DynamoDB, server.region, server.endpoint, prefix, server.prefixes, credentials=credentials
    )
