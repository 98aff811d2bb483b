"""`python -m tests.moving.killed_adopt DATABASE WRITES` adopts, writes so often, and dies."""

import asyncio
import os
import signal
import sys

from homeshelf.app import SLICES
from homeshelf.config import addresses
from homeshelf.moving.adopting import Adopting
from homeshelf.moving.ends import opened
from homeshelf.table import Delete, Put, Update


async def main(database: str, writes: int) -> None:
    async with opened(addresses.database(database)) as end:
        really, done = end.db.write, 0

        async def counted(write: Put | Update | Delete) -> None:
            nonlocal done
            await really(write)
            done += 1
            if done >= writes:
                os.kill(os.getpid(), signal.SIGKILL)

        end.db.write = counted  # type: ignore[method-assign]
        await Adopting(end.db, SLICES).carry_out(lambda *_: None)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
