"""Tags: a crowd that touches them, and what each of them waits for."""

from bench.part import Part, Report
from bench.taps import crate, dead, lookups, pages
from bench.taps.shelves import TINY, Sizes


def run(report: Report, sizes: Sizes) -> None:
    for part in (pages, crate, dead, lookups):
        part.run(report, sizes)


PART = Part(
    about=(
        "A crowd of 1,000 that touches 4,000 tags, from many addresses and in a process of its "
        "own: pages at the same instant and at 200 a second with every one counted, and taps on a "
        "disk that takes 5 ms for each fsync, beside the same server answering `/healthz`. The "
        "bars are for two workers on two cores. Then how long it takes to be told that a tag is "
        "dead, which must not tell why, and the look-ups of tags on both engines. The best of "
        "three."
    ),
    figures=[*pages.FIGURES, *crate.FIGURES, *dead.FIGURES, *lookups.FIGURES],
    run=run,
    full=Sizes(),
    tiny=TINY,
    seconds=240,
)
