"""A thousand page loads at the same instant."""

import asyncio
import random
from collections.abc import Sequence
from time import monotonic

from bench.crowd import Answers, Ask, Crowd
from bench.figures import Figure
from bench.part import Report
from bench.server import Server, serving
from bench.taps.sample_tags import WORKERS, Sizes, figure_name, make_tags, worker_options
from homeshelf.taps.model import NFCUrl

AT_ONCE, ERRORS, UNCOUNTED = (
    "1,000 pages at the same instant, p95",
    "pages at the same instant: errors",
    "pages at the same instant: not counted",
)
COUNTED_WITHIN_SECONDS = 10.0
BASELINE = Ask("GET", "/healthz")
FIGURES = [
    figure
    for workers in WORKERS
    for figure in (
        Figure(figure_name(AT_ONCE, workers), "time", 1.5 if workers == 2 else None, "ratio"),
        Figure(figure_name(ERRORS, workers), "count", 0),
        Figure(figure_name(UNCOUNTED, workers), "count", 0),
    )
]


def run(report: Report, sizes: Sizes) -> None:
    for workers in WORKERS:
        report.step(f"pages, {workers} serving")
        with serving(*worker_options(sizes, workers)) as server:
            items, tags = make_tags(sizes.families)
            asyncio.run(server.seed([*items, *tags]))
            _measure_crowd(report, server, tags, sizes, workers)


def _measure_crowd(
    report: Report, server: Server, tags: Sequence[NFCUrl], sizes: Sizes, workers: int
) -> None:
    people, rounds = sizes.people, sizes.rounds
    crowd = Crowd(server.url, people, sizes.pause)
    constant = crowd.at_once([[BASELINE] * people] * min(5, rounds)).p95
    runs = [
        crowd.at_once([_page_requests(tags, people) for _ in range(rounds)])
        for _ in range(sizes.runs)
    ]
    report.measured(figure_name(AT_ONCE, workers), _best_p95(runs), constant)
    report.measured(figure_name(ERRORS, workers), sum(each.others(200) for each in runs))
    uncounted = asyncio.run(_uncounted(server, tags, sizes.runs * rounds * people))
    report.measured(figure_name(UNCOUNTED, workers), abs(uncounted))


def _page_requests(tags: Sequence[NFCUrl], number: int) -> list[Ask]:
    return [Ask("GET", tag.path) for tag in random.sample(tags, number)]


def _best_p95(runs: Sequence[Answers]) -> float:
    return min(each.p95 for each in runs)


async def _uncounted(server: Server, tags: Sequence[NFCUrl], loads: int) -> int:
    """Return the number of loads that are missing in the table after the delay for counting."""
    ends = monotonic() + COUNTED_WITHIN_SECONDS
    async with server.database() as database:
        while True:
            found = await database.get_many([tag.own_key() for tag in tags])
            missing = loads - sum(tag.access_count for tag in found if tag is not None)
            if missing <= 0 or monotonic() > ends:
                return missing
            await asyncio.sleep(0.2)
