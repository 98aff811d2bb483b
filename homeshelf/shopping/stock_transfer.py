"""Add purchased entries to the stock, and undo that."""

from asyncio import gather
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from homeshelf import clock
from homeshelf.coordination.transaction import Transaction, existing, require_version, transaction
from homeshelf.errors import ItemUnavailable, NotFound, VersionConflict, WrongState
from homeshelf.inventory import store as inventory
from homeshelf.inventory.model import InventoryItem, new_item, require_active
from homeshelf.inventory.store import items_by_quantity
from homeshelf.pictures import picture_of, shown_picture
from homeshelf.places.model import StorageLocation, Store
from homeshelf.places.store import collect_missing, open_place_check
from homeshelf.sentences import _
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.shopping.store import bought_at_store, store_check
from homeshelf.table import Database, Key


@dataclass(frozen=True)
class Transfer:
    entry: ShoppingListItem
    item: InventoryItem | None


@dataclass(frozen=True)
class StockChoice:
    """The choice of what free text becomes in the stock."""

    as_new_item: bool = False
    item_id: str | None = None
    without_item: bool = False


NO_CHOICE = StockChoice()
MAX_KNOWN_ITEMS = 300
"""The items that are read to recognize names and to guess locations."""


async def put_away(
    db: Database,
    key: Key[ShoppingListItem],
    version: int,
    quantity: int | None,
    member_id: str,
    choice: StockChoice = NO_CHOICE,
) -> Transfer:
    """Add an entry to the stock: `quantity`, or the entry's quantity, or one."""
    gone_places: set[str | None] = set()
    lock = await _lock_key(db, key, choice.item_id)
    return await _put_away(db, lock, key, version, quantity, member_id, choice, gone_places)


@transaction
async def _put_away(
    tx: Transaction,
    _lock: Key[Any],
    key: Key[ShoppingListItem],
    version: int,
    quantity: int | None,
    member_id: str,
    choice: StockChoice,
    gone_places: set[str | None],
) -> Transfer:
    entry = await _get_purchased(tx, key, version, put_away=False)
    more = quantity or entry.quantity or 1
    if entry.item_id is None and choice == NO_CHOICE:
        raise ItemUnavailable(_("This is free text: say whether it becomes an item."))
    if entry.item_id is not None and choice != NO_CHOICE:
        raise ItemUnavailable(_("This already belongs to an item."))
    if choice.without_item:
        new = entry.as_put_away(clock.after(entry.updated_at), None)
        tx.replace(entry, new)
        return Transfer(new, None)
    if choice.as_new_item:
        return await _create_item(tx, entry, more, member_id, gone_places)
    if choice.item_id and not await tx.db.get(_item_key(entry, choice.item_id)):
        raise NotFound(_("There’s no such item."))
    item, at = await _get_item(tx, entry, choice.item_id)
    new = entry.as_put_away(at, item.item_id)
    tx.replace(entry, new)
    return Transfer(new, await inventory.adjust_item(tx, item, more, "put_away", member_id, at))


@dataclass(frozen=True)
class TripLine:
    key: Key[ShoppingListItem]
    version: int
    quantity: int
    choice: StockChoice


@dataclass
class TripOutcome:
    already_away: list[ShoppingListItem] = field(default_factory=list)
    is_changed: bool = False
    """True if another client deleted, unticked or linked an entry."""
    has_unavailable_items: bool = False


async def put_trip_away(db: Database, lines: Iterable[TripLine], member_id: str) -> TripOutcome:
    """Put entries away one by one; what another client put away is not counted twice."""
    outcome = TripOutcome()
    for line in lines:
        try:
            await _put_line_away(db, line, member_id)
        except WrongState as conflict:
            entry = conflict.record
            if isinstance(entry, ShoppingListItem) and entry.put_away_at:
                outcome.already_away.append(entry)
            else:
                outcome.is_changed = True
        except NotFound:
            outcome.is_changed = True
        except ItemUnavailable:
            outcome.has_unavailable_items = True
    return outcome


async def _put_line_away(db: Database, line: TripLine, member_id: str) -> None:
    """Put an entry away even if its other fields changed, because the quantity was confirmed."""
    version = line.version
    while True:
        try:
            await put_away(db, line.key, version, line.quantity, member_id, line.choice)
        except VersionConflict:
            version = (await existing(db, line.key)).version
        else:
            return


