"""Sample records of households, with realistic sizes."""

from collections.abc import Sequence

from homeshelf import clock
from homeshelf.inventory.model import InventoryItem
from homeshelf.places.model import Store
from homeshelf.shopping.entry_creation import build_entry
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.taps.model import NFCUrl, url_id_of


def items(family_id: str, member_id: str, number: int) -> list[InventoryItem]:
    at = clock.timestamp()
    places = [clock.new_id() for _ in range(4)]
    return [
        InventoryItem(
            item_id=clock.new_id(),
            family_id=family_id,
            name=f"Paper towels, the large pack {each}",
            quantity=each + 10,
            threshold=3,
            location_id=places[each % 2],
            preferred_store_id=places[2],
            alternate_store_ids=(places[3],),
            unit="packs",
            created_by=member_id,
            created_at=at,
            updated_at=at,
        )
        for each in range(number)
    ]


def stores(items: Sequence[InventoryItem]) -> list[Store]:
    """Return the stores of items; adding an item whose store is missing would need a second try."""
    named = {store_id: item for item in items for store_id in item.store_ids}
    return [
        Store(
            store_id=store_id,
            family_id=item.family_id,
            name=f"Corner shop {number}",
            created_at=item.created_at,
            updated_at=item.updated_at,
        )
        for number, (store_id, item) in enumerate(named.items())
    ]


def tags(items: Sequence[InventoryItem], each: int = 1) -> list[NFCUrl]:
    """Return this number of tags for each of some items."""
    return [
        NFCUrl(
            url_id=url_id_of(clock.new_id()),
            item_id=item.item_id,
            family_id=item.family_id,
            item_name=item.name,
            created_at=item.created_at,
            created_by=item.created_by,
        )
        for item in items
        for _ in range(each)
    ]


def entries(family_id: str, member_id: str, number: int) -> list[ShoppingListItem]:
    shops = [clock.new_id() for _ in range(4)]
    given = {"name": "Paper towels", "quantity": 2, "notes": "Prefer double-roll"}
    return [
        build_entry(family_id, member_id, given | {"store_id": shops[each % 4]})
        for each in range(number)
    ]
