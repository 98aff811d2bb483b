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
from tests.faults.household import SETTINGS, Family, at, moved_in
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
    dropped_after,
    dropped_before,
    in_front_of,
    passing,
    refusing,
)

SOME = 40
MORE_BYTES = 12_000_000
"""The allowed growth in memory over an hour of faults within some seconds."""
THROTTLED = refusing("ProvisionedThroughputExceededException")
FAILING = refusing("InternalServerError", 500)
WRONG = (THROTTLED, FAILING, dropped_before, dropped_after, damaged)


@dataclass(frozen=True)
class Trouble:
    """The faults on the way to the database, and the family that works meanwhile."""

    family: Family
    line: Line
    proxy: Proxy
    office: PostOffice
    pid: int

    def now_and_then(self, *steps: Step, share: float = 0.3) -> None:
        """Replace the responses to this share of all requests."""
        self.proxy.always(_by_chance(steps, share, self.family.dice))

    def is_over(self) -> None:
        self.line.latency = 0
        self.line.becomes("open")
        self.proxy.forget()

    async def is_survived(self) -> None:
        """Check that changes, pages, streams, background work and mail continue."""
        await self.family.watching.becomes_ready(True)
        await self.family.gets_done(SOME)
        entry = await self.family.add()
        await self.family.listening.hears(entry["shoppingItemId"])


@pytest.fixture
async def trouble(
    tmp_path: Path,
    dynoxide: Server,
    tables_of_dynoxide: UsedTables,
    smtp_servers: SmtpServers,
) -> AsyncIterator[Trouble]:
    """Yield a busy family, and check all its changes at the end."""
    office = PostOffice(tmp_path / "post", smtp_servers)
    office.open()
    async with (
        tables_of_dynoxide.taken() as prefix,
        in_front_of(dynoxide.endpoint) as proxy,
        line_to(proxy.endpoint) as line,
        _served(tmp_path, SETTINGS | office.variables | at(dynoxide, line.url, prefix)) as server,
        moved_in(server.url) as family,
    ):
        await family.verify(office)
        family.invites = True
        async with family.busy():
            await family.gets_done(SOME)
            yield Trouble(family, line, proxy, office, server.process.pid)
        await family.require_kept()
        await family.require_mailed(office)
    office.close()


@asynccontextmanager
async def _served(folder: Path, settings: dict[str, str]) -> AsyncIterator[Served]:
    """Serve in a thread, because the connection and the proxy run in this event loop."""
    serving = served(folder, **settings)
    homeshelf = await asyncio.to_thread(serving.__enter__)
    try:
        yield homeshelf
    finally:
        await asyncio.to_thread(serving.__exit__, None, None, None)


async def test_acknowledged_changes_survive_frequent_server_errors(trouble: Trouble) -> None:
    trouble.now_and_then(*WRONG)
    await trouble.family.gets_done(2 * SOME)
    trouble.is_over()
    await trouble.is_survived()


async def test_changes_survive_lost_responses_of_the_server(trouble: Trouble) -> None:
    """Clients are told that the outcome is unknown, retry, and get the first response."""
    trouble.proxy.whenever("TransactWriteItems", dropped_after)
    await trouble.family.is_refused(6)  # each client retries for seconds
    trouble.is_over()
    await trouble.is_survived()


async def test_acknowledged_changes_survive_an_unreachable_server(trouble: Trouble) -> None:
    trouble.line.becomes("cut")
    await trouble.family.is_refused(SOME)
    await trouble.family.watching.becomes_ready(False)
    trouble.is_over()
    await trouble.is_survived()


async def test_acknowledged_changes_survive_a_slow_server(trouble: Trouble) -> None:
    trouble.line.latency = 0.4
    await trouble.family.gets_done(SOME // 2)
    trouble.is_over()
    await trouble.is_survived()


TROUBLES: dict[str, Callable[[Trouble], None]] = {
    "slow": lambda trouble: setattr(trouble.line, "latency", 2.0),
    "throttles": lambda trouble: trouble.proxy.always(THROTTLED),
    "answers 500": lambda trouble: trouble.proxy.always(FAILING),
    "drops connections before": lambda trouble: trouble.proxy.always(dropped_before),
    "loses its word after each change": lambda trouble: trouble.proxy.whenever(
        "TransactWriteItems", dropped_after
    ),
    "drops connections after": lambda trouble: trouble.proxy.always(dropped_after),
    "hangs": lambda trouble: trouble.line.becomes("hang"),
    "fails now and then": lambda trouble: trouble.now_and_then(*WRONG, share=0.6),
}


@pytest.mark.torture
@pytest.mark.timeout(600)
async def test_acknowledged_changes_survive_a_minute_of_each_fault(trouble: Trouble) -> None:
    before = pss_bytes(trouble.pid)
    for begin in TROUBLES.values():
        begin(trouble)
        await asyncio.sleep(10)
        trouble.is_over()
        await trouble.is_survived()
    assert pss_bytes(trouble.pid) < before + MORE_BYTES


@pytest.mark.torture
@pytest.mark.timeout(600)
async def test_acknowledged_changes_survive_a_minute_without_a_server(trouble: Trouble) -> None:
    before = pss_bytes(trouble.pid)
    trouble.line.becomes("cut")
    await asyncio.sleep(60)
    trouble.is_over()
    await trouble.is_survived()
    assert pss_bytes(trouble.pid) < before + MORE_BYTES


def _by_chance(steps: tuple[Step, ...], share: float, dice: Random) -> Step:
    async def step(request: Request) -> bytes | None:
        chosen = dice.choice(steps) if dice.random() < share else passing
        return await chosen(request)

    return step
