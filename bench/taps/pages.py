"""Page loads: a thousand at the same instant, as many as go, and a few hundred a second."""

import asyncio
import random
from collections.abc import Sequence
from time import monotonic

from bench.crowd import Answers, Ask, Crowd
from bench.report import Report
from bench.server import Server, serving
from bench.taps.shelves import RUNS, WORKERS, shelves
from homeshelf.taps.model import NFCUrl

PEOPLE, ROUNDS = 1000, 20
AT_ONCE_SECONDS = 0.050
RATE, PACED = 200, 1000
PACED_SECONDS = 0.010
BUSY, BUSY_SECONDS = 100, 2.0
COUNTED_WITHIN_SECONDS = 10.0
CONSTANT = Ask("GET", "/healthz")


def run(report: Report) -> None:
    for workers in WORKERS:
        with serving("--workers", str(workers)) as server:
            items, tags = shelves()
            asyncio.run(server.seed([*items, *tags]))
            report.section(f"page loads of {len(tags):,} tags, {workers} serving")
            _at_once(report, server, tags, bar=workers == 2)
            _as_many_as_go(report, server, tags)
            _at_a_pace(report, server, tags)


def _at_once(report: Report, server: Server, tags: Sequence[NFCUrl], *, bar: bool) -> None:
    crowd = Crowd(server.url, PEOPLE)
    constant = crowd.at_once([[CONSTANT] * PEOPLE] * min(5, ROUNDS)).p95
    runs = [crowd.at_once([_loads(tags, PEOPLE) for _ in range(ROUNDS)]) for _ in range(RUNS)]
    what = f"{PEOPLE:,} at the same instant, p95"
    if bar:
        report.cost(what, _best(runs), constant, at_most=AT_ONCE_SECONDS)
    else:
        report.times(what, _best(runs), constant)
    report.bound("errors", sum(each.others(200) for each in runs), "{:.0f}", at_most=0)
    uncounted = asyncio.run(_uncounted(server, tags, RUNS * ROUNDS * PEOPLE))
    report.bound("not counted", abs(uncounted), "{:.0f}", at_most=0)


def _as_many_as_go(report: Report, server: Server, tags: Sequence[NFCUrl]) -> None:
    crowd = Crowd(server.url, BUSY)
    rates, constants = [], []
    for _ in range(RUNS):
        rates.append(_rate(crowd.on_and_on(_loads(tags, len(tags)), BUSY_SECONDS)))
        constants.append(_rate(crowd.on_and_on([CONSTANT] * BUSY, BUSY_SECONDS)))
    ours, beside = max(rates), max(constants)
    report.figure("sustained", f"{ours:,.0f}/s", f"{beside:,.0f}/s", f"{ours / beside:.2f}")


def _at_a_pace(report: Report, server: Server, tags: Sequence[NFCUrl]) -> None:
    crowd = Crowd(server.url, BUSY)
    runs = [crowd.at_a_pace(_loads(tags, PACED), RATE) for _ in range(RUNS)]
    constant = crowd.at_a_pace([CONSTANT] * PACED, RATE).p95
    report.cost(f"{RATE} a second, p95", _best(runs), constant, at_most=PACED_SECONDS)


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