async def unstored_entries(
    db: Database, family_id: str, shops: Sequence[Store]
) -> list[ShoppingListItem]:
    """Return purchased entries still to be put away: those of these stores or without a store."""
    visited = (*(shop.store_id for shop in shops), None)
    found = await gather(*(db.all(bought_at_store(family_id, store_id)) for store_id in visited))
    return [entry for entries in found for entry in entries if entry.needs_put_away]


async def archived_items(db: Database, entries: Sequence[ShoppingListItem]) -> set[str]:
    """Return the ids of archived items that purchased entries name."""
    found = await db.get_existing(_item_key(entry) for entry in entries if entry.needs_stock)
    return {item.item_id for item in found if item.status == "archived"}


async def undo_put_away(
    db: Database, key: Key[ShoppingListItem], version: int, member_id: str
) -> Transfer:
    """Take the quantity out of the stock again; an item that was created stays."""
    return await _undo_put_away(db, await _lock_key(db, key), key, version, member_id)


@transaction
async def _undo_put_away(
    tx: Transaction, _lock: Key[Any], key: Key[ShoppingListItem], version: int, member_id: str
) -> Transfer:
    entry = await _get_purchased(tx, key, version, put_away=True)
    if entry.item_id is None:
        new = entry.as_not_put_away(clock.after(entry.updated_at))
        tx.replace(entry, new)
        return Transfer(new, None)
    item, at = await _get_item(tx, entry)
    # The history holds the quantity under the same timestamp.
    query = inventory.change_at(item.family_id, item.item_id, str(entry.put_away_at))
    changes = await tx.db.all(query.up_to_date(), skip=False)
    quantity = sum(change.delta for change in changes if change.source in ("put_away", "created"))
    new = entry.as_not_put_away(at)
    tx.replace(entry, new)
    return Transfer(new, await inventory.adjust_item(tx, item, -quantity, "undo", member_id, at))


async def _lock_key(
    db: Database, key: Key[ShoppingListItem], item_id: str | None = None
) -> Key[Any]:
    """Return the key to lock: the item's, or the entry's if it has no item."""
    entry = await existing(db, key)
    return _item_key(entry, item_id) if entry.item_id or item_id else key


def _item_key(entry: ShoppingListItem, item_id: str | None = None) -> Key[InventoryItem]:
    return inventory.key_of(entry.family_id, str(entry.item_id or item_id))


async def _get_purchased(
    tx: Transaction, key: Key[ShoppingListItem], version: int, *, put_away: bool
) -> ShoppingListItem:
    entry = await tx.get(key)
    if entry.status != "purchased":
        raise WrongState(entry, _("This isn’t bought yet."))
    if put_away and entry.put_away_at is None:
        raise WrongState(entry, _("This isn’t put away."))
    if entry.put_away_at is not None and not put_away:
        raise WrongState(entry, _("This is already put away."))
    require_version(entry, version)
    return entry


async def _get_item(
    tx: Transaction, entry: ShoppingListItem, item_id: str | None = None
) -> tuple[InventoryItem, str]:
    found = await tx.db.get(_item_key(entry, item_id))
    item = require_active(found, ItemUnavailable(_("The item no longer exists.")))
    return item, clock.after(max(entry.updated_at, item.updated_at))


def guess_location(name: str, items: Iterable[InventoryItem]) -> str | None:
    """Return where most items with the same picture are kept."""
    picture = picture_of(name)
    kept = (
        item.location_id
        for item in items
        if item.location_id and picture and shown_picture(item.name, item.picture) == picture
    )
    found = Counter(sorted(kept)).most_common(1)
    return found[0][0] if found else None


async def _create_item(
    tx: Transaction,
    entry: ShoppingListItem,
    quantity: int,
    member_id: str,
    gone_places: set[str | None],
) -> Transfer:
    at = clock.after(entry.updated_at)
    store_id = None if entry.store_id in gone_places else entry.store_id
    stock = await tx.db.query(items_by_quantity(entry.family_id, "active").page(MAX_KNOWN_ITEMS))
    location_id = guess_location(entry.name, stock.items)
    location_id = None if location_id in gone_places else location_id
    given = {
        "name": entry.name,
        "quantity": quantity,
        "preferred_store_id": store_id,
        "location_id": location_id,
    }
    item = new_item(entry.family_id, member_id, given, at)
    new = entry.as_put_away(at, item.item_id)
    tx.replace(entry, new)
    await inventory.add_item(tx, item)
    if store_id:
        tx.write(*store_check(entry, collect_missing(store_id, gone_places)))
    if location_id:
        check = open_place_check(StorageLocation, entry.family_id, location_id)
        tx.write(check.with_refusal(collect_missing(location_id, gone_places)))
    return Transfer(new, item)
