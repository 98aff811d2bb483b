"""`python -m tests.shares.mortal create|clone|reorder|delete` does so to lists, and is killed.

It reads steps and ids of lists from its input, a line each. Each list is dealt with by a process of
its own, forked from this one, which kills itself at that step: the moment before or after a write,
or in the middle of a batch. A line says of each whether it was killed. `HOMESHELF_DATABASE` says
where.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

from homeshelf.config import addresses
from homeshelf.shares.making import clone_of, create
from homeshelf.shares.model import ListContent, NewItem, Passcodes, Shareable
from homeshelf.shares.ordering import reorder
from homeshelf.shares.store import opened, remove, shareable
from homeshelf.table import Database, Engine, open_database

MANY = 500
CONTENT = ListContent("Camping", items=tuple(NewItem(f"{number:03}") for number in range(MANY)))
WRITES = ("write", "transact", "batch")


class Mortal:
    """An engine that ends it all at the last step."""

    def __init__(self, engine: Engine, last: int) -> None:
        self._engine = engine
        self._left = last

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._engine, name)
        if name not in WRITES:
            return found

        async def write(writes: Any, *more: Any) -> Any:
            self._step()
            if name == "batch":
                half = len(writes) // 2
                await found(writes[:half])
                self._step()
                writes = writes[half:]
            result = await found(writes, *more)
            self._step()
            return result

        return write

    def _step(self) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


async def _create(db: Database, _: str) -> None:
    await create(db, CONTENT, Passcodes())


async def _clone(db: Database, short_id: str) -> None:
    shared = await shareable(db, short_id)
    assert shared is not None
    await create(db, clone_of(await opened(db, shared), "Clone"), Passcodes())


async def _reorder(db: Database, short_id: str) -> None:
    shared = await shareable(db, short_id)
    assert shared is not None
    ids = [item.checklist_item_id for item in (await opened(db, shared)).items]
    await reorder(db, shared.own_key(), ids[::-1])


async def _delete(db: Database, short_id: str) -> None:
    await remove(db, Shareable.key(short_id=short_id))


WORK: dict[str, Callable[[Database, str], Awaitable[None]]] = {
    "create": _create,
    "clone": _clone,
    "reorder": _reorder,
    "delete": _delete,
}


async def until(work: str, short_id: str, last: int) -> None:
    db = open_database(addresses.database(os.environ["HOMESHELF_DATABASE"]))
    await WORK[work](Database(cast("Engine", Mortal(db.engine, last))), short_id)
    await db.close()


def main(work: str, lines: Sequence[str]) -> None:
    for line in lines:
        last, short_id = line.split()
        child = os.fork()
        if not child:
            asyncio.run(until(work, short_id, int(last)))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            assert os.WTERMSIG(status) == signal.SIGKILL
            os.write(1, b"killed\n")
        else:
            assert os.WEXITSTATUS(status) == 0
            os.write(1, b"lived\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.stdin.read().splitlines())
