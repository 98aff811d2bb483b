"""A household that has 10,000 of everything, beside one that has 100; and the last page of a long
list beside the first.

CPU is that of the real server over a real connection.
"""

import asyncio
import json

from bench import operations, sample
from bench.operations import PAGE, Ask
from bench.report import Report
from bench.requests import asking
from bench.rounds import Work, in_turn
from bench.server import Connection, Household, Server, serving

FEW, MANY = 100, 10_000
TIMES, ROUNDS = 5, 30
FLAT = 1.5


def run(report: Report) -> None:
    with serving() as server:
        asyncio.run(_run(report, server))


async def _run(report: Report, server: Server) -> None:
    small, large = server.household(), server.household()
    report.section(f"of {MANY:,} beside of {FEW}, server CPU")
    connections = small.connected(), large.connected()
    few = await _operations(server, small, FEW, asking(connections[0]))
    many = await _operations(server, large, MANY, asking(connections[1]))
    for (what, beside), (_, ours) in zip(few, many, strict=True):
        report.ratio(what, *await _took(server, ours, beside), at_most=FLAT)
    report.section(f"the last page of {MANY:,} beside the first, server CPU")
    first = operations.lists_items(asking(connections[1]))
    last = operations.lists_items(asking(connections[1]), _last_mark(connections[1]))
    took = await _took(server, last, first)
    report.ratio(f"list {PAGE} items", *took, at_most=FLAT)
    for each in connections:
        each.close()


async def _took(server: Server, ours: Work, beside: Work) -> tuple[float, float]:
    return await in_turn(ours, beside, times=TIMES, rounds=ROUNDS, timer=server.cpu_seconds)


async def _operations(
    server: Server, home: Household, number: int, ask: Ask
) -> list[tuple[str, Work]]:
    items = sample.items(home.family_id, home.member_id, number)
    entries = sample.entries(home.family_id, home.member_id, number)
    await server.seed([*items, *entries])
    return [
        (f"list {PAGE} entries", operations.lists_entries(ask)),
        (f"list {PAGE} items", operations.lists_items(ask)),
        ("tick an entry", operations.ticks(ask, entries[0])),
        ("adjust an item", operations.adjusts(ask, items[0])),
        ("add free text", operations.adds_text(ask)),
        ("open Home", operations.opens(ask, "/")),
    ]


def _last_mark(connection: Connection) -> str:
    """Where the last page begins, found as anybody finds it: page by page."""
    mark, before = "", ""
    while True:
        there = f"&nextToken={mark}" if mark else ""
        page = json.loads(connection.ask("GET", f"/api/v1/items?limit={PAGE}{there}"))
        if "nextToken" not in page:
            return mark if len(page["items"]) == PAGE else before
        mark, before = page["nextToken"], mark
