from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from homeshelf import clock
from homeshelf.coordination.changes import note_change
from homeshelf.coordination.claims import released, released_by
from homeshelf.coordination.todos import FINISHED_SOON, Todo, todo
from homeshelf.coordination.transaction import Transaction, missing, transaction
from homeshelf.errors import UnreadableRecord
from homeshelf.inventory import notices
from homeshelf.inventory.adjustments import MOST_JOINED, Adjusted, Adjustment, adjust_together
from homeshelf.inventory.barcodes import BarcodeClaim, claims_of, move_barcodes, take_barcodes
from homeshelf.inventory.following import Following
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


async def item(db: Database, family_id: str, item_id: str) -> InventoryItem | None:
    """Get inventory item."""
    return await db.get(key_of(family_id, item_id))


def items_by_quantity(family_id: str, status: str) -> Query[InventoryItem]:
    """List inventory items, lowest quantity first, by GSI2."""
    return InventoryItem.where("GSI2", family_id=family_id, status=status)


def items_from(family_id: str, status: str, quantity: int | None) -> Query[InventoryItem]:
    """The same, from a quantity on."""
    return InventoryItem.between(
        "quantity", quantity, None, "GSI2", family_id=family_id, status=status
    )


def every_item(family_id: str) -> Query[InventoryItem]:
    """List inventory items by the base table, which can be read up to date."""
    return InventoryItem.where(family_id=family_id)


def history_of(family_id: str, item_id: str) -> Query[QuantityChange]:
    return QuantityChange.where(family_id=family_id, item_id=item_id).newest_first()


async def add_item(tx: Transaction, new: InventoryItem) -> None:
    """Add an item with its first history record, its barcodes and, if it is low, its notice."""
    tx.add(new)
    tx.write(quantity_change(new, new.quantity, "created", new.created_by, clock.now()).put())
    tx.write(*take_barcodes(tx.db, new), *await notices.writes_of_item_change(tx.db, None, new))


def changed_at(family_id: str, item_id: str, at: str) -> Query[QuantityChange]:
    """The history record of a timestamp: no two changes of an item have the same."""
    return QuantityChange.where(family_id=family_id, item_id=item_id, at=at)


@transaction
async def add(tx: Transaction, new: InventoryItem) -> InventoryItem:
    await add_item(tx, new)
    tx.write(*places_named(new))
    return new


async def adjust(
    db: Database,
    key: Key[InventoryItem],
    delta: int,
    source: Source,
    by: str | None,
    *,
    checks: Sequence[Check] = (),
) -> Adjusted:
    """Change a quantity, never below 0. Adjustments that queue up share one transaction, in order;
    where one of `checks` fails, that caller gets 404."""
    wanted = Adjustment(delta, source, by, db.take_extra_writes(), checks)
    adjusted: Adjusted = await db.joins.join(
        key, wanted, MOST_JOINED, partial(adjust_together, db, key)
    )
    return adjusted


async def adjust_item(
    tx: Transaction, old: InventoryItem, delta: int, source: Source, by: str | None, at: str
) -> InventoryItem:
    """Adjust an item in another transaction, which fails if the item changes meanwhile."""
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
    following: Following,
) -> InventoryItem:
    """Change what an item is called and where it belongs, but not its quantity."""
    old = await tx.get(key, version)
    edited = old.edited(**changes)
    if edited == old:
        return old
    tx.replace(old, edited)
    tx.write(*places_named(edited, old))
    tx.write(
        *await move_barcodes(tx.db, old, edited),
        *await notices.writes_of_item_change(tx.db, old, edited),
    )
    for each in following if edited.name != old.name else ():
        tx.write(*await each.renaming(tx.db, edited))
    return edited


@transaction
async def restate(tx: Transaction, key: Key[InventoryItem], status: ItemStatus) -> InventoryItem:
    """Archive an item, or take it back into the stock."""
    old = await tx.get(key)
    restated = old.edited(status=status)
    tx.replace(old, restated)
    tx.write(*await notices.writes_of_item_change(tx.db, old, restated))
    return restated


@transaction
async def remove(
    tx: Transaction,
    key: Key[InventoryItem],
    following: Following,
    by: str | None = None,
    version: int | None = None,
) -> None:
    """Delete the item first, so that nothing new can name it; a to-do does the rest."""
    about = InventoryItem.read_key(key)
    family_id, item_id = about["familyId"], about["itemId"]
    try:
        old = await tx.get(key, version)
    except UnreadableRecord:
        tx.write(Delete(key), note_change(family_id, "InventoryItem", item_id, None))
        tx.write(*await released_by(tx.db, BarcodeClaim.where(family_id=family_id), item_id))
        tx.write(*await notices.ending(tx.db, family_id, item_id))
        tx.write(todo("item_removed", about | {"by": by}).put())
        return
    left = todo("item_removed", about | {"by": by}, clock.now() + FINISHED_SOON)
    tx.remove(old)
    tx.write(
        *await released(tx.db, *claims_of(old)),
        *await notices.writes_of_item_change(tx.db, old, None),
    )
    tx.finish_soon(left, partial(forget, following))


async def forget(following: Following, db: Database, left: Todo) -> None:
    """Clean up after a deleted item. Its history goes last: until then nobody can reuse the id."""
    family_id, item_id = left.about["familyId"], left.about["itemId"]
    if await item(db, family_id, item_id) is not None:
        return
    for each in following:
        await each.removed(db, family_id, item_id, left.about.get("by"))
    await db.clear(history_of(family_id, item_id))


async def naming_place(db: Database, place: Place) -> Mapping[str, int]:
    """Count the items that name a place, up to date."""
    items = every_item(place.family_id).up_to_date()
    if isinstance(place, StorageLocation):
        return {"items": await db.count(items.only(attr("locationId") == place.place_id))}
    return {"items": await db.count(items.matching(names_store(place.place_id)))}


async def items_with(
    db: Database, family_id: str, item_ids: Iterable[str]
) -> Sequence[InventoryItem]:
    """Return those that exist."""
    return await db.get_existing(key_of(family_id, item_id) for item_id in item_ids)


async def chosen_pictures(
    db: Database, family_id: str, item_ids: Iterable[str | None]
) -> dict[str, str]:
    """Return the pictures that people chose, by item."""
    items = await items_with(db, family_id, filter(None, item_ids))
    return {item.item_id: item.picture for item in items if item.picture}


def names_store(store_id: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda item: (
        store_id in (item.get("preferredStoreId"), *item.get("alternateStoreIds", ()))
    )


def places_named(new: InventoryItem, old: InventoryItem | None = None) -> list[Check]:
    """Return a check for each place that the item names and did not name before."""
    known = old.store_ids if old else ()
    checks = [
        open_place_check(Store, new.family_id, store_id)
        for store_id in new.store_ids
        if store_id not in known
    ]
    if new.location_id and not (old and old.location_id == new.location_id):
        checks.append(open_place_check(StorageLocation, new.family_id, new.location_id))
    return [check.refusing(missing(NO_SUCH_PLACE)) for check in checks]
