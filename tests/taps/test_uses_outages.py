"""Use counts survive a database outage and are written once."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from homeshelf.table import Database
from homeshelf.table.sqlite.engine import Sqlite
from homeshelf.taps.model import TagId
from homeshelf.taps.store import weeks_of_item
from homeshelf.taps.use_counts import AccessCounts
from tests.api_client import Shown, add_item
from tests.databases import ENGINES, UsedTables
from tests.home import Home, new_home
from tests.running import running_app
from tests.servers import Server
from tests.table.faulty_engines import locked, opened
from tests.table.proxy import Proxy, drop_before_forwarding, open_proxy, passing
from tests.taps.tags import make_tag, stored

TIMEOUT_SECONDS = 0.2
"""The seconds after which a write to an unavailable database is given up."""


@dataclass(frozen=True)
class CountedTag:
    """A tag, and use counts whose connection to the database can be cut."""

    home: Home
    tag: Shown
    tag_id: TagId
    counts: AccessCounts
    outage: Callable[[], AbstractContextManager[object]]

    def count_use(self, times: int) -> None:
        for _ in range(times):
            self.counts.count_use(self.tag_id)

    async def flush_until_written(self) -> None:
        """Flush until everything is written, as a busy machine may give up a write."""
        async with asyncio.timeout(10):
            while self.counts._uses:
                await self.counts.flush()

    async def stored_counts(self) -> tuple[int, list[int]]:
        """Return the tag's own count and those of its weeks."""
        query = weeks_of_item(self.home.family_id, self.tag["itemId"])
        weeks = await self.home.running.db.all(query)
        return (await stored(self.home, self.tag)).access_count, [week.count for week in weeks]


@pytest.fixture(params=ENGINES)
async def counted_tag(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    dynoxide: Server,
    tables_of_dynoxide: UsedTables,
    proxy: Proxy,
) -> AsyncIterator[CountedTag]:
    if request.param == "sqlite":
        path = tmp_path / "homeshelf.db"
        near, far = Sqlite(path), Sqlite(path, wait_seconds=TIMEOUT_SECONDS, sweep_every=None)
        async with _create_counted_tag(
            Database(near), Database(far), partial(locked, path)
        ) as found:
            yield found
    else:
        async with tables_of_dynoxide.taken() as prefix:
            engine = tables_of_dynoxide.engine(prefix)
            cut_off = opened(dynoxide, proxy.endpoint, prefix, TIMEOUT_SECONDS)
            async with _create_counted_tag(
                Database(engine), Database(cut_off), partial(_cut, proxy)
            ) as found:
                yield found


@pytest.fixture
async def proxy(dynoxide: Server) -> AsyncIterator[Proxy]:
    async with open_proxy(dynoxide.endpoint) as proxy:
        yield proxy


@asynccontextmanager
async def _create_counted_tag(
    near: Database, far: Database, outage: Callable[[], AbstractContextManager[object]]
) -> AsyncIterator[CountedTag]:
    async with running_app(near) as running:
        home = await new_home(running, "Lovelace", "ada")
        tag = await make_tag(home.admin, await add_item(home.admin))
        tag_id = (await stored(home, tag)).tag_id
        yield CountedTag(home, tag, tag_id, AccessCounts(far), outage)
    await far.close()
    await near.close()


@contextmanager
def _cut(proxy: Proxy) -> Iterator[None]:
    proxy.always(drop_before_forwarding)
    yield
    proxy.forget()


async def test_uses_before_and_during_outage_are_written_once(
    counted_tag: CountedTag,
) -> None:
    counted_tag.count_use(3)
    with counted_tag.outage():
        with capture_logs() as logged:
            flushing = asyncio.create_task(counted_tag.counts.flush())
            await asyncio.sleep(0)  # it has begun
            counted_tag.count_use(2)
            await flushing
        assert await counted_tag.stored_counts() == (0, [])
    assert "uses_uncounted" in [line["event"] for line in logged]
    counted_tag.count_use(1)
    await counted_tag.flush_until_written()
    await counted_tag.counts.flush()
    assert await counted_tag.stored_counts() == (6, [6])


@pytest.mark.parametrize("counted_tag", ["dynoxide"], indirect=True)
@pytest.mark.parametrize("answered", range(1, 6))
async def test_outage_between_two_writes_counts_uses_once(
    counted_tag: CountedTag, proxy: Proxy, answered: int
) -> None:
    """A deleted tag in the batch forces single writes."""
    counted_tag.count_use(3)
    counted_tag.counts.count_use(counted_tag.tag_id._replace(url_id="z" * 22))
    proxy.then(*[passing] * answered)
    with counted_tag.outage():
        await counted_tag.counts.flush()
    await counted_tag.flush_until_written()
    assert await counted_tag.stored_counts() == (3, [3])
