from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from homeshelf.clock import new_id
from homeshelf.table import Engine
from homeshelf.table.dynamodb.credentials import Credentials
from homeshelf.table.dynamodb.engine import DynamoDB
from homeshelf.table.sqlite.engine import Sqlite
from tests.servers import Server
from tests.table.support import Clock, Place, new_lasting_place, new_place

ENGINES = ["sqlite", "dynoxide", "extenddb"]
EngineOpener = Callable[..., Engine]


@pytest.fixture(scope="session")
def standing_clock() -> Clock:
    return Clock()


@pytest.fixture
def clock(standing_clock: Clock) -> Iterator[Clock]:
    """The engine's clock; it stands still, and is reset after the test."""
    yield standing_clock
    standing_clock.now = standing_clock.started


@pytest.fixture(scope="session", params=ENGINES)
def open_engine(
    request: pytest.FixtureRequest, standing_clock: Clock, tmp_path_factory: pytest.TempPathFactory
) -> EngineOpener:
    """A function that opens the same tables each time, as another process does."""
    return opener(request, tmp_path_factory.mktemp("engine"), standing_clock)


@pytest.fixture(scope="session")
async def engine(open_engine: EngineOpener) -> AsyncIterator[Engine]:
    """Each engine, with tables made once; each test uses partitions of its own."""
    made = open_engine()
    await made.create_tables()
    yield made
    await made.close()


@pytest.fixture
async def engine_by_range(engine: Engine, open_engine: EngineOpener) -> AsyncIterator[Engine]:
    """An engine that reads prefixes by a key range, which every server answers correctly."""
    if not isinstance(engine, DynamoDB):
        yield engine
        return
    made = open_engine(prefixes="range")
    yield made
    await made.close()


@pytest.fixture
def home() -> Place:
    return new_place()


@pytest.fixture
def shelf() -> Place:
    return new_lasting_place()


def opener(request: pytest.FixtureRequest, folder: Path, clock: Clock) -> EngineOpener:
    """Return the opener of the engine in the fixture's parameter, with new tables."""
    if request.param == "sqlite":
        return partial(Sqlite, folder / "homeshelf.db", seconds=clock)
    server: Server = request.getfixturevalue(request.param)
    credentials = Credentials(server.access_key, server.secret_key)
    return partial(
        DynamoDB,
        server.region,
        server.endpoint,
        f"{new_id()}.",
        prefixes=server.prefixes,
        credentials=credentials,
        seconds=clock,
    )
