"""Test that reused tables contain nothing of earlier tests."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from homeshelf import clock
from homeshelf.table import HELPER, TABLES, Database, Keys, Record
from homeshelf.table.dynamodb.engine import DynamoDB
from homeshelf.table.schema import Table
from tests.databases import FEW, UsedTables
from tests.servers import Server


class Trace(Record):
    table = HELPER
    keys = Keys(PK="TRACE", SK="TRACE#{number}")

    number: int
    ttl: int | None = None


async def _left_behind(tables: UsedTables, prefix: str) -> int:
    engine = tables.engine(prefix)
    found = await engine._wire.call("Scan", {"TableName": prefix + HELPER.name})
    await engine.close()
    return int(found["Count"])


async def _leave(tables: UsedTables, prefix: str, traces: int, ttl: int | None = None) -> None:
    database = Database(tables.engine(prefix))
    await database.batch([Trace(number=number, ttl=ttl).put() for number in range(traces)])
    await database.close()
    assert await _left_behind(tables, prefix) == traces


async def test_reused_tables_are_empty(dynoxide: Server) -> None:
    tables = UsedTables(dynoxide, resting=1)
    prefixes = []
    for traces, ttl in (
        (1, None),
        (3, clock.seconds() - 60),
        (60, None),
        (FEW + 1, None),
        (1, None),
    ):
        async with tables.taken() as prefix:
            prefixes.append(prefix)
            assert await _left_behind(tables, prefix) == 0
            await _leave(tables, prefix, traces, ttl)
    assert len(set(prefixes)) == 1
    async with tables.taken() as prefix:
        engine = tables.engine(prefix)
        assert await engine.check_tables() == []
        await engine.close()


async def _update(db: Database) -> None:
    assert isinstance(db.engine, DynamoDB)
    key = {"PK": {"S": "TRACE"}, "SK": {"S": "TRACE#1"}}
    name = db.engine._prefix + HELPER.name
    await db.engine._wire.call("UpdateItem", {"TableName": name, "Key": key})


WAYS: dict[str, Callable[[Database], Awaitable[None]]] = {
    "update": _update,
    "put": lambda db: db.put(Trace(number=1)),
    "transaction": lambda db: db.transact(Trace(number=1).put()),
    "batch": lambda db: db.batch([Trace(number=1).put()]),
}


@pytest.mark.parametrize("way", WAYS)
async def test_reused_tables_are_empty_after_any_operation(dynoxide: Server, way: str) -> None:
    tables = UsedTables(dynoxide, resting=1)
    for _ in range(3):
        async with tables.taken(others_write=False) as prefix:
            assert await _left_behind(tables, prefix) == 0
            database = Database(tables.engine(prefix))
            await WAYS[way](database)
            await database.close()


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
async def test_reused_tables_are_empty_after_writes_to_any_table(
    dynoxide: Server, table: Table
) -> None:
    tables = UsedTables(dynoxide, resting=1)
    for _ in range(3):
        async with tables.taken(others_write=False) as prefix:
            engine = tables.engine(prefix)
            assert await _count(engine, prefix + table.name) == 0
            await engine._wire.call("PutItem", _trace(prefix, table))
            assert await _count(engine, prefix + table.name) == 1
            await engine.close()


async def test_reused_tables_are_empty_after_writes_of_any_process(dynoxide: Server) -> None:
    tables, elsewhere = UsedTables(dynoxide, resting=1), UsedTables(dynoxide)
    for _ in range(3):
        async with tables.taken() as prefix:
            assert await _left_behind(tables, prefix) == 0
            await _leave(elsewhere, prefix, 1)


async def _count(engine: DynamoDB, name: str) -> int:
    return int((await engine._wire.call("Scan", {"TableName": name}))["Count"])


def _trace(prefix: str, table: Table) -> dict[str, Any]:
    key = {
        name: {"N": "1"} if name in table.numbers else {"S": "TRACE"}
        for name in (table.partition, table.sort)
    }
    return {"TableName": prefix + table.name, "Item": key}


async def test_tables_are_not_reused_at_once(dynoxide: Server) -> None:
    tables = UsedTables(dynoxide, resting=2)
    prefixes = []
    for _ in range(5):
        async with tables.taken() as prefix:
            prefixes.append(prefix)
    first, second = prefixes[:2]
    assert first != second
    assert prefixes == [first, second, first, second, first]


async def test_tables_are_not_shared_between_tests(dynoxide: Server) -> None:
    tables = UsedTables(dynoxide, resting=1)
    async with tables.taken() as mine:
        async with tables.taken() as theirs:
            await _leave(tables, theirs, 1)
        async with tables.taken() as theirs_again:
            assert theirs_again == theirs != mine
        assert await _left_behind(tables, mine) == 0
