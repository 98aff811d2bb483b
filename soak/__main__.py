"""Runs the two days; ends with 1 where something did not stay what it was."""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from time import monotonic

from rich import box
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from homeshelf import clock
from homeshelf.background import end
from soak.chart import drawn
from soak.day import BUSY, Household
from soak.home import moved_in
from soak.person import Answers
from soak.samples import Sample, Verdict, sampled, verdicts
from tests.faults.environment import Clock
from tests.faults.household import SETTINGS
from tests.forked_processes import served
from tests.outbox.post_office import PostOffice
from tests.outbox.smtp_server import running_smtp_servers
from tests.processes import Served

RESULTS = Path(__file__).parents[1] / "bench" / "results"
HOURS = 48
SAMPLES = 96
AT_ONCE = 40
FASTEST = 300
"""Faster than two days in ten minutes, what has a minute to be finished would be given up before a
busy machine has done it."""
OFTEN = {
    f"HOMESHELF_LIMIT_{name}": "2000/s"
    for name in ("SIGNED_IN", "SIGNUPS", "SHARES", "NEWS", "RESETS")
}


@dataclass(frozen=True)
class Plan:
    minutes: float
    rate: int
    """Requests a minute."""
    seed: int

    @property
    def seconds(self) -> float:
        return self.minutes * 60

    @property
    def speed(self) -> float:
        return min(FASTEST, HOURS * 3600 / self.seconds)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--rate", type=int, default=800, help="requests a minute")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    plan = Plan(given.minutes, given.rate, given.seed)
    samples, answers = asyncio.run(run(plan))
    found = verdicts(samples)
    _show(plan, found, answers)
    _keep(plan, samples, found, answers)
    return 0 if all(each.is_met for each in found) and not answers.wrong else 1


async def run(plan: Plan) -> tuple[list[Sample], Answers]:
    answers = Answers()
    with (
        tempfile.TemporaryDirectory() as place,
        running_smtp_servers() as servers,
    ):
        folder = Path(place)
        office = PostOffice(folder / "post", servers)
        office.open()
        timer = Clock(folder / "clock")
        settings = SETTINGS | OFTEN | office.variables
        with served(folder, within=timer.within, **settings) as homeshelf:
            async with moved_in(homeshelf.url, answers, office, Random(plan.seed)) as household:
                timer.moves(hours=0, speed=plan.speed)
                living = asyncio.create_task(_live(plan, household))
                samples = await _watched(plan, homeshelf, timer, answers, folder / "data")
                await end(living)
        office.close()
        answers.mails = len(office.mails)
    return samples, answers


async def _watched(
    plan: Plan, homeshelf: Served, timer: Clock, answers: Answers, data: Path
) -> list[Sample]:
    samples: list[Sample] = []
    began = monotonic()
    with Progress(transient=True) as progress:
        bar = progress.add_task("two days", total=SAMPLES)
        for number in range(1, SAMPLES + 1):
            at = number * plan.seconds / SAMPLES
            await asyncio.sleep(began + at - monotonic())
            hour = at / plan.seconds * HOURS
            samples.append(sampled(homeshelf, data, timer.seconds(), hour, answers))
            progress.update(bar, advance=1)
    return samples


async def _live(plan: Plan, household: Household) -> None:
    """One thing after the other and some at once, as many as the hour has."""
    began = monotonic()
    mean = sum(BUSY) / len(BUSY)
    running: set[asyncio.Task[None]] = set()
    try:
        while (passed := monotonic() - began) < plan.seconds:
            hour = int(passed / plan.seconds * HOURS) % 24
            if len(running) < AT_ONCE:
                task = asyncio.create_task(household.do_something())
                running.add(task)
                task.add_done_callback(running.discard)
            often = plan.rate / 60 * BUSY[hour] / mean / REQUESTS_EACH
            await asyncio.sleep(household.dice.expovariate(often))
    finally:
        await end(*running)


REQUESTS_EACH = 1.6
"""The average number of requests of one action."""


def _show(plan: Plan, found: Sequence[Verdict], answers: Answers) -> None:
    title = f"two days in {plan.minutes:g} minutes: {answers.number} requests"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("what")
    for column in ("at the beginning", "at the end", "at most"):
        table.add_column(column, justify="right")
    table.add_column("")
    for each in found:
        values = [each.shown.format(value) for value in (each.begin, each.end, each.at_most)]
        table.add_row(each.what, *values, "ok" if each.is_met else "[red]MISSED")
    console = Console()
    console.print(table)
    console.print(f"{answers.heard} events heard, {answers.mails} mails sent")
    for what, number in answers.wrong.most_common(20):
        console.print(f"[red]wrong[/]: {number} times {what}")


def _keep(
    plan: Plan, samples: Sequence[Sample], found: Sequence[Verdict], answers: Answers
) -> None:
    RESULTS.mkdir(parents=True, exist_ok=True)
    kept = {
        "at": clock.timestamp(),
        "plan": asdict(plan),
        "requests": answers.number,
        "heard": answers.heard,
        "mails": answers.mails,
        "wrong": dict(answers.wrong),
        "verdicts": [each.as_json() for each in found],
        "samples": [asdict(each) for each in samples],
    }
    (RESULTS / "soak.json").write_text(json.dumps(kept, indent=1))
    (RESULTS / "soak.svg").write_text(drawn(samples))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
