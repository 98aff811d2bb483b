"""Adding an entry: once for an item, unless the caller forces a second one."""

from collections.abc import Mapping, Sequence
from typing import Any

from homeshelf import clock
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.errors import Duplicate, NotFound
from homeshelf.inventory import store as inventory
from homeshelf.inventory.model import InventoryItem, in_use
from homeshelf.places.store import collect_missing
from homeshelf.sentences import _
from homeshelf.shopping.model import PendingEntries, ShoppingListItem
from homeshelf.shopping.store import NO_STORE, key_of, naming_store, pending_entries, pending_key
from homeshelf.table import Check, Database, Item, Key, Write, attr


def new_entry(
    family_id: str, added_by: str, given: Mapping[str, Any], item: InventoryItem | None = None
) -> ShoppingListItem:
    """Make an entry; the item gives its name and store where the caller names none. The list is in
    the order of these timestamps, so no two entries have the same."""
    at = clock.timestamp_in_order()
    filled = {"name": item.name, "store_id": item.preferred_store_id} if item else {}
    fields = {"shopping_item_id": clock.new_id(), **filled, **given}
    return ShoppingListItem(
        family_id=family_id, added_by=added_by, created_at=at, updated_at=at, **fields
    )


async def add(
    db: Database,
    family_id: str,
    added_by: str,
    given: Mapping[str, Any],
    *,
    force: bool = False,
) -> ShoppingListItem:
    """Add an entry. Of several who add the same item at once one succeeds; the others get its
    entry."""
    own = given.get("shopping_item_id")
    given = {"shopping_item_id": own or clock.new_id(), **given}
    key, item_id = key_of(family_id, given["shopping_item_id"]), given.get("item_id")
    taken = [key] if own else []  # an id that is made here is free
    gone: set[str | None] = set()
    shared = pending_key(family_id, item_id) if item_id else key
    return await _add(db, shared, family_id, added_by, given, taken, gone, force=force)


@transaction
async def _add(
    tx: Transaction,
    _shared: Key[Any],
    family_id: str,
    added_by: str,
    given: Mapping[str, Any],
    taken: Sequence[Key[ShoppingListItem]],
    gone: set[str | None],
    *,
    force: bool,
) -> ShoppingListItem:
    """Collect in `gone` the stores of the item that turn out to be deleted."""
    item = claim = None
    if (item_id := given.get("item_id")) is not None:
        keys: list[Key[Any]] = [inventory.key_of(family_id, item_id)]
        found, claim, *own = await tx.db.get_many([*keys, pending_key(family_id, item_id), *taken])
        item = in_use(found, NotFound(_("There is no such item.")))
        if any(own):
            raise Duplicate(own[0])
        if claim is not None and not force:
            await _refuse_second(tx.db, claim)
        claim = claim or PendingEntries(family_id=family_id, item_id=item_id)
    new = new_entry(family_id, added_by, given, item)
    if new.store_id in gone:
        new = new.changed(store_id=None)
    tx.add(new, _duplicate)
    is_asked_for = "store_id" in given
    tx.write(*naming_store(new, NO_STORE if is_asked_for else collect_missing(new.store_id, gone)))
    tx.write(*_naming_item(new, claim))
    return new


async def add_to_list(tx: Transaction, new: ShoppingListItem) -> None:
    """Put an entry on the list as part of another transaction, forced."""
    claim = await pending_entries(tx.db, new.family_id, new.item_id) if new.item_id else None
    tx.add(new)
    tx.write(*naming_store(new, None), *_naming_item(new, claim))


async def _duplicate(there: Item | None) -> None:
    if there is not None:
        raise Duplicate(ShoppingListItem.load(there))


async def _refuse_second(db: Database, claim: PendingEntries) -> None:
    """Refuse a second entry; one that the claim lists and that is gone was removed this very
    moment."""
    for found in await db.get_many([key_of(claim.family_id, each) for each in claim.members]):
        if found is not None and found.waits_for == claim.item_id:
            raise Duplicate(found, _("It is on the list already."))


def _naming_item(new: ShoppingListItem, claim: PendingEntries | None) -> list[Write]:
    """Require the item to be in use, and add the entry to its claim."""
    if claim is None:
        return []
    in_use = Check(inventory.key_of(claim.family_id, claim.item_id), attr("status") == "active")
    return [in_use, claim.adding(new.shopping_item_id)]
