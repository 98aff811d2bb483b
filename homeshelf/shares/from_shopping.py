"""The shopping list of one store as a list that anybody can be handed.

shopping_at(db, family_id, store_id)        what a list of it is made of, for `create`
"""

from homeshelf.errors import NotFound
from homeshelf.places import store as places
from homeshelf.shares.model import MOST_ITEMS, ListContent, NewItem
from homeshelf.shopping import store as shopping
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.table import Database


async def shopping_at(db: Database, family_id: str, store_id: str | None) -> ListContent:
    """What is to be bought there, in the order in which it was added; None is where no store
    was chosen. The new list is a copy: what is ticked on it stays on it."""
    name = "Shopping"
    if store_id is not None:
        shop = await places.shop(db, family_id, store_id)
        if shop is None:
            raise NotFound
        name = shop.name
    entries = await db.all(shopping.pending_at(family_id, store_id))
    oldest = sorted(entries, key=lambda entry: (entry.created_at, entry.shopping_item_id))
    return ListContent(name=name, items=tuple(map(_item, oldest[:MOST_ITEMS])))


def _item(entry: ShoppingListItem) -> NewItem:
    many = entry.quantity is not None and entry.quantity > 1
    return NewItem(f"{entry.quantity} {entry.name}" if many else entry.name, entry.notes)
