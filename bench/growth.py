"""Compare a household with 10,000 records of each kind to one with 100, and the last page to the
first.
"""

import asyncio
import json
from dataclasses import dataclass

from bench import operations, sample
from bench.charts import Curves
from bench.comparison import FLAT, Point, measure_growth
from bench.figures import ratios
from bench.household import Household
from bench.operations import PAGE
from bench.part import Part, Report
from bench.rounds import measure_pair
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
    homes = {number: await server.create_household() for number in sizes.things}
    connections = {number: server.connect(home) for number, home in homes.items()}
    points = [
        await _point(server, homes[number], number, connections[number]) for number in sizes.things
    ]
    await measure_growth(report, points, CHART, times=sizes.times, rounds=sizes.rounds)
    largest = connections[sizes.things[-1]]
    report.step(LAST)
    took = await measure_pair(
        operations.list_items(largest.send, _last_mark(largest)),
        operations.list_items(largest.send),
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
    ask = connection.send
    works = (
        operations.list_entries(ask),
        operations.list_items(ask),
        operations.open_page(ask, f"/api/v1/items/{items[0].item_id}"),
        operations.tick_entry(ask, entries[0]),
        operations.adjust_item(ask, items[0]),
        operations.open_page(ask, "/"),
        operations.open_page(ask, "/stock"),
        operations.add_text_entries(ask),
        operations.add_new_items(ask),
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
