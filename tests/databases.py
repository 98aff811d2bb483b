"""Databases for tests: empty tables on a real engine, reused or opened by address."""

import json
import time
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from functools import partial
from http.client import OK, HTTPConnection
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

from homeshelf import clock
from homeshelf.config import addresses
from homeshelf.table import Database, Engine, open_database
from homeshelf.table.dynamodb.credentials import Credentials
from homeshelf.table.dynamodb.engine import BATCH, DynamoDB
from homeshelf.table.dynamodb.wire import READS, Wire, host_of, signed, stamp_of
from homeshelf.table.schema import TABLES, Table
from homeshelf.table.sqlite.engine import Sqlite
from tests.forked_processes import run
from tests.processes import on_dynamodb
from tests.servers import Server

ENGINES = ["sqlite", "dynoxide"]
Opener = Callable[[], Database]


@asynccontextmanager
async def tables(request: pytest.FixtureRequest, folder: Path) -> AsyncIterator[Opener]:
    """Yield a function that opens the tables of the engine in the fixture's parameter."""
    async with AsyncExitStack() as stack:
        make = await _engine(request, folder, stack)

        def open_another() -> Database:
            database = Database(make())
            stack.push_async_callback(database.close)
            return database

        yield open_another


async def _engine(
    request: pytest.FixtureRequest, folder: Path, stack: AsyncExitStack
) -> Callable[[], Engine]:
    if request.param == "sqlite":
        path = folder / "homeshelf.db"
        copy(request.getfixturevalue("new_file"), path)
        return partial(Sqlite, path)
    tables: UsedTables = request.getfixturevalue(f"tables_of_{request.param}")
    taken = tables.taken(others_write=False)
    return partial(tables.engine, await stack.enter_async_context(taken))


Attributes = Mapping[str, Any]
"""The attributes of a record, in the wire format."""
RESTING = 8
"""The number of tests before tables are reused: by then, late requests have arrived."""
FEW = 200
"""The number of records up to which deleting them is faster than deleting their table."""


class UsedTables:
    def __init__(self, server: Server, resting: int = RESTING) -> None:
        self._server = server
        self._rest = resting
        self._resting: deque[str] = deque()
        self._left: defaultdict[str, Left] = defaultdict(Left)
        """The possible contents of tables, by prefix."""

    def engine(self, prefix: str) -> DynamoDB:
        server = self._server
        engine = DynamoDB(
            server.region,
            server.endpoint,
            prefix,
            server.prefixes,
            credentials=Credentials(server.access_key, server.secret_key),
        )
        _note_writes(engine._wire, self._left[prefix])
        return engine

    @asynccontextmanager
    async def taken(self, *, others_write: bool = True) -> AsyncIterator[str]:
        """Yield the prefix of empty tables that no other test uses.

        If only engines from `engine` write to them, their contents are known afterwards.
        """
        again = len(self._resting) >= self._rest
        prefix = self._resting.popleft() if again else f"{clock.new_id()}."
        if not again or not self._emptied(prefix):
            await self._make(prefix)
        try:
            yield prefix
        finally:
            if others_write:
                self._left[prefix].somewhere.update(prefix + table.name for table in TABLES)
            self._resting.append(prefix)

    async def _make(self, prefix: str) -> None:
        engine = self.engine(prefix)
        try:
            await engine.create_tables()
        finally:
            await engine.close()

    def _emptied(self, prefix: str) -> bool:
        """Delete the records of all tables and return whether every table is left."""
        keys, somewhere = self._left[prefix].taken()
        with closing(Connection(self._server)) as connection:
            _delete(connection, keys)
            looked = [table for table in TABLES if prefix + table.name in somewhere]
            kept = [_empty(connection, prefix, table) for table in looked]
        return all(kept)


@dataclass
class Left:
    """The possible contents of tables, because a look-up takes longer than many writes."""

    keys: dict[tuple[str, str], tuple[str, Attributes]] = field(default_factory=dict)
    """The keys of records with the names of their tables."""
    somewhere: set[str] = field(default_factory=set)
    """The tables with unknown contents."""

    def note(self, name: str, given: Attributes | None) -> None:
        """Record a write to a table with the attributes of its record."""
        if given is None:
            self.somewhere.add(name)
            return
        table = _NAMED[name.rpartition(".")[2]]
        key = {each: given[each] for each in (table.partition, table.sort)}
        self.keys[name, json.dumps(key)] = name, key

    def taken(self) -> tuple[list[tuple[str, Attributes]], set[str]]:
        """Return and reset the contents; later writes are recorded again."""
        if len(self.keys) > FEW:
            self.somewhere.update(name for name, _ in self.keys)
        known = [each for each in self.keys.values() if each[0] not in self.somewhere]
        somewhere = set(self.somewhere)
        self.keys.clear()
        self.somewhere.clear()
        return known, somewhere


_NAMED = {table.name: table for table in TABLES}


def _note_writes(wire: Wire, left: Left) -> None:
    call = wire.call

    async def noted(operation: str, body: Mapping[str, Any], **more: Any) -> dict[str, Any]:
        if operation not in READS:
            for name, given in _writes_in(body):
                left.note(name, given)
        return await call(operation, body, **more)

    wire.call = noted  # type: ignore[method-assign]


def _writes_in(body: Mapping[str, Any]) -> Iterator[tuple[str, Attributes | None]]:
    if "TableName" in body:
        yield body["TableName"], body.get("Item") or body.get("Key")
    for name, requests in body.get("RequestItems", {}).items():
        for request in requests:
            for part in request.values():
                yield name, part.get("Item") or part.get("Key")
    for write in body.get("TransactItems", ()):
        for part in write.values():
            yield part["TableName"], part.get("Item") or part.get("Key")


class Connection:
    """A blocking connection to the server, four times as fast as an engine."""

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
    """Delete all items, even expired ones; delete a large table instead, and return False."""
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
    _delete(connection, [(name, key) for key in keys])
    return True


def _delete(connection: Connection, keys: Sequence[tuple[str, Attributes]]) -> None:
    for first in range(0, len(keys), BATCH):
        requests: defaultdict[str, list[Any]] = defaultdict(list)
        for name, key in keys[first : first + BATCH]:
            requests[name].append({"DeleteRequest": {"Key": key}})
        left = connection.call("BatchWriteItem", {"RequestItems": requests})
        assert not left.get("UnprocessedItems")


@pytest.fixture(params=ENGINES)
def where(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """The variables that lead a program there."""
    if request.param == "sqlite":
        return {"HOMESHELF_DATABASE": f"sqlite:///{tmp_path}/homeshelf.db"}
    variables = on_dynamodb(request.getfixturevalue("dynoxide"), f"{clock.new_id()}.")
    assert run(tmp_path, "tables", "create", **variables).returncode == 0
    return variables


@pytest.fixture
async def db(where: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Database]:
    for name, value in where.items():
        monkeypatch.setenv(name, value)
    db = open_database(addresses.database(where["HOMESHELF_DATABASE"]))
    await db.engine.create_tables()
    yield db
    await db.close()
