"""Programs that are killed at a chosen point: `python -m tests.kill_points WORK ARGUMENT...`

    writes WORK               does it to each id of the input, killed at the step before the id
    approve FILE FAMILY       approves the suggestions of the input, the first killed at step 1,
                              the second at step 2, and so on until one lives
    remove-book USER BOOK     is killed between the batches that delete a book
    import-books USER FILE KIND
    adopt DATABASE WRITES     is killed after so many writes
    copy FROM TO RECORDS      is killed when so many records are copied
    import-family NUMBER FILE is killed before a transaction
    files NUMBER COMMAND...   runs a command that is killed before it renames or deletes a file

`HOMESHELF_DATABASE` names the database.
"""

import asyncio
import io
import os
import runpy
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, cast

import apsw

from homeshelf.app import SLICES
from homeshelf.books import import_jobs
from homeshelf.books import store as books
from homeshelf.books.file_rows import Kind
from homeshelf.config import addresses
from homeshelf.inventory.batches import finish_todos, promise_items
from homeshelf.inventory.model import new_item
from homeshelf.moving import copy_sides, database_copy
from homeshelf.moving.adoption import AdoptionRun
from homeshelf.shares.checklist.model import NewItem
from homeshelf.shares.checklist.ordering import reorder
from homeshelf.shares.list_creation import clone_of, create
from homeshelf.shares.model import ListContent, Passcodes, Shareable
from homeshelf.shares.store import delete_list, find_shareable, load_list
from homeshelf.suggestions.store import approve, key_of
from homeshelf.table import Database, Delete, Engine, Put, Update, open_database
from homeshelf.table.sqlite.engine import Sqlite
from tests.api_client import make_barcodes
from tests.database_hooks import When, with_hook

MANY_LIST_ITEMS = 500
LIST_CONTENT = ListContent(
    "Camping", items=tuple(NewItem(f"{number:03}") for number in range(MANY_LIST_ITEMS))
)
MANY_ITEMS = 100
BARCODES = make_barcodes(80)
ACTOR = "550e8400-e29b-41d4-a716-446655440000"
BOOK_BATCHES, BOOK_WRITES = 3, 60
"""The steps of deleting a book and of importing fifty."""

Step = Callable[[], None]


def kill_at(last: int) -> Step:
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1
        if steps == last:
            os.kill(os.getpid(), signal.SIGKILL)

    return step


def survives(work: Coroutine[Any, Any, None]) -> bool:
    child = os.fork()
    if not child:
        asyncio.run(work)
        os._exit(0)
    work.close()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
    else:
        assert os.WEXITSTATUS(status) == 0
    os.write(1, b"killed\n" if os.WIFSIGNALED(status) else b"lived\n")
    return not os.WIFSIGNALED(status)


def _database() -> Database:
    return open_database(addresses.database(os.environ["HOMESHELF_DATABASE"]))


class WriteSteps:
    """An engine with a step before and after each write, and in the middle of a batch."""

    def __init__(self, engine: Engine, step: Step) -> None:
        self._engine = engine
        self._step = step

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._engine, name)
        if name not in ("write", "transact", "batch"):
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


async def _create_list(db: Database, _: str) -> None:
    await create(db, LIST_CONTENT, Passcodes())


async def _clone_list(db: Database, short_id: str) -> None:
    shared = await find_shareable(db, short_id)
    assert shared is not None
    await create(db, clone_of(await load_list(db, shared), "Clone"), Passcodes())


async def _reorder_list(db: Database, short_id: str) -> None:
    shared = await find_shareable(db, short_id)
    assert shared is not None
    ids = [item.checklist_item_id for item in (await load_list(db, shared)).items]
    await reorder(db, shared.own_key(), ids[::-1])


async def _delete_list(db: Database, short_id: str) -> None:
    await delete_list(db, Shareable.key(short_id=short_id))


async def _make_items(db: Database, family_id: str) -> None:
    new = [
        new_item(
            family_id,
            ACTOR,
            {"name": f"{number:03}", "threshold": 1, "barcodes": BARCODES[number : number + 1]},
        )
        for number in range(MANY_ITEMS)
    ]
    await finish_todos(db, await promise_items(db, family_id, new, [], ()))


WORK: dict[str, Callable[[Database, str], Awaitable[None]]] = {
    "create-list": _create_list,
    "clone-list": _clone_list,
    "reorder-list": _reorder_list,
    "delete-list": _delete_list,
    "make-items": _make_items,
}


