"""Records that nobody can read, as something else may have left them."""

import asyncio
from collections.abc import Sequence
from typing import Any

import apsw

from homeshelf.table.database import Database
from homeshelf.table.dynamodb.engine import DynamoDB
from homeshelf.table.dynamodb.items import to_wire
from homeshelf.table.engine import Engine
from homeshelf.table.operations import Key, Put
from homeshelf.table.sqlite.engine import Sqlite
from homeshelf.table.sqlite.file import quoted


async def spoil(engine: Engine, keys: Sequence[Key[Any]]) -> None:
    """Damage the text of records that are there, or give them a type that is none of ours."""
    if isinstance(engine, Sqlite):
        connection = apsw.Connection(str(engine.path))
        connection.set_busy_timeout(5000)  # the engine sweeps at this moment, perhaps
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
    wire, prefix = engine._wire, engine._prefix  # what the engine itself refuses to write
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
    """Give a record other values than it may have."""
    item = await db.engine.get(key)
    assert item is not None
    await db.engine.write(Put(key.table, {**item, **wrong}))
