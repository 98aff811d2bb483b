"""The three access patterns of tags, on both engines."""

import asyncio
import random
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import quantiles
from time import perf_counter

from bench.figures import Figure
from bench.part import Report
from bench.remote import database as remote_database
from bench.taps.sample_tags import ITEMS, TAGS, Sizes, make_tags
from homeshelf.table import Database
from homeshelf.table.sqlite.engine import Sqlite
from homeshelf.taps.model import NFCUrl
from homeshelf.taps.store import find_by_url_id, tags_of_family, tags_of_item
from tests import servers

RunQuery = Callable[[NFCUrl], Awaitable[object]]

ENGINES = ("embedded", "DynamoDB's API")
ONE, OF_ITEM, OF_FAMILY = "a tag by its urlId", "an item's tags", f"a family's {ITEMS * TAGS} tags"
BARS = {ONE: 0.010, OF_ITEM: 0.020, OF_FAMILY: 0.050}


def _figure_name(what: str, engine: str) -> str:
    return f"{what}, {engine}, p95"


FIGURES = [
    Figure(_figure_name(what, engine), "time", bar)
    for engine in ENGINES
    for what, bar in BARS.items()
]


def run(report: Report, sizes: Sizes) -> None:
    asyncio.run(_run(report, sizes))


async def _run(report: Report, sizes: Sizes) -> None:
    for engine, opened in zip(ENGINES, (_embedded, _dynamodb), strict=True):
        report.step(f"look-ups, {engine}")
        async with opened() as database:
            items, tags = make_tags(sizes.families)
            await database.batch([record.put() for record in [*items, *tags]])
            beside = await _p95(tags, lambda tag: database.get(tag.own_key()), sizes)
            for what, run_query in _queries(database).items():
                report.measured(
                    _figure_name(what, engine), await _p95(tags, run_query, sizes), beside
                )


def _queries(database: Database) -> dict[str, RunQuery]:
    async def of_family(tag: NFCUrl) -> None:
        assert len(await database.all(tags_of_family(tag.family_id))) == ITEMS * TAGS

    async def of_item(tag: NFCUrl) -> None:
        found = await database.all(tags_of_item(tag.family_id, tag.item_id).up_to_date())
        assert len(found) == TAGS

    async def one(tag: NFCUrl) -> None:
        assert await find_by_url_id(database, tag.url_id) == tag

    return {ONE: one, OF_ITEM: of_item, OF_FAMILY: of_family}


async def _p95(tags: Sequence[NFCUrl], run_query: RunQuery, sizes: Sizes) -> float:
    """Return the 95th percentile of the best run."""
    runs = [await _time_queries(tags, run_query, sizes.looks) for _ in range(sizes.runs)]
    return min(quantiles(seconds, n=20)[-1] for seconds in runs)


async def _time_queries(tags: Sequence[NFCUrl], run_query: RunQuery, times: int) -> list[float]:
    seconds = []
    for tag in random.sample(tags, times):
        started_at = perf_counter()
        await run_query(tag)
        seconds.append(perf_counter() - started_at)
    return seconds


@asynccontextmanager
async def _embedded() -> AsyncIterator[Database]:
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Sqlite(Path(folder) / "homeshelf.db"))
        yield database
        await database.close()


@asynccontextmanager
async def _dynamodb() -> AsyncIterator[Database]:
    with servers.dynoxide() as server:
        async with remote_database(server) as database:
            await database.engine.create_tables()
            yield database
