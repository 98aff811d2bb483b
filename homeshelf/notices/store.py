from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

from homeshelf import clock
from homeshelf.coordination.changes import change_writes
from homeshelf.coordination.merging import Mark, newest_first
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.errors import AlreadyReviewed
from homeshelf.notices.model import NoticeClaim, Notification
from homeshelf.outbox.notifications import request_notification
from homeshelf.sentences import _
from homeshelf.table import Database, Key, Query, Refusal, Write, absent

STATUSES = ("active", "acknowledged", "resolved")


def key_of(family_id: str, notification_id: str) -> Key[Notification]:
    return Notification.key(family_id=family_id, notification_id=notification_id)


def notices_by_status(
    family_id: str, status: str, newest: str | None = None
) -> Query[Notification]:
    """List notices by status, newest first, up to a timestamp if one is given."""
    return Notification.between(
        "created_at", None, newest, "GSI2", family_id=family_id, status=status
    ).newest_first()


def unresolved_notices(family_id: str) -> Query[Notification]:
    """List active and acknowledged notices: no other status sorts between them."""
    return Notification.between("status", "acknowledged", "active", "GSI2", family_id=family_id)


async def newest_notices(
    db: Database,
    family_id: str,
    statuses: Sequence[str],
    limit: int,
    after: Sequence[str] | None,
    read_as: Callable[[Query[Notification]], Query[Any]] = lambda query: query,
) -> tuple[list[Any], Mark | None]:
    def query(status: str, newest: str | None) -> Query[Any]:
        return read_as(notices_by_status(family_id, status, newest))

    queries = [partial(query, status) for status in statuses]
    mark_of = attrgetter("created_at", "notification_id")
    return await newest_first(db, queries, mark_of, limit, after)


@transaction
async def acknowledge(tx: Transaction, key: Key[Notification]) -> Notification:
    notice = await tx.get(key)
    if notice.status == "resolved":
        raise AlreadyReviewed(notice, _("You’ve already restocked this."))
    acknowledged = notice.acknowledged(clock.after(notice.updated_at))
    tx.replace(notice, acknowledged)
    return acknowledged


def open_notice_writes(
    notice: Notification, notification: str, refusal: Refusal | None = None
) -> Sequence[Write]:
    """Return the writes that open a notice; its claim refuses a second one."""
    return (
        notice.put(absent),
        *change_writes(notice),
        notice.claim.take().with_refusal(refusal),
        request_notification(notification, notice.family_id, notice.notification_id),
    )


async def resolve_notice_writes(db: Database, claim: NoticeClaim | None) -> Sequence[Write]:
    """Return the writes that resolve the notices of a claim and release it."""
    if claim is None:
        return ()
    keys = [key_of(claim.family_id, each) for each in (claim.holder, *claim.beside)]
    open_ = [each for each in await db.get_existing(keys) if each.is_open]
    resolved = [each.resolved(clock.after(each.updated_at)) for each in open_]
    announcement = change_writes(*resolved) if resolved else []
    ended = [new.replacing(old) for old, new in zip(open_, resolved, strict=True)]
    return *ended, *announcement, claim.release()
