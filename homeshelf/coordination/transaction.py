"""The unit of work: a function that reads and decides, and one transaction that writes.

`await change(db, key, ...)` runs a `@transaction` function, then writes what its `tx` collected,
with the response of the request. The function runs again if another writer was faster: it changes
nothing but `tx`. Other refusals say what they mean (`Conditional.refusing`). Its first argument
after `tx` is the record, or its key, that calls in this process queue for. Called with a
transaction instead of a database, the function becomes part of that.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from homeshelf.coordination.changes import announced
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
        """Return the record that the client names; with a version, unless it changed since."""
        record = await existing(self.db, key)
        require_version(record, version)
        return record

    def add(self, new: Record, refusal: Refusal | None = None) -> None:
        """Put a new record and announce it."""
        self.write(new.put(absent).refusing(refusal), *announced(new))

    def replace(self, old: R, new: R) -> None:
        """Change a record that was read, if it is still the same, and announce it."""
        if new != old:
            write = new.updating(old) if new.in_parts else new.replacing(old)
            self.write(write, *announced(new))

    def remove(self, old: Record) -> None:
        """Delete a record that was read, if it is still the same, and announce that."""
        self.write(old.delete(old.unchanged), *announced(old, gone=True))

    def write(self, *writes: Write) -> None:
        """Add writes that announce nothing, and checks that must hold."""
        self._writes += writes

    def after_commit(self, action: Callable[[], object]) -> None:
        """Call this after the commit: log lines and limits must not count failed attempts."""
        self.actions.append(action)

    def finish_soon(self, left: Todo, handler: Handler) -> None:
        """Store a to-do, and do it right after the commit if that is quick."""
        self.write(left.put())
        self.todos.append((left, handler))

    def writes(self) -> list[Write]:
        """Return one write for each record, joined with the checks of it."""
        merged: dict[Key[Any], Write] = {}
        for write in self._writes:
            there = merged.get(write.key)
            merged[write.key] = write if there is None else _joined(there, write)
        return list(merged.values())


def transaction(
    function: Callable[Concatenate[Transaction, L, P], Awaitable[T]],
) -> Callable[Concatenate[Database | Transaction, L, P], Awaitable[T]]:
    """Make a function of a transaction one that a database, or another transaction, can run."""

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
    """Refuse to change a record that the client has seen in another version."""
    if version is not None and getattr(record, record.lock) != version:
        raise VersionConflict(record)


def missing(sentence: str | None = None) -> Refusal:
    """Answer 404 if the record is missing; another state is a conflict."""

    async def refuse(there: Item | None) -> None:
        if there is None:
            raise NotFound(sentence)

    return refuse


@transaction
async def delete_unreadable(
    tx: Transaction,
    key: Key[Any],
    leftovers: Callable[[Transaction], Awaitable[None]] | None,
) -> None:
    tx.write(Delete(key))
    if leftovers is not None:
        await leftovers(tx)


@asynccontextmanager
async def delete_if_unreadable(
    db: Database,
    key: Key[Any],
    leftovers: Callable[[Transaction], Awaitable[None]] | None = None,
) -> AsyncIterator[None]:
    """Delete an unreadable record, and what belongs to it, when its removal fails."""
    try:
        yield
    except (Unreadable, UnreadableRecord) as unreadable:
        if unreadable.key != key:
            raise
        await delete_unreadable(db, key, leftovers)


def _joined(one: Write, other: Write) -> Write:
    """Join a write with a check of the same record, or two checks."""
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
