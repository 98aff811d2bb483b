"""Test that every part is closed at the end, even after another one failed."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic

import pytest
from structlog.testing import capture_logs

from homeshelf import app as application
from homeshelf import background
from homeshelf.background import run_in_background
from homeshelf.coordination.signing_keys import Secret
from homeshelf.coordination.todos import Handler, Todo, todo
from homeshelf.live.hub import Hub
from homeshelf.table import Database, Unavailable
from homeshelf.web.services import Slice
from tests.queues import todos_of
from tests.running import SETTINGS


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "ENDS_WITHIN_SECONDS", 0.2)
    monkeypatch.setattr(background, "CANCELLED_WITHIN_SECONDS", 0.2)


async def test_closing_app_closes_database(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _opened(database, monkeypatch):
        assert not await _is_closed(database)
    assert await _is_closed(database)


async def test_failed_start_leaves_no_open_database(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise OSError("no key")

    monkeypatch.setattr(application, "open_services", fail)
    with pytest.raises(OSError, match="no key"):
        async with _opened(database, monkeypatch):
            pass
    assert await _is_closed(database)


async def test_failing_listeners_do_not_keep_database_open(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_: Hub) -> None:
        raise RuntimeError("a listener")

    monkeypatch.setattr(Hub, "close", fail)
    with pytest.raises(RuntimeError, match="a listener"):
        async with _opened(database, monkeypatch):
            pass
    assert await _is_closed(database)


@pytest.mark.parametrize("worker", ["run_todo_worker", "send_letters"])
async def test_failed_worker_does_not_keep_database_open(
    database: Database, monkeypatch: pytest.MonkeyPatch, worker: str
) -> None:
    async def fail(*_: object) -> None:
        raise RuntimeError("a worker")

    monkeypatch.setattr(application, worker, fail)
    with capture_logs() as logs:
        async with _opened(database, monkeypatch):
            pass
    assert await _is_closed(database)
    assert [each["error"] for each in logs if each["event"] == "work_ended"] == [
        "RuntimeError('a worker')"
    ]


async def test_endless_todo_is_cancelled_and_left_for_next_start(
    database: Database, open_another: Callable[[], Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, cut_off = asyncio.Event(), asyncio.Event()

    async def hang(_: Database, __: Todo) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cut_off.set()

    await _ends_quickly(database, hang, begun, monkeypatch)
    assert cut_off.is_set()
    (left,) = await todos_of(open_another())
    assert left.kind == "odd"


async def test_uncancellable_todo_does_not_keep_database_open(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, released = asyncio.Event(), asyncio.Event()

    async def hold_on(_: Database, __: Todo) -> None:
        begun.set()
        while not released.is_set():
            try:
                await released.wait()
            except asyncio.CancelledError:
                continue

    await _ends_quickly(database, hold_on, begun, monkeypatch)
    released.set()
    await asyncio.sleep(0.05)


async def test_work_started_during_shutdown_is_finished(
    database: Database, open_another: Callable[[], Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = asyncio.Event()

    async def take_a_moment(_: Database, __: Todo) -> None:
        begun.set()
        await asyncio.sleep(0.05)

    await _ends_quickly(database, take_a_moment, begun, monkeypatch)
    assert await todos_of(open_another()) == []


async def test_background_work_ends_with_its_block() -> None:
    ended = []

    async def work(stop: asyncio.Event) -> None:
        await stop.wait()
        ended.append(True)

    async with run_in_background(work, work):
        await asyncio.sleep(0)
        assert ended == []
    assert ended == [True, True]


async def _ends_quickly(
    database: Database, handler: Handler, begun: asyncio.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = Slice("odd", todos=lambda _: {"odd": handler})
    monkeypatch.setattr(application, "SLICES", (*application.SLICES, odd))
    async with _opened(database, monkeypatch):
        await database.put(todo("odd", {}))
        async with asyncio.timeout(5):
            await begun.wait()
        ending = monotonic()
    assert monotonic() - ending < 3
    assert await _is_closed(database)


@asynccontextmanager
async def _opened(database: Database, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """Run the application, which opens this database itself."""
    monkeypatch.setattr(application, "open_database", lambda _: database)
    app = application.create_app(SETTINGS)
    async with app.router.lifespan_context(app):
        yield


async def _is_closed(database: Database) -> bool:
    try:
        await database.get(Secret.key())
    except Unavailable:
        return True
    return False
