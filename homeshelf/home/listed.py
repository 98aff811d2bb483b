from asyncio import gather
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from homeshelf.inventory.store import chosen_pictures
from homeshelf.places.model import Store
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.shopping.store import pending_at
from homeshelf.table import Database

SHOWN = 8


@dataclass(frozen=True)
class ToBuy:
    entries: Sequence[ShoppingListItem]
    stores: Mapping[str | None, str]
    """The stores with entries, by id."""
    pictures: Mapping[str, str]


async def to_buy(db: Database, family_id: str, shops: Sequence[Store]) -> ToBuy:
    """Read no more of each store than is shown, however long the list is."""
    names: dict[str | None, str] = {shop.store_id: shop.name for shop in shops}
    visited = [*sorted(names, key=lambda store_id: names[store_id].casefold()), None]
    questions = [pending_at(family_id, store_id).page(SHOWN) for store_id in visited]
    found = await gather(*map(db.all, questions))
    waiting = {store_id for store_id, entries in zip(visited, found, strict=True) if entries}
    entries = [
        entry
        for there in found
        for entry in sorted(there, key=lambda each: (each.created_at, each.shopping_item_id))
    ][:SHOWN]
    return ToBuy(
        entries,
        {store_id: names[store_id] for store_id in visited if store_id in waiting and store_id},
        await chosen_pictures(db, family_id, (entry.item_id for entry in entries)),
    )
