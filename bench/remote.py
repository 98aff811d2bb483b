"""The real server over DynamoDB's API, with a meter between the two."""

import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.household import Household
from bench.meter import Meter, metered
from bench.server import NO_LIMITS, Connection
from homeshelf.table import Database, Record
from homeshelf.table.dynamodb.credentials import Credentials
from homeshelf.table.dynamodb.engine import DynamoDB
from tests.processes import on_dynamodb, served
from tests.servers import Server, dynoxide


@dataclass(frozen=True)
class Remote:
    url: str
    meter: Meter
    _behind: Server

    def connect(self, home: Household) -> Connection:
        return Connection(self.url, home.authorization)

    async def seed(self, records: Sequence[Record]) -> None:
        """Put records into the table without counting their units."""
        async with database(self._behind) as db:
            await db.batch([record.put() for record in records])


@asynccontextmanager
async def serving_remotely() -> AsyncIterator[Remote]:
    with dynoxide() as server, metered(server) as meter, tempfile.TemporaryDirectory() as folder:
        async with database(server) as db:
            await db.engine.create_tables()
        settings = on_dynamodb(meter.server, prefix="")
        with served(Path(folder), **settings, **NO_LIMITS) as homeshelf:
            yield Remote(homeshelf.url, meter, server)


@asynccontextmanager
async def database(server: Server) -> AsyncIterator[Database]:
    credentials = Credentials(server.access_key, server.secret_key)
    engine = DynamoDB(
        server.region, server.endpoint, prefixes=server.prefixes, credentials=credentials
    )
    db = Database(engine)
    try:
        yield db
    finally:
        await db.close()
