"""A shelf of 5,000 books beside one of 50: a page of it, and what a reader does most.

CPU is that of the real server over a real connection.
"""

import asyncio

from bench import operations
from bench.report import Report
from bench.requests import asking
from bench.rounds import Work, in_turn
from bench.server import Household, Server, serving
from homeshelf import clock
from homeshelf.books.model import STATUSES, Book

FEW, MANY = 50, 5_000
TIMES, ROUNDS = 5, 30
PAGE = 10
"""Small enough that a page of the small shelf is full in every status."""
FLAT = 1.5


def run(report: Report) -> None:
    with serving() as server:
        asyncio.run(_run(report, server))


async def _run(report: Report, server: Server) -> None:
    small, large = server.household(), server.household()
    few, many = _shelf(small, FEW), _shelf(large, MANY)
    await server.seed([*few, *many])
    connections = small.connected(), large.connected()
    report.section(f"a shelf of {MANY:,} books beside one of {FEW}, server CPU")
    for what, path in (
        ("the first page, latest first", f"/api/v1/books?limit={PAGE}"),
        ("the first page, oldest first", f"/api/v1/books?limit={PAGE}&sort=updatedAt_asc"),
        ("the first page of one status", f"/api/v1/books?limit={PAGE}&status=READ"),
    ):
        beside, ours = (operations.opens(asking(each), path) for each in connections)
        report.ratio(what, *await _took(server, ours, beside), at_most=FLAT)
    beside, ours = (
        _reaches_page(asking(each), books[0])
        for each, books in zip(connections, (few, many), strict=True)
    )
    report.ratio("reach a page", *await _took(server, ours, beside), at_most=FLAT)
    for each in connections:
        each.close()


async def _took(server: Server, ours: Work, beside: Work) -> tuple[float, float]:
    return await in_turn(ours, beside, times=TIMES, rounds=ROUNDS, timer=server.cpu_seconds)


def _reaches_page(ask: operations.Ask, book: Book) -> Work:
    async def work(times: int) -> None:
        for page in range(times):
            await ask("POST", f"/api/v1/books/{book.id}/page", b'{"page":%d}' % page)

    return work


def _shelf(home: Household, number: int) -> list[Book]:
    return [
        Book(
            id=clock.new_id(),
            user_id=home.member_id,
            title=f"Book {each}",
            author="Ida Falk",
            status=STATUSES[each % len(STATUSES)],
            total_pages=400,
            created_at="2025-01-01T10:00:00.000Z",
            updated_at=f"2025-01-01T10:00:{each // 1000:02}.{each % 1000:03}Z",
        )
        for each in range(number)
    ]
