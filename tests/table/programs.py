"""Programs that use a file of the embedded engine: `python -m tests.table.programs PROGRAM ...`

stream FILE           writes transactions until it is killed. Each task adds the members of one
                      transaction after another, in three tables, counts them in a record, and
                      prints a line after the engine has confirmed it.
increment FILE TIMES  increments a record that other processes increment too: it writes the next
                      number under the version it read, and retries on a conflict, between other
                      writes and reads. Any error ends the program.
visit                 opens, writes, reads and closes each file that its input names. The first
                      process creates the tables and the last one tidies up, under a lock.
"""

import asyncio
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw

from homeshelf.table.engine import ConditionFailed
from homeshelf.table.expressions import Add, Item, Set, absent, attr
from homeshelf.table.operations import Delete, Key, Put, Query, Update, Write, item_key
from homeshelf.table.schema import BOOKS, HELPER, INVENTORY
from homeshelf.table.sqlite.engine import Sqlite

WRITERS = 16


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
    """Check that the file is sound and holds each acknowledged transaction and no partial one."""
    engine = Sqlite(path)
    for task in range(WRITERS):
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


def _print_progress(task: int, number: int) -> None:
    os.write(1, f"{task} {number}\n".encode())


async def stream(path: Path) -> None:
    os.write(1, b"opening\n")
    engine = Sqlite(path, sweep_every=0.05)
    await asyncio.gather(*(keep_writing(engine, task, _print_progress) for task in range(WRITERS)))


COUNTER = item_key(HELPER, "COUNTER", "COUNTER")
EVENTS: Query[Any] = Query(INVENTORY, "EVENTS", dict, index="GSI1")
COUNTERS = 5


async def increment(engine: Sqlite) -> None:
    while True:
        found = await engine.get(COUNTER)
        version = int(str(found["version"])) if found else 0
        item = {**COUNTER.attributes, "version": version + 1}
        try:
            await engine.write(Put(HELPER, item, attr("version") == version if found else absent))
        except ConditionFailed:
            continue
        return


async def count_up(engine: Sqlite, times: int, name: str) -> None:
    for number in range(times):
        await increment(engine)
        index = {"GSI1PK": "EVENTS", "GSI1SK": f"{name}#{number:05}"}
        event = Put(INVENTORY, {"PK": f"EVENT#{name}", "SK": f"{number:05}", **index}, absent)
        if number % 10 == 0:
            await engine.transact([event, Delete(item_key(HELPER, "NOTHING", name))])
            page = await engine.query(EVENTS.page(20))
            assert len(page.items) == len({item["GSI1SK"] for item in page.items})


async def count_to(path: Path, times: int) -> None:
    engine = Sqlite(path)
    await asyncio.gather(
        *(count_up(engine, times // COUNTERS, f"{os.getpid()}-{task}") for task in range(COUNTERS))
    )
    await engine.close()


async def visit(path: Path) -> None:
    engine = Sqlite(path)
    put = Put(BOOKS, {"pk": "VISITS", "sk": str(os.getpid()), "count": 0}, absent)
    if await engine.get(put.key) is None:
        await engine.write(put)
    await engine.write(Update(put.key, (Add("count", 1),)))
    await engine.close()


def main(program: str, *arguments: str) -> None:
    if program == "stream":
        asyncio.run(stream(Path(arguments[0])))
        return
    os.write(1, b"ready\n")
    if program == "increment":
        sys.stdin.readline()
        asyncio.run(count_to(Path(arguments[0]), int(arguments[1])))
        os.write(1, b"done\n")
    else:
        for line in sys.stdin:
            asyncio.run(visit(Path(line.strip())))
            os.write(1, b"done\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
