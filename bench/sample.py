"""What households have: items and entries as large as they are."""

from homeshelf import clock
from homeshelf.inventory.model import InventoryItem
from homeshelf.shopping.adding import new_entry
from homeshelf.shopping.model import ShoppingListItem


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


def entries(family_id: str, member_id: str, number: int) -> list[ShoppingListItem]:
    shops = [clock.new_id() for _ in range(4)]
    given = {"name": "Paper towels", "quantity": 2, "notes": "Prefer double-roll"}
    return [
        new_entry(family_id, member_id, given | {"store_id": shops[each % 4]})
        for each in range(number)
    ]
