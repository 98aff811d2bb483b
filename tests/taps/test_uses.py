"""Test that each load of a tag's page is counted, and nothing else."""

import asyncio
from datetime import timedelta

import httpx
import pytest
from structlog.testing import capture_logs

from homeshelf import background, clock
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.table import Database, Key
from homeshelf.taps.model import NFCUrl
from homeshelf.taps.store import weeks_of_item
from homeshelf.taps.use_counts import AccessCounts
from tests.api_client import Shown, add_item
from tests.databases import Opener
from tests.home import Home, new_home
from tests.moment import Moment
from tests.running import RunningApp, running_app
from tests.taps.tags import make_tag, stored, tap


async def flush_counts(running: RunningApp) -> None:
    """Flush the use counts to the table."""
    counts = running.services.of(AccessCounts)
    await counts.flush()


async def test_only_page_loads_are_counted(
    home: Home, anonymous_client: httpx.AsyncClient, tag: Shown
) -> None:
    path = f"/t/{tag['urlId']}"
    await asyncio.gather(*(anonymous_client.get(path) for _ in range(30)))
    await anonymous_client.head(path)
    for name, value in (
        ("Sec-Purpose", "prefetch"),
        ("Sec-Purpose", "prefetch;prerender"),
        ("Purpose", "prefetch"),
        ("X-Moz", "prefetch"),
    ):
        assert (await anonymous_client.get(path, headers={name: value})).status_code == 200
    await tap(home.running.visitor(), tag)
    await flush_counts(home.running)
    found = await stored(home, tag)
    assert found.access_count == 30
    assert found.last_accessed_at is not None
    weeks = await home.running.db.all(weeks_of_item(home.family_id, tag["itemId"]))
    assert [week.count for week in weeks] == [30]


async def test_counts_of_several_processes_add_up(
    home: Home, tag: Shown, open_another: Opener
) -> None:
    record = await stored(home, tag)
    several = [AccessCounts(open_another()) for _ in range(4)]
    for _ in range(5):
        for counts in several:
            counts.count_use(record.tag_id)
            counts.count_use(record.tag_id)
        await asyncio.gather(*(counts.flush() for counts in several))
    assert (await stored(home, tag)).access_count == 40
    (week,) = await home.running.db.all(weeks_of_item(home.family_id, tag["itemId"]))
    assert week.count == 40


async def test_failed_count_does_not_affect_other_tags(home: Home, tag: Shown) -> None:
    record = await stored(home, tag)
    counts = AccessCounts(home.running.db)
    counts.count_use(record.tag_id)
    counts.count_use(record.tag_id._replace(url_id="z" * 22))
    with capture_logs() as logged:
        await counts.flush()
    assert not logged, "a tag that is gone is nobody's fault"
    assert (await stored(home, tag)).access_count == 1
    (week,) = await home.running.db.all(weeks_of_item(home.family_id, tag["itemId"]))
    assert (week.url_id, week.count) == (tag["urlId"], 1)
    kept = timedelta(seconds=week.ttl) - timedelta(seconds=clock.now().timestamp())
    assert timedelta(weeks=60, minutes=-1) < kept <= timedelta(weeks=60)


class CountedFlushes(AccessCounts):
    """Counts the flushes of use counts."""

    times = 0

    async def flush(self) -> None:
        self.times += 1
        await super().flush()


async def test_idle_counter_does_not_flush(
    home: Home, tag: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "FLUSHED_EVERY_SECONDS", 0.001)
    counts, stop = CountedFlushes(home.running.db), asyncio.Event()
    counts.count_use((await stored(home, tag)).tag_id)
    await counts.flush()
    keeping = asyncio.create_task(counts.run(stop))
    await asyncio.sleep(0.05)
    assert counts.times == 1
    stop.set()
    await keeping
    assert counts.times == 2


async def test_stopped_counter_leaves_no_tasks(database: Database) -> None:
    before, stop = asyncio.all_tasks(), asyncio.Event()
    keeping = asyncio.create_task(AccessCounts(database).run(stop))
    await asyncio.sleep(0)
    stop.set()
    await keeping
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before


async def test_counting_survives_relabel_and_rotation(home: Home, tag: Shown) -> None:
    record = await stored(home, tag)
    counts = AccessCounts(home.running.db)
    counts.count_use(record.tag_id)
    await home.admin.patch(f"/nfc-urls/{tag['urlId']}", {"label": "fridge"})
    await counts.flush()
    await home.admin.post(f"/nfc-urls/{tag['urlId']}/rotate")
    found = await stored(home, tag)
    assert (found.access_count, found.label, found.is_active) == (1, "fridge", False)


async def test_uses_counted_during_relabel_are_kept(home: Home, tag: Shown) -> None:
    record = await stored(home, tag)
    counts = AccessCounts(home.running.db)
    counts.count_use(record.tag_id)

    @transaction
    async def relabel(tx: Transaction, key: Key[NFCUrl]) -> None:
        old = await tx.get(key)
        await counts.flush()
        tx.replace(old, old.changed(label="fridge"))

    await relabel(home.running.db, record.own_key())
    found = await stored(home, tag)
    assert (found.access_count, found.label) == (1, "fridge")


async def test_last_uses_are_flushed_on_shutdown(database: Database, moment: Moment) -> None:
    async with running_app(database) as running:
        home = await new_home(running, "Lovelace", "ada")
        tag = await make_tag(home.admin, await add_item(home.admin))
        moment.move("2024-11-06T12:00:00Z")
        await running.visitor().client.get(f"/t/{tag['urlId']}")
    found = await stored(home, tag)
    assert (found.access_count, found.last_accessed_at) == (1, "2024-11-06T12:00:00.000Z")
    (week,) = await database.all(weeks_of_item(home.family_id, tag["itemId"]))
    assert week.week == "2024-11-04"
