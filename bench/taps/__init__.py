"""Tags: a crowd that touches them, and what each of them waits for."""

from bench.part import Part, Report
from bench.taps import dead, lookups, pages
from bench.taps.shelves import TINY, Sizes


def run(report: Report, sizes: Sizes) -> None:
    for part in (pages, dead, lookups):
        part.run(report, sizes)


PART = Part(
    about=(
        "A crowd of 1,000 that opens the pages of 4,000 tags at the same instant, from many "
        "addresses and in a process of its own, beside the same server answering `/healthz`; every "
        "page must be counted. The bar is for two workers on two cores. Then how long the answer "
        "for a dead tag takes, which must not reveal why it is dead, and the look-ups of tags on "
        "both engines. The best of three."
    ),
    figures=[*pages.FIGURES, *dead.FIGURES, *lookups.FIGURES],
    run=run,
    full=Sizes(),
    tiny=TINY,
    seconds=240,
)
