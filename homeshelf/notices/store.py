from collections.abc import Callable, Sequence

from homeshelf import clock
from homeshelf.coordination.changes import note_change
from homeshelf.coordination.idempotency import Also, nothing_else
from homeshelf.coordination.merging import Mark, newest_first
from homeshelf.errors import AlreadyReviewed, NotFound
from homeshelf.inventory.model import InventoryItem
from homeshelf.notices.model import Notification, OpenNotice
from homeshelf.outbox.news import to_tell
from homeshelf.table import Database, Query, Write, absent

STATUSES = ("active", "acknowledged", "resolved")
"""In the order in which a notice goes through them."""


async def notice(db: Database, family_id: str, notification_id: str) -> Notification | None:
    return await db.get(Notification.key(family_id=family_id, notification_id=notification_id))


def notices_by_status(family_id: str, status: str) -> Query[Notification]:
    """Newest first."""
    return Notification.where("GSI2", family_id=family_id, status=status).newest_first()


def unresolved(family_id: str) -> Query[Notification]:
    """Active and acknowledged ones: nothing else lies between the two words."""
    return Notification.between("status", "acknowledged", "active", "GSI2", family_id=family_id)


async def newest(
    db: Database, family_id: str, statuses: Sequence[str], limit: int, after: Mark | None
) -> tuple[list[Notification], Mark | None]:
    """Newest first over several statuses, one query each."""

    def query(status: str) -> Callable[[str | None], Query[Notification]]:
        return lambda newest: Notification.between(
            "created_at", None, newest, "GSI2", family_id=family_id, status=status
        )

    return await newest_first(db, [query(status) for status in statuses], _mark, limit, after)


async def acknowledge(
    db: Database, family_id: str, notification_id: str, also: Also = nothing_else
) -> Notification:
    """Somebody has seen it. It stays until there is enough again."""
    key = Notification.key(family_id=family_id, notification_id=notification_id)

    async def attempt() -> Notification:
        old = await db.get(key)
        if old is None:
            raise NotFound
        if old.status == "resolved":
            raise AlreadyReviewed(old, "There is enough of it again.")
        if old.status == "acknowledged":
            await db.transact(*also(old))
            return old
        new = old.acknowledged(clock.after(old.updated_at))
        await db.transact(new.replacing(old), notification_changed(new), *also(new))
        return new

    return await db.settle(key, attempt)


async def following(
    db: Database, old: InventoryItem | None, new: InventoryItem | None
) -> Sequence[Write]:
    """What a change of an item means for its notice: the writes that belong to that change.

    An item that runs low and is in use has one open notice, any other has none. The claim keeps it
    so under any interleaving; the item's own version decides who may change it.
    """
    before = old is not None and old.calls_for_notice
    after = new is not None and new.calls_for_notice
    if new and after and not before:
        return _opening(new)
    if old and before and not after:
        return await _resolving(db, old)
    return ()


def _opening(item: InventoryItem) -> Sequence[Write]:
    now = clock.timestamp()
    opened = Notification(
        notification_id=clock.new_id(),
        family_id=item.family_id,
        item_id=item.item_id,
        item_name=item.name,
        current_quantity=item.quantity,
        threshold=item.threshold,
        created_at=now,
        updated_at=now,
    )
    claim = OpenNotice(
        family_id=item.family_id, item_id=item.item_id, holder=opened.notification_id
    )
    mail = to_tell("runs_low", opened.family_id, opened.notification_id)
    return opened.put(absent), claim.take(), notification_changed(opened), mail


async def _resolving(db: Database, item: InventoryItem) -> Sequence[Write]:
    claim = await db.get(OpenNotice.key(family_id=item.family_id, item_id=item.item_id))
    if claim is None:
        return ()
    open_ = await notice(db, item.family_id, claim.holder)
    if open_ is None:
        return (claim.release(),)
    resolved = open_.resolved(clock.after(open_.updated_at))
    return resolved.replacing(open_), claim.release(), notification_changed(resolved)


def _mark(notification: Notification) -> Mark:
    return notification.created_at, notification.notification_id


def notification_changed(notification: Notification) -> Write:
    return note_change(
        notification.family_id,
        notification.entity_type,
        notification.notification_id,
        notification.version,
    )
