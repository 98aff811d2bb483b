"""Read the shopping list, and change its entries."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from homeshelf import clock
from homeshelf.access import InFamily
from homeshelf.coordination.changes import change_write
from homeshelf.coordination.transaction import (
    Transaction,
    missing,
    require_version,
    transaction,
)
from homeshelf.errors import Forbidden, UnreadableRecord, VersionConflict
from homeshelf.inventory.item_observer import ItemObserver
from homeshelf.places.model import Place, Store
from homeshelf.places.store import open_place_check
from homeshelf.sentences import _
from homeshelf.shopping.habits import HabitLearner
from homeshelf.shopping.model import PendingEntries, ShoppingListItem, Status, changed_fields
from homeshelf.table import Check, Database, Delete, Key, Query, Refusal, attr

UNLINK_BATCH = 45
"""The entries in one transaction: each takes two of its 100 writes, and the claim takes one."""
NO_STORE = missing(_("There’s no such store."))


def key_of(family_id: str, shopping_item_id: str) -> Key[ShoppingListItem]:
    return ShoppingListItem.key(family_id=family_id, shopping_item_id=shopping_item_id)


async def entry(db: Database, family_id: str, shopping_item_id: str) -> ShoppingListItem | None:
    """Get shopping item by ID."""
    return await db.get(key_of(family_id, shopping_item_id))


def whole_list(family_id: str) -> Query[ShoppingListItem]:
    """List all shopping items."""
    return ShoppingListItem.where(family_id=family_id)


def entries_at_store(family_id: str, store_id: str | None) -> Query[ShoppingListItem]:
    """List by store; None has the unassigned items."""
    return ShoppingListItem.where("GSI2", family_id=family_id, store_id=store_id)


def entries_with_status(family_id: str, status: Status) -> Query[ShoppingListItem]:
    """List by status, over all stores: a filter, because the store comes first in the key."""
    return ShoppingListItem.where("GSI2", family_id=family_id).only(attr("status") == status)


def pending_at_store(family_id: str, store_id: str | None) -> Query[ShoppingListItem]:
    """List pending by store."""
    return ShoppingListItem.where("GSI2", family_id=family_id, store_id=store_id, status="pending")


def bought_at_store(family_id: str, store_id: str | None) -> Query[ShoppingListItem]:
    """List purchased by store."""
    return ShoppingListItem.where(
        "GSI2", family_id=family_id, store_id=store_id, status="purchased"
    )


def entries_of_item(family_id: str, item_id: str) -> Query[ShoppingListItem]:
    """List the entries of an item, bought or not, up to date."""
    return whole_list(family_id).up_to_date().only(attr("itemId") == item_id)


async def count_store_entries(db: Database, place: Place) -> Mapping[str, int]:
    if not isinstance(place, Store):
        return {}
    entries = whole_list(place.family_id).up_to_date()
    return {"shoppingItems": await db.count(entries.only(attr("storeId") == place.place_id))}


def pending_key(family_id: str, item_id: str) -> Key[PendingEntries]:
    return PendingEntries.key(family_id=family_id, item_id=item_id)


async def pending_entries(db: Database, family_id: str, item_id: str) -> PendingEntries:
    found = await db.get(pending_key(family_id, item_id))
    return found or PendingEntries(family_id=family_id, item_id=item_id)


async def listed_items(db: Database, family_id: str, item_ids: Iterable[str]) -> set[str]:
    found = await db.get_existing(pending_key(family_id, item_id) for item_id in item_ids)
    return {claim.item_id for claim in found}


@transaction
async def edit_entry(
    tx: Transaction, key: Key[ShoppingListItem], version: int, changes: Mapping[str, Any]
) -> ShoppingListItem:
    return _edit(tx, await tx.get(key, version), changes)


@transaction
async def merge_edit(
    tx: Transaction,
    key: Key[ShoppingListItem],
    version: int,
    typed: Mapping[str, Any],
    seen: Mapping[str, Any],
) -> ShoppingListItem:
    """Apply the fields that differ from `seen`; raise if another person changed one of them."""
    old = await tx.get(key)
    changes = changed_fields(typed, seen)
    if old.version != version:
        changes = {name: changes[name] for name in changed_fields(changes, old.fields_of_form())}
        if changed_fields({name: getattr(old, name) for name in changes}, seen):
            raise VersionConflict(old)
    return _edit(tx, old, changes)


def _edit(tx: Transaction, old: ShoppingListItem, changes: Mapping[str, Any]) -> ShoppingListItem:
    edited = old.new_version(**changes)
    tx.replace(old, edited)
    tx.write(*store_check(edited, NO_STORE, old))
    return edited


@transaction
async def mark_entry(
    tx: Transaction,
    key: Key[ShoppingListItem],
    version: int,
    status: Status,
    habits: HabitLearner,
    role: str,
) -> ShoppingListItem:
    """Set the status of an entry, and queue the tick for the family's habits."""
    old = await tx.get(key)
    if role != "admin" and old.put_away_at is not None:
        raise Forbidden(_("That’s already put away. Ask an adult."))
    require_version(old, version)
    marked = old.with_status(status, clock.timestamp_in_order(old.updated_at))
    if marked != old:
        tx.replace(old, marked)
        await move_pending_claim(tx, old, marked)
        tx.after_commit(partial(habits.record_tick, marked))
    return marked


