"""`python -m tests.books.mortal remove USER BOOK` deletes a book, `import USER FILE KIND` brings
some in; either is killed half-way. `HOMESHELF_DATABASE` says where.
"""

import asyncio
import io
import os
import signal
import sys
from pathlib import Path
from typing import cast

from homeshelf.books import importing, store
from homeshelf.books.rows import Kind
from homeshelf.config import addresses
from homeshelf.table import Database, open_database
from tests.suggestions.watched import Moment, watched

BATCHES = 3
WRITES = 60
"""Fifty books, and some of what belongs to them."""


def killed(number: int, counted: tuple[Moment, str]) -> Database:
    """A database that ends it all at such a moment."""
    done = 0

    async def kill(moment: Moment, operation: str) -> None:
        nonlocal done
        done += (moment, operation) == counted
        if done == number:
            os.kill(os.getpid(), signal.SIGKILL)

    return watched(open_database(addresses.database(os.environ["HOMESHELF_DATABASE"])), kill)


async def remove(user_id: str, book_id: str) -> None:
    db = killed(BATCHES, ("after", "batch"))
    await store.remove(db, user_id, book_id)
    await store.sweep(db, user_id, book_id)  # a slow machine leaves it to be finished later


async def bring_in(user_id: str, path: str, kind: str) -> None:
    db = killed(WRITES, ("before", "write"))
    content = io.BytesIO(await asyncio.to_thread(Path(path).read_bytes))
    turns = asyncio.Semaphore()
    file = await importing.read(turns, content, cast("Kind", kind), user_id)
    await importing.carry_out(db, turns, await importing.begin(db, file), file)


if __name__ == "__main__":
    if sys.argv[1] == "remove":
        asyncio.run(remove(*sys.argv[2:]))
    else:
        asyncio.run(bring_in(*sys.argv[2:]))
