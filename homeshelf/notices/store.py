from homeshelf.notices.model import Notification
from homeshelf.table import Database, Query


async def notice(db: Database, family_id: str, notification_id: str) -> Notification | None:
    return await db.get(Notification.key(family_id=family_id, notification_id=notification_id))


def notices_by_status(family_id: str, status: str) -> Query[Notification]:
    """Newest first."""
    return Notification.where("GSI2", family_id=family_id, status=status).newest_first()


def unresolved(family_id: str) -> Query[Notification]:
    """Active and acknowledged ones: nothing else lies between the two words."""
    return Notification.between("status", "acknowledged", "active", "GSI2", family_id=family_id)
