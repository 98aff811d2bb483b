"""A yes: the suggestion, what it brings about, and all that goes with that, in one transaction."""

from dataclasses import dataclass

from homeshelf import clock
from homeshelf.coordination.changing import Outcome, as_seen, carry_out, replaced
from homeshelf.errors import ItemUnavailable
from homeshelf.inventory import store as inventory
from homeshelf.inventory.model import InventoryItem
from homeshelf.places import store as places
from homeshelf.sentences import _
from homeshelf.shopping.adding import adding_entry, new_entry
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.suggestions import store
from homeshelf.suggestions.model import UNKNOWN_ITEM, Suggestion
from homeshelf.table import Database, Key


@dataclass(frozen=True)
class Approved:
    suggestion: Suggestion
    created: ShoppingListItem | InventoryItem


async def approve(db: Database, key: Key[Suggestion], version: int, by: str) -> Approved:
    """Nothing has changed where any of it fails, and the error says what did.

    Each try looks at all of it anew, so the next one finds out who was quicker.
    """

    async def decide() -> Outcome[Approved]:
        old = await as_seen(db, key, version, find=store.waiting)
        new = old.approved(by, clock.after(old.updated_at))
        created, writes = await _brought_about(db, new, by)
        return Approved(new, created), (*replaced(old, new), store.mailed(new), *writes)

    return await carry_out(db, key, decide)


async def _brought_about(
    db: Database, suggestion: Suggestion, by: str
) -> Outcome[ShoppingListItem | InventoryItem]:
    if suggestion.type == "create_item":
        item = _new_item(suggestion, by)
        return item, await inventory.adding(db, item)
    entry = await _new_entry(db, suggestion, by)
    return entry, await adding_entry(db, entry)


def _new_item(suggestion: Suggestion, by: str) -> InventoryItem:
    at = clock.timestamp()
    return InventoryItem(
        item_id=clock.new_id(),
        family_id=suggestion.family_id,
        name=suggestion.proposed_item_name or UNKNOWN_ITEM,
        quantity=suggestion.proposed_quantity or 0,
        threshold=suggestion.proposed_threshold or 0,
        created_by=by,
        created_at=at,
        updated_at=at,
    )


async def _new_entry(db: Database, suggestion: Suggestion, by: str) -> ShoppingListItem:
    """One of the item, where it is usually bought if that store is still there."""
    family_id, item_id = suggestion.family_id, suggestion.item_id
    item = await inventory.item(db, family_id, item_id) if item_id else None
    if item is None:
        raise ItemUnavailable(_("This item is gone."))
    if item.status != "active":
        raise ItemUnavailable(_("This item is archived."))
    given = {"item_id": item.item_id, "quantity": 1, "notes": suggestion.notes}
    entry = new_entry(family_id, by, given, item)
    shop = await places.shop(db, family_id, entry.store_id) if entry.store_id else None
    return entry if shop and shop.closed_at is None else entry.changed(store_id=None)
