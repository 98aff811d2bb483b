from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from homeshelf import clock
from homeshelf.coordination.changes import change_writes
from homeshelf.coordination.claims import release_writes, release_writes_of
from homeshelf.coordination.todos import Todo, todo
from homeshelf.coordination.transaction import (
    Transaction,
    delete_if_unreadable,
    existing,
    transaction,
)
from homeshelf.errors import Duplicate, InUse
from homeshelf.places.model import Place, PlaceName, StorageLocation, Store, name_claim
from homeshelf.sentences import _
from homeshelf.table import (
    Check,
    Database,
    Item,
    Key,
    Query,
    Refusal,
    TransactionCancelled,
    Write,
    attr,
)
from homeshelf.web.services import Services

P = TypeVar("P", bound=Place)
T = TypeVar("T")

CLOSED_AT_MOST = timedelta(seconds=30)
KINDS: Mapping[str, type[Place]] = {kind.kind_name: kind for kind in (StorageLocation, Store)}


async def get_location(db: Database, family_id: str, location_id: str) -> StorageLocation | None:
    return await db.get(StorageLocation.key_for(family_id, location_id))


def locations_of(family_id: str) -> Query[StorageLocation]:
    return StorageLocation.where(family_id=family_id)


async def get_store(db: Database, family_id: str, store_id: str) -> Store | None:
    return await db.get(Store.key_for(family_id, store_id))


def stores_of(family_id: str) -> Query[Store]:
    return Store.where(family_id=family_id)


async def list_locations(db: Database, family_id: str) -> list[StorageLocation]:
    return sorted(await db.all(locations_of(family_id).up_to_date()), key=_by_name)


async def list_stores(db: Database, family_id: str) -> list[Store]:
    return sorted(await db.all(stores_of(family_id).up_to_date()), key=_by_name)


def _by_name(place: Place) -> str:
    return place.name.casefold()


def open_place_check(kind: type[Place], family_id: str, place_id: str) -> Check:
    return Check(kind.key_for(family_id, place_id), Place.is_open_condition)


def collect_missing(place: T, gone: set[T]) -> Refusal:
    """Return a refusal that adds a deleted place to `gone`; a closed one may reopen."""

    async def note(stored: Item | None) -> None:
        if stored is None:
            gone.add(place)

    return note


async def add_place(db: Database, kind: type[P], family_id: str, given: Mapping[str, Any]) -> P:
    own: dict[str, Any] = {kind.id_field: clock.new_id(), "family_id": family_id}
    at = clock.timestamp()
    new = kind(created_at=at, updated_at=at, **own, **given)
    return await _add_place(db, new)


@transaction
async def _add_place(tx: Transaction, new: P) -> P:
    tx.add(new)
    tx.write(_name_claim_write(tx.db, new))
    return new


@transaction
async def edit_place(tx: Transaction, key: Key[P], version: int, changes: Mapping[str, Any]) -> P:
    old = await tx.get(key, version)
    edited = old.new_version(**changes)
    tx.replace(old, edited)
    before, after = name_claim(old), name_claim(edited)
    if before != after:
        tx.write(_name_claim_write(tx.db, edited), *await release_writes(tx.db, before))
    return edited


async def remove_place(
    db: Database, key: Key[P], references: Callable[[Database, Place], Awaitable[Mapping[str, int]]]
) -> None:
    """Close the place, count its references, and delete or reopen it."""

    async def close_and_delete() -> None:
        old = await existing(db, key)
        closed = old.changed(closed_at=clock.timestamp())
        about = {"kind": old.kind_name, "familyId": old.family_id, "placeId": old.place_id}
        forgotten = todo("reopen_place", about, clock.now() + CLOSED_AT_MOST)
        await db.transact(closed.replacing(old), forgotten.put())
        still_closed = closed.unchanged & (attr("closedAt") == closed.closed_at)
        found = await references(db, closed)
        if any(found.values()):
            opened = closed.changed(closed_at=None)
            with suppress(TransactionCancelled):  # another request was faster
                await db.transact(opened.put(still_closed), forgotten.delete())
            raise InUse(found, _("This is still in use."))
        name, events = (
            await release_writes(db, name_claim(closed)),
            change_writes(closed, gone=True),
        )
        await db.transact(closed.delete(still_closed), *name, *events, forgotten.delete())

    async def delete_unreadable(tx: Transaction) -> None:
        # An unreadable record is known only by its ids.
        kind = next(kind for kind in KINDS.values() if kind.matches_key(key))
        ids = kind.read_key(key)
        place = kind.model_validate(ids | {"name": "", "createdAt": "", "updatedAt": ""})
        found = await references(db, place)
        if any(found.values()):
            raise InUse(found, _("This is still in use."))
        names = PlaceName.where(family_id=place.family_id, kind=place.kind_name)
        tx.write(
            *await release_writes_of(db, names, place.place_id), *change_writes(place, gone=True)
        )

    async with delete_if_unreadable(db, key, delete_unreadable):
        await db.retry_with_lock(key, close_and_delete)


@dataclass(frozen=True)
class PlaceReferences:
    count: Callable[[Database, Place], Awaitable[Mapping[str, int]]]
    """Counts the records of a slice that refer to a place."""


async def count_references(services: Services, db: Database, place: Place) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for each in services.all(PlaceReferences):
        found |= await each.count(db, place)
    return found


async def reopen_place(db: Database, left: Todo) -> None:
    """Reopen a place that a crash left closed."""
    key = KINDS[left.about["kind"]].key_for(left.about["familyId"], left.about["placeId"])
    await db.change(key, lambda old: old.changed(closed_at=None) if old.closed_at else old)


def _name_claim_write(db: Database, new: Place) -> Write:
    """Claim the name, or raise Duplicate if another place has it."""

    async def refuse(held: Item | None) -> None:
        key = type(new).key_for(new.family_id, str(held["holder"])) if held else None
        if key is not None and (other := await db.get(key)):
            raise Duplicate(other, _("You already have one called that."))

    return name_claim(new).take().with_refusal(refuse)
