"""The unit of work: a function that reads and decides, and one transaction with all its writes.

    @transaction
    async def rename(tx: Transaction, key: Key[Store], version: int, name: str) -> Store:
        store = await tx.get(key, version)
        renamed = store.new_version(name=name)
        tx.replace(store, renamed)
        return renamed

    renamed = await rename(db, key, 3, "Corner shop")

The call runs the function, and then writes everything that `tx` collected, together with the stored
response of the request. If another writer changed one of the records, the function runs again: so
it must change nothing but `tx`, and leave side effects to `tx.after_commit`. A condition whose
failure is not such a conflict has its own error (`Conditional.with_refusal`).

The first argument after `tx` is a record or a key, and calls in this process with the same key run
one after the other. Called with a transaction instead of a database, the function adds its writes
to that transaction.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from homeshelf.coordination.changes import change_writes
from homeshelf.coordination.todos import Handler, Todo, finish_soon
from homeshelf.errors import NotFound, UnreadableRecord, VersionConflict, or_not_found
from homeshelf.table import (
    Check,
    ConditionFailed,
    Database,
    Delete,
    Item,
    Key,
    Record,
    Refusal,
    TransactionCancelled,
    Unreadable,
    Write,
    absent,
)

L = TypeVar("L", bound=Key[Any] | Record)
P = ParamSpec("P")
R = TypeVar("R", bound=Record)
T = TypeVar("T")


class Transaction:
    def __init__(self, db: Database) -> None:
        self.db = db
        self.actions: list[Callable[[], object]] = []
        self.todos: list[tuple[Todo, Handler]] = []
        self._writes: list[Write] = []

    async def find(self, key: Key[R]) -> R | None:
        return await find(self.db, key)

    async def get(self, key: Key[R], version: int | None = None) -> R:
        """Return the record, or raise NotFound; with a version, raise if it has another."""
        record = await existing(self.db, key)
        require_version(record, version)
        return record

    def add(self, new: Record, refusal: Refusal | None = None) -> None:
        """Put a new record and notify listeners; fail if one exists under its key."""
        self.write(new.put(absent).with_refusal(refusal), *change_writes(new))

    def replace(self, old: R, new: R) -> None:
        """Change a record if it is still the one that was read, and notify listeners."""
        if new != old:
            write = new.updating(old) if new.partial_update else new.replacing(old)
            self.write(write, *change_writes(new))

    def remove(self, old: Record) -> None:
        """Delete a record if it is still the one that was read, and notify listeners."""
        self.write(old.delete(old.unchanged), *change_writes(old, gone=True))

    def write(self, *writes: Write) -> None:
        """Add writes without notifying listeners, and checks that must hold."""
        self._writes += writes

    def after_commit(self, action: Callable[[], object]) -> None:
        """Call this after the commit, such as a log line that failed attempts must not write."""
        self.actions.append(action)

    def finish_soon(self, left: Todo, handler: Handler) -> None:
        """Store a to-do, and run it right after the commit if that is quick."""
        self.write(left.put())
        self.todos.append((left, handler))

    def writes(self) -> list[Write]:
        """Return one write for each record, combined with the checks on it."""
        merged: dict[Key[Any], Write] = {}
        for write in self._writes:
            there = merged.get(write.key)
            merged[write.key] = write if there is None else _joined(there, write)
        return list(merged.values())


def transaction(
    function: Callable[Concatenate[Transaction, L, P], Awaitable[T]],
) -> Callable[Concatenate[Database | Transaction, L, P], Awaitable[T]]:
    """Make a function on a transaction callable with a database or another transaction."""

    @wraps(function)
    async def run(
        where: Database | Transaction, locked: L, /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        if isinstance(where, Transaction):
            return await function(where, locked, *args, **kwargs)
        key = locked.own_key() if isinstance(locked, Record) else locked
        async with where.turn(key) as turn:
            while True:
                tx = Transaction(where)
                try:
                    result = await function(tx, locked, *args, **kwargs)
                    await where.commit(result, tx.writes())
                except (ConditionFailed, TransactionCancelled):
                    await turn.pause()
                else:
                    break
        for action in tx.actions:
            action()
        for left, handler in tx.todos:
            await finish_soon(where, left, handler)
        return result  # type: ignore[possibly-undefined]  # the loop ends with one

    return run


async def find(db: Database, key: Key[R]) -> R | None:
    """Return the record, or None; raise if it cannot be read."""
    try:
        return await db.get(key)
    except Unreadable as unreadable:
        raise UnreadableRecord(unreadable.key) from None


async def existing(db: Database, key: Key[R]) -> R:
    return or_not_found(await find(db, key))


def require_version(record: Record, version: int | None) -> None:
    if version is not None and getattr(record, record.lock) != version:
        raise VersionConflict(record)


def missing(sentence: str | None = None) -> Refusal:
    """Return a refusal that answers 404 for a missing record; another state is a conflict."""

    async def refuse(there: Item | None) -> None:
        if there is None:
            raise NotFound(sentence)

    return refuse


@transaction
async def delete_unreadable(
    tx: Transaction, key: Key[Any], leftovers: Callable[[Transaction], Awaitable[None]] | None
) -> None:
    tx.write(Delete(key))
    if leftovers is not None:
        await leftovers(tx)


@asynccontextmanager
async def delete_if_unreadable(
    db: Database, key: Key[Any], leftovers: Callable[[Transaction], Awaitable[None]] | None = None
) -> AsyncIterator[None]:
    """Delete the record, and what belongs to it, if the block finds it unreadable."""
    try:
        yield
    except (Unreadable, UnreadableRecord) as unreadable:
        if unreadable.key != key:
            raise
        await delete_unreadable(db, key, leftovers)


def _joined(one: Write, other: Write) -> Write:
    """Combine a write with a check of the same record, or two checks."""
    match one, other:
        case _, Check():
            written, check = one, other
        case Check(), _:
            written, check = other, one
        case _:
            raise RuntimeError(f"{one.key} is written twice in one transaction")
    if check.when == written.when:
        return written
    when = check.when if written.when is None else written.when & check.when
    return replace(written, when=when, refusal=written.refusal or check.refusal)
