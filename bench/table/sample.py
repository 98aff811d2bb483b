"""What is read and written: an item of an inventory, as large as they are."""

from typing import Any

from homeshelf.table.expressions import attr
from homeshelf.table.operations import Put, Query, item_key
from homeshelf.table.schema import INVENTORY

FAMILY = "FAMILY#f47ac10b-58cc-4372-a567-0e02b2c3d479"
ITEMS = 200
PAGE = 20
KIND = "InventoryItem"


def item(number: int, version: int = 1) -> dict[str, Any]:
    item_id = f"6ba7b810-9dad-11d1-80b4-00c04fd4{number:04}"
    return {
        "PK": FAMILY,
        "SK": f"ITEM#{item_id}",
        "GSI1PK": FAMILY,
        "GSI1SK": f"ITEM#{number:04}",
        "GSI2PK": f"{FAMILY}#ITEMS",
        "GSI2SK": f"STATUS#active#QUANTITY#{number:010}",
        "entityType": KIND,
        "familyId": FAMILY.removeprefix("FAMILY#"),
        "itemId": item_id,
        "name": f"Paper towels, the large pack {number}",
        "quantity": number,
        "unit": "pack",
        "lowStockThreshold": 2,
        "locationId": "8c9e6679-7425-40de-944b-e07fc1f90ae7",
        "preferredStoreId": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
        "notes": None,
        "status": "active",
        "createdBy": "9b2e6679-7425-40de-944b-e07fc1f90ae7",
        "createdAt": "2025-01-15T10:00:00.000Z",
        "updatedAt": "2025-01-15T10:00:00.000Z",
        "version": version,
    }


KEYS = [item_key(INVENTORY, FAMILY, item(number)["SK"]) for number in range(ITEMS)]
FIRST_PAGE: Query[Any] = (
    Query(INVENTORY, FAMILY, dict, index="GSI1").only(attr("entityType") == KIND).page(PAGE)
)
EVERYTHING = [Put(INVENTORY, item(number)) for number in range(ITEMS)]
PUTS = [Put(INVENTORY, item(number), attr("version") == 1) for number in range(ITEMS)]
"""Under the version that they leave as it was, so that they can be repeated."""
TRANSACTIONS = [[PUTS[n - 2], PUTS[n - 1], PUTS[n]] for n in range(ITEMS)]
