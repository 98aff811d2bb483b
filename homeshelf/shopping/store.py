"""The list's questions, and what happens to an entry. See `adding.py` for how one comes onto it."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from homeshelf import clock
from homeshelf.coordination import changing
from homeshelf.coordination.changes import note_change
from homeshelf.coordination.changing import Outcome, change, delete_if_unreadable, missing
from homeshelf.errors import NotFound, WrongState
from homeshelf.places.model import Place, Store
from homeshelf.places.store import still_open
from homeshelf.sentences import _
from homeshelf.shopping.model import ShoppingListItem, Status
from homeshelf.shopping.waiting import following, leaving
from homeshelf.table import Check, Database, Key, Query, Refusal, Write, attr

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
    """The same for what was bought."""
    return ShoppingListItem.where(
        "GSI2", family_id=family_id, store_id=store_id, status="purchased"
    )


def naming(family_id: str, item_id: str) -> Query[ShoppingListItem]:
    """The entries of an item, bought or not, up to date."""
    return whole_list(family_id).up_to_date().only(attr("itemId") == item_id)


async def naming_place(db: Database, place: Place) -> Mapping[str, int]:
    """How many entries name a store, up to date."""
    if not isinstance(place, Store):
        return {}
    entries = whole_list(place.family_id).up_to_date()
    return {"shoppingItems": await db.count(entries.only(attr("storeId") == place.place_id))}


async def edit(
    db: Database, key: Key[ShoppingListItem], version: int, changes: Mapping[str, Any]
) -> ShoppingListItem:
    """Change what to buy, how much of it and where."""

    async def edited(old: ShoppingListItem) -> "Outcome[ShoppingListItem]":
        new = old.edited(**changes)
        return new, naming_store(new, NO_STORE, old)

    return await change(db, key, edited, version)


async def mark(
    db: Database, key: Key[ShoppingListItem], version: int, status: Status
) -> ShoppingListItem:
    """Check an entry off, or put it back on the list."""

    async def marked(old: ShoppingListItem) -> "Outcome[ShoppingListItem]":
        new = old.marked(status, clock.after(old.updated_at))
        return new, await following(db, old, new)

    return await change(db, key, marked, version)


async def remove(db: Database, key: Key[ShoppingListItem]) -> None:
    async with delete_if_unreadable(db, key, partial(_leftovers, db, key)):
        await changing.remove(db, key, lambda old: following(db, old, None))


async def _leftovers(db: Database, key: Key[ShoppingListItem]) -> list[Write]:
    """Return the writes that go with deleting an entry that cannot be read."""
    ids = ShoppingListItem.read_key(key)
    family_id, entry_id = ids["familyId"], ids["shoppingItemId"]
    return [
        *await leaving(db, family_id, entry_id),
        note_change(family_id, "ShoppingListItem", entry_id, None),
    ]


async def undo_adding(db: Database, family_id: str, shopping_item_id: str) -> None:
    """Off the list again, unless it was bought or is gone from it by now."""

    async def not_bought(old: ShoppingListItem) -> Sequence[Write]:
        if old.status != "pending":
            raise WrongState(old)
        return await following(db, old, None)

    with suppress(NotFound, WrongState):
        await changing.remove(db, key_of(family_id, shopping_item_id), not_bought)


def naming_store(
    new: ShoppingListItem, refusal: Refusal | None, old: ShoppingListItem | None = None
) -> list[Check]:
    """A check of the store that the entry names and did not name before."""
    if new.store_id is None or (old and old.store_id == new.store_id):
        return []
    return [still_open(Store, new.family_id, new.store_id).refusing(refusal)]
