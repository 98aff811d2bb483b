from collections.abc import Sequence
from functools import partial
from typing import Any

from homeshelf import clock
from homeshelf.coordination.changing import Outcome, added, change, replaced
from homeshelf.coordination.merging import Mark, newest_first
from homeshelf.errors import AlreadyReviewed
from homeshelf.notices.model import NoticeClaim, NoticeType, Notification, claim_on
from homeshelf.outbox.news import to_tell
from homeshelf.sentences import _
from homeshelf.table import Database, Query, Write, as_shown, attr

STATUSES = ("active", "acknowledged", "resolved")
"""In the order in which a notice goes through them."""


async def notice(db: Database, family_id: str, notification_id: str) -> Notification | None:
    return await db.get(Notification.key(family_id=family_id, notification_id=notification_id))


def notices_by_status(
    family_id: str, status: str, newest: str | None = None
) -> Query[Notification]:
    """Newest first, from a moment back."""
    return Notification.between(
        "created_at", None, newest, "GSI2", family_id=family_id, status=status
    ).newest_first()


def unresolved(family_id: str) -> Query[Notification]:
    """Active and acknowledged ones: nothing else lies between the two words."""
    return Notification.between("status", "acknowledged", "active", "GSI2", family_id=family_id)


async def newest(
    db: Database, family_id: str, statuses: Sequence[str], limit: int, after: Sequence[str] | None
) -> tuple[list[Notification], Mark | None]:
    queries = [partial(notices_by_status, family_id, status) for status in statuses]
    return await newest_first(db, queries, _mark, limit, after)


async def newest_as_shown(
    db: Database, family_id: str, statuses: Sequence[str], limit: int, after: Sequence[str] | None
) -> tuple[list[Any], Mark | None]:
    """The same as clients see them."""

    def query(status: str, newest: str | None) -> Query[Any]:
        return as_shown(notices_by_status(family_id, status, newest))

    queries = [partial(query, status) for status in statuses]
    return await newest_first(db, queries, _mark, limit, after)


async def acknowledge(db: Database, family_id: str, notification_id: str) -> Notification:
    """Somebody has seen it. It stays until there is enough again."""

    async def acknowledged(old: Notification) -> "Outcome[Notification]":
        if old.status == "resolved":
            raise AlreadyReviewed(old, _("There is enough of it again."))
        return old.acknowledged(clock.after(old.updated_at)), ()

    key = Notification.key(family_id=family_id, notification_id=notification_id)
    return await change(db, key, acknowledged)


async def opening(
    db: Database, new: Notification, topic: str, *, of_new_item: bool
) -> Sequence[Write]:
    """A new notice, in the transaction of what calls for it; the claim lets no second one in.

    One may be open already of something that had enough, where another program left it so.
    """
    claim = claim_on(new.type, new.family_id, new.item_id, new.notification_id)
    held = None if of_new_item else await db.get(claim.own_key())
    if held is not None and await _open(db, new.family_id, held):
        return (held.check(attr("holder") == held.holder),)
    taken = claim.take() if held is None else claim.put(attr("holder") == held.holder)
    return *added(new), taken, to_tell(topic, new.family_id, new.notification_id)


async def resolving(
    db: Database, type_: NoticeType, family_id: str, item_id: str
) -> Sequence[Write]:
    claim = await db.get(claim_on(type_, family_id, item_id).own_key())
    if claim is None:
        return ()
    writes: list[Write] = [claim.release()]
    for open_ in await _open(db, family_id, claim):
        writes += replaced(open_, open_.resolved(clock.after(open_.updated_at)))
    return writes


async def _open(db: Database, family_id: str, claim: NoticeClaim) -> list[Notification]:
    """The notices that a claim is about, as far as they still are."""
    ids = (claim.holder, *claim.beside)
    found = await db.get_many(
        [Notification.key(family_id=family_id, notification_id=each) for each in ids]
    )
    return [each for each in found if each is not None and each.is_open]


def _mark(notice: Notification) -> Mark:
    return notice.created_at, notice.notification_id
