"""The access patterns of the list, and the changes of an entry; `adding.py` adds one."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from homeshelf import clock
from homeshelf.access import InFamily
from homeshelf.coordination.changes import note_change
from homeshelf.coordination.transaction import Transaction, missing, transaction
from homeshelf.errors import NotFound, UnreadableRecord, WrongState
from homeshelf.inventory.following import ItemFollower
from homeshelf.places.model import Place, Store
from homeshelf.places.store import open_place_check
from homeshelf.sentences import _
from homeshelf.shopping.habits import Habits
from homeshelf.shopping.model import PendingEntries, ShoppingListItem, Status
from homeshelf.table import Check, Database, Delete, Key, Query, Refusal, attr

UNLINKED_AT_ONCE = 45
"""Each has a change record, and there is the claim: a transaction takes 100 writes."""
NO_STORE = missing(_("There is no such store."))


def key_of(family_id: str, shopping_item_id: str) -> Key[ShoppingListItem]:
    return ShoppingListItem.key(family_id=family_id, shopping_item_id=shopping_item_id)


async def entry(db: Database, family_id: str, shopping_item_id: str) -> ShoppingListItem | None:
    """Get shopping item by ID."""
    return await db.get(key_of(family_id, shopping_item_id))


def whole_list(family_id: str) -> Query[ShoppingListItem]:
    """List all shopping items."""
    return ShoppingListItem.where(family_id=family_id)


def at_store(family_id: str, store_id: str | None) -> Query[ShoppingListItem]:
    """List by store; None has the unassigned items."""
    return ShoppingListItem.where("GSI2", family_id=family_id, store_id=store_id)


def with_status(family_id: str, status: Status) -> Query[ShoppingListItem]:
    """List by status, over all stores: a filter, because the store comes first in the key."""
    return ShoppingListItem.where("GSI2", family_id=family_id).only(attr("status") == status)


def pending_at(family_id: str, store_id: str | None) -> Query[ShoppingListItem]:
    """List pending by store."""
    return ShoppingListItem.where("GSI2", family_id=family_id, store_id=store_id, status="pending")


def purchased_at(family_id: str, store_id: str | None) -> Query[ShoppingListItem]:
    """List purchased by store."""
    return ShoppingListItem.where(
        "GSI2", family_id=family_id, store_id=store_id, status="purchased"
    )


def naming(family_id: str, item_id: str) -> Query[ShoppingListItem]:
    """The entries of an item, bought or not, up to date."""
    return whole_list(family_id).up_to_date().only(attr("itemId") == item_id)


async def naming_place(db: Database, place: Place) -> Mapping[str, int]:
    """Count the entries that name a store, up to date."""
    if not isinstance(place, Store):
        return {}
    entries = whole_list(place.family_id).up_to_date()
    return {"shoppingItems": await db.count(entries.only(attr("storeId") == place.place_id))}


def pending_key(family_id: str, item_id: str) -> Key[PendingEntries]:
    return PendingEntries.key(family_id=family_id, item_id=item_id)


async def pending_entries(db: Database, family_id: str, item_id: str) -> PendingEntries:
    """The pending entries of an item."""
    found = await db.get(pending_key(family_id, item_id))
    return found or PendingEntries(family_id=family_id, item_id=item_id)


async def on_list(db: Database, family_id: str, item_ids: Iterable[str]) -> set[str]:
    """Return which of the items are on the list."""
    found = await db.get_existing(pending_key(family_id, item_id) for item_id in item_ids)
    return {claim.item_id for claim in found}


@transaction
async def edit(
    tx: Transaction, key: Key[ShoppingListItem], version: int, changes: Mapping[str, Any]
) -> ShoppingListItem:
    """Change what to buy, how much of it and where."""
    old = await tx.get(key, version)
    edited = old.edited(**changes)
    tx.replace(old, edited)
    tx.write(*naming_store(edited, NO_STORE, old))
    return edited


@transaction
async def mark(
    tx: Transaction, key: Key[ShoppingListItem], version: int, status: Status, habits: Habits
) -> ShoppingListItem:
    """Check an entry off, or put it back on the list; the family's habits learn from it."""
    old = await tx.get(key, version)
    marked = old.marked(status, clock.timestamp_in_order(old.updated_at))
    if marked != old:
        tx.replace(old, marked)
        await update_pending_claim(tx, old, marked)
        tx.after_commit(partial(habits.note, marked))
    return marked


