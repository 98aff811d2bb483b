"""Concurrent adjustments of one item: none is lost, and the delay stays short."""

import asyncio
import json
from dataclasses import dataclass
from statistics import median

from bench import sample
from bench.crowd import PAUSE_SECONDS, Ask, Crowd
from bench.figures import Figure
from bench.part import Part, Report
from bench.server import serving_on_a_slow_disk
from homeshelf import clock

WAIT, LOST, ERRORS, CPU = (
    "response time, p95",
    "lost or counted twice",
    "errors",
    "server CPU per request",
)


@dataclass(frozen=True)
class Sizes:
    people: int = 1000
    rounds: int = 5
    fsync_milliseconds: int = 5
    pause: float = PAUSE_SECONDS


def run(report: Report, sizes: Sizes) -> None:
    asyncio.run(_run(report, sizes))


async def _run(report: Report, sizes: Sizes) -> None:
    with serving_on_a_slow_disk(sizes.fsync_milliseconds) as server:
        home = await server.create_household()
        (item,) = sample.items(home.family_id, home.member_id, 1)
        await server.seed([item])
        path = f"/api/v1/items/{item.item_id}"
        crowd = Crowd(server.url, sizes.people, sizes.pause)
        report.step(f"{sizes.people:,} at once")
        constant = crowd.at_once([[Ask("GET", "/healthz")] * sizes.people])
        before = server.cpu_seconds()
        adjustments = [
            [_adjust(path, home.authorization) for _ in range(sizes.people)]
            for _ in range(sizes.rounds)
        ]
        answers = crowd.at_once(adjustments)
        cpu = (server.cpu_seconds() - before) / answers.count
        connection = server.connect(home)
        found = json.loads(connection.ask("GET", path))["quantity"]
        connection.close()
    report.measured(WAIT, median(answers.p95s), constant.p95)
    report.measured(LOST, abs(answers.count - (found - item.quantity)))
    report.measured(ERRORS, answers.others(200))
    report.measured(CPU, cpu)


def _adjust(path: str, authorization: str) -> Ask:
    return Ask("POST", f"{path}/adjust", '{"delta":1}', clock.new_token(), authorization)


PART = Part(
    about=(
        "1,000 simultaneous adjustments of one item, each over its own connection, on a disk "
        "that takes 5 ms for each fsync; the median of five rounds. The reference is 1,000 "
        "requests for a constant."
    ),
    figures=[
        Figure(WAIT, "time", 2.0),
        Figure(LOST, "count", 0),
        Figure(ERRORS, "count", 0),
        Figure(CPU, "time"),
    ],
    run=run,
    full=Sizes(),
    tiny=Sizes(3, 2, 1, 0),
    seconds=60,
)
