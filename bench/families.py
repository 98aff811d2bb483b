"""Compare a database of 100,000 families, about a million records, with one of a single family."""

import asyncio
from contextlib import AbstractContextManager, AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from bench import operations, sample
from bench.charts import Curves
from bench.comparison import FLAT, Point, measure_growth
from bench.family_database import CACHE, family_database
from bench.figures import ratios
from bench.operations import PAGE, Ask
from bench.part import Part, Report
from bench.rounds import Work
from bench.server import Server, serving, serving_from

NAMES = (
    f"list {PAGE} entries",
    f"list {PAGE} items",
    "read an item",
    "tick an entry",
    "adjust an item",
    "tap a tag",
    "open a tag's page",
    "open Home",
    "open the list",
    "open the stock",
    "add free text",
    "add an item",
)
"""The operations; those that add records come last, because they make a small family grow most."""
CHART = Curves("curve", "CPU of a request, as more families are there", "families", {}, FLAT)
NO_LIMITS = {"HOMESHELF_LIMIT_TAPS": "100000/s", "HOMESHELF_LIMIT_TAPS_DAY": "1000000/24h"}


@dataclass(frozen=True)
class Sizes:
    families: tuple[int, ...] = (1, 100, 10_000, 100_000)
    active_families: int = 8
    """The families that send requests in turn; their records are far apart."""
    times: int = 8
    rounds: int = 12
    cache: Path = CACHE


def run(report: Report, sizes: Sizes) -> None:
    asyncio.run(_run(report, sizes))


async def _run(report: Report, sizes: Sizes) -> None:
    points = []
    async with AsyncExitStack() as stack:
        for families in sizes.families:
            report.step(f"{families:,} families")
            active_families = min(families, sizes.active_families)
            server = stack.enter_context(_serve_families(families, sizes.cache))
            points.append(await _point(stack, server, families, active_families))
        await measure_growth(report, points, CHART, times=sizes.times, rounds=sizes.rounds)


def _serve_families(families: int, cache: Path) -> AbstractContextManager[Server]:
    if families == 1:
        return serving(**NO_LIMITS)
    return serving_from(family_database(families, cache), **NO_LIMITS)


async def _point(
    stack: AsyncExitStack, server: Server, families: int, active_families: int
) -> Point:
    works = []
    for _ in range(active_families):
        home = await server.create_household()
        items = sample.items(home.family_id, home.member_id, PAGE)
        entries = sample.entries(home.family_id, home.member_id, PAGE)
        tags = sample.tags(items[:1])
        await server.seed([*items, *entries, *tags])
        connection = server.connect(home)
        stack.callback(connection.close)
        ask: Ask = connection.send
        own: tuple[Work, ...] = (
            operations.list_entries(ask),
            operations.list_items(ask),
            operations.open_page(ask, f"/api/v1/items/{items[0].item_id}"),
            operations.tick_entry(ask, entries[0]),
            operations.adjust_item(ask, items[1]),
            operations.tap_tag(ask, tags[0]),
            operations.open_page(ask, tags[0].path),
            operations.open_page(ask, "/"),
            operations.open_page(ask, "/list"),
            operations.open_page(ask, "/stock"),
            operations.add_text_entries(ask),
            operations.add_new_items(ask),
        )
        works.append(own)
    rotated = {what: operations.rotate([own[at] for own in works]) for at, what in enumerate(NAMES)}
    return Point(families, rotated, server.cpu_seconds)


PART = Part(
    about=(
        "A database of 100,000 families (about a million records) compared with one of a "
        "single family: server CPU of a request over a real connection, in turns, for eight "
        "families with 100 items and 100 entries each. The large database is written once "
        "with the engine's own statements, and kept in `.cache`."
    ),
    figures=ratios(NAMES, FLAT),
    run=run,
    full=Sizes(),
    tiny=Sizes((1, 2), 1, 1, 1),
    seconds=240,
)
