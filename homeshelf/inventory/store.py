from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from homeshelf import clock
from homeshelf.coordination.changes import change_write
from homeshelf.coordination.claims import release_writes, release_writes_of
from homeshelf.coordination.todos import FINISH_DELAY, Todo, todo
from homeshelf.coordination.transaction import Transaction, missing, transaction
from homeshelf.errors import UnreadableRecord
from homeshelf.inventory import notices
from homeshelf.inventory.adjustments import (
    MAX_ADJUSTMENTS,
    Adjustment,
    AdjustmentResult,
    adjust_together,
)
from homeshelf.inventory.barcodes import (
    BarcodeClaim,
    barcode_claims,
    claim_barcodes,
    update_barcode_claims,
)
from homeshelf.inventory.item_observer import ItemObserver
from homeshelf.inventory.model import (
    InventoryItem,
    ItemStatus,
    QuantityChange,
    Source,
    quantity_change,
)
from homeshelf.places.model import Place, StorageLocation, Store
from homeshelf.places.store import open_place_check
from homeshelf.sentences import _
from homeshelf.table import Check, Database, Delete, Key, Query, attr

NO_SUCH_PLACE = _("There’s no such place.")


def key_of(family_id: str, item_id: str) -> Key[InventoryItem]:
    return InventoryItem.key(family_id=family_id, item_id=item_id)


async def get_item(db: Database, family_id: str, item_id: str) -> InventoryItem | None:
    """Get inventory item."""
    return await db.get(key_of(family_id, item_id))


def items_by_quantity(family_id: str, status: str) -> Query[InventoryItem]:
    """List inventory items, lowest quantity first, by GSI2."""
    return InventoryItem.where("GSI2", family_id=family_id, status=status)


def items_from_quantity(family_id: str, status: str, quantity: int | None) -> Query[InventoryItem]:
    """List inventory items of at least a quantity, by GSI2."""
    return InventoryItem.between(
        "quantity", quantity, None, "GSI2", family_id=family_id, status=status
    )


def all_items(family_id: str) -> Query[InventoryItem]:
    """List inventory items by the base table, which can be read consistently."""
    return InventoryItem.where(family_id=family_id)


def history_of(family_id: str, item_id: str) -> Query[QuantityChange]:
    return QuantityChange.where(family_id=family_id, item_id=item_id).newest_first()


async def add_item(tx: Transaction, new: InventoryItem) -> None:
    """Add an item with its first history record, its barcodes and, if it is low, its notice."""
    tx.add(new)
    tx.write(quantity_change(new, new.quantity, "created", new.created_by, clock.now()).put())
    tx.write(*claim_barcodes(tx.db, new), *await notices.writes_of_item_change(tx.db, None, new))


def change_at(family_id: str, item_id: str, at: str) -> Query[QuantityChange]:
    """Find the history record of a timestamp, which is unique per item."""
    return QuantityChange.where(family_id=family_id, item_id=item_id, at=at)


@transaction
async def add(tx: Transaction, new: InventoryItem) -> InventoryItem:
    await add_item(tx, new)
    tx.write(*place_checks(new))
    return new


async def adjust(
    db: Database,
    key: Key[InventoryItem],
    delta: int,
    source: Source,
    by: str | None,
    *,
    checks: Sequence[Check] = (),
) -> AdjustmentResult:
    """Change a quantity, never below 0. If one of `checks` fails, only this caller gets 404."""
    wanted = Adjustment(delta, source, by, db.take_extra_writes(), checks)
    adjusted: AdjustmentResult = await db.joins.join(
        key, wanted, MAX_ADJUSTMENTS, partial(adjust_together, db, key)
    )
    return adjusted


async def adjust_item(
    tx: Transaction, old: InventoryItem, delta: int, source: Source, by: str | None, at: str
) -> InventoryItem:
    """Adjust an item as part of `tx`, which fails if the item changes concurrently."""
    new = old.adjusted(delta, at)
    if new is old:
        tx.write(old.check(old.unchanged))
        return old
    tx.replace(old, new)
    tx.write(quantity_change(new, new.quantity - old.quantity, source, by, clock.now()).put())
    tx.write(*await notices.writes_of_item_change(tx.db, old, new))
    return new


