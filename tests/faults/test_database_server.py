"""A database server that is slow, busy, broken or away: clear answers meanwhile, nothing lost or
done twice, and all goes on by itself.

Between the program and a real server are a line that can be bad in the ways of lines
(`tests/network.py`), and a server of ours that answers instead of it (`tests/table/proxy.py`).
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
"""What the memory may differ by, before and after an hour of trouble in some seconds."""
THROTTLED = refusing("ProvisionedThroughputExceededException")
FAILING = refusing("InternalServerError", 500)
WRONG = (THROTTLED, FAILING, dropped_before, dropped_after, damaged)


@dataclass(frozen=True)
class Trouble:
    """What can be wrong with the way to the database, and who is there meanwhile."""

    family: Family
    line: Line
    proxy: Proxy
    office: PostOffice
    pid: int

    def now_and_then(self, *steps: Step, share: float = 0.3) -> None:
        """That share of all requests gets one of these instead of an answer."""
        self.proxy.always(_by_chance(steps, share, self.family.dice))

    def is_over(self) -> None:
        self.line.latency = 0
        self.line.becomes("open")
        self.proxy.forget()

    async def is_survived(self) -> None:
        """All goes on: changes, pages, streams, what is done behind the answers, and mail."""
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
    """A busy family; at the end all that they did is looked for."""
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
    """In a thread: the line and the server of ours are in this loop, and it waits for them."""
    serving = served(folder, **settings)
    homeshelf = await asyncio.to_thread(serving.__enter__)
    try:
        yield homeshelf
    finally:
        await asyncio.to_thread(serving.__exit__, None, None, None)


async def test_a_server_that_often_fails(trouble: Trouble) -> None:
    trouble.now_and_then(*WRONG)
    await trouble.family.gets_done(2 * SOME)
    trouble.is_over()
    await trouble.is_survived()


async def test_a_server_whose_word_is_lost_after_each_change(trouble: Trouble) -> None:
    """Everybody is told that it is not known, asks again, and is answered as the first time."""
    trouble.proxy.whenever("TransactWriteItems", dropped_after)
    await trouble.family.is_refused(6)  # each goes on trying for seconds
    trouble.is_over()
    await trouble.is_survived()


async def test_a_server_that_is_away(trouble: Trouble) -> None:
    trouble.line.becomes("cut")
    await trouble.family.is_refused(SOME)
    await trouble.family.watching.becomes_ready(False)
    trouble.is_over()
    await trouble.is_survived()


async def test_a_slow_server(trouble: Trouble) -> None:
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
async def test_a_minute_of_each_trouble(trouble: Trouble) -> None:
    before = pss_bytes(trouble.pid)
    for begin in TROUBLES.values():
        begin(trouble)
        await asyncio.sleep(10)
        trouble.is_over()
        await trouble.is_survived()
    assert pss_bytes(trouble.pid) < before + MORE_BYTES


@pytest.mark.torture
@pytest.mark.timeout(600)
async def test_a_server_that_is_away_for_a_minute(trouble: Trouble) -> None:
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
