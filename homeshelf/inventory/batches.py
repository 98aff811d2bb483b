"""Creation of many items in one request, all or none, by to-dos that survive a crash."""

import asyncio
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from time import monotonic
from typing import Any, TypeVar

from homeshelf import clock, errors
from homeshelf.coordination.changes import change_writes
from homeshelf.coordination.todos import FINISH_DELAY, Todo, todo
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.errors import Duplicate, NotFound
from homeshelf.inventory import notices
from homeshelf.inventory.barcodes import claim_barcodes
from homeshelf.inventory.item_observer import ItemObserver
from homeshelf.inventory.model import InventoryItem, quantity_change
from homeshelf.inventory.store import NO_SUCH_PLACE, history_of, key_of, place_checks
from homeshelf.places.model import Place, StorageLocation, Store
from homeshelf.places.store import collect_missing
from homeshelf.sentences import _
from homeshelf.table import HELPER, Check, Database, Key, Keys, Put, Record, Write, absent
from homeshelf.table.limits import WRITES
from homeshelf.web.services import Services

T = TypeVar("T")

MAKE_ITEMS = "make_items"
ITEMS_PER_TODO = 25
"""The items of one to-do, few enough for the size limit of a record."""
CONCURRENT_LOOKUPS = 25
SHARED_WRITES = 2
"""The promise record and the change announcement of each transaction."""
WAIT_SECONDS = 5.0
POLL_SECONDS = 0.05
RETRY_SECONDS = 2
ID_IN_USE = _("This ID is already in use.")


class PromisedItems(Record):
    """Items that are not created yet. Kept when empty: a new version 1 would match stale reads."""

    table = HELPER
    keys = Keys(PK="CLAIMS#{familyId}", SK="PROMISED")

    family_id: str
    item_ids: tuple[str, ...] = ()
    version: int = 1

    def put_ids(self, item_ids: Iterable[str]) -> Put:
        new = self.changed(item_ids=tuple(item_ids), version=self.version + 1)
        return new.put(absent if self.stored is None else self.unchanged)


async def promised_items(db: Database, family_id: str) -> PromisedItems | None:
    return await db.get(_key(family_id))


async def promise_items(
    db: Database,
    family_id: str,
    new: Sequence[InventoryItem],
    chosen_ids: Sequence[str],
    observers: Sequence[ItemObserver],
) -> list[Todo]:
    """Reserve ids (`chosen_ids` by the client) and barcodes; return to-dos that create items."""
    places = dict.fromkeys(check.key for item in new for check in place_checks(item))
    if None in await db.get_many([*places]):
        raise NotFound(NO_SUCH_PLACE)
    return await _store_promise(db, _key(family_id), family_id, new, chosen_ids, observers)


@transaction
async def _store_promise(
    tx: Transaction,
    key: Key[PromisedItems],
    family_id: str,
    new: Sequence[InventoryItem],
    chosen_ids: Sequence[str],
    observers: Sequence[ItemObserver],
) -> list[Todo]:
    promised = await tx.db.get(key) or PromisedItems(family_id=family_id)
    await _require_unused_ids(tx.db, promised, chosen_ids, observers)
    todos = [_make_todo(family_id, chunk) for chunk in _chunks(new, ITEMS_PER_TODO)]
    item_ids = (*promised.item_ids, *(item.item_id for item in new))
    tx.write(promised.put_ids(item_ids), *(each.put() for each in todos))
    for item in new:
        tx.write(*claim_barcodes(tx.db, item))
    return todos


async def add_items(
    services: Services,
    unit: Database,
    by: str,
    new: Sequence[InventoryItem],
    chosen_ids: Sequence[str],
) -> list[Todo]:
    """Create items; each counts towards the caller's write limit."""
    services.limits.writes.take_rest(by, len(new))
    todos = await promise_items(unit, new[0].family_id, new, chosen_ids, services.all(ItemObserver))
    await finish_todos(unit, todos)
    return todos


async def finish_todos(db: Database, todos: Sequence[Todo]) -> None:
    for each in todos:
        await make_items(db, each)
        await db.write(each.delete())


async def make_items(db: Database, task: Todo) -> None:
    """Create promised items; one that is no longer promised was created and perhaps deleted."""
    family_id = task.about["familyId"]
    items = [InventoryItem.model_validate(each) for each in task.about["items"]]
    gone: set[Key[Any]] = set()
    # Creating tasks queue with each other, but not with requests that promise items and wait for
    # them.
    queue_key = replace(_key(family_id), sort="MAKING")
    while await _make_batch(db, queue_key, family_id, items, gone):
        pass


