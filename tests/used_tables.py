"""Tables on a DynamoDB server that one test after the other has for itself, empty.

To make them takes longer than many a test, and longer the more of them the server has.
"""

import json
import time
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, closing
from http.client import OK, HTTPConnection
from typing import Any

from homeshelf import clock
from homeshelf.table.dynamodb.credentials import Credentials
from homeshelf.table.dynamodb.engine import BATCH, DynamoDB
from homeshelf.table.dynamodb.wire import READS, Wire, host_of, signed, stamp_of
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
        self._written: defaultdict[str, set[str]] = defaultdict(set)
        """By their prefix, the names of tables that are not empty any more."""

    def engine(self, prefix: str) -> DynamoDB:
        server = self._server
        engine = DynamoDB(
            server.region,
            server.endpoint,
            prefix,
            server.prefixes,
            credentials=Credentials(server.access_key, server.secret_key),
        )
        _note_writes(engine._wire, self._written[prefix])
        return engine

    @asynccontextmanager
    async def taken(self, *, others_write: bool = True) -> AsyncIterator[str]:
        """The prefix of tables with nothing in them, which nobody else has meanwhile.

        Where only what `engine` gives writes to them, it is known which are empty still.
        """
        again = len(self._resting) >= self._rest
        prefix = self._resting.popleft() if again else f"{clock.new_id()}."
        if not again or not self._emptied(prefix):
            await self._make(prefix)
        try:
            yield prefix
        finally:
            if others_write:
                self._written[prefix].update(prefix + table.name for table in TABLES)
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
            written = self._written[prefix]
            tables = [table for table in TABLES if prefix + table.name in written]
            written.clear()
            kept = [_empty(connection, prefix, table) for table in tables]
        return all(kept)


def _note_writes(wire: Wire, written: set[str]) -> None:
    """To look for what nobody wrote takes longer than many a write."""
    call = wire.call

    async def noted(operation: str, body: Mapping[str, Any], **more: Any) -> dict[str, Any]:
        if operation not in READS:
            written.update(_tables_in(body))
        return await call(operation, body, **more)

    wire.call = noted  # type: ignore[method-assign]


def _tables_in(body: Mapping[str, Any]) -> Iterator[str]:
    if "TableName" in body:
        yield body["TableName"]
    yield from body.get("RequestItems", ())
    for write in body.get("TransactItems", ()):
        for part in write.values():
            yield part["TableName"]


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
