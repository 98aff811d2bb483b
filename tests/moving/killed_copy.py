"""`python -m tests.moving.killed_copy FROM TO RECORDS` copies until so many are there, and dies."""

import asyncio
import os
import signal
import sys

from homeshelf.config import addresses
from homeshelf.moving.copying import copy
from homeshelf.moving.ends import opened


async def main(source: str, target: str, records: int) -> None:
    def die(done: int, _of: int) -> None:
        if done >= records:
            os.kill(os.getpid(), signal.SIGKILL)

    ends = addresses.database(source), addresses.database(target)
    async with opened(ends[0]) as one, opened(ends[1], new=True) as other:
        await copy(one, other, die)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
