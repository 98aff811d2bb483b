"""`python -m tests.table.increment FILE TIMES` counts up a record that others count up too.

It reads the record, writes it back one higher under the version it read, and tries again when
somebody was faster. Other writes, queries and reads go on meanwhile. Any error ends the program.
"""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

from homeshelf.table.engine import ConditionFailed
from homeshelf.table.expressions import absent, attr
from homeshelf.table.operations import Delete, Put, Query, item_key
from homeshelf.table.schema import HELPER, INVENTORY
from homeshelf.table.sqlite.engine import Sqlite

COUNTER = item_key(HELPER, "COUNTER", "COUNTER")
EVENTS: Query[Any] = Query(INVENTORY, "EVENTS", dict, index="GSI1")
TASKS = 5


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


async def main(path: Path, times: int) -> None:
    engine = Sqlite(path)
    await asyncio.gather(
        *(count_up(engine, times // TASKS, f"{os.getpid()}-{task}") for task in range(TASKS))
    )
    await engine.close()


if __name__ == "__main__":
    os.write(1, b"ready\n")
    sys.stdin.readline()
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
    os.write(1, b"done\n")
