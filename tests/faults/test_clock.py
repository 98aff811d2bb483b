"""Test that a clock change loses and doubles no change, and blocks no request."""

import asyncio
from collections.abc import Sequence
from email.utils import parsedate_to_datetime
from pathlib import Path

import httpx
import pytest

from tests.faults.environment import Clock
from tests.faults.household import SETTINGS, start_household
from tests.forked_processes import served
from tests.outbox.post_office import PostOffice
from tests.outbox.smtp_server import SmtpServers

TORTURE = (pytest.mark.torture, pytest.mark.timeout(600))
SOME = 60


@pytest.mark.parametrize(
    "jumps", [(-1, 0), (1, 0), pytest.param((-1, 3, -2, 2, -30, 1, 0.01, 0), marks=TORTURE)]
)
async def test_acknowledged_changes_survive_clock_jumps(
    tmp_path: Path, smtp_servers: SmtpServers, jumps: Sequence[float]
) -> None:
    """The clock jumps to each of these offsets in hours."""
    clock, office = Clock(tmp_path / "clock"), PostOffice(tmp_path / "post", smtp_servers)
    office.open()
    settings = SETTINGS | office.variables
    with served(tmp_path, within=clock.within, **settings) as homeshelf:
        async with start_household(homeshelf.url) as family:
            family.seen.expected = frozenset({401})  # tokens expire as well
            await family.verify(office)
            async with family.busy():
                await family.complete_changes(SOME)
                for number, hour in enumerate(jumps, 1):
                    clock.set_offset(hours=hour)
                    await family.sign_in()
                    await family.complete_changes(SOME)
                    await require_time(homeshelf.url, clock)
                    entry = await family.add()
                    await family.listening.wait_for_id(entry["shoppingItemId"])
                    await family.invite()
                    await office.mail(1 + number)
                    await family.invite()  # its mail may still wait when the clock moves
            await family.require_no_lost_changes()
            await family.require_mailed(office)
    office.close()


async def require_time(url: str, clock: Clock) -> None:
    """Wait until the server's clock shows the time that it was set to."""
    async with asyncio.timeout(10), httpx.AsyncClient() as client:
        while True:
            date = (await client.get(f"{url}/healthz")).headers["date"]
            if abs(parsedate_to_datetime(date).timestamp() - clock.seconds()) < 30:
                return
            await asyncio.sleep(0.1)
