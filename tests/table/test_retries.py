"""Which requests are retried, how often, and which are known to be undone."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import pytest

from homeshelf.clock import new_id
from homeshelf.table.dynamodb import wire as dynamodb_wire
from homeshelf.table.dynamodb.engine import DynamoDB
from homeshelf.table.dynamodb.retries import RetryBudget
from homeshelf.table.engine import Unavailable
from homeshelf.table.expressions import Add
from tests.processes import free_port
from tests.servers import Server
from tests.table.faulty_engines import DEADLINE, LONG, TIMEOUT, Restartable, opened
from tests.table.proxy import (
    Proxy,
    cancel_with,
    drop_before_forwarding,
    never_answer,
    open_proxy,
    refuse_with,
)
from tests.table.support import Place, new_place

AT_MOST = 20


@pytest.fixture(scope="module")
async def prefix(dynoxide: Server) -> str:
    prefix = f"{new_id()}."
    engine = opened(dynoxide, dynoxide.endpoint, prefix)
    await engine.create_tables()
    await engine.close()
    return prefix


@pytest.fixture
async def proxy(dynoxide: Server) -> AsyncIterator[Proxy]:
    async with open_proxy(dynoxide.endpoint) as proxy:
        yield proxy


@pytest.fixture
async def engine(
    proxy: Proxy, dynoxide: Server, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[DynamoDB]:
    """An engine with two connections and a small retry budget, so that both run out soon."""
    monkeypatch.setattr(dynamodb_wire, "CONNECTIONS", 2)
    monkeypatch.setattr(dynamodb_wire, "RetryBudget", lambda: RetryBudget(AT_MOST))
    engine = opened(dynoxide, proxy.endpoint, prefix)
    yield engine
    await engine.close()


async def test_a_change_that_waits_for_a_connection_is_made_when_there_is_one(
    engine: DynamoDB, proxy: Proxy, home: Place
) -> None:
    """The wait is longer than the timeout of an answer, which does not include it."""
    await engine.write(home.put("milk", quantity=1))
    proxy.whenever("GetItem", never_answer)
    async with busy(engine, home, 4):
        await engine.write(home.update("milk", Add("quantity", 1)))
    proxy.forget()
    assert await engine.get(home.key("milk")) == home.item("milk", quantity=2)


async def test_change_without_a_connection_is_reported_as_not_made(
    engine: DynamoDB, proxy: Proxy, home: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    await engine.write(home.put("milk", quantity=1))
    proxy.whenever("GetItem", never_answer)
    async with busy(engine, home, 20):
        monkeypatch.setattr(engine._wire, "deadline", DEADLINE / 2)
        began = time.monotonic()
        with pytest.raises(Unavailable) as unavailable:
            await engine.write(home.update("milk", Add("quantity", 1)))
        assert time.monotonic() - began < DEADLINE
    assert "asked for more than it answers" in str(unavailable.value)
    assert "not known" not in str(unavailable.value)
    assert "UpdateItem" not in proxy.operations


async def test_a_change_to_a_server_that_is_just_starting_is_made_once(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """At first the port is closed: a refused connection has changed nothing."""
    home = new_place()
    with Restartable(tmp_path_factory.mktemp("dynoxide") / "tables.db") as server:
        engine = opened(server.server, server.server.endpoint, "", deadline=10)
        await engine.create_tables()
        await engine.write(home.put("milk", quantity=1))
        await engine.close()
        server.kill()
        engine = opened(server.server, server.server.endpoint, "", deadline=10)
        change = asyncio.create_task(engine.write(home.update("milk", Add("quantity", 1))))
        await asyncio.sleep(0.2)
        assert not change.done()
        await asyncio.to_thread(server.start)
        await change
        assert await engine.get(home.key("milk")) == home.item("milk", quantity=2)
        await engine.close()


async def test_change_that_could_not_connect_was_not_made(dynoxide: Server, home: Place) -> None:
    with deaf() as endpoint:
        engine = opened(dynoxide, endpoint, "")
        began = time.monotonic()
        with pytest.raises(Unavailable) as unavailable:
            await engine.write(home.update("milk", Add("quantity", 1)))
        await engine.close()
    assert time.monotonic() - began > 2 * TIMEOUT, "it was not tried again"
    assert "cannot be reached" in str(unavailable.value)
    assert "not known" not in str(unavailable.value)


async def test_outcome_stays_unknown_after_an_unsent_retry(
    engine: DynamoDB, proxy: Proxy, home: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second attempt of a put was not sent, but the first may have succeeded."""
    proxy.then(never_answer)
    put = asyncio.create_task(engine.write(home.put("milk")))
    await asyncio.sleep(TIMEOUT / 2)
    monkeypatch.setattr(engine._wire, "_url", f"http://127.0.0.1:{free_port()}/")
    with pytest.raises(Unavailable, match="not known"):
        await put


