"""Adding an entry: once for an item, unless the caller forces a second one."""

from collections.abc import Mapping, Sequence
from typing import Any

from homeshelf import clock
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.errors import Duplicate, NotFound
from homeshelf.inventory import store as inventory
from homeshelf.inventory.model import InventoryItem, in_use
from homeshelf.sentences import _
from homeshelf.shopping.model import PendingEntries, ShoppingListItem
from homeshelf.shopping.store import NO_STORE, key_of, naming_store
from homeshelf.shopping.waiting import key_of_waiting, waiting_for
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
    shared = key_of_waiting(family_id, item_id) if item_id else key
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
    item = waiting = None
    if (item_id := given.get("item_id")) is not None:
        item, waiting = await _addable(tx.db, taken, family_id, item_id, force=force)
    new = new_entry(family_id, added_by, given, item)
    if new.store_id in gone:
        new = new.changed(store_id=None)

    async def forget(there: Item | None) -> None:
        if there is None:
            gone.add(new.store_id)

    tx.add(new, _duplicate)
    tx.write(*naming_store(new, NO_STORE if "store_id" in given else forget))
    tx.write(*_naming_item(new, waiting))
    return new


async def add_to_list(tx: Transaction, new: ShoppingListItem) -> None:
    """Put an entry on the list as part of another transaction, forced."""
    waiting = await waiting_for(tx.db, new.family_id, new.item_id) if new.item_id else None
    tx.add(new)
    tx.write(*naming_store(new, None), *_naming_item(new, waiting))


async def _duplicate(there: Item | None) -> None:
    if there is not None:
        raise Duplicate(ShoppingListItem.load(there))


async def _addable(
    db: Database,
    taken: Sequence[Key[ShoppingListItem]],
    family_id: str,
    item_id: str,
    *,
    force: bool,
) -> tuple[InventoryItem, PendingEntries]:
    """Return the item and its pending entries, or refuse."""
    keys: list[Key[Any]] = [
        inventory.key_of(family_id, item_id),
        key_of_waiting(family_id, item_id),
    ]
    found, waiting, *own = await db.get_many([*keys, *taken])
    item = in_use(found, NotFound(_("There is no such item.")))
    if any(own):
        raise Duplicate(own[0])
    if waiting is not None and not force:
        await _refuse_second(db, waiting)
    return item, waiting or PendingEntries(family_id=family_id, item_id=item_id)


async def _refuse_second(db: Database, waiting: PendingEntries) -> None:
    """Refuse a second entry; one that the claim lists and that is gone was removed this very
    moment."""
    keys = [key_of(waiting.family_id, entry_id) for entry_id in waiting.members]
    for found in await db.get_many(keys):
        if found is not None and found.waits_for == waiting.item_id:
            raise Duplicate(found, _("It is on the list already."))


def _naming_item(new: ShoppingListItem, waiting: PendingEntries | None) -> list[Write]:
    """Require the item to be in use, and add the entry to its claim."""
    if waiting is None:
        return []
    in_use = Check(inventory.key_of(waiting.family_id, waiting.item_id), attr("status") == "active")
    return [in_use, waiting.adding(new.shopping_item_id)]