def kill_at_writes(work: str) -> None:
    for line in sys.stdin.read().splitlines():
        last, id_ = line.split()
        survives(_work_until(work, id_, int(last)))


async def _work_until(work: str, id_: str, last: int) -> None:
    db = _database()
    await WORK[work](Database(cast("Engine", WriteSteps(db.engine, kill_at(last)))), id_)
    await db.close()


def approve_suggestions(path: str, family_id: str) -> None:
    """Kill before or after an operation, or before a statement of SQLite."""
    for last, suggestion_id in enumerate(sys.stdin.read().split(), 1):
        if survives(_approve_until(Path(path), family_id, suggestion_id, last)):
            return


async def _approve_until(path: Path, family_id: str, suggestion_id: str, last: int) -> None:
    engine = Sqlite(path, sweep_every=None)
    step = kill_at(last)

    async def hook(_when: When, _operation: str) -> None:
        step()

    engine._writer._connection.trace_v2(apsw.SQLITE_TRACE_STMT, lambda _: step())
    key = key_of(family_id, suggestion_id)
    await approve(with_hook(Database(engine), hook), key, 1, ACTOR)
    engine._writer._connection.trace_v2(0, None)
    await engine.close()


def _killed_at_operation(number: int, counted: tuple[When, str]) -> Database:
    step = kill_at(number)

    async def hook(when: When, operation: str) -> None:
        if (when, operation) == counted:
            step()

    return with_hook(_database(), hook)


async def remove_book(user_id: str, book_id: str) -> None:
    db = _killed_at_operation(BOOK_BATCHES, ("after", "batch"))
    await books.remove(db, user_id, book_id)
    await books.delete_leftovers(
        db, user_id, book_id
    )  # a slow machine leaves it to be finished later


async def import_books(user_id: str, path: str, kind: str) -> None:
    db = _killed_at_operation(BOOK_WRITES, ("before", "write"))
    content = io.BytesIO(await asyncio.to_thread(Path(path).read_bytes))
    turns = asyncio.Semaphore()
    file = await import_jobs.read(turns, content, cast("Kind", kind), user_id)
    await import_jobs.run_import(db, turns, await import_jobs.begin(db, file), file)


async def adopt(database: str, writes: str) -> None:
    async with copy_sides.connect(addresses.database(database)) as end:
        write_once, step = end.db.write, kill_at(int(writes))

        async def write(write: Put | Update | Delete) -> None:
            await write_once(write)
            step()

        end.db.write = write  # type: ignore[method-assign]
        await AdoptionRun(end.db, SLICES).apply(lambda *_: None)


async def copy(source: str, target: str, records: str) -> None:
    def kill(done: int, _of: int) -> None:
        if done >= int(records):
            os.kill(os.getpid(), signal.SIGKILL)

    opening = copy_sides.connect(addresses.database(source))
    async with (
        opening as one,
        copy_sides.connect(addresses.database(target), new=True) as other,
    ):
        await database_copy.copy_database(one, other, kill)


def import_family(number: str, path: str) -> None:
    transact, step = Database.transact, kill_at(int(number))

    async def killed(self: Database, *writes: Any) -> None:
        step()
        await transact(self, *writes)

    Database.transact = killed  # type: ignore[method-assign]
    run_command("import", path)


def kill_at_files(number: str, *command: str) -> None:
    step = kill_at(int(number))

    def killed(touch: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            step()
            return touch(*arguments, **named)

        return call

    for name in ("link", "unlink", "replace", "rename"):
        setattr(os, name, killed(getattr(os, name)))
    run_command(*command)


def run_command(*command: str) -> None:
    sys.argv[1:] = command
    runpy.run_module("homeshelf", run_name="__main__", alter_sys=True)


PROGRAMS: dict[str, Callable[..., Any]] = {
    "writes": kill_at_writes,
    "approve": approve_suggestions,
    "remove-book": remove_book,
    "import-books": import_books,
    "adopt": adopt,
    "copy": copy,
    "import-family": import_family,
    "files": kill_at_files,
}


def main(program: str, *arguments: str) -> None:
    result = PROGRAMS[program](*arguments)
    if asyncio.iscoroutine(result):
        asyncio.run(result)


if __name__ == "__main__":
    main(*sys.argv[1:])
