"""`python -m tests.books.mortal FILE USER BOOK` deletes a book, and is killed half-way."""

import asyncio
import os
import signal
import sys
from pathlib import Path

from homeshelf.books import removing
from homeshelf.table import Database
from homeshelf.table.sqlite import Sqlite
from tests.suggestions.watched import Moment, watched

BATCHES = 3


async def main(path: Path, user_id: str, book_id: str) -> None:
    done = 0

    async def kill(moment: Moment, operation: str) -> None:
        nonlocal done
        done += (moment, operation) == ("after", "batch")
        if done == BATCHES:
            os.kill(os.getpid(), signal.SIGKILL)

    await removing.remove(watched(Database(Sqlite(path)), kill), user_id, book_id)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), *sys.argv[2:]))
