from homeshelf.table import Database, Query
from homeshelf.taps.model import NFCUrl


async def for_tag(db: Database, url_id: str) -> NFCUrl | None:
    """Get URL by urlId: a hint, because GSI1 lags; what acts on it checks `isActive` again."""
    return await db.first(NFCUrl.where("GSI1", url_id=url_id))


def tags_of_item(family_id: str, item_id: str) -> Query[NFCUrl]:
    """List URLs for item, active and inactive."""
    return NFCUrl.where(family_id=family_id, item_id=item_id)


def tags_of_family(family_id: str) -> Query[NFCUrl]:
    """List URLs for family, newest first."""
    return NFCUrl.where("GSI2", family_id=family_id).newest_first()
