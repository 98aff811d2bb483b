"""`python -m tests.table.open_and_close` opens each file it is told, writes, reads and closes it.

The first to open lays the file out and the last to close tidies it up, both under a lock on all of
it; where several processes are told the same file at once, each may be either.
"""

import asyncio
import os
import sys
from pathlib import Path

from homeshelf.table.expressions import Add, absent
from homeshelf.table.operations import Put, Update
from homeshelf.table.schema import BOOKS
from homeshelf.table.sqlite.engine import Sqlite


async def visit(path: Path) -> None:
    engine = Sqlite(path)
    put = Put(BOOKS, {"pk": "VISITS", "sk": str(os.getpid()), "count": 0}, absent)
    if await engine.get(put.key) is None:
        await engine.write(put)
    await engine.write(Update(put.key, (Add("count", 1),)))
    await engine.close()


if __name__ == "__main__":
    os.write(1, b"ready\n")
    for told in sys.stdin:
        asyncio.run(visit(Path(told.strip())))
        os.write(1, b"done\n")