@transaction
async def edit(
    tx: Transaction,
    key: Key[InventoryItem],
    version: int,
    changes: Mapping[str, Any],
    observers: Sequence[ItemObserver],
) -> InventoryItem:
    old = await tx.get(key, version)
    edited = old.new_version(**changes)
    if edited == old:
        return old
    tx.replace(old, edited)
    tx.write(*place_checks(edited, old))
    tx.write(
        *await update_barcode_claims(tx.db, old, edited),
        *await notices.writes_of_item_change(tx.db, old, edited),
    )
    for each in observers if edited.name != old.name else ():
        tx.write(*await each.writes_on_rename(tx.db, edited))
    return edited


@transaction
async def set_status(tx: Transaction, key: Key[InventoryItem], status: ItemStatus) -> InventoryItem:
    old = await tx.get(key)
    restated = old.new_version(status=status)
    tx.replace(old, restated)
    tx.write(*await notices.writes_of_item_change(tx.db, old, restated))
    return restated


@transaction
async def remove(
    tx: Transaction,
    key: Key[InventoryItem],
    observers: Sequence[ItemObserver],
    by: str | None = None,
    version: int | None = None,
) -> None:
    """Delete the item first, so that no new record can refer to it; a to-do cleans up."""
    about = InventoryItem.read_key(key)
    family_id, item_id = about["familyId"], about["itemId"]
    try:
        old = await tx.get(key, version)
    except UnreadableRecord:
        tx.write(Delete(key), change_write(family_id, "InventoryItem", item_id, None))
        tx.write(*await release_writes_of(tx.db, BarcodeClaim.where(family_id=family_id), item_id))
        tx.write(*await notices.resolve_all_writes(tx.db, family_id, item_id))
        tx.write(todo("item_removed", about | {"by": by}).put())
        return
    task = todo("item_removed", about | {"by": by}, clock.now() + FINISH_DELAY)
    tx.remove(old)
    tx.write(
        *await release_writes(tx.db, *barcode_claims(old)),
        *await notices.writes_of_item_change(tx.db, old, None),
    )
    tx.finish_soon(task, partial(clean_up_item, observers))


async def clean_up_item(observers: Sequence[ItemObserver], db: Database, task: Todo) -> None:
    """Clean up after a deleted item. Its history goes last, because it blocks reuse of the id."""
    family_id, item_id = task.about["familyId"], task.about["itemId"]
    if await get_item(db, family_id, item_id) is not None:
        return
    for each in observers:
        await each.on_removed(db, family_id, item_id, task.about.get("by"))
    await db.clear(history_of(family_id, item_id))


async def count_place_references(db: Database, place: Place) -> Mapping[str, int]:
    """Count the items that refer to a place, consistently."""
    items = all_items(place.family_id).up_to_date()
    if isinstance(place, StorageLocation):
        return {"items": await db.count(items.only(attr("locationId") == place.place_id))}
    return {"items": await db.count(items.matching(uses_store(place.place_id)))}


async def get_items(db: Database, family_id: str, ids: Iterable[str]) -> list[InventoryItem]:
    return await db.get_existing(key_of(family_id, item_id) for item_id in ids)


async def chosen_pictures(
    db: Database, family_id: str, item_ids: Iterable[str | None]
) -> dict[str, str]:
    """Return the pictures that users chose, by item id."""
    items = await get_items(db, family_id, filter(None, item_ids))
    return {item.item_id: item.picture for item in items if item.picture}


def uses_store(store_id: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda item: (
        store_id in (item.get("preferredStoreId"), *item.get("alternateStoreIds", ()))
    )


def place_checks(new: InventoryItem, old: InventoryItem | None = None) -> list[Check]:
    """Return a check for each place that only the new item refers to."""
    previous = old.store_ids if old else ()
    checks = [
        open_place_check(Store, new.family_id, store_id)
        for store_id in new.store_ids
        if store_id not in previous
    ]
    if new.location_id and not (old and old.location_id == new.location_id):
        checks.append(open_place_check(StorageLocation, new.family_id, new.location_id))
    return [check.with_refusal(missing(NO_SUCH_PLACE)) for check in checks]
