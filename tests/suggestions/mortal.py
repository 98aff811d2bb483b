"""`python -m tests.suggestions.mortal FILE FAMILY` approves wishes, and is killed at each step.

It reads ids of wishes from its input. Each is approved by a process of its own, forked from this
one, which kills itself: the first at its first step, the second at its second, and so on. A step
is the moment before or after an operation, or before a statement that SQLite carries out for one.
A line says of each whether it was killed.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import apsw

from homeshelf.suggestions.store import approve, key_of
from homeshelf.table import Database
from homeshelf.table.sqlite.engine import Sqlite
from tests.suggestions.watched import Moment, watched

REVIEWER = "550e8400-e29b-41d4-a716-446655440000"


def killed_at(last: int) -> Callable[[], None]:
    """Counts steps, and ends the process at the last one."""
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1
        if steps == last:
            os.kill(os.getpid(), signal.SIGKILL)

    return step


async def approve_until(path: Path, family_id: str, suggestion_id: str, last: int) -> None:
    engine = Sqlite(path, sweep_every=None)
    step = killed_at(last)

    async def watcher(_moment: Moment, _operation: str) -> None:
        step()

    engine._writer._connection.trace_v2(apsw.SQLITE_TRACE_STMT, lambda _: step())
    key = key_of(family_id, suggestion_id)
    await approve(watched(Database(engine), watcher), key, 1, REVIEWER)
    engine._writer._connection.trace_v2(0, None)
    await engine.close()


def main(path: Path, family_id: str) -> None:
    for last, suggestion_id in enumerate(sys.stdin.read().split(), 1):
        child = os.fork()
        if not child:
            asyncio.run(approve_until(path, family_id, suggestion_id, last))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            assert os.WTERMSIG(status) == signal.SIGKILL
            os.write(1, b"killed\n")
        else:
            assert os.WEXITSTATUS(status) == 0
            os.write(1, b"lived\n")
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
