from collections.abc import Sequence

from homeshelf.inventory.barcodes import claims_of
from homeshelf.inventory.model import MOST, InventoryItem, QuantityChange
from homeshelf.table import Database, Record
from homeshelf.web.belongings import Arrival


async def move_in(_db: Database, arrival: Arrival) -> Sequence[Record]:
    """With the barcodes, of which each is one thing's."""
    items = arrival.of(InventoryItem)
    for item in items:
        if not (0 <= item.quantity <= MOST and 0 <= item.threshold <= MOST):
            raise ValueError("an item has a count that cannot be")
    claims = [claim for item in items for claim in claims_of(item)]
    return [*items, *arrival.of(QuantityChange), *claims]
