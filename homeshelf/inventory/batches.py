"""Many new items in one request, all or none: the first transaction decides and stores to-dos,
which make the items, in the request itself or, after a crash, in the background."""

import asyncio
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from time import monotonic
from typing import Any, TypeVar

from homeshelf import clock, errors
from homeshelf.coordination.changes import announced
from homeshelf.coordination.todos import FINISHED_SOON, Todo, todo
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.errors import Duplicate, NotFound
from homeshelf.inventory import notices
from homeshelf.inventory.barcodes import take_barcodes
from homeshelf.inventory.following import Following, following_of
from homeshelf.inventory.model import InventoryItem, quantity_change
from homeshelf.inventory.store import NO_SUCH_PLACE, history_of, key_of, places_named
from homeshelf.places.model import Place, StorageLocation, Store
from homeshelf.places.store import collect_missing
from homeshelf.sentences import _
from homeshelf.table import HELPER, Check, Database, Key, Keys, Put, Record, Write, absent
from homeshelf.table.limits import WRITES
from homeshelf.web.services import Services

T = TypeVar("T")

MAKE_ITEMS = "make_items"
IN_A_TODO = 25
"""So many never come near the size limit of a record."""
LOOKED_UP_AT_ONCE = 25
FOR_ALL = 2
"""Writes for each transaction: what is still promised, and the change."""
WAITED_SECONDS = 5.0
LOOKED_EVERY_SECONDS = 0.05
RETRY_SECONDS = 2
TAKEN = _("This ID is already in use.")


class PromisedItems(Record):
    """The items that a family will have and that are not made yet. It stays when empty: a new
    version would match a stale read."""

    table = HELPER
    keys = Keys(PK="CLAIMS#{familyId}", SK="PROMISED")

    family_id: str
    item_ids: tuple[str, ...] = ()
    version: int = 1

    def adding(self, item_ids: Iterable[str]) -> Put:
        return self._becoming((*self.item_ids, *item_ids))

    def removing(self, item_ids: Iterable[str]) -> Put:
        gone = set(item_ids)
        return self._becoming(tuple(each for each in self.item_ids if each not in gone))

    def _becoming(self, item_ids: tuple[str, ...]) -> Put:
        new = self.changed(item_ids=item_ids, version=self.version + 1)
        return new.put(absent if self.stored is None else self.unchanged)


async def promised_items(db: Database, family_id: str) -> PromisedItems | None:
    return await db.get(_key(family_id))


async def promise(
    db: Database,
    family_id: str,
    new: Sequence[InventoryItem],
    named: Sequence[str],
    following: Following,
) -> list[Todo]:
    """Claim the ids and barcodes of new items; returns the to-dos. `named` are ids that the client
    chose, which may be in use."""
    places = dict.fromkeys(check.key for item in new for check in places_named(item))
    if None in await db.get_many([*places]):
        raise NotFound(NO_SUCH_PLACE)
    return await _promise(db, _key(family_id), family_id, new, named, following)


@transaction
async def _promise(
    tx: Transaction,
    key: Key[PromisedItems],
    family_id: str,
    new: Sequence[InventoryItem],
    named: Sequence[str],
    following: Following,
) -> list[Todo]:
    promised = await tx.db.get(key) or PromisedItems(family_id=family_id)
    await _require_free(tx.db, promised, named, following)
    left = [_left(family_id, some) for some in _chunks(new, IN_A_TODO)]
    tx.write(promised.adding(item.item_id for item in new), *(each.put() for each in left))
    for item in new:
        tx.write(*take_barcodes(tx.db, item))
    return left


async def add_all(
    services: Services, unit: Database, by: str, new: Sequence[InventoryItem], named: Sequence[str]
) -> list[Todo]:
    """Make new items of a family; each counts towards the writes of the caller."""
    services.limits.writes.take_rest(by, len(new))
    left = await promise(unit, new[0].family_id, new, named, following_of(services))
    await finish(unit, left)
    return left


async def finish(db: Database, left: Sequence[Todo]) -> None:
    for each in left:
        await make(db, each)
        await db.write(each.delete())


