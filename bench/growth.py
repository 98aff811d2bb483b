"""A household that has 10,000 of everything, beside one that has 100; and the last page of a long
list beside the first."""

import asyncio
import json
from dataclasses import dataclass

from bench import operations, sample
from bench.charts import Curves
from bench.figures import ratios
from bench.growing import FLAT, Point, grown
from bench.household import Household
from bench.operations import PAGE
from bench.part import Part, Report
from bench.rounds import in_turn
from bench.server import Connection, Server, serving

NAMES = (
    f"list {PAGE} entries",
    f"list {PAGE} items",
    "read an item",
    "tick an entry",
    "adjust an item",
    "open Home",
    "open the stock",
    "add free text",
    "add an item",
)
LAST = f"list {PAGE} items, the last page beside the first"
CHART = Curves("curve", "CPU of a request, as one family has more", "items, and entries", {}, FLAT)


@dataclass(frozen=True)
class Sizes:
    things: tuple[int, ...] = (100, 1_000, 10_000)
    times: int = 4
    rounds: int = 30


def run(report: Report, sizes: Sizes) -> None:
    with serving() as server:
        asyncio.run(_run(report, server, sizes))


async def _run(report: Report, server: Server, sizes: Sizes) -> None:
    report.step("filling the houses")
    homes = {number: await server.household() for number in sizes.things}
    connections = {number: server.connected(home) for number, home in homes.items()}
    points = [
        await _point(server, homes[number], number, connections[number]) for number in sizes.things
    ]
    await grown(report, points, CHART, times=sizes.times, rounds=sizes.rounds)
    largest = connections[sizes.things[-1]]
    report.step(LAST)
    took = await in_turn(
        operations.lists_items(largest.asking, _last_mark(largest)),
        operations.lists_items(largest.asking),
        times=sizes.times,
        rounds=sizes.rounds,
        timer=server.cpu_seconds,
    )
    report.measured(LAST, *took)
    for each in connections.values():
        each.close()


async def _point(server: Server, home: Household, number: int, connection: Connection) -> Point:
    items = sample.items(home.family_id, home.member_id, number)
    entries = sample.entries(home.family_id, home.member_id, number)
    await server.seed([*items, *entries])
    ask = connection.asking
    works = (
        operations.lists_entries(ask),
        operations.lists_items(ask),
        operations.opens(ask, f"/api/v1/items/{items[0].item_id}"),
        operations.ticks(ask, entries[0]),
        operations.adjusts(ask, items[0]),
        operations.opens(ask, "/"),
        operations.opens(ask, "/stock"),
        operations.adds_text(ask),
        operations.adds_new(ask),
    )
    return Point(number, dict(zip(NAMES, works, strict=True)), server.cpu_seconds)


def _last_mark(connection: Connection) -> str:
    """Return the token of the last page, found by reading page by page."""
    mark, before = "", ""
    while True:
        there = f"&nextToken={mark}" if mark else ""
        page = json.loads(connection.ask("GET", f"/api/v1/items?limit={PAGE}{there}"))
        if "nextToken" not in page:
            return mark if len(page["items"]) == PAGE else before
        mark, before = page["nextToken"], mark


PART = Part(
    about=(
        "A family with 10,000 items and as many list entries, compared with one that has 100 "
        "of each: server CPU of a request over a real connection, in turns. For lists, the "
        "request is one page."
    ),
    figures=ratios([*NAMES, LAST], FLAT),
    run=run,
    full=Sizes(),
    tiny=Sizes((100, 120), 1, 1),
    seconds=120,
)
