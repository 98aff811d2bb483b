"""What was bought comes home: one explicit tap adds it to the stock, and another takes it back."""

from collections.abc import Sequence
from dataclasses import dataclass

from homeshelf import clock
from homeshelf.coordination.idempotency import Also, nothing_else
from homeshelf.errors import ItemUnavailable, NotFound, VersionConflict, WrongState
from homeshelf.inventory import store as inventory
from homeshelf.inventory.model import InventoryItem, Source
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.shopping.store import entry_changed, whole_list
from homeshelf.table import Database, Key


@dataclass(frozen=True)
class PutAway:
    """An entry and its item, as they became together."""

    entry: ShoppingListItem
    item: InventoryItem


async def put_away(
    db: Database,
    key: Key[ShoppingListItem],
    version: int,
    quantity: int | None,
    by: str,
    also: Also = nothing_else,
) -> PutAway:
    """Add what was bought to the item: so many, else as many as were to be bought, else one."""

    async def attempt() -> PutAway:
        entry = await _bought(db, key)
        if entry.put_away_at is not None:
            raise WrongState(entry, "It is put away already.")
        item, at = await _ready(db, entry, version)
        more = quantity or entry.quantity or 1
        return await _moved(db, entry, entry.put_away(at), item, more, "put_away", by, also)

    return await db.settle(await _queue(db, key), attempt)


async def put_all_away(
    db: Database, family_id: str, store_id: str | None, by: str
) -> list[ShoppingListItem]:
    """Put away what was bought, of one store's list or of all; returns what had to be left.

    Each by itself: what somebody else takes at the same moment stops nothing.
    """
    left = []
    for entry in await db.all(whole_list(family_id).up_to_date()):
        if entry.is_to_put_away and entry.is_bought_at(store_id):
            try:
                await put_away(db, entry.own_key(), entry.version, None, by)
            except ItemUnavailable:
                left.append(entry)
            except (NotFound, VersionConflict, WrongState):  # somebody was quicker
                continue
    return left


async def put_aside(db: Database, entries: Sequence[ShoppingListItem]) -> set[str]:
    """The items of those that are to be put away and cannot be: they are archived."""
    keys = dict.fromkeys(_item_key(entry) for entry in entries if entry.is_to_put_away)
    found = await db.get_many(list(keys), skip=True)
    return {item.item_id for item in found if item is not None and item.status == "archived"}


async def take_back(db: Database, key: Key[ShoppingListItem], version: int, by: str) -> PutAway:
    """Undo it: as many go as had come, as far as they are still there."""

    async def attempt() -> PutAway:
        entry = await _bought(db, key)
        if entry.put_away_at is None:
            raise WrongState(entry, "It is not put away.")
        item, at = await _ready(db, entry, version)
        less = -await _came(db, item, entry.put_away_at)
        return await _moved(db, entry, entry.taken_back(at), item, less, "undo", by)

    return await db.settle(await _queue(db, key), attempt)


async def _queue(db: Database, key: Key[ShoppingListItem]) -> Key[InventoryItem]:
    """The item's place in line: it is what others change at the same time."""
    entry = await db.get(key)
    if entry is None:
        raise NotFound
    return _item_key(entry)


def _item_key(entry: ShoppingListItem) -> Key[InventoryItem]:
    if entry.item_id is None:
        raise ItemUnavailable("This is free text: there is no item to put it away to.")
    return inventory.key_of(entry.family_id, entry.item_id)


async def _bought(db: Database, key: Key[ShoppingListItem]) -> ShoppingListItem:
    entry = await db.get(key)
    if entry is None:
        raise NotFound
    if entry.status != "purchased":
        raise WrongState(entry, "It is not bought yet.")
    return entry


async def _ready(db: Database, entry: ShoppingListItem, version: int) -> tuple[InventoryItem, str]:
    """The item of an entry that the caller has seen, and a moment after the last change of both."""
    if entry.version != version:
        raise VersionConflict(entry)
    item = await db.get(_item_key(entry))
    if item is None:
        raise ItemUnavailable("The item is gone.")
    if item.status != "active":
        raise ItemUnavailable("This item is archived.")
    return item, clock.after(max(entry.updated_at, item.updated_at))


async def _moved(
    db: Database,
    old: ShoppingListItem,
    new: ShoppingListItem,
    item: InventoryItem,
    delta: int,
    source: Source,
    by: str,
    also: Also = nothing_else,
) -> PutAway:
    adjusted, changes = await inventory.adjusting(db, item, delta, source, by, new.updated_at)
    result = PutAway(new, adjusted.item)
    unharmed = [] if changes else [item.check(item.unchanged)]
    await db.transact(new.replacing(old), entry_changed(new), *changes, *unharmed, *also(result))
    return result


async def _came(db: Database, item: InventoryItem, put_away_at: str) -> int:
    """How many were put away then: the item's history has it, under the same moment."""
    query = inventory.changed_at(item.family_id, item.item_id, put_away_at).up_to_date()
    changes = await db.all(query, skip=False)
    return sum(change.delta for change in changes if change.source == "put_away")