@transaction
async def mark_shown_entry(
    tx: Transaction,
    key: Key[ShoppingListItem],
    version: int,
    status: Status,
    habits: HabitLearner,
    role: str,
) -> ShoppingListItem:
    """Set the status, even if another person changed other fields of the entry since."""
    old = await tx.get(key)
    is_shown_state = old.status != status and old.put_away_at is None
    known = old.version if is_shown_state else version
    return await mark_entry(tx, key, known, status, habits, role)


@transaction
async def remove_entry(tx: Transaction, key: Key[ShoppingListItem]) -> None:
    """Delete an entry, even one that cannot be read."""
    try:
        entry = await tx.get(key)
    except UnreadableRecord:
        ids = ShoppingListItem.read_key(key)
        family_id, entry_id = ids["familyId"], ids["shoppingItemId"]
        claims = await tx.db.all(PendingEntries.where(family_id=family_id).up_to_date())
        tx.write(Delete(key), change_write(family_id, "ShoppingListItem", entry_id, None))
        tx.write(*(each.removing(entry_id) for each in claims if entry_id in each.members))
    else:
        tx.remove(entry)
        await move_pending_claim(tx, entry, None)


@transaction
async def remove_if_pending(tx: Transaction, key: Key[ShoppingListItem]) -> None:
    entry = await tx.find(key)
    if entry is not None and entry.status == "pending":
        tx.remove(entry)
        await move_pending_claim(tx, entry, None)


def store_check(
    new: ShoppingListItem, refusal: Refusal | None, old: ShoppingListItem | None = None
) -> list[Check]:
    """Return a check that the entry's store exists, if the store is new to the entry."""
    if new.store_id is None or (old and old.store_id == new.store_id):
        return []
    return [open_place_check(Store, new.family_id, new.store_id).with_refusal(refusal)]


async def move_pending_claim(
    tx: Transaction, old: ShoppingListItem, new: ShoppingListItem | None
) -> None:
    """Move an entry between the claims of its items when it changes or is deleted."""
    before, after = old.pending_item_id, new and new.pending_item_id
    if before == after:
        return
    if before:
        claim = await pending_entries(tx.db, old.family_id, before)
        tx.write(claim.removing(old.shopping_item_id))
    if after:
        claim = await pending_entries(tx.db, old.family_id, after)
        tx.write(claim.adding(old.shopping_item_id))


class ShoppingItemObserver(ItemObserver):
    async def on_removed(self, db: Database, family_id: str, item_id: str, _by: str | None) -> None:
        await unlink_item(db, family_id, item_id)

    async def count_references(
        self, db: Database, family_id: str, item_id: str
    ) -> Mapping[str, int]:
        return {"entries": await db.count(entries_of_item(family_id, item_id))}

    async def page_variables(
        self, db: Database, member: InFamily, item_id: str
    ) -> Mapping[str, Any]:
        return {"listed": bool(await listed_items(db, member.family_id, [item_id]))}


async def unlink_item(db: Database, family_id: str, item_id: str) -> None:
    """Turn the entries of a deleted item into free text, one batch in each transaction."""
    while await _unlink_batch(db, pending_key(family_id, item_id), family_id, item_id):
        pass


@transaction
async def _unlink_batch(
    tx: Transaction, _claim: Key[PendingEntries], family_id: str, item_id: str
) -> bool:
    entries = await tx.db.all(entries_of_item(family_id, item_id).page(UNLINK_BATCH))
    if not entries:
        return False
    for entry in entries:
        tx.replace(entry, entry.revised(clock.after(entry.updated_at), item_id=None))
    claim = await pending_entries(tx.db, family_id, item_id)
    tx.write(claim.removing(*(entry.shopping_item_id for entry in entries)))
    return True
