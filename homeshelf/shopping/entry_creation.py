"""Add entries to the list: one per item, unless the caller forces another."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from homeshelf import clock
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.errors import Duplicate, ItemUnavailable, NotFound
from homeshelf.inventory import store as inventory
from homeshelf.inventory.low_stock import find_low_items
from homeshelf.inventory.model import InventoryItem, require_active
from homeshelf.places.store import collect_missing
from homeshelf.sentences import _
from homeshelf.shopping.model import PendingEntries, ShoppingListItem
from homeshelf.shopping.store import (
    NO_STORE,
    key_of,
    pending_entries,
    pending_key,
    store_check,
    whole_list,
)
from homeshelf.table import Check, Database, Item, Key, Write, attr

MAX_AT_ONCE = 50
"""Low items that one press adds, so that the address of the page can name them for undo."""


def build_entry(
    family_id: str, added_by: str, fields: Mapping[str, Any], item: InventoryItem | None = None
) -> ShoppingListItem:
    """Build an entry with a unique timestamp, which the order of the list needs."""
    at = clock.timestamp_in_order()
    defaults = {"name": item.name, "store_id": item.preferred_store_id} if item else {}
    fields = {"shopping_item_id": clock.new_id(), **defaults, **fields}
    return ShoppingListItem(
        family_id=family_id, added_by=added_by, created_at=at, updated_at=at, **fields
    )


async def add_entry(
    db: Database, family_id: str, added_by: str, fields: Mapping[str, Any], *, force: bool = False
) -> ShoppingListItem:
    """Add an entry; a concurrent or repeated addition of an item raises Duplicate."""
    own_id = fields.get("shopping_item_id")
    fields = {"shopping_item_id": own_id or clock.new_id(), **fields}
    key, item_id = key_of(family_id, fields["shopping_item_id"]), fields.get("item_id")
    own_keys = [key] if own_id else []  # a generated id is always free
    gone_stores: set[str | None] = set()
    lock = pending_key(family_id, item_id) if item_id else key
    return await _add(db, lock, family_id, added_by, fields, own_keys, gone_stores, force=force)


@transaction
async def _add(
    tx: Transaction,
    _lock: Key[Any],
    family_id: str,
    added_by: str,
    fields: Mapping[str, Any],
    own_keys: Sequence[Key[ShoppingListItem]],
    gone_stores: set[str | None],
    *,
    force: bool,
) -> ShoppingListItem:
    item = claim = None
    if (item_id := fields.get("item_id")) is not None:
        keys: list[Key[Any]] = [inventory.key_of(family_id, item_id)]
        keys += [pending_key(family_id, item_id), *own_keys]
        found, claim, *own = await tx.db.get_many(keys)
        item = require_active(found, NotFound(_("There’s no such item.")))
        if any(own):
            raise Duplicate(own[0])
        if claim is not None and not force:
            await _raise_if_listed(tx.db, claim)
        claim = claim or PendingEntries(family_id=family_id, item_id=item_id)
    new = build_entry(family_id, added_by, fields, item)
    if new.store_id in gone_stores:
        new = new.changed(store_id=None)
    tx.add(new, _raise_duplicate)
    refusal = NO_STORE if "store_id" in fields else collect_missing(new.store_id, gone_stores)
    tx.write(*store_check(new, refusal))
    tx.write(*_claim_writes(new, claim))
    return new


async def add_low_items(db: Database, family_id: str, added_by: str) -> list[ShoppingListItem]:
    """Add items that run low, unless they are on the list or bought, at most 50."""
    entries = await db.all(whole_list(family_id).up_to_date())
    there = {each.item_id for each in entries if each.status == "pending" or each.needs_put_away}
    low = [each for each in await find_low_items(db, family_id) if each.item_id not in there]
    added = []
    for item in sorted(low, key=lambda item: item.name.casefold())[:MAX_AT_ONCE]:
        with suppress(Duplicate, NotFound, ItemUnavailable):  # another client was faster
            added.append(await add_entry(db, family_id, added_by, {"item_id": item.item_id}))
    return added


async def add_forced_entry(tx: Transaction, new: ShoppingListItem) -> None:
    claim = await pending_entries(tx.db, new.family_id, new.item_id) if new.item_id else None
    tx.add(new)
    tx.write(*store_check(new, None), *_claim_writes(new, claim))


async def _raise_duplicate(there: Item | None) -> None:
    if there is not None:
        raise Duplicate(ShoppingListItem.load(there))


async def _raise_if_listed(db: Database, claim: PendingEntries) -> None:
    """Raise Duplicate for a listed entry; one that is missing was deleted just now."""
    for found in await db.get_many([key_of(claim.family_id, each) for each in claim.members]):
        if found is not None and found.pending_item_id == claim.item_id:
            raise Duplicate(found, _("That’s already on the list."))


def _claim_writes(new: ShoppingListItem, claim: PendingEntries | None) -> list[Write]:
    if claim is None:
        return []
    in_use = Check(inventory.key_of(claim.family_id, claim.item_id), attr("status") == "active")
    return [in_use, claim.adding(new.shopping_item_id)]
