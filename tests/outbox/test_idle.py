"""Test that an idle house causes no writes and few reads."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from time import monotonic

import apsw
import pytest

from homeshelf import clock
from homeshelf.coordination import todos
from homeshelf.coordination.queue_worker import EVERY_SECONDS
from homeshelf.coordination.todos import todo
from homeshelf.outbox import sending
from homeshelf.outbox.model import letter
from homeshelf.table import Database
from homeshelf.table.dynamodb.engine import DynamoDB
from homeshelf.table.sqlite.engine import Sqlite
from tests.costs import Bill
from tests.home import Home
from tests.moment import Moment
from tests.outbox.post_office import PostOffice, wait_until_outbox_is_empty
from tests.queues import todos_of

WRITES = ("put", "update", "delete", "transact", "batch")


@pytest.fixture
def worker_speed() -> int:
    return 500


@pytest.fixture(autouse=True)
def quick_workers(monkeypatch: pytest.MonkeyPatch, worker_speed: int) -> None:
    for module in (todos, sending):
        monkeypatch.setattr(module, "EVERY_SECONDS", EVERY_SECONDS / worker_speed)


async def test_idle_house_writes_nothing(home: Home, office: PostOffice, moment: Moment) -> None:
    db = home.running.db
    await _cause_background_work(home, office)
    looks = _count_stamps(db)
    watcher = _read_database_version(db)
    before, version, queries = _write_counts(db), await watcher(), db.engine.consumed["query"]
    for _ in range(800):
        moment.pass_by(1)
        await asyncio.sleep(0.0025)
    assert _write_counts(db) == before
    assert await watcher() == version
    assert looks() > 200, "it was looking all the time"
    if isinstance(db.engine, Sqlite):
        assert db.engine.consumed["query"] == queries, "a look at the stamp was enough"


async def test_idle_house_still_handles_due_work(
    home: Home, office: PostOffice, moment: Moment
) -> None:
    db = home.running.db
    await _cause_background_work(home, office)
    await db.put(todo("unheard of", {}, due=clock.now() + timedelta(minutes=10)))
    moment.pass_by(595)
    await asyncio.sleep(0.1)
    before = _write_counts(db)
    await asyncio.sleep(0.1)
    assert _write_counts(db) == before
    moment.pass_by(6)
    async with asyncio.timeout(5):
        while (await todos_of(db))[0].attempts == 0:  # noqa: ASYNC110  # the queue has no event
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("worker_speed", [25])
async def test_idle_house_reads_less_than_one_unit_per_second(
    home: Home, office: PostOffice, worker_speed: int
) -> None:
    db = home.running.db
    await _cause_background_work(home, office)
    tomorrow = clock.now() + timedelta(days=1)
    await db.batch([letter("daily", due=tomorrow, day="x" * 200).put() for _ in range(200)])
    await db.batch([todo("tell", {}, due=tomorrow).put() for _ in range(200)])
    await asyncio.sleep(1)
    began, bill, writes = monotonic(), Bill(db.engine), _write_counts(db)
    await asyncio.sleep(2)
    seconds = (monotonic() - began) * worker_speed
    spent = bill.units
    assert spent.read <= 1.0 * seconds
    assert (spent.write, _write_counts(db)) == (0, writes)
    if isinstance(db.engine, DynamoDB):
        assert spent.read > 0.1 * seconds, "it was looking all the time"


async def _cause_background_work(home: Home, office: PostOffice) -> None:
    db = home.running.db
    await home.invite("grace@home.local")
    await wait_until_outbox_is_empty(db)
    assert len(office.mails) == 1
    await db.put(todo("item_removed", {"familyId": home.family_id, "itemId": "gone"}))
    async with asyncio.timeout(5):
        while await todos_of(db):  # noqa: ASYNC110  # the queue has no event
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.2)


def _write_counts(db: Database) -> dict[str, int]:
    return {name: db.engine.consumed[name] for name in WRITES}


def _count_stamps(db: Database) -> Callable[[], int]:
    counted = 0
    stamp = db.engine.stamp

    async def count_stamp() -> int | None:
        nonlocal counted
        counted += 1
        return await stamp()

    db.engine.stamp = count_stamp  # type: ignore[method-assign]
    return lambda: counted


def _read_database_version(db: Database) -> Callable[[], Awaitable[object]]:
    if not isinstance(db.engine, Sqlite):
        bill = Bill(db.engine)

        async def read_write_units() -> object:
            return bill.units.write

        return read_write_units
    path = db.engine.path
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)

    async def read_file_version() -> object:
        log = path.with_name(f"{path.name}-wal").stat()
        return connection.pragma("data_version"), log.st_size, log.st_mtime_ns

    return read_file_version
