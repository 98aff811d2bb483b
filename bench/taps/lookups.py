"""The three access patterns of tags, on both engines."""

import asyncio
import random
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import quantiles
from time import perf_counter

from bench.report import Report
from bench.taps.shelves import ITEMS, RUNS, TAGS, shelves
from homeshelf.table import Database
from homeshelf.table.dynamodb.credentials import Credentials
from homeshelf.table.dynamodb.engine import DynamoDB
from homeshelf.table.sqlite.engine import Sqlite
from homeshelf.taps.model import NFCUrl
from homeshelf.taps.store import for_tag, tags_of_family, tags_of_item
from tests import servers

TIMES = 300
ONE_SECONDS, ITEM_SECONDS, FAMILY_SECONDS = 0.010, 0.020, 0.050

Look = Callable[[NFCUrl], Awaitable[object]]


def run(report: Report) -> None:
    asyncio.run(_run(report))


async def _run(report: Report) -> None:
    for name, opened in (("embedded", _embedded), ("DynamoDB's API", _dynamodb)):
        async with opened() as database:
            items, tags = shelves()
            await database.batch([record.put() for record in [*items, *tags]])
            report.section(f"look-ups among {len(tags):,} tags, {name}, p95 beside a get")
            beside = await _p95(tags, lambda tag: database.get(tag.own_key()))
            for what, look, bar in _looks(database):
                report.cost(what, await _p95(tags, look), beside, at_most=bar)


def _looks(database: Database) -> list[tuple[str, Look, float]]:
    async def of_family(tag: NFCUrl) -> None:
        assert len(await database.all(tags_of_family(tag.family_id))) == ITEMS * TAGS

    async def of_item(tag: NFCUrl) -> None:
        found = await database.all(tags_of_item(tag.family_id, tag.item_id).up_to_date())
        assert len(found) == TAGS

    async def one(tag: NFCUrl) -> None:
        assert await for_tag(database, tag.url_id) == tag

    return [
        ("a tag by its urlId", one, ONE_SECONDS),
        ("an item's tags", of_item, ITEM_SECONDS),
        (f"a family's {ITEMS * TAGS} tags", of_family, FAMILY_SECONDS),
    ]


async def _p95(tags: Sequence[NFCUrl], look: Look) -> float:
    """Of the best of some runs."""
    return min([quantiles(await _took(tags, look), n=20)[-1] for _ in range(RUNS)])


async def _took(tags: Sequence[NFCUrl], look: Look) -> list[float]:
    took = []
    for tag in random.sample(tags, TIMES):
        began = perf_counter()
        await look(tag)
        took.append(perf_counter() - began)
    return took


@asynccontextmanager
async def _embedded() -> AsyncIterator[Database]:
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Sqlite(Path(folder) / "homeshelf.db"))
        yield database
        await database.close()


@asynccontextmanager
async def _dynamodb() -> AsyncIterator[Database]:
    with servers.dynoxide() as server:
        credentials = Credentials(server.access_key, server.secret_key)
        engine = DynamoDB(
            server.region, server.endpoint, prefixes=server.prefixes, credentials=credentials
        )
        await engine.create_tables()
        database = Database(engine)
        yield database
        await database.close()
