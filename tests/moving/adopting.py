"""What `homeshelf adopt` does, and what is in the tables before and after it."""

from typing import Any

from homeshelf.app import SLICES
from homeshelf.moving.adopting import Adopting, Summary
from homeshelf.table import TABLES, Database, Item, key_in

OTHER_FAMILY = "a47ac10b-58cc-4372-a567-0e02b2c3d479"
WRITES = ("put", "update", "delete", "transact", "batch")


async def adopt(db: Database, issuer: str | None = None) -> Summary:
    return await Adopting(db, SLICES, issuer).carry_out(silent)


def silent(_done: int, _of: int) -> None:
    pass


async def everything(db: Database) -> dict[Any, Item]:
    """What is in the tables, by where it stands."""
    found: dict[Any, Item] = {}
    for table in TABLES:
        page = await db.engine.scan(table, 1000)
        while True:
            found |= {key_in(table, item): item for item in page.items}
            if page.next is None:
                break
            page = await db.engine.scan(table, 1000, page.next)
    return found
