from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any, TypeVar

from homeshelf import clock
from homeshelf.coordination import changing
from homeshelf.coordination.changes import announced
from homeshelf.coordination.changing import Outcome, change, existing
from homeshelf.coordination.todos import Todo, todo
from homeshelf.errors import Duplicate, InUse
from homeshelf.places.model import Place, StorageLocation, Store, name_of
from homeshelf.sentences import _
from homeshelf.table import (
    Check,
    Database,
    Item,
    Key,
    Query,
    TransactionCancelled,
    Write,
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


def new_place(kind: type[P], family_id: str, given: Mapping[str, Any]) -> P:
    own: dict[str, Any] = {kind.id_field: clock.new_id(), "family_id": family_id}
    at = clock.timestamp()
    return kind(created_at=at, updated_at=at, **own, **given)


async def add(db: Database, new: P) -> P:
    """A new place under a name that no other has, also when two people add it at once."""
    return await changing.add(db, new, _taking_name(db, new))


async def edit(db: Database, key: Key[P], version: int, changes: Mapping[str, Any]) -> P:
    async def edited(old: P) -> Outcome[P]:
        new = old.edited(**changes)
        before, after = name_of(old), name_of(new)
        return new, () if before == after else (_taking_name(db, new), before.release())

    return await change(db, key, edited, version)


async def remove(db: Database, key: Key[P], references: References) -> None:
    """Close the place, count what refers to it, and delete it or open it again."""

    async def attempt() -> None:
        old = await existing(db, key)
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
            raise InUse(found, _("It is still in use."))
        name, told = name_of(closed).release(), announced(closed, gone=True)
        await db.transact(closed.delete(still_closed), name, *told, forgotten.delete())

    await db.settle(key, attempt)


async def reopen_forgotten(db: Database, left: Todo) -> None:
    """What a crash left closed: a place is closed for seconds, or it is gone."""
    kind = KINDS[left.about["kind"]]
    key = kind.at(left.about["familyId"], left.about["placeId"])
    await db.change(key, lambda old: old.changed(closed_at=None) if old.closed_at else old)


def _taking_name(db: Database, new: Place) -> Write:
    """Another place may have it; one that has gone meanwhile stands in nobody's way."""

    async def refuse(held: Item | None) -> None:
        key = type(new).at(new.family_id, str(held["holder"])) if held else None
        if key is not None and (other := await db.get(key)):
            raise Duplicate(other, _("There is one of that name already."))

    return name_of(new).take().refusing(refuse)
