"""Tables on a DynamoDB server that one test after the other has for itself, empty.

To make them takes longer than many a test, and longer the more of them the server has.
"""

import json
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from http.client import OK, HTTPConnection
from typing import Any

from homeshelf import clock
from homeshelf.table.dynamodb.credentials import Credentials
from homeshelf.table.dynamodb.engine import BATCH, DynamoDB
from homeshelf.table.dynamodb.wire import host_of, signed, stamp_of
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
        if not again or not self._emptied(prefix):
            await self._make(prefix)
        try:
            yield prefix
        finally:
            self._resting.append(prefix)

    async def _make(self, prefix: str) -> None:
        engine = self.engine(prefix)
        try:
            await engine.create_tables()
        finally:
            await engine.close()

    def _emptied(self, prefix: str) -> bool:
        """Whether all tables are there still, without what was in them."""
        with closing(Connection(self._server)) as connection:
            kept = [_empty(connection, prefix, table) for table in TABLES]
        return all(kept)


class Connection:
    """To the server, for a moment in which nobody waits: a quarter of what an engine takes."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._connection = HTTPConnection(host_of(server.endpoint), timeout=10)
        self.close = self._connection.close

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        server, body = self._server, json.dumps(request).encode()
        credentials = Credentials(server.access_key, server.secret_key)
        host, stamp = host_of(server.endpoint), stamp_of(int(time.time()))
        headers = signed(credentials, server.region, host, operation, body, stamp)
        self._connection.request("POST", "/", body, headers)
        answer = self._connection.getresponse()
        said: dict[str, Any] = json.loads(answer.read())
        assert answer.status == OK, said
        return said


def _empty(connection: Connection, prefix: str, table: Table) -> bool:
    """Looks at the server's own answers: an engine does not show what has expired."""
    name = prefix + table.name
    request = {
        "TableName": name,
        "ConsistentRead": True,
        "ProjectionExpression": "#p, #s",
        "ExpressionAttributeNames": {"#p": table.partition, "#s": table.sort},
    }
    found = connection.call("Scan", request)
    keys: list[dict[str, Any]] = found["Items"]
    if "LastEvaluatedKey" in found or len(keys) > FEW:
        connection.call("DeleteTable", {"TableName": name})
        return False
    for first in range(0, len(keys), BATCH):
        deletes = [{"DeleteRequest": {"Key": key}} for key in keys[first : first + BATCH]]
        left = connection.call("BatchWriteItem", {"RequestItems": {name: deletes}})
        assert not left.get("UnprocessedItems")
    return True
