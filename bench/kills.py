"""Count acknowledged changes that are lost when the server is killed again and again."""

import asyncio
import random
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench.figures import Figure
from bench.part import Part, Report
from tests.torture.killing import KillTest

LOST = "acknowledged changes lost or partial"


@dataclass(frozen=True)
class Sizes:
    kills: int = 20


def run(report: Report, sizes: Sizes) -> None:
    """Run the test of kills, which fails at the first lost change, so the figure is always 0."""
    with tempfile.TemporaryDirectory() as folder:
        torture = KillTest(Path(folder), random.Random(random.random()), report.step)
        asyncio.run(torture.kill_all(sizes.kills, to_the_end=False))
    report.measured(LOST, 0)


PART = Part(
    about=(
        "20 kills (SIGKILL) of a server that nine clients use at the same time. After each, "
        "all acknowledged changes must be stored as they were answered, and none partially. "
        "`make torture` does it a hundred times."
    ),
    figures=[Figure(LOST, "count", 0)],
    run=run,
    full=Sizes(),
    tiny=Sizes(0),
    seconds=120,
)