@pytest.mark.parametrize(
    "step",
    [
        drop_before_forwarding,
        refuse_with("InternalServerError", 500),
        refuse_with("ThrottlingException"),
    ],
    ids=["dropped", "failed", "throttled"],
)
async def test_retry_budget_limits_requests_during_an_outage(
    engine: DynamoDB, proxy: Proxy, step: object
) -> None:
    proxy.always(step)  # type: ignore[arg-type]  # all are steps
    homes = [new_place() for _ in range(30)]
    reads = [engine.get(home.key("milk")) for home in homes]
    failed = await asyncio.gather(*reads, return_exceptions=True)
    assert all(isinstance(each, Unavailable) for each in failed)
    assert len(proxy.seen) <= len(homes) + AT_MOST
    spend_retry_budget(engine)  # a slow machine leaves part of the budget
    began, before = time.monotonic(), len(proxy.seen)
    with pytest.raises(Unavailable):
        await engine.get(homes[0].key("milk"))
    assert len(proxy.seen) == before + 1
    assert time.monotonic() - began < DEADLINE / 2


async def test_successes_refill_the_retry_budget(
    engine: DynamoDB, proxy: Proxy, home: Place
) -> None:
    spend_retry_budget(engine)
    for _ in range(5):
        await engine.get(home.key("milk"))
    proxy.then(drop_before_forwarding)
    await engine.get(home.key("milk"))


async def test_connection_that_drops_every_other_request_keeps_working(
    engine: DynamoDB, proxy: Proxy, home: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine._wire, "deadline", LONG)  # a busy machine may stall for a second
    for _ in range(3 * AT_MOST):
        proxy.then(drop_before_forwarding)
        await engine.get(home.key("milk"))


async def test_conflicts_do_not_spend_the_retry_budget(
    engine: DynamoDB, proxy: Proxy, home: Place
) -> None:
    spend_retry_budget(engine)
    proxy.then(cancel_with("TransactionConflict"), refuse_with("TransactionConflictException"))
    await engine.transact([home.put("milk")])
    proxy.then(cancel_with("ThrottlingError"))
    with pytest.raises(Unavailable, match="is too busy"):
        await engine.transact([home.put("milk")])


async def test_batch_without_progress_spends_the_retry_budget(
    engine: DynamoDB, proxy: Proxy, home: Place
) -> None:
    spend_retry_budget(engine)
    proxy.always(refuse_with("ThrottlingException"))
    before = len(proxy.seen)
    with pytest.raises(Unavailable):
        await engine.batch([home.put("milk")])
    assert len(proxy.seen) == before + 1


def spend_retry_budget(engine: DynamoDB) -> None:
    """Use up the retry budget, as many failures do."""
    while engine._wire._budget.spend():
        pass


class busy:  # noqa: N801  # reads as what it is
    """Reads without an answer, which hold or await the connections during the block."""

    def __init__(self, engine: DynamoDB, home: Place, number: int) -> None:
        self._reads = [engine.get(home.key("bread")) for _ in range(number)]

    async def __aenter__(self) -> None:
        self._tasks = [asyncio.create_task(read) for read in self._reads]
        await asyncio.sleep(0.05)

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@contextmanager
def deaf() -> Iterator[str]:
    """Listen at an address whose backlog is full, so that a connection gets no answer."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        knocking = [socket.socket() for _ in range(4)]
        for each in knocking:
            each.setblocking(False)
            each.connect_ex(server.getsockname())
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        for each in knocking:
            each.close()