@transaction
async def remove(tx: Transaction, key: Key[ShoppingListItem]) -> None:
    """Delete an entry, also if it cannot be read."""
    try:
        entry = await tx.get(key)
    except UnreadableRecord:
        ids = ShoppingListItem.read_key(key)
        family_id, entry_id = ids["familyId"], ids["shoppingItemId"]
        claims = await tx.db.all(PendingEntries.where(family_id=family_id).up_to_date())
        tx.write(Delete(key), note_change(family_id, "ShoppingListItem", entry_id, None))
        tx.write(*(each.removing(entry_id) for each in claims if entry_id in each.members))
    else:
        tx.remove(entry)
        await update_pending_claim(tx, entry, None)


async def undo_adding(db: Database, family_id: str, shopping_item_id: str) -> None:
    with suppress(NotFound, WrongState):
        await _remove_pending(db, key_of(family_id, shopping_item_id))


@transaction
async def _remove_pending(tx: Transaction, key: Key[ShoppingListItem]) -> None:
    entry = await tx.get(key)
    if entry.status != "pending":
        raise WrongState(entry)
    tx.remove(entry)
    await update_pending_claim(tx, entry, None)


def naming_store(
    new: ShoppingListItem, refusal: Refusal | None, old: ShoppingListItem | None = None
) -> list[Check]:
    """Return the check of a store that the entry names and did not name before."""
    if new.store_id is None or (old and old.store_id == new.store_id):
        return []
    return [open_place_check(Store, new.family_id, new.store_id).refusing(refusal)]


async def update_pending_claim(
    tx: Transaction, old: ShoppingListItem, new: ShoppingListItem | None
) -> None:
    """Write the claims of an entry's items when it changes or goes."""
    before, after = old.waits_for, new and new.waits_for
    if before == after:
        return
    if before:
        claim = await pending_entries(tx.db, old.family_id, before)
        tx.write(claim.removing(old.shopping_item_id))
    if after:
        claim = await pending_entries(tx.db, old.family_id, after)
        tx.write(claim.adding(old.shopping_item_id))


class EntriesFollowItem(ItemFollower):
    async def removed(self, db: Database, family_id: str, item_id: str, _by: str | None) -> None:
        await unlink(db, family_id, item_id)

    async def counted(self, db: Database, family_id: str, item_id: str) -> Mapping[str, int]:
        return {"entries": await db.count(naming(family_id, item_id))}

    async def shown(self, db: Database, member: InFamily, item_id: str) -> Mapping[str, Any]:
        return {"listed": bool(await on_list(db, member.family_id, [item_id]))}


async def unlink(db: Database, family_id: str, item_id: str) -> None:
    """Turn the entries of a deleted item into free text, some in each transaction. No new entry can
    name the item, so none is left when none is found."""
    while await _unlink_some(db, pending_key(family_id, item_id), family_id, item_id):
        pass


@transaction
async def _unlink_some(
    tx: Transaction, _claim: Key[PendingEntries], family_id: str, item_id: str
) -> bool:
    entries = await tx.db.all(naming(family_id, item_id).page(UNLINKED_AT_ONCE))
    if not entries:
        return False
    for entry in entries:
        tx.replace(entry, entry.revised(clock.after(entry.updated_at), item_id=None))
    claim = await pending_entries(tx.db, family_id, item_id)
    tx.write(claim.removing(*(entry.shopping_item_id for entry in entries)))
    return True
