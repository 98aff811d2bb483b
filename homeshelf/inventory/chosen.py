"""The pictures that were chosen for items, for whatever shows them by their names."""

from collections.abc import Iterable

from homeshelf.inventory.store import key_of
from homeshelf.table import Database


async def chosen_pictures(
    db: Database, family_id: str, item_ids: Iterable[str | None]
) -> dict[str, str]:
    """By the item; of those that somebody chose one for."""
    keys = [key_of(family_id, item_id) for item_id in dict.fromkeys(item_ids) if item_id]
    found = await db.get_many(keys, skip=True)
    return {item.item_id: item.picture for item in found if item and item.picture}
