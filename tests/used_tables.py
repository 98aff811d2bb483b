"""Tables on a DynamoDB server that one test after the other has for itself, empty.

To make them takes longer than many a test, and longer the more of them the server has.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from homeshelf import clock
from homeshelf.table.dynamodb.credentials import Credentials
from homeshelf.table.dynamodb.engine import BATCH, DynamoDB
from homeshelf.table.schema import TABLES, Table
from tests.servers import Server

RESTING = 8
"""So many tests later tables are used again: what a killed program had sent has arrived by then."""
FEW = 200
"""Records that are deleted sooner than their table."""


class UsedTables:
    def __init__(self, server: Server, resting: int = RESTING) -> None:
        self._server = server
        self._rest = resting
        self._resting: deque[str] = deque()

    def engine(self, prefix: str) -> DynamoDB:
        server = self._server
        return DynamoDB(
            server.region,
            server.endpoint,
            prefix,
            server.prefixes,
            credentials=Credentials(server.access_key, server.secret_key),
        )

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[str]:
        """The prefix of tables with nothing in them, which nobody else has meanwhile."""
        again = len(self._resting) >= self._rest
        prefix = self._resting.popleft() if again else f"{clock.new_id()}."
        engine = self.engine(prefix)
        try:
            if not again or not await _emptied(engine, prefix):
                await engine.create_tables()
        finally:
            await engine.close()
        try:
            yield prefix
        finally:
            self._resting.append(prefix)


async def _emptied(engine: DynamoDB, prefix: str) -> bool:
    """Whether all tables are there still, without what was in them."""
    kept = await asyncio.gather(*(_empty(engine, prefix, table) for table in TABLES))
    return all(kept)


async def _empty(engine: DynamoDB, prefix: str, table: Table) -> bool:
    """Looks at the server's own answers: an engine does not show what has expired."""
    name = prefix + table.name
    request = {
        "TableName": name,
        "ConsistentRead": True,
        "ProjectionExpression": "#p, #s",
        "ExpressionAttributeNames": {"#p": table.partition, "#s": table.sort},
    }
    found = await engine._wire.call("Scan", request)
    keys: list[dict[str, Any]] = found["Items"]
    if "LastEvaluatedKey" in found or len(keys) > FEW:
        await engine._wire.call("DeleteTable", {"TableName": name})
        return False
    for first in range(0, len(keys), BATCH):
        deletes = [{"DeleteRequest": {"Key": key}} for key in keys[first : first + BATCH]]
        left = await engine._wire.call("BatchWriteItem", {"RequestItems": {name: deletes}})
        assert not left.get("UnprocessedItems")
    return True
