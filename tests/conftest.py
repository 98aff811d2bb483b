import gc
import os
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from httpx import create_ssl_context
from hypothesis import HealthCheck, settings

from homeshelf import clock
from homeshelf.table import Database
from homeshelf.table.sqlite.file import open_file
from tests import servers
from tests.api_client import Shown, add_item, add_place
from tests.cases import SEED
from tests.databases import ENGINES, Opener, UsedTables, db, tables, where
from tests.engines import ON_ONE_ENGINE
from tests.home import Home, new_home
from tests.moment import Moment
from tests.order import in_order
from tests.outbox.smtp_server import SmtpServers, running_smtp_servers
from tests.pseudo_language import all_catalogues, pseudo
from tests.quick_program import hash_quickly, poll_quickly
from tests.routes import document
from tests.running import Person, RunningApp, Visitor, running_app
from tests.servers import Server
from tests.web.streams import serving_on, stream_server

__all__ = ["all_catalogues", "db", "pseudo", "serving_on", "stream_server", "where"]

MEMORY = Path("/dev/shm")  # noqa: S108  # pytest makes a folder of its own there
ENOUGH_BYTES = 2**30
GARBAGE = 50_000
"""The number of new objects between garbage collections, high because tests create few."""

settings.register_profile("homeshelf", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("homeshelf")  # how busy the machine is says nothing about an example


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, help="of what tests leave to chance")


def pytest_configure(config: pytest.Config) -> None:
    """Put the tests' folders into memory if it has room, because a disk may be slow."""
    gc.disable()
    if config.option.seed is not None:
        os.environ[SEED] = str(config.option.seed)
    if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ENOUGH_BYTES:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.definition.path in ON_ONE_ENGINE and "open_another" in metafunc.fixturenames:
        mark = pytest.mark.parametrize("open_another", ENGINES[:1], indirect=True)
        metafunc.definition.add_marker(mark)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(
        config, "workerinput"
    ):  # a process of several; one alone keeps the order it is given
        items[:] = in_order(items)


@pytest.fixture(scope="session", autouse=True)
def temporary_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Delete the files of killed programs together with the folders of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(tmp_path_factory.getbasetemp()))
        patch.setattr(tempfile, "tempdir", None)
        yield


@pytest.fixture(scope="session", autouse=True)
def quick_hashes() -> Iterator[pytest.MonkeyPatch]:
    """Hash passwords at the lowest cost, which most tests are not about."""
    with pytest.MonkeyPatch.context() as patch:
        hash_quickly(patch.setattr)
        yield patch


@pytest.fixture
def usual_hashes(quick_hashes: pytest.MonkeyPatch) -> Iterator[None]:
    """Hash passwords at the cost of production."""
    quick_hashes.undo()
    yield
    hash_quickly(quick_hashes.setattr)


@pytest.fixture(scope="session", autouse=True)
def quick_polling() -> Iterator[pytest.MonkeyPatch]:
    """Make live updates on a database that has to be polled faster than in production."""
    with pytest.MonkeyPatch.context() as patch:
        poll_quickly(patch.setattr)
        yield patch


@pytest.fixture
def usual_polling(quick_polling: pytest.MonkeyPatch) -> Iterator[None]:
    """Poll as often as in production, for a test about how long that takes or what it costs."""
    quick_polling.undo()
    yield
    poll_quickly(quick_polling.setattr)


@pytest.fixture(scope="session", autouse=True)
def certificates_once() -> Iterator[None]:
    """Cache the trusted certificates, because loading them takes longer than most requests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("httpx._transports.default.create_ssl_context", cache(create_ssl_context))
        yield


@pytest.fixture(scope="session")
def new_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database file; creating one takes a while, so tests copy it."""
    path = tmp_path_factory.mktemp("new") / "homeshelf.db"
    open_file(path).close()
    return path


@pytest.fixture(scope="session")
def dynoxide() -> Iterator[Server]:
    with servers.dynoxide() as server:
        yield server


@pytest.fixture(scope="session")
def extenddb() -> Iterator[Server]:
    with servers.extenddb() as server:
        yield server


@pytest.fixture(scope="session")
def tables_of_dynoxide(dynoxide: Server) -> UsedTables:
    return UsedTables(dynoxide)


@pytest.fixture(scope="session")
def tables_of_extenddb(extenddb: Server) -> UsedTables:
    """Never reuse these tables: their indexes show deleted records for a while."""
    return UsedTables(extenddb, resting=sys.maxsize)


@pytest.fixture(scope="session")
def smtp_servers() -> Iterator[SmtpServers]:
    with running_smtp_servers() as servers:
        yield servers


@pytest.fixture(params=ENGINES)
async def open_another(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Opener]:
    """Opens the same tables again, as another process does."""
    async with tables(request, tmp_path) as opener:
        yield opener


@pytest.fixture
def database(open_another: Opener) -> Database:
    return open_another()


@pytest.fixture
async def running(database: Database) -> AsyncIterator[RunningApp]:
    async with running_app(database) as running:
        yield running


@pytest.fixture
async def home(running: RunningApp) -> Home:
    """The Lovelaces: Ada is their admin."""
    return await new_home(running, "Lovelace", "ada")


@pytest.fixture
async def kid(home: Home) -> Person:
    """A suggester of the Lovelaces."""
    return await home.with_member("kid", "suggester")


@pytest.fixture
async def neighbour(running: RunningApp) -> Person:
    """An admin of another family."""
    return (await new_home(running, "Babbage", "charles")).admin


@pytest.fixture
async def gone(home: Home) -> Person:
    """A former admin of the Lovelaces."""
    gone = await home.with_member("gone", "admin")
    await home.remove_member(gone)
    return gone


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def published_contract() -> None:
    """Build the OpenAPI document once, outside the measured time of any test."""
    document()


@pytest.fixture(autouse=True)
def ids_of_today() -> Iterator[None]:
    """Reset the order of ids after a test that created ids in the future."""
    yield
    if clock._last[0] >> 74 > time.time_ns() // 1_000_000:
        clock._last[0] = 0


@pytest.fixture
def moment(monkeypatch: pytest.MonkeyPatch) -> Moment:
    """A stopped clock, which the test moves."""
    moment = Moment("2024-11-01T12:00:00Z")
    monkeypatch.setattr(clock, "nanoseconds", moment.nanoseconds)
    monkeypatch.setattr(clock, "_last_milliseconds", [0])
    return moment


@pytest.fixture
async def ada(running: RunningApp) -> Person:
    """A signed-in person without a family."""
    return await running.person("ada")


@pytest.fixture
async def charles(running: RunningApp) -> Person:
    """Another signed-in person without a family."""
    return await running.person("charles")


@pytest.fixture
def nobody(running: RunningApp) -> Visitor:
    """An anonymous client."""
    return running.visitor()


@pytest.fixture
async def rice(home: Home) -> Shown:
    return await add_item(home.admin, name="Rice", quantity=1)


@pytest.fixture
async def market(home: Home) -> Shown:
    return await add_place(home.admin, "stores", "Market")


@pytest.fixture
async def milk(home: Home, market: Shown) -> Shown:
    """An item that is bought at the market, and runs low."""
    return await add_item(
        home.admin, name="Milk", quantity=1, threshold=3, preferredStoreId=market["storeId"]
    )


@pytest.fixture
def say(capfd: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Print a sentence on the terminal."""

    def say(sentence: str) -> None:
        with capfd.disabled():
            print(f"\n  {sentence}", end="", file=sys.stderr, flush=True)  # noqa: T201

    return say
