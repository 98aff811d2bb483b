"""`python -m tests.table.stream FILE` writes transactions until it is killed.

Each of its tasks adds the members of one transaction after another, in three tables, and counts
them in a record of its own. A line follows for each, after the engine said that it is done.
"""

import asyncio
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import apsw

from homeshelf.table.expressions import Add, Item, Set, absent
from homeshelf.table.operations import Key, Put, Query, Update, Write, item_key
from homeshelf.table.schema import BOOKS, HELPER, INVENTORY
from homeshelf.table.sqlite.engine import Sqlite

TASKS = 16


def tally(task: int) -> Key[Item]:
    return item_key(HELPER, "TALLY", f"{task:02}")


def writes(task: int, number: int, text: str = "") -> list[Write]:
    name = f"{number:06}"
    index = {"GSI1PK": f"TASK#{task % 4}", "GSI1SK": f"{task}#{name}"}
    return [
        Put(INVENTORY, {"PK": f"TASK#{task:02}", "SK": name, "text": text, **index}, absent),
        Put(BOOKS, {"pk": f"TASK#{task:02}", "sk": name, "text": text}, absent),
        Update(tally(task), (Add("count", 1), Set("text", text))),
    ]


async def keep_writing(engine: Sqlite, task: int, done: Callable[[int, int], None]) -> None:
    if await engine.get(tally(task)) is None:
        await engine.write(Put(HELPER, {**tally(task).attributes, "count": 0}, absent))
    number = await _count(engine, task)
    while True:
        number += 1
        await engine.transact(writes(task, number, "x" * (number * 37 % 3000)))
        done(task, number)


async def assert_whole(path: Path, acknowledged: Mapping[int, int]) -> None:
    """The file is sound, holds what was acknowledged by each task, and nothing by half."""
    engine = Sqlite(path)
    for task in range(TASKS):
        count = await _count(engine, task)
        assert count >= acknowledged.get(task, 0), "an acknowledged transaction is lost"
        names = [f"{number:06}" for number in range(1, count + 1)]
        for table in (INVENTORY, BOOKS):
            found = await engine.query(Query(table, f"TASK#{task:02}", dict))
            assert [item[table.sort] for item in found.items] == names, "half a transaction"
    await engine.close()
    with closing(apsw.Connection(str(path))) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


async def _count(engine: Sqlite, task: int) -> int:
    found = await engine.get(tally(task))
    return int(str(found["count"])) if found else 0


def _say(task: int, number: int) -> None:
    os.write(1, f"{task} {number}\n".encode())


async def main(path: Path) -> None:
    os.write(1, b"opening\n")
    engine = Sqlite(path, sweep_every=0.05)
    await asyncio.gather(*(keep_writing(engine, task, _say) for task in range(TASKS)))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
