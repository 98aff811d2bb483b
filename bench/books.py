"""Compare a shelf of 5,000 books with one of 50: reading a page of it, and recording a page."""

import asyncio
from dataclasses import dataclass

from bench import operations
from bench.figures import ratios
from bench.household import Household
from bench.part import Part, Report
from bench.rounds import Work, measure_pair
from bench.server import Server, serving
from homeshelf import clock
from homeshelf.books.model import STATUSES, Book

PAGE = 10
"""The books on a page, so few that the small shelf fills one in every status."""
FLAT = 1.5
PAGES = {
    "the first page, latest first": f"/api/v1/books?limit={PAGE}",
    "the first page, oldest first": f"/api/v1/books?limit={PAGE}&sort=updatedAt_asc",
    "the first page of one status": f"/api/v1/books?limit={PAGE}&status=READ",
}
RECORD_PAGE = "record a page"


@dataclass(frozen=True)
class Sizes:
    few: int = 50
    many: int = 5_000
    times: int = 5
    rounds: int = 30


def run(report: Report, sizes: Sizes) -> None:
    with serving() as server:
        asyncio.run(_run(report, server, sizes))


async def _run(report: Report, server: Server, sizes: Sizes) -> None:
    small, large = await server.create_household(), await server.create_household()
    few, many = _make_books(small, sizes.few), _make_books(large, sizes.many)
    await server.seed([*few, *many])
    connections = server.connect(small), server.connect(large)

    async def compare(what: str, beside: Work, ours: Work) -> None:
        took = await measure_pair(
            ours, beside, times=sizes.times, rounds=sizes.rounds, timer=server.cpu_seconds
        )
        report.measured(what, *took)

    for what, path in PAGES.items():
        beside, ours = (operations.open_page(each.send, path) for each in connections)
        await compare(what, beside, ours)
    beside, ours = (
        _record_pages(each.send, books[0])
        for each, books in zip(connections, (few, many), strict=True)
    )
    await compare(RECORD_PAGE, beside, ours)
    for each in connections:
        each.close()


def _record_pages(ask: operations.Ask, book: Book) -> Work:
    async def work(times: int) -> None:
        for page in range(times):
            await ask("POST", f"/api/v1/books/{book.id}/page", b'{"page":%d}' % page)

    return work


def _make_books(home: Household, number: int) -> list[Book]:
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


PART = Part(
    about=(
        "A shelf of 5,000 books compared with one of 50: server CPU over a real connection, "
        "in turns."
    ),
    figures=ratios([*PAGES, RECORD_PAGE], FLAT),
    run=run,
    full=Sizes(),
    tiny=Sizes(50, 60, 1, 1),
    seconds=60,
)
