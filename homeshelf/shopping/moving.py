from collections.abc import Sequence

from homeshelf.shopping.model import (
    PendingEntries,
    Purchase,
    ShoppingListItem,
    StorePlace,
    digest_of_name,
)
from homeshelf.table import Database, Record
from homeshelf.web.belongings import Arrival


async def move_in(_db: Database, arrival: Arrival) -> Sequence[Record]:
    """With what says which entries of a thing wait to be bought."""
    entries = arrival.of(ShoppingListItem)
    habits: list[Purchase | StorePlace] = [*arrival.of(Purchase), *arrival.of(StorePlace)]
    named = [each.changed(name_digest=digest_of_name(each.family_id, each.name)) for each in habits]
    return [*entries, *_waiting(arrival.owner_id, entries), *named]


def _waiting(family_id: str, entries: Sequence[ShoppingListItem]) -> list[PendingEntries]:
    waiting: dict[str, tuple[str, ...]] = {}
    for entry in sorted(entries, key=lambda each: (each.created_at, each.shopping_item_id)):
        if item_id := entry.waits_for:
            waiting[item_id] = (*waiting.get(item_id, ()), entry.shopping_item_id)
    return [
        PendingEntries(family_id=family_id, item_id=item_id, members=members)
        for item_id, members in waiting.items()
    ]
