"""Engines with a fault: lagging indexes, a short deadline, a restarting server, a locked file or
unreadable records."""

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import apsw

from homeshelf.table.database import Database
from homeshelf.table.dynamodb.credentials import Credentials
from homeshelf.table.dynamodb.engine import DynamoDB
from homeshelf.table.dynamodb.items import to_wire
from homeshelf.table.engine import Engine
from homeshelf.table.expressions import Item
from homeshelf.table.operations import Delete, Key, Page, Put, Query, Update, Write
from homeshelf.table.sqlite.engine import Sqlite
from homeshelf.table.sqlite.file import quoted
from tests.servers import Server
from tests.servers.programs import ACCESS_KEY, LEASH, REGION, SECRET_KEY, program

T = TypeVar("T")


class LaggingSqlite(Sqlite):
    """An engine that reads its indexes from a second file, which gets each write seconds later."""

    def __init__(self, path: Path, lag: float) -> None:
        super().__init__(path)
        self._lag = lag
        self._behind = Sqlite(path.with_name(f"{path.name}-behind"))
        self._copying: set[asyncio.Task[None]] = set()

    async def query(self, query: Query[Any]) -> Page[Item]:
        return await (self._behind.query(query) if query.index else super().query(query))

    async def count(self, query: Query[Any], at_most: int | None = None) -> int:
        if query.index:
            return await self._behind.count(query, at_most)
        return await super().count(query, at_most)

    async def write(self, write: Put | Update | Delete) -> Item | None:
        return self._copied(await super().write(write), [write])

    async def transact(self, writes: Sequence[Write]) -> None:
        await super().transact(writes)
        self._copied(None, writes)

    async def batch(self, writes: Sequence[Put | Delete]) -> None:
        await super().batch(writes)
        self._copied(None, writes)

    async def close(self) -> None:
        for task in self._copying:
            task.cancel()
        await asyncio.gather(*self._copying, return_exceptions=True)
        await self._behind.close()
        await super().close()

    def _copied(self, result: T, writes: Sequence[Write]) -> T:
        for write in writes:
            task = asyncio.create_task(self._copy(write.key))
            self._copying.add(task)
            task.add_done_callback(self._copying.discard)
        return result

    async def _copy(self, key: Key[Any]) -> None:
        await asyncio.sleep(self._lag)
        item = await self.get(key)
        await self._behind.batch([Delete(key) if item is None else Put(key.table, item)])


TIMEOUT, DEADLINE = 0.3, 0.8
IN_TIME = DEADLINE + 2
"""The deadline and the delay of a busy machine; without a deadline a request runs for a minute."""
LONG = 8.0


def opened(
    server: Server,
    endpoint: str,
    prefix: str,
    deadline: float = DEADLINE,
    timeout: float = TIMEOUT,
) -> DynamoDB:
    credentials = Credentials(server.access_key, server.secret_key)
    return DynamoDB(
        server.region,
        endpoint,
        prefix,
        server.prefixes,
        credentials=credentials,
        timeout=timeout,
        deadline=deadline,
    )


READY_WITHIN_SECONDS = 10


class Restartable:
    def __init__(self, path: Path) -> None:
        self._path = path
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port: int = probe.getsockname()[1]
        endpoint = f"http://127.0.0.1:{self._port}"
        self.server = Server(endpoint, REGION, ACCESS_KEY, SECRET_KEY, "range")
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Restartable":
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()

    def start(self) -> None:
        arguments = ["serve", "--port", str(self._port), "--db-path", str(self._path)]
        self._process = subprocess.Popen(
            [sys.executable, "-S", str(LEASH), str(program("dynoxide")), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + READY_WITHIN_SECONDS
        while not self._is_listening():
            assert time.monotonic() < deadline, "dynoxide did not start"
            time.sleep(0.01)

    def kill(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _is_listening(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self._port)) == 0


PROGRAM = """
import sqlite3, sys
other = sqlite3.connect(sys.argv[1], isolation_level=None)
other.execute("BEGIN IMMEDIATE")
print(flush=True)
sys.stdin.read()
"""


class Lock:
    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    def release(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


@contextmanager
def locked(path: Path) -> Iterator[Lock]:
    """Keep the write lock of the file until the end of the block or the release of the lock."""
    command = [sys.executable, "-c", PROGRAM, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline()
        lock = Lock(process)
        yield lock
        lock.release()


async def damage_records(engine: Engine, keys: Sequence[Key[Any]]) -> None:
    """Damage the text of stored records, or give them an unknown type."""
    if isinstance(engine, Sqlite):
        connection = apsw.Connection(str(engine.path))
        connection.set_busy_timeout(5000)  # the engine's sweep may hold the lock
        for key in keys:
            table = key.table
            sql = (
                f"UPDATE {quoted(table.name)} SET item = '{{damaged' "  # noqa: S608  # our names
                f"WHERE {quoted(table.partition)} = ? AND {quoted(table.sort)} = ?"
            )
            connection.execute(sql, (key.partition, key.sort))
        connection.close()
        return
    assert isinstance(engine, DynamoDB)
    wire, prefix = engine._wire, engine._prefix  # the engine itself refuses to write this
    await asyncio.gather(
        *(
            wire.call(
                "UpdateItem",
                {
                    "TableName": prefix + key.table.name,
                    "Key": to_wire(key.attributes),
                    "UpdateExpression": "SET colours = :colours",
                    "ExpressionAttributeValues": {":colours": {"SS": ["red", "blue"]}},
                },
            )
            for key in keys
        )
    )


async def warp(db: Database, key: Key[Any], **wrong: Any) -> None:
    """Write invalid values into a record."""
    item = await db.engine.get(key)
    assert item is not None
    await db.engine.write(Put(key.table, {**item, **wrong}))
