"""A thousand taps at the same instant, on a disk that takes 5 ms for what is to be durable."""

import asyncio
from collections.abc import Sequence

from bench import sample
from bench.crowd import Ask, Crowd
from bench.report import Report
from bench.server import Server, serving_on_a_slow_disk
from bench.taps.shelves import RUNS, WORKERS
from homeshelf import clock
from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.store import history_of
from homeshelf.taps.model import NFCUrl

PEOPLE = 1000
TAGS = 10
PLENTY = 1_000_000
FSYNC_MILLISECONDS = 5
AT_MOST_SECONDS = 1.0
NO_LIMITS = {"HOMESHELF_LIMIT_TAPS": "100000/s", "HOMESHELF_LIMIT_TAPS_DAY": "1000000/24h"}


def run(report: Report) -> None:
    for workers in WORKERS:
        options = ("--workers", str(workers))
        with serving_on_a_slow_disk(FSYNC_MILLISECONDS, *options, **NO_LIMITS) as server:
            made = sample.items(clock.new_id(), clock.new_id(), PEOPLE + 1)
            crate, *others = [item.changed(quantity=PLENTY) for item in made]
            of_crate, of_others = sample.tags([crate], TAGS), sample.tags(others)
            asyncio.run(server.seed([crate, *others, *of_crate, *of_others]))
            at_once = f"{PEOPLE:,} taps at the same instant"
            report.section(f"{at_once}, fsync {FSYNC_MILLISECONDS} ms, {workers} serving")
            _tapped(report, server, "of one item", of_crate, [crate], bar=workers == 2)
            _tapped(report, server, "of as many items", of_others, others, bar=workers == 2)


def _tapped(
    report: Report,
    server: Server,
    what: str,
    tags: Sequence[NFCUrl],
    items: Sequence[InventoryItem],
    *,
    bar: bool,
) -> None:
    crowd = Crowd(server.url, PEOPLE)
    constant = crowd.at_once([[Ask("GET", "/healthz")] * PEOPLE]).p95
    rounds = [[_tap(tags[number % len(tags)]) for number in range(PEOPLE)] for _ in range(RUNS)]
    runs = [crowd.at_once([taps]) for taps in rounds]
    best = min(each.p95 for each in runs)
    if bar:
        report.cost(f"{what}, p95", best, constant, at_most=AT_MOST_SECONDS)
    else:
        report.times(f"{what}, p95", best, constant)
    report.bound("errors", sum(each.others(200) for each in runs), "{:.0f}", at_most=0)
    wrong = asyncio.run(_wrong(server, items, RUNS * PEOPLE // len(items)))
    report.bound("histories that do not add up", wrong, "{:.0f}", at_most=0)


def _tap(tag: NFCUrl) -> Ask:
    return Ask("POST", f"/api/v1/taps/{tag.url_id}", '{"delta":-1}', clock.new_token())


async def _wrong(server: Server, items: Sequence[InventoryItem], taps: int) -> int:
    """How many items have not had exactly so many taps, each with its own place in the history."""
    wrong = 0
    async with server.database() as database:
        for item in items:
            now = await database.get(item.own_key())
            history = await database.all(history_of(item.family_id, item.item_id))
            counts = [each.quantity for each in reversed(history)]
            expected = list(range(PLENTY - 1, PLENTY - taps - 1, -1))
            wrong += counts != expected or now is None or now.quantity != PLENTY - taps
    return wrong
