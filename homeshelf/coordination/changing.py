"""The one way to change a record.

    change(db, key, rule, version)      found, seen in this version, changed by a rule
    add(db, new, *writes)               put where nothing stands
    remove(db, key, rule)               found, and gone
    delete_if_unreadable(db, key, ...)  around a removal: what cannot be read is deleted too
    carry_out(db, queue, decide)        anything else that is decided by what was read

Each is one transaction, together with what its listeners are told and with what else is written
with the piece of work (`Database.also`: the answer that is kept for a request that is sent again).
Where somebody was quicker, it is decided anew. A write whose refusal means anything else says so
(`Conditional.refusing`).
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from homeshelf.coordination.changes import announced
from homeshelf.errors import NotFound, UnreadableRecord, VersionConflict, or_not_found
from homeshelf.table import Database, Delete, Item, Key, Record, Refusal, Unreadable, Write, absent

R = TypeVar("R", bound=Record)
T = TypeVar("T")

Find = Callable[[Database, Key[R]], Awaitable[R]]
"""Finds a record; what it raises counts for more than that the record was changed meanwhile."""
Outcome = tuple[T, Sequence[Write]]
"""What comes of something, and what is written for it.

A function inside another names it in quotes: it would be worked out at every call of that one.
"""


async def requested(db: Database, key: Key[R]) -> R | None:
    """Return the record that the client names, if there is one."""
    try:
        return await db.get(key)
    except Unreadable as unreadable:
        raise UnreadableRecord(unreadable.key) from None


async def existing(db: Database, key: Key[R]) -> R:
    return or_not_found(await requested(db, key))


async def change(
    db: Database,
    key: Key[R],
    rule: Callable[[R], Awaitable[Outcome[R]]],
    version: int | None = None,
    *,
    find: Find[R] = existing,
) -> R:
    """The rule says what it becomes. With a version, only where it is still as it was seen."""

    async def decide() -> "Outcome[R]":
        old = await as_seen(db, key, version, find=find)
        new, writes = await rule(old)
        return new, () if new == old else (*replaced(old, new), *writes)

    return await carry_out(db, key, decide)


def by_itself(rule: Callable[[R], R]) -> Callable[[R], Awaitable[Outcome[R]]]:
    """A rule for `change` that brings about nothing else."""

    async def ruled(old: R) -> "Outcome[R]":
        return rule(old), ()

    return ruled


async def add(db: Database, new: R, *writes: Write) -> R:
    async def decide() -> "Outcome[R]":
        return new, (*added(new), *writes)

    return await carry_out(db, new.own_key(), decide)


async def remove(
    db: Database,
    key: Key[R],
    rule: Callable[[R], Awaitable[Sequence[Write]]] | None = None,
    *,
    find: Find[R] = existing,
) -> R:
    """The rule says what is written with it, if anything is. Returns the record as it was."""

    async def decide() -> "Outcome[R]":
        old = await find(db, key)
        return old, (*removed(old), *(await rule(old) if rule else ()))

    return await carry_out(db, key, decide)


@asynccontextmanager
async def delete_if_unreadable(
    db: Database,
    key: Key[Any],
    leftovers: Callable[[], Awaitable[Sequence[Write]]] | None = None,
) -> AsyncIterator[None]:
    """Delete a record whose removal fails because it cannot be read, with what belongs to it."""
    try:
        yield
    except (Unreadable, UnreadableRecord) as unreadable:
        if unreadable.key != key:
            raise

        async def attempt() -> None:
            await db.transact(Delete(key), *(await leftovers() if leftovers else ()))

        await db.retry_with_lock(key, attempt)


async def carry_out(
    db: Database, queue: Key[Any], decide: Callable[[], Awaitable[Outcome[T]]]
) -> T:
    """Decide on a result and its writes, in the turn of the record that others change too."""

    async def attempt() -> T:
        result, writes = await decide()
        await db.transact(*db.besides(result), *writes)
        return result

    return await db.retry_with_lock(queue, attempt)


async def as_seen(db: Database, key: Key[R], version: int | None, *, find: Find[R] = existing) -> R:
    """The record, which must be as the caller has seen it."""
    record = await find(db, key)
    if version is not None and getattr(record, record.lock) != version:
        raise VersionConflict(record)
    return record


def replaced(old: R, new: R) -> list[Write]:
    return [new.updating(old) if new.in_parts else new.replacing(old), *announced(new)]


def added(new: Record, refusal: Refusal | None = None) -> list[Write]:
    return [new.put(absent).refusing(refusal), *announced(new)]


def removed(old: Record) -> list[Write]:
    return [old.delete(old.unchanged), *announced(old, gone=True)]


def missing(sentence: str | None = None) -> Refusal:
    """What must be there is not; what is there in another state is a race like any other."""

    async def refuse(there: Item | None) -> None:
        if there is None:
            raise NotFound(sentence)

    return refuse