@transaction
async def _make_batch(
    tx: Transaction,
    _queue_key: Key[Any],
    family_id: str,
    items: Sequence[InventoryItem],
    gone: set[Key[Any]],
) -> bool:
    """Create as many items as fit; `gone` collects deleted places, which are dropped."""
    promised = await promised_items(tx.db, family_id)
    if promised is None:  # the family was deleted
        return False
    waiting = [item for item in items if item.item_id in promised.item_ids]
    made: list[InventoryItem] = []
    writes: list[Write] = []
    checks: dict[Key[Any], Check] = {}
    for item in waiting:
        new = _drop_deleted_places(item, gone) if gone else item
        change = quantity_change(new, new.quantity, "created", new.created_by, clock.now())
        own = [
            new.put(absent),
            change.put(),
            *await notices.writes_of_item_change(tx.db, None, new),
        ]
        required = {
            check.key: check.with_refusal(collect_missing(check.key, gone))
            for check in place_checks(new)
        }
        if len(writes) + len(own) + len(checks | required) > WRITES - SHARED_WRITES:
            break
        made.append(new)
        writes += own
        checks |= required
    if made:
        made_ids = {item.item_id for item in made}
        promise = promised.put_ids(each for each in promised.item_ids if each not in made_ids)
        tx.write(promise, *change_writes(*made), *writes, *checks.values())
    return len(made) < len(waiting)


async def wait_for_items(
    db: Database, family_id: str, item_ids: Sequence[str]
) -> list[InventoryItem]:
    """Wait until the items are created and return them in order, without deleted ones."""
    deadline = monotonic() + WAIT_SECONDS
    while (promised := await promised_items(db, family_id)) and (
        not set(item_ids).isdisjoint(promised.item_ids)
    ):
        if monotonic() > deadline:
            raise errors.Unavailable(RETRY_SECONDS)
        await asyncio.sleep(POLL_SECONDS)
    return await db.get_existing(key_of(family_id, item_id) for item_id in item_ids)


def _drop_deleted_places(item: InventoryItem, gone: Container[Key[Any]]) -> InventoryItem:
    def keep(kind: type[Place], place_id: str | None) -> str | None:
        return None if place_id and kind.key_for(item.family_id, place_id) in gone else place_id

    return item.changed(
        location_id=keep(StorageLocation, item.location_id),
        preferred_store_id=keep(Store, item.preferred_store_id),
        alternate_store_ids=[each for each in item.alternate_store_ids if keep(Store, each)],
    )


def _key(family_id: str) -> Key[PromisedItems]:
    return PromisedItems.key(family_id=family_id)


def _chunks(all_: Sequence[T], most: int) -> list[Sequence[T]]:
    return [all_[first : first + most] for first in range(0, len(all_), most)]


def _make_todo(family_id: str, items: Sequence[InventoryItem]) -> Todo:
    keys = InventoryItem.table.key_attributes
    stored = [
        {name: value for name, value in item.item().items() if name not in keys} for item in items
    ]
    about = {"familyId": family_id, "items": stored}
    return todo(MAKE_ITEMS, about, clock.now() + FINISH_DELAY)


async def _require_unused_ids(
    db: Database,
    promised: PromisedItems,
    chosen_ids: Sequence[str],
    observers: Sequence[ItemObserver],
) -> None:
    """Refuse ids in use. Promises are read first, because a created item leaves them."""
    family_id = promised.family_id
    if not set(chosen_ids).isdisjoint(promised.item_ids):
        raise Duplicate(detail=ID_IN_USE)
    for existing in await db.get_many([key_of(family_id, item_id) for item_id in chosen_ids]):
        if existing is not None:
            raise Duplicate(existing, ID_IN_USE)
    for chunk in _chunks(chosen_ids, CONCURRENT_LOOKUPS):
        checks = (_was_used(db, family_id, item_id, observers) for item_id in chunk)
        if any(await asyncio.gather(*checks)):
            raise Duplicate(detail=ID_IN_USE)


async def _was_used(
    db: Database, family_id: str, item_id: str, observers: Sequence[ItemObserver]
) -> bool:
    """Check whether a deleted item left records under its id; its history is deleted last."""
    if await db.count(history_of(family_id, item_id).up_to_date(), 1):
        return True
    return any([await each.has_records(db, family_id, item_id) for each in observers])
