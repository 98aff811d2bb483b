"""Run the soak test; exit with 1 if a limit is missed or a request fails."""

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
from soak.chart import draw_charts
from soak.day import ACTIVITY_BY_HOUR, Household
from soak.home import start_household
from soak.person import Measurements
from soak.samples import Sample, Verdict, take_sample, verdicts
from tests.faults.environment import Clock
from tests.faults.household import SETTINGS
from tests.forked_processes import served
from tests.outbox.post_office import PostOffice
from tests.outbox.smtp_server import running_smtp_servers
from tests.processes import Served

RESULTS = Path(__file__).parents[1] / "bench" / "results"
HOURS = 48
SAMPLE_COUNT = 96
MAX_CONCURRENT_ACTIONS = 40
MAX_SPEED = 300
"""The fastest clock: with a faster one, a busy machine would miss timeouts of a minute."""
RATE_LIMITS = {
    f"HOMESHELF_LIMIT_{name}": "2000/s"
    for name in ("SIGNED_IN", "SIGNUPS", "SHARES", "NEWS", "RESETS")
}


@dataclass(frozen=True)
class Plan:
    minutes: float
    rate: int
    """The number of requests a minute."""
    seed: int

    @property
    def seconds(self) -> float:
        return self.minutes * 60

    @property
    def speed(self) -> float:
        return min(MAX_SPEED, HOURS * 3600 / self.seconds)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--rate", type=int, default=800, help="requests a minute")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    plan = Plan(options.minutes, options.rate, options.seed)
    samples, measured = asyncio.run(run(plan))
    results = verdicts(samples)
    _print_verdicts(plan, results, measured)
    _write_results(plan, samples, results, measured)
    return 0 if all(each.is_met for each in results) and not measured.failures else 1


async def run(plan: Plan) -> tuple[list[Sample], Measurements]:
    measured = Measurements()
    with (
        tempfile.TemporaryDirectory() as path,
        running_smtp_servers() as servers,
    ):
        folder = Path(path)
        post_office = PostOffice(folder / "post", servers)
        post_office.open()
        clock_ = Clock(folder / "clock")
        settings = SETTINGS | RATE_LIMITS | post_office.variables
        with served(folder, within=clock_.within, **settings) as homeshelf:
            async with start_household(
                homeshelf.url, measured, post_office, Random(plan.seed)
            ) as household:
                clock_.set_offset(hours=0, speed=plan.speed)
                actions = asyncio.create_task(_run_actions(plan, household))
                samples = await _take_samples(plan, homeshelf, clock_, measured, folder / "data")
                await end(actions)
        post_office.close()
        measured.mail_count = len(post_office.mails)
    return samples, measured


async def _take_samples(
    plan: Plan, homeshelf: Served, clock_: Clock, measured: Measurements, data: Path
) -> list[Sample]:
    samples: list[Sample] = []
    started_at = monotonic()
    with Progress(transient=True) as progress:
        bar = progress.add_task("two days", total=SAMPLE_COUNT)
        for number in range(1, SAMPLE_COUNT + 1):
            seconds = number * plan.seconds / SAMPLE_COUNT
            await asyncio.sleep(started_at + seconds - monotonic())
            hour = seconds / plan.seconds * HOURS
            samples.append(take_sample(homeshelf, data, clock_.seconds(), hour, measured))
            progress.update(bar, advance=1)
    return samples


async def _run_actions(plan: Plan, household: Household) -> None:
    """Start actions at random intervals, more of them in the busy hours."""
    started_at = monotonic()
    average = sum(ACTIVITY_BY_HOUR) / len(ACTIVITY_BY_HOUR)
    running: set[asyncio.Task[None]] = set()
    try:
        while (elapsed := monotonic() - started_at) < plan.seconds:
            hour = int(elapsed / plan.seconds * HOURS) % 24
            if len(running) < MAX_CONCURRENT_ACTIONS:
                task = asyncio.create_task(household.run_random_action())
                running.add(task)
                task.add_done_callback(running.discard)
            actions_per_second = plan.rate / 60 * ACTIVITY_BY_HOUR[hour] / average / REQUESTS_EACH
            await asyncio.sleep(household.dice.expovariate(actions_per_second))
    finally:
        await end(*running)


REQUESTS_EACH = 1.6
"""The average number of requests of one action."""


def _print_verdicts(plan: Plan, results: Sequence[Verdict], measured: Measurements) -> None:
    title = f"two days in {plan.minutes:g} minutes: {measured.request_count} requests"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("measurement")
    for column in ("at the beginning", "at the end", "at most"):
        table.add_column(column, justify="right")
    table.add_column("")
    for each in results:
        values = [each.template.format(value) for value in (each.begin, each.end, each.at_most)]
        table.add_row(each.name, *values, "ok" if each.is_met else "[red]MISSED")
    console = Console()
    console.print(table)
    console.print(f"{measured.event_count} events received, {measured.mail_count} mails sent")
    for name, count in measured.failures.most_common(20):
        console.print(f"[red]failed[/]: {name}, {count} times")


def _write_results(
    plan: Plan, samples: Sequence[Sample], results: Sequence[Verdict], measured: Measurements
) -> None:
    RESULTS.mkdir(parents=True, exist_ok=True)
    contents = {
        "at": clock.timestamp(),
        "plan": asdict(plan),
        "requests": measured.request_count,
        "events": measured.event_count,
        "mails": measured.mail_count,
        "failures": dict(measured.failures),
        "verdicts": [each.as_json() for each in results],
        "samples": [asdict(each) for each in samples],
    }
    (RESULTS / "soak.json").write_text(json.dumps(contents, indent=1))
    (RESULTS / "soak.svg").write_text(draw_charts(samples))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