async def make(db: Database, left: Todo) -> None:
    """Make promised items; one that is no longer promised was made, and may have been deleted."""
    family_id = left.about["familyId"]
    items = [InventoryItem.model_validate(each) for each in left.about["items"]]
    gone: set[Key[Any]] = set()
    # Those who make items queue, because all rewrite what is promised, but not with those who
    # promise, who may wait for them.
    making = replace(_key(family_id), sort="MAKING")
    while await _make_some(db, making, family_id, items, gone):
        pass


@transaction
async def _make_some(
    tx: Transaction,
    _making: Key[Any],
    family_id: str,
    items: Sequence[InventoryItem],
    gone: set[Key[Any]],
) -> bool:
    """Make as many as fit; `gone` collects deleted places, without which they are made."""
    promised = await promised_items(tx.db, family_id)
    if promised is None:  # the family is gone
        return False
    waiting = [item for item in items if item.item_id in promised.item_ids]
    made: list[InventoryItem] = []
    writes: list[Write] = []
    checks: dict[Key[Any], Check] = {}
    for item in waiting:
        new = _without_deleted_places(item, gone) if gone else item
        begun = quantity_change(new, new.quantity, "created", new.created_by, clock.now())
        own = [new.put(absent), begun.put(), *await notices.writes_of_item_change(tx.db, None, new)]
        named = {
            check.key: check.refusing(collect_missing(check.key, gone))
            for check in places_named(new)
        }
        if len(writes) + len(own) + len(checks | named) > WRITES - FOR_ALL:
            break
        made.append(new)
        writes += own
        checks |= named
    if made:
        left = promised.removing(item.item_id for item in made)
        tx.write(left, *announced(*made), *writes, *checks.values())
    return len(made) < len(waiting)


async def made(db: Database, family_id: str, item_ids: Sequence[str]) -> list[InventoryItem]:
    """Wait until the items are made; returns them in this order, without deleted ones."""
    ends = monotonic() + WAITED_SECONDS
    while (promised := await promised_items(db, family_id)) and (
        not set(item_ids).isdisjoint(promised.item_ids)
    ):
        if monotonic() > ends:
            raise errors.Unavailable(RETRY_SECONDS)
        await asyncio.sleep(LOOKED_EVERY_SECONDS)
    return await db.get_existing(key_of(family_id, item_id) for item_id in item_ids)


def _without_deleted_places(item: InventoryItem, gone: Container[Key[Any]]) -> InventoryItem:
    def if_there(kind: type[Place], place_id: str | None) -> str | None:
        is_there = place_id and kind.key_for(item.family_id, place_id) not in gone
        return place_id if is_there else None

    return item.changed(
        location_id=if_there(StorageLocation, item.location_id),
        preferred_store_id=if_there(Store, item.preferred_store_id),
        alternate_store_ids=[each for each in item.alternate_store_ids if if_there(Store, each)],
    )


def _key(family_id: str) -> Key[PromisedItems]:
    return PromisedItems.key(family_id=family_id)


def _chunks(all_: Sequence[T], most: int) -> list[Sequence[T]]:
    return [all_[first : first + most] for first in range(0, len(all_), most)]


def _left(family_id: str, items: Sequence[InventoryItem]) -> Todo:
    keys = InventoryItem.table.key_attributes
    stored = [
        {name: value for name, value in item.item().items() if name not in keys} for item in items
    ]
    about = {"familyId": family_id, "items": stored}
    return todo(MAKE_ITEMS, about, clock.now() + FINISHED_SOON)


async def _require_free(
    db: Database, promised: PromisedItems, named: Sequence[str], following: Following
) -> None:
    """Refuse ids in use. Promises are read first: an item that leaves them is found in its
    place."""
    family_id = promised.family_id
    if not set(named).isdisjoint(promised.item_ids):
        raise Duplicate(detail=TAKEN)
    for there in await db.get_many([key_of(family_id, item_id) for item_id in named]):
        if there is not None:
            raise Duplicate(there, TAKEN)
    for some in _chunks(named, LOOKED_UP_AT_ONCE):
        remembered = (_is_remembered(db, family_id, item_id, following) for item_id in some)
        if any(await asyncio.gather(*remembered)):
            raise Duplicate(detail=TAKEN)


async def _is_remembered(db: Database, family_id: str, item_id: str, following: Following) -> bool:
    """Whether a deleted item left records under its id; its history goes last."""
    if await db.count(history_of(family_id, item_id).up_to_date(), 1):
        return True
    return any([await each.remembers(db, family_id, item_id) for each in following])
