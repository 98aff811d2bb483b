"""A thousand taps at the same instant, on a disk that takes 5 ms for what is to be durable."""

import asyncio
from collections.abc import Sequence

from bench import sample
from bench.crowd import Ask, Crowd
from bench.figures import Figure
from bench.part import Report
from bench.server import Server, serving_on_a_slow_disk
from bench.taps.shelves import WORKERS, Sizes, named, serving_by
from homeshelf import clock
from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.store import history_of
from homeshelf.taps.model import NFCUrl

TAGS = 10
PLENTY = 1_000_000
NO_LIMITS = {"HOMESHELF_LIMIT_TAPS": "100000/s", "HOMESHELF_LIMIT_TAPS_DAY": "1000000/24h"}
KINDS = ("1,000 taps of one item", "1,000 taps of as many items")


def _figures(what: str, workers: int) -> list[Figure]:
    return [
        Figure(named(f"{what}, p95", workers), "time", 1.0 if workers == 2 else None),
        Figure(named(f"{what}: errors", workers), "count", 0),
        Figure(named(f"{what}: histories that do not add up", workers), "count", 0),
    ]


FIGURES = [figure for workers in WORKERS for what in KINDS for figure in _figures(what, workers)]


def run(report: Report, sizes: Sizes) -> None:
    for workers in WORKERS:
        report.step(f"taps, {workers} serving")
        options = serving_by(sizes, workers)
        with serving_on_a_slow_disk(sizes.fsync_milliseconds, *options, **NO_LIMITS) as server:
            made = sample.items(clock.new_id(), clock.new_id(), sizes.people + 1)
            crate, *others = [item.changed(quantity=PLENTY) for item in made]
            of_crate, of_others = sample.tags([crate], TAGS), sample.tags(others)
            asyncio.run(server.seed([crate, *others, *of_crate, *of_others]))
            for what, tags, items in (
                (KINDS[0], of_crate, [crate]),
                (KINDS[1], of_others, others),
            ):
                p95, constant, errors, wrong = _tapped(server, tags, items, sizes)
                in_time, without_error, adding_up = _figures(what, workers)
                report.measured(in_time.what, p95, constant)
                report.measured(without_error.what, errors)
                report.measured(adding_up.what, wrong)


def _tapped(
    server: Server, tags: Sequence[NFCUrl], items: Sequence[InventoryItem], sizes: Sizes
) -> tuple[float, float, int, int]:
    """The wait, that for a constant, the errors, and the histories that do not add up."""
    people = sizes.people
    crowd = Crowd(server.url, people, sizes.pause)
    constant = crowd.at_once([[Ask("GET", "/healthz")] * people]).p95
    rounds = [[_tap(tags[n % len(tags)]) for n in range(people)] for _ in range(sizes.runs)]
    runs = [crowd.at_once([taps]) for taps in rounds]
    best = min(each.p95 for each in runs)
    errors = sum(each.others(200) for each in runs)
    wrong = asyncio.run(_wrong(server, items, sizes.runs * people // len(items)))
    return best, constant, errors, wrong


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
