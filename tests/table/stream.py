"""`python -m tests.table.stream FILE` writes transactions until it is killed.

Each of its tasks adds the members of one transaction after another, in three tables, and counts
them in a record of its own. A line follows for each, after the engine said that it is done.
"""

import asyncio
import os
import sys
from pathlib import Path

from homeshelf.table.expressions import Add, Item, Set, absent
from homeshelf.table.operations import Key, Put, Update, Write, item_key
from homeshelf.table.schema import BOOKS, HELPER, INVENTORY
from homeshelf.table.sqlite import Sqlite

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


async def keep_writing(engine: Sqlite, task: int) -> None:
    await _begin(engine, task)
    found = await engine.get(tally(task))
    assert found is not None
    number = int(str(found["count"]))
    while True:
        number += 1
        await engine.transact(writes(task, number, "x" * (number * 37 % 3000)))
        os.write(1, f"{task} {number}\n".encode())


async def _begin(engine: Sqlite, task: int) -> None:
    if await engine.get(tally(task)) is None:
        key = tally(task).attributes
        await engine.put(Put(HELPER, {**key, "count": 0}, absent))


async def main(path: Path) -> None:
    os.write(1, b"opening\n")
    engine = Sqlite(path, sweep_every=0.05)
    await asyncio.gather(*(keep_writing(engine, task) for task in range(TASKS)))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
