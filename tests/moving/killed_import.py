"""`python -m tests.moving.killed_import NUMBER FILE` dies before so many transactions are made."""

import os
import runpy
import signal
import sys
from typing import Any

from homeshelf.table import Database


def main(number: int) -> None:
    transact, left = Database.transact, number

    async def dying(self: Database, *writes: Any) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        await transact(self, *writes)

    Database.transact = dying  # type: ignore[method-assign]
    sys.argv.insert(1, "import")
    runpy.run_module("homeshelf", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(int(sys.argv.pop(1)))
