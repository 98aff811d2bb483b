"""`python -m tests.inventory.mortal` makes a hundred items for families, and is killed.

It reads steps and ids of families from its input, a line each, as `tests.shares.mortal` does.
"""

import sys

from homeshelf.inventory.batches import finish, promise
from homeshelf.inventory.model import new_item
from homeshelf.table import Database
from tests.api_client import make_barcodes
from tests.shares.mortal import WORK, main

MANY = 100
CODES = make_barcodes(80)
BY = "550e8400-e29b-41d4-a716-446655440000"


async def make(db: Database, family_id: str) -> None:
    """All of them run low, and most have a barcode."""
    new = [
        new_item(
            family_id,
            BY,
            {"name": f"{number:03}", "threshold": 1, "barcodes": CODES[number : number + 1]},
        )
        for number in range(MANY)
    ]
    await finish(db, await promise(db, family_id, new, [], ()))


if __name__ == "__main__":
    WORK["make"] = make
    main("make", sys.stdin.read().splitlines())
