from homeshelf.shares.model import ChecklistItem, PoolSlot, Shareable
from homeshelf.table import Database, Query


async def shareable(db: Database, short_id: str) -> Shareable | None:
    return await db.get(Shareable.key(short_id=short_id))


def items_of(short_id: str) -> Query[ChecklistItem]:
    return ChecklistItem.where(short_id=short_id)


async def free_slot(db: Database, bucket: int) -> PoolSlot | None:
    """The first short id that a bucket of the pool still has."""
    return await db.first(PoolSlot.where(bucket=bucket).up_to_date())
