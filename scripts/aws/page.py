"""The computed part of `docs/aws.md`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from scripts.aws import figures, prices
from scripts.aws.bill import BUSY, Bill, bill
from scripts.aws.family import (
    BUSIEST_HOUR,
    DAY,
    LISTENING_HOURS,
    Family,
    family,
    stored_bytes,
)
from scripts.aws.limits import limits, of_one_family

PAGE = Path(__file__).parents[2] / "docs" / "aws.md"
HEADING = "## What it costs\n"
SIZES = (100, 10_000, 1_000_000)


def write() -> None:
    """Write the figures below the text that was written by hand."""
    above, heading, _ = PAGE.read_text().partition(HEADING)
    if not heading:
        raise ValueError(f"{PAGE} has no {HEADING.strip()!r}")
    PAGE.write_text(above + computed())


def computed() -> str:
    found = figures.read()
    each = family(found)
    bills = [bill(families, each, found) for families in SIZES]
    lines = [
        HEADING,
        _supposed(),
        *_bills(bills),
        "",
        _summed_up(each, bills[-1], family(found, listening_hours=24)),
        "",
        "## Which limits come first",
        "",
        *_limits(each, found),
        "",
        ONE_FAMILY,
        "",
        *_one_family(found),
        "",
    ]
    return "\n".join(lines)


ONE_FAMILY = (
    "One family reaches the limit of its partition, and of those of its indexes (`GSI2` has one "
    "for each of its lists), when in a second it does one of these so often:"
)


def _supposed() -> str:
    day = ", ".join(f"{what} {times}" for what, times in DAY.items())
    return (
        "`make fix` computes this from the units, CPU and weights that `make bench` "
        "[measured](performance.md), with AWS's list prices in us-east-1, no free tier, and months "
        f"of {prices.HOURS} hours: look the prices up, because they change, and put yours into "
        "`scripts/aws/prices.py`.\n\n"
        f"It supposes that on every day a family does so much: {day} times; and that for "
        f"{LISTENING_HOURS:.0f} hour one of their phones shows a page, which follows along. "
        f"{BUSIEST_HOUR:.0%} of it falls into the busiest hour, for which there are processes all "
        f"day, {BUSY:.0%} busy. What a family keeps is {stored_bytes() / 1e6:.1f} MB: what the "
        "demo household has, and the history of two such years. CPU and what is sent are counted "
        "on the safe side: every unit that is read as a call of its own, every page as on a first "
        "visit. Mail is not in it.\n"
    )


def _summed_up(each: Family, most: Bill, wall: Family) -> str:
    return (
        f"A family costs ${most.total / most.families:.3f} a month where there are many: "
        f"{each.reads:,.0f} units of reading and {each.writes:,.0f} of writing a day for what it "
        f"does, and {each.heard_reads:,.0f} of reading for what it hears. A tablet on the wall, "
        f"which listens all day, costs ${_listening(wall):.2f} more. Below some thousand families "
        "most of it is what runs without anybody: one small machine with the embedded database is "
        "cheaper, and quicker."
    )


def _bills(bills: Sequence[Bill]) -> Iterator[str]:
    lines = {
        "DynamoDB: reading": [each.reads for each in bills],
        "DynamoDB: writing": [each.writes for each in bills],
        "DynamoDB: listening": [each.listening for each in bills],
        "DynamoDB: storage, and recovery": [each.storage for each in bills],
        "processes": [each.serving for each in bills],
        "balancer and addresses": [each.balancing for each in bills],
        "what is sent": [each.sending for each in bills],
        "log, alarms, secret": [each.watching for each in bills],
        "**together, in dollars a month**": [each.total for each in bills],
    }
    yield f"| families | {' | '.join(f'{each.families:,}' for each in bills)} |"
    yield f"| --- |{' --: |' * len(bills)}"
    yield f"| processes of half a core | {' | '.join(f'{each.processes:,}' for each in bills)} |"
    for what, costs in lines.items():
        yield f"| {what} | {' | '.join(_dollars(cost) for cost in costs)} |"


def _limits(each: Family, found: figures.Figures) -> Iterator[str]:
    yield "| limit | reached by so many families | what to do |"
    yield "| --- | --: | --- |"
    for limit in limits(each, found):
        yield f"| {limit.what} | {_about(limit.families)} | {limit.then} |"


def _one_family(found: figures.Figures) -> Iterator[str]:
    yield "| what | a second |"
    yield "| --- | --: |"
    for what, times in of_one_family(found):
        yield f"| {what} | {_about(times)} |"


def _listening(wall: Family) -> float:
    return wall.heard_reads * prices.DAYS * prices.READ_UNIT


def _dollars(cost: float) -> str:
    return f"{cost:,.2f}" if cost < 100 else f"{_about(cost)}"


def _about(number: float) -> str:
    """Two digits are all that it is worth."""
    return f"{float(f'{number:.2g}'):,.0f}"
