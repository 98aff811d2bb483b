from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from homeshelf.clock import new_id
from homeshelf.table import Engine
from homeshelf.table.dynamodb import DynamoDB
from homeshelf.table.dynamodb_credentials import Credentials
from homeshelf.table.sqlite import Sqlite
from tests.servers import Server
from tests.table.support import Clock, Place, new_home, new_shelf

ENGINES = ["sqlite", "dynoxide", "extenddb"]


@pytest.fixture(scope="session")
def standing_clock() -> Clock:
    return Clock()


@pytest.fixture
def clock(standing_clock: Clock) -> Iterator[Clock]:
    """The engine's clock; it stands still, and is set back after the test."""
    yield standing_clock
    standing_clock.now = standing_clock.started


@pytest.fixture(scope="session", params=ENGINES)
async def engine(
    request: pytest.FixtureRequest, standing_clock: Clock, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Engine]:
    """Each engine, with its tables made once: tests keep apart by partitions of their own."""
    made = open_engine(request, tmp_path_factory.mktemp("engine"), standing_clock)
    await made.create_tables()
    yield made
    await made.close()


@pytest.fixture
def home() -> Place:
    return new_home()


@pytest.fixture
def shelf() -> Place:
    return new_shelf()


def open_engine(request: pytest.FixtureRequest, folder: Path, clock: Clock) -> Engine:
    """The engine that the fixture's parameter names, with nothing in it."""
    if request.param == "sqlite":
        return Sqlite(folder / "homeshelf.db", seconds=clock)
    server: Server = request.getfixturevalue(request.param)
    return DynamoDB(
        server.region,
        server.endpoint,
        f"{new_id()}.",
        credentials=Credentials(server.access_key, server.secret_key),
        seconds=clock,
    )
