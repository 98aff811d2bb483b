"""A database server that is slow, failing or unreachable: errors are clear, no change is lost or
doubled, and service resumes without help.

Between the program and a real server are a faulty connection (`tests/network.py`) and a proxy that
answers in its place (`tests/table/proxy.py`).
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from bench.processes import pss_bytes
from tests.databases import UsedTables
from tests.faults.household import SETTINGS, Family, settings_for, start_household
from tests.forked_processes import served
from tests.network import Line, line_to
from tests.outbox.post_office import PostOffice
from tests.outbox.smtp_server import SmtpServers
from tests.processes import Served
from tests.servers import Server
from tests.table.proxy import (
    Proxy,
    Request,
    Step,
    damaged,
    drop_after_forwarding,
    drop_before_forwarding,
    open_proxy,
    passing,
    refuse_with,
)

SOME = 40
MORE_BYTES = 12_000_000
"""The allowed growth in memory during many quick faults."""
THROTTLED = refuse_with("ProvisionedThroughputExceededException")
FAILING = refuse_with("InternalServerError", 500)
WRONG = (THROTTLED, FAILING, drop_before_forwarding, drop_after_forwarding, damaged)


@dataclass(frozen=True)
class FaultyDatabase:
    """The faults on the way to the database, and the family that works meanwhile."""

    family: Family
    line: Line
    proxy: Proxy
    office: PostOffice
    pid: int

    def fail_sometimes(self, *steps: Step, share: float = 0.3) -> None:
        """Replace the responses to this share of all requests."""
        self.proxy.always(_random_step(steps, share, self.family.dice))

    def is_over(self) -> None:
        self.line.latency = 0
        self.line.becomes("open")
        self.proxy.forget()

    async def require_continuity(self) -> None:
        """Check that changes, pages, streams, background work and mail continue."""
        await self.family.watching.wait_until_ready(True)
        await self.family.complete_changes(SOME)
        entry = await self.family.add()
        await self.family.listening.wait_for_id(entry["shoppingItemId"])


@pytest.fixture
async def faulty_database(
    tmp_path: Path,
    dynoxide: Server,
    tables_of_dynoxide: UsedTables,
    smtp_servers: SmtpServers,
) -> AsyncIterator[FaultyDatabase]:
    """Yield a busy family, and check all its changes at the end."""
    office = PostOffice(tmp_path / "post", smtp_servers)
    office.open()
    async with (
        tables_of_dynoxide.taken() as prefix,
        open_proxy(dynoxide.endpoint) as proxy,
        line_to(proxy.endpoint) as line,
        _serve_in_thread(
            tmp_path, SETTINGS | office.variables | settings_for(dynoxide, line.url, prefix)
        ) as server,
        start_household(server.url) as family,
    ):
        await family.verify(office)
        family.invites = True
        async with family.busy():
            await family.complete_changes(SOME)
            yield FaultyDatabase(family, line, proxy, office, server.process.pid)
        await family.require_no_lost_changes()
        await family.require_mailed(office)
    office.close()


@asynccontextmanager
async def _serve_in_thread(folder: Path, settings: dict[str, str]) -> AsyncIterator[Served]:
    """Serve in a thread, because the connection and the proxy run in this event loop."""
    serving = served(folder, **settings)
    homeshelf = await asyncio.to_thread(serving.__enter__)
    try:
        yield homeshelf
    finally:
        await asyncio.to_thread(serving.__exit__, None, None, None)


async def test_acknowledged_changes_survive_frequent_server_errors(
    faulty_database: FaultyDatabase,
) -> None:
    faulty_database.fail_sometimes(*WRONG)
    await faulty_database.family.complete_changes(2 * SOME)
    faulty_database.is_over()
    await faulty_database.require_continuity()


async def test_changes_survive_lost_responses_of_the_server(
    faulty_database: FaultyDatabase,
) -> None:
    """Clients are told that the outcome is unknown, retry, and get the first response."""
    faulty_database.proxy.whenever("TransactWriteItems", drop_after_forwarding)
    await faulty_database.family.require_refusals(6)  # each client retries for seconds
    faulty_database.is_over()
    await faulty_database.require_continuity()


async def test_acknowledged_changes_survive_an_unreachable_server(
    faulty_database: FaultyDatabase,
) -> None:
    faulty_database.line.becomes("cut")
    await faulty_database.family.require_refusals(SOME)
    await faulty_database.family.watching.wait_until_ready(False)
    faulty_database.is_over()
    await faulty_database.require_continuity()


async def test_acknowledged_changes_survive_a_slow_server(faulty_database: FaultyDatabase) -> None:
    faulty_database.line.latency = 0.4
    await faulty_database.family.complete_changes(SOME // 2)
    faulty_database.is_over()
    await faulty_database.require_continuity()


TROUBLES: dict[str, Callable[[FaultyDatabase], None]] = {
    "slow": lambda faulty_database: setattr(faulty_database.line, "latency", 2.0),
    "throttles": lambda faulty_database: faulty_database.proxy.always(THROTTLED),
    "answers 500": lambda faulty_database: faulty_database.proxy.always(FAILING),
    "drops connections before": lambda faulty_database: faulty_database.proxy.always(
        drop_before_forwarding
    ),
    "loses its word after each change": lambda faulty_database: faulty_database.proxy.whenever(
        "TransactWriteItems", drop_after_forwarding
    ),
    "drops connections after": lambda faulty_database: faulty_database.proxy.always(
        drop_after_forwarding
    ),
    "hangs": lambda faulty_database: faulty_database.line.becomes("hang"),
    "fails now and then": lambda faulty_database: faulty_database.fail_sometimes(*WRONG, share=0.6),
}


@pytest.mark.torture
@pytest.mark.timeout(600)
async def test_acknowledged_changes_survive_a_minute_of_each_fault(
    faulty_database: FaultyDatabase,
) -> None:
    before = pss_bytes(faulty_database.pid)
    for begin in TROUBLES.values():
        begin(faulty_database)
        await asyncio.sleep(10)
        faulty_database.is_over()
        await faulty_database.require_continuity()
    assert pss_bytes(faulty_database.pid) < before + MORE_BYTES


@pytest.mark.torture
@pytest.mark.timeout(600)
async def test_acknowledged_changes_survive_a_minute_without_a_server(
    faulty_database: FaultyDatabase,
) -> None:
    before = pss_bytes(faulty_database.pid)
    faulty_database.line.becomes("cut")
    await asyncio.sleep(60)
    faulty_database.is_over()
    await faulty_database.require_continuity()
    assert pss_bytes(faulty_database.pid) < before + MORE_BYTES


def _random_step(steps: tuple[Step, ...], share: float, dice: Random) -> Step:
    async def run_random_step(request: Request) -> bytes | None:
        chosen = dice.choice(steps) if dice.random() < share else passing
        return await chosen(request)

    return run_random_step
