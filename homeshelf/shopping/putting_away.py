"""Putting away: one explicit tap adds what was bought to the stock, another takes it back."""

from asyncio import gather
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from homeshelf import clock
from homeshelf.coordination.transaction import Transaction, existing, require_version, transaction
from homeshelf.errors import ItemUnavailable, NotFound, VersionConflict, WrongState
from homeshelf.inventory import store as inventory
from homeshelf.inventory.model import InventoryItem, in_use, new_item
from homeshelf.places.model import Store
from homeshelf.places.store import collect_missing
from homeshelf.sentences import _
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.shopping.store import naming_store, purchased_at, whole_list
from homeshelf.table import Database, Key


@dataclass(frozen=True)
class PutAway:
    """An entry and its item after the change; free text may have none."""

    entry: ShoppingListItem
    item: InventoryItem | None


@dataclass(frozen=True)
class Belongs:
    """What free text becomes when it is put away: one of these."""

    as_new_item: bool = False
    item_id: str | None = None
    without_item: bool = False

    @property
    def is_said(self) -> bool:
        return self.as_new_item or self.without_item or self.item_id is not None


UNSAID = Belongs()


async def put_away(
    db: Database,
    key: Key[ShoppingListItem],
    version: int,
    quantity: int | None,
    by: str,
    belongs: Belongs = UNSAID,
) -> PutAway:
    """Add to the stock what was bought: `quantity`, else as many as were to be bought, else one."""
    gone: set[str | None] = set()
    shared = await _shared(db, key, belongs.item_id)
    return await _put_away(db, shared, key, version, quantity, by, belongs, gone)


@transaction
async def _put_away(
    tx: Transaction,
    _shared: Key[Any],
    key: Key[ShoppingListItem],
    version: int,
    quantity: int | None,
    by: str,
    belongs: Belongs,
    gone: set[str | None],
) -> PutAway:
    """Collect in `gone` the stores that turn out to be deleted."""
    entry = await _bought(tx, key, version, put_away=False)
    more = quantity or entry.quantity or 1
    if entry.item_id is None and not belongs.is_said:
        raise ItemUnavailable(_("This is free text: say whether it becomes an item."))
    if entry.item_id is not None and belongs.is_said:
        raise ItemUnavailable(_("This is of an item already."))
    if belongs.without_item:
        new = entry.put_away(clock.after(entry.updated_at), None)
        tx.replace(entry, new)
        return PutAway(new, None)
    if belongs.as_new_item:
        return await _make_item(tx, entry, more, by, gone)
    if belongs.item_id is not None and not await tx.db.get(_item_key(entry, belongs.item_id)):
        raise NotFound(_("There is no such item."))
    item, at = await _item(tx, entry, belongs.item_id)
    new = entry.put_away(at, item.item_id)
    tx.replace(entry, new)
    return PutAway(new, await inventory.adjust_item(tx, item, more, "put_away", by, at))


async def put_all_away(
    db: Database, family_id: str, store_id: str | None, by: str
) -> list[ShoppingListItem]:
    """Put away what was bought, of one store's list or all; returns the entries of archived items.
    Each has its own transaction: another person's change stops none of the others."""
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


async def not_put_away(
    db: Database, family_id: str, shops: Sequence[Store]
) -> list[ShoppingListItem]:
    """Return what was bought in these stores or anywhere and is not put away: one query each."""
    store_ids = (*(shop.store_id for shop in shops), None)
    found = await gather(*(db.all(purchased_at(family_id, store_id)) for store_id in store_ids))
    return [entry for entries in found for entry in entries if entry.is_not_put_away]


async def put_aside(db: Database, entries: Sequence[ShoppingListItem]) -> set[str]:
    """Return the archived items among entries that are to be put away."""
    found = await db.get_existing(_item_key(entry) for entry in entries if entry.is_to_put_away)
    return {item.item_id for item in found if item.status == "archived"}


async def take_back(db: Database, key: Key[ShoppingListItem], version: int, by: str) -> PutAway:
    """Undo it: take as many as came, as far as they are still there. A new item stays, and is
    linked."""
    return await _take_back(db, await _shared(db, key), key, version, by)


@transaction
async def _take_back(
    tx: Transaction, _shared: Key[Any], key: Key[ShoppingListItem], version: int, by: str
) -> PutAway:
    entry = await _bought(tx, key, version, put_away=True)
    if entry.item_id is None:
        new = entry.taken_back(clock.after(entry.updated_at))
        tx.replace(entry, new)
        return PutAway(new, None)
    item, at = await _item(tx, entry)
    # The history has how many were put away, under the same timestamp.
    query = inventory.changed_at(item.family_id, item.item_id, str(entry.put_away_at))
    changes = await tx.db.all(query.up_to_date(), skip=False)
    came = sum(change.delta for change in changes if change.source in ("put_away", "created"))
    new = entry.taken_back(at)
    tx.replace(entry, new)
    return PutAway(new, await inventory.adjust_item(tx, item, -came, "undo", by, at))


async def _shared(db: Database, key: Key[ShoppingListItem], item_id: str | None = None) -> Key[Any]:
    """Return the key of the item, if there is one, which others change at the same time."""
    entry = await existing(db, key)
    return _item_key(entry, item_id) if entry.item_id or item_id else key


def _item_key(entry: ShoppingListItem, item_id: str | None = None) -> Key[InventoryItem]:
    return inventory.key_of(entry.family_id, str(entry.item_id or item_id))


async def _bought(
    tx: Transaction, key: Key[ShoppingListItem], version: int, *, put_away: bool
) -> ShoppingListItem:
    entry = await tx.get(key)
    if entry.status != "purchased":
        raise WrongState(entry, _("It is not bought yet."))
    if put_away and entry.put_away_at is None:
        raise WrongState(entry, _("It is not put away."))
    if entry.put_away_at is not None and not put_away:
        raise WrongState(entry, _("It is put away already."))
    require_version(entry, version)
    return entry


async def _item(
    tx: Transaction, entry: ShoppingListItem, item_id: str | None = None
) -> tuple[InventoryItem, str]:
    """Return the item, which must be in use, and a timestamp after the last change of both."""
    found = await tx.db.get(_item_key(entry, item_id))
    item = in_use(found, ItemUnavailable(_("The item is gone.")))
    return item, clock.after(max(entry.updated_at, item.updated_at))


async def _make_item(
    tx: Transaction, entry: ShoppingListItem, quantity: int, by: str, gone: set[str | None]
) -> PutAway:
    """Make a new item of the entry's name and store; `gone` are deleted stores."""
    at = clock.after(entry.updated_at)
    store_id = None if entry.store_id in gone else entry.store_id
    given = {"name": entry.name, "quantity": quantity, "preferred_store_id": store_id}
    item = new_item(entry.family_id, by, given, at)
    new = entry.put_away(at, item.item_id)
    tx.replace(entry, new)
    await inventory.add_item(tx, item)
    if store_id:
        tx.write(*naming_store(entry, collect_missing(store_id, gone)))
    return PutAway(new, item)
