"""Tags: a crowd that touches them, and what each of them waits for.

Each figure is the best of three runs. The crowd comes from many addresses and is a process of its
own, on the same machine.
"""

from bench.report import Report
from bench.taps import crate, dead, lookups, pages


def run(report: Report) -> None:
    pages.run(report)
    crate.run(report)
    dead.run(report)
    lookups.run(report)
