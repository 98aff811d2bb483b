"""The part "taps": a crowd that opens tags' pages, and the time that each client waits."""

from bench.part import Part, Report
from bench.taps import dead_tags, lookups, pages
from bench.taps.sample_tags import TINY, Sizes


def run(report: Report, sizes: Sizes) -> None:
    for part in (pages, dead_tags, lookups):
        part.run(report, sizes)


PART = Part(
    about=(
        "1,000 clients open the pages of 4,000 tags at the same instant, from many addresses "
        "and from a process of their own; every visit must be counted. The reference is the "
        "same server answering `/healthz`. The limit is for two workers on two cores. Then "
        "the response time for a dead tag, which must not reveal why it is dead, and queries "
        "for tags on both engines. The best of three."
    ),
    figures=[*pages.FIGURES, *dead_tags.FIGURES, *lookups.FIGURES],
    run=run,
    full=Sizes(),
    tiny=TINY,
    seconds=240,
)
