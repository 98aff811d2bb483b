"""Page loads: a thousand at the same instant, as many as go, and a few hundred a second."""

import asyncio
import random
from collections.abc import Sequence
from time import monotonic

from bench.crowd import Answers, Ask, Crowd
from bench.figures import Figure
from bench.part import Report
from bench.server import Server, serving
from bench.taps.shelves import WORKERS, Sizes, named, serving_by, shelves
from homeshelf.taps.model import NFCUrl

AT_ONCE, ERRORS, UNCOUNTED, SUSTAINED, PACED = (
    "1,000 pages at the same instant, p95",
    "pages at the same instant: errors",
    "pages at the same instant: not counted",
    "pages, sustained",
    "pages at 200 a second, p95",
)
COUNTED_WITHIN_SECONDS = 10.0
CONSTANT = Ask("GET", "/healthz")
FIGURES = [
    figure
    for workers in WORKERS
    for figure in (
        Figure(named(AT_ONCE, workers), "time", 0.050 if workers == 2 else None),
        Figure(named(ERRORS, workers), "count", 0),
        Figure(named(UNCOUNTED, workers), "count", 0),
        Figure(named(SUSTAINED, workers), "rate"),
        Figure(named(PACED, workers), "time", 0.010),
    )
]


def run(report: Report, sizes: Sizes) -> None:
    for workers in WORKERS:
        report.step(f"pages, {workers} serving")
        with serving(*serving_by(sizes, workers)) as server:
            items, tags = shelves(sizes.families)
            asyncio.run(server.seed([*items, *tags]))
            _at_once(report, server, tags, sizes, workers)
            _as_many_as_go(report, server, tags, sizes, workers)
            _at_a_pace(report, server, tags, sizes, workers)


def _at_once(
    report: Report, server: Server, tags: Sequence[NFCUrl], sizes: Sizes, workers: int
) -> None:
    people, rounds = sizes.people, sizes.rounds
    crowd = Crowd(server.url, people, sizes.pause)
    constant = crowd.at_once([[CONSTANT] * people] * min(5, rounds)).p95
    runs = [crowd.at_once([_loads(tags, people) for _ in range(rounds)]) for _ in range(sizes.runs)]
    report.measured(named(AT_ONCE, workers), _best(runs), constant)
    report.measured(named(ERRORS, workers), sum(each.others(200) for each in runs))
    uncounted = asyncio.run(_uncounted(server, tags, sizes.runs * rounds * people))
    report.measured(named(UNCOUNTED, workers), abs(uncounted))


def _as_many_as_go(
    report: Report, server: Server, tags: Sequence[NFCUrl], sizes: Sizes, workers: int
) -> None:
    crowd = Crowd(server.url, sizes.busy)
    rates, constants = [], []
    for _ in range(sizes.runs):
        rates.append(_rate(crowd.on_and_on(_loads(tags, len(tags)), sizes.busy_seconds)))
        constants.append(_rate(crowd.on_and_on([CONSTANT] * sizes.busy, sizes.busy_seconds)))
    report.measured(named(SUSTAINED, workers), max(rates), max(constants))


def _at_a_pace(
    report: Report, server: Server, tags: Sequence[NFCUrl], sizes: Sizes, workers: int
) -> None:
    crowd = Crowd(server.url, sizes.busy)
    runs = [crowd.at_a_pace(_loads(tags, sizes.paced), sizes.rate) for _ in range(sizes.runs)]
    constant = crowd.at_a_pace([CONSTANT] * sizes.paced, sizes.rate).p95
    report.measured(named(PACED, workers), _best(runs), constant)


def _loads(tags: Sequence[NFCUrl], number: int) -> list[Ask]:
    return [Ask("GET", tag.path) for tag in random.sample(tags, number)]


def _best(runs: Sequence[Answers]) -> float:
    return min(each.p95 for each in runs)


def _rate(answers: Answers) -> float:
    return answers.count / answers.took


async def _uncounted(server: Server, tags: Sequence[NFCUrl], loads: int) -> int:
    """How many loads are missing in the table once there was time to count them."""
    ends = monotonic() + COUNTED_WITHIN_SECONDS
    async with server.database() as database:
        while True:
            found = await database.get_many([tag.own_key() for tag in tags])
            missing = loads - sum(tag.access_count for tag in found if tag is not None)
            if missing <= 0 or monotonic() > ends:
                return missing
            await asyncio.sleep(0.2)
