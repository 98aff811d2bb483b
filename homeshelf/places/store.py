from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any, TypeVar

from homeshelf import clock
from homeshelf.coordination.changes import note_change
from homeshelf.coordination.idempotency import Also, nothing_else
from homeshelf.coordination.todos import Todo, todo
from homeshelf.errors import Duplicate, InUse, NotFound, VersionConflict
from homeshelf.places.model import Place, StorageLocation, Store, name_of
from homeshelf.table import (
    Check,
    Database,
    Key,
    Query,
    TransactionCancelled,
    Write,
    absent,
    attr,
)

P = TypeVar("P", bound=Place)
References = Callable[[Database, Place], Awaitable[Mapping[str, int]]]
"""Counts what refers to a place, by what it is."""

CLOSED_AT_MOST = timedelta(seconds=30)
KINDS: Mapping[str, type[Place]] = {kind.word: kind for kind in (StorageLocation, Store)}


async def location(db: Database, family_id: str, location_id: str) -> StorageLocation | None:
    return await db.get(StorageLocation.at(family_id, location_id))


def locations_of(family_id: str) -> Query[StorageLocation]:
    return StorageLocation.where(family_id=family_id)


async def shop(db: Database, family_id: str, store_id: str) -> Store | None:
    return await db.get(Store.at(family_id, store_id))


def stores_of(family_id: str) -> Query[Store]:
    return Store.where(family_id=family_id)


def still_open(kind: type[Place], family_id: str, place_id: str) -> Check:
    """Part of every transaction that names a place."""
    return Check(kind.at(family_id, place_id), Place.open_)


def new_location(family_id: str, given: Mapping[str, Any]) -> StorageLocation:
    at = clock.timestamp()
    return StorageLocation(
        location_id=clock.new_id(), family_id=family_id, created_at=at, updated_at=at, **given
    )


def new_store(family_id: str, given: Mapping[str, Any]) -> Store:
    at = clock.timestamp()
    return Store(
        store_id=clock.new_id(), family_id=family_id, created_at=at, updated_at=at, **given
    )


async def add(db: Database, new: P, also: Also = nothing_else) -> P:
    """A new place under a name that no other has, also when two people add it at once."""

    async def attempt() -> P:
        name = name_of(new).take()
        try:
            await db.transact(new.put(absent), name, _told(new), *also(new))
        except TransactionCancelled as cancelled:
            await _refuse_taken(db, cancelled, name, new)
            raise
        return new

    return await db.settle(new.own_key(), attempt)


async def edit(
    db: Database, key: Key[P], version: int, changes: Mapping[str, Any], also: Also = nothing_else
) -> P:
    async def attempt() -> P:
        old = await _found(db, key)
        if old.version != version:
            raise VersionConflict(old)
        if old.changed(**changes) == old:
            await db.transact(*also(old))
            return old
        new = old.revised(clock.after(old.updated_at), closed_at=None, **changes)
        names = _renaming(old, new)
        try:
            await db.transact(new.replacing(old), *names, _told(new), *also(new))
        except TransactionCancelled as cancelled:
            if names:
                await _refuse_taken(db, cancelled, names[0], new)
            raise
        return new

    return await db.settle(key, attempt)


async def remove(db: Database, key: Key[P], references: References) -> None:
    """Close the place, count what refers to it, and delete it or open it again."""

    async def attempt() -> None:
        old = await _found(db, key)
        closed = old.changed(closed_at=clock.timestamp())
        about = {"kind": old.word, "familyId": old.family_id, "placeId": old.place_id}
        forgotten = todo("reopen_place", about, clock.now() + CLOSED_AT_MOST)
        await db.transact(closed.replacing(old), forgotten.put())
        still_closed = closed.unchanged & (attr("closedAt") == closed.closed_at)
        found = await references(db, closed)
        if any(found.values()):
            opened = closed.changed(closed_at=None)
            with suppress(TransactionCancelled):  # an edit has opened it, or it is closed anew
                await db.transact(opened.put(still_closed), forgotten.delete())
            raise InUse(found, "It is still in use.")
        gone = note_change(closed.family_id, closed.entity_type, closed.place_id, None)
        name = name_of(closed).release()
        await db.transact(closed.delete(still_closed), name, gone, forgotten.delete())

    await db.settle(key, attempt)


async def reopen_forgotten(db: Database, left: Todo) -> None:
    """What a crash left closed: a place is closed for seconds, or it is gone."""
    kind = KINDS[left.about["kind"]]
    key = kind.at(left.about["familyId"], left.about["placeId"])
    await db.change(key, lambda old: old.changed(closed_at=None) if old.closed_at else old)


async def _found(db: Database, key: Key[P]) -> P:
    found = await db.get(key)
    if found is None:
        raise NotFound
    return found


def _told(place: Place) -> Write:
    return note_change(place.family_id, place.entity_type, place.place_id, place.version)


def _renaming(old: Place, new: Place) -> list[Write]:
    before, after = name_of(old), name_of(new)
    return [] if before == after else [after.take(), before.release()]


async def _refuse_taken(
    db: Database, cancelled: TransactionCancelled, name: Write, new: Place
) -> None:
    """Another place has the name; one that has gone meanwhile stands in nobody's way."""
    held = cancelled.found(name)
    if held is None:
        return
    other = await db.get(type(new).at(new.family_id, str(held["holder"])))
    if other is not None:
        raise Duplicate(other, "There is one of that name already.") from None
