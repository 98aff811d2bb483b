"""Another house, on tables of its own of the same engine."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copy

import pytest

from homeshelf.table import Database
from homeshelf.table.sqlite.engine import Sqlite
from tests.databases import ENGINES, Opener, tables
from tests.running import RunningApp, Visitor, running_app
from tests.used_tables import UsedTables

SECRET = b"the secret of another house, which is long enough"


@pytest.fixture
async def elsewhere(
    request: pytest.FixtureRequest,
    open_another: Opener,  # noqa: ARG001  # of the same engine
    tmp_path: Path,
) -> AsyncIterator[RunningApp]:
    if request.node.callspec.params["open_another"] == "sqlite":
        path = tmp_path / "elsewhere.db"
        copy(request.getfixturevalue("new_file"), path)
        async with served_by(Database(Sqlite(path))) as running:
            yield running
        return
    tables: UsedTables = request.getfixturevalue("tables_of_dynoxide")
    async with tables.taken() as prefix, served_by(Database(tables.engine(prefix))) as running:
        yield running


@dataclass(frozen=True)
class TwoHouses:
    here: RunningApp
    there: RunningApp


@pytest.fixture(scope="module", params=ENGINES)
async def two_houses(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[TwoHouses]:
    """For tests that leave both as they are: to furnish one takes longer than they do."""
    async with AsyncExitStack() as stack:
        opened = []
        for secret in ({}, {"secret": SECRET}):
            folder = tmp_path_factory.mktemp("house")
            open_one = await stack.enter_async_context(tables(request, folder))
            opened.append(await stack.enter_async_context(running_app(open_one(), **secret)))
        yield TwoHouses(*opened)


@asynccontextmanager
async def served_by(db: Database) -> AsyncIterator[RunningApp]:
    try:
        async with running_app(db, secret=SECRET) as running:
            yield running
    finally:
        await db.close()


async def let_in(running: RunningApp, member_id: str) -> Visitor:
    """Somebody who came in, as if they had a password by now."""
    session = await running.session_of(member_id)
    visitor = running.visitor()
    visitor.bear(running.access_token(member_id, session.session_id))
    return visitor
