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
    """Replace the computed part below the handwritten text."""
    above, heading, _ = PAGE.read_text().partition(HEADING)
    if not heading:
        raise ValueError(f"{PAGE} has no {HEADING.strip()!r}")
    PAGE.write_text(above + computed_part())


def computed_part() -> str:
    found = figures.read()
    each = family(found)
    bills = [bill(families, each, found) for families in SIZES]
    lines = [
        HEADING,
        _assumptions(),
        *_bills(bills),
        "",
        _summary(each, bills[-1], family(found, listening_hours=24)),
        "",
        "## The first limits",
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
    "A partition limits one family, and so do the partitions of its indexes (`GSI2` has one for "
    "each list). One family reaches these limits with so many operations per second:"
)


def _assumptions() -> str:
    day = ", ".join(f"{what} {times}" for what, times in DAY.items())
    return (
        "`make fix` computes these costs from the units, CPU and sizes that `make bench` "
        "[measured](performance.md), and AWS's list prices in us-east-1, without the free tier, "
        f"for months of {prices.HOURS} hours. Prices change: put current ones into "
        "`scripts/aws/prices.py`.\n\n"
        f"Assumptions for one family and day: {day} times. For {LISTENING_HOURS:.0f} hour, one of "
        f"their phones shows a page with live updates. {BUSIEST_HOUR:.0%} of the operations fall "
        "into the busiest hour; the processes for that hour run all day, and are then "
        f"{BUSY:.0%} busy. A family stores {stored_bytes() / 1e6:.1f} MB: as much as the demo "
        "household, and the history of two such years. CPU and traffic are upper estimates: each "
        "read unit counts as one call, and each page as a first visit. Mail is not included.\n"
    )


def _summary(each: Family, most: Bill, wall: Family) -> str:
    return (
        f"With many families, one costs ${most.total / most.families:.3f} a month. Per day, its "
        f"operations take {each.reads:,.0f} read units and {each.writes:,.0f} write units, and its "
        f"live updates {each.listening_reads:,.0f} read units. A tablet on the wall, with live "
        f"updates all day, costs ${_listening(wall):.2f} more. Below a few thousand families most "
        "of the cost is fixed: one small machine with the embedded database is cheaper and faster."
    )


def _bills(bills: Sequence[Bill]) -> Iterator[str]:
    lines = {
        "DynamoDB: reads": [each.reads for each in bills],
        "DynamoDB: writes": [each.writes for each in bills],
        "DynamoDB: live updates": [each.listening for each in bills],
        "DynamoDB: storage and recovery": [each.storage for each in bills],
        "processes": [each.serving for each in bills],
        "load balancer and addresses": [each.balancing for each in bills],
        "traffic": [each.sending for each in bills],
        "log, alarms, secret": [each.watching for each in bills],
        "**total, in dollars a month**": [each.total for each in bills],
    }
    yield f"| families | {' | '.join(f'{each.families:,}' for each in bills)} |"
    yield f"| --- |{' --: |' * len(bills)}"
    yield f"| processes of half a core | {' | '.join(f'{each.processes:,}' for each in bills)} |"
    for what, costs in lines.items():
        yield f"| {what} | {' | '.join(_dollars(cost) for cost in costs)} |"


def _limits(each: Family, found: figures.Figures) -> Iterator[str]:
    yield "| limit | families | remedy |"
    yield "| --- | --: | --- |"
    for limit in limits(each, found):
        yield f"| {limit.what} | {_about(limit.families)} | {limit.then} |"


def _one_family(found: figures.Figures) -> Iterator[str]:
    yield "| operation | per second |"
    yield "| --- | --: |"
    for what, times in of_one_family(found):
        yield f"| {what} | {_about(times)} |"


def _listening(wall: Family) -> float:
    return wall.listening_reads * prices.DAYS * prices.READ_UNIT


def _dollars(cost: float) -> str:
    return f"{cost:,.2f}" if cost < 100 else f"{_about(cost)}"


def _about(number: float) -> str:
    """Round to two digits, which is as precise as the estimate."""
    return f"{float(f'{number:.2g}'):,.0f}"
