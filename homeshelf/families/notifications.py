"""Create and write the letters of notifications: at once, or in one daily mail."""

from collections.abc import Sequence
from contextlib import suppress

from homeshelf import clock
from homeshelf.accounts.messages import recipient_of
from homeshelf.accounts.model import Account
from homeshelf.accounts.store import get_account
from homeshelf.accounts.tokens import unsubscribe_link
from homeshelf.coordination.todos import Todo, todo
from homeshelf.errors import RateLimited
from homeshelf.families import store
from homeshelf.families.limits import FamilyLimits
from homeshelf.families.model import Family, Member
from homeshelf.outbox.channels import channels_of
from homeshelf.outbox.model import Letter, Message, letter
from homeshelf.outbox.notifications import (
    KEPT,
    NOTIFY,
    Cause,
    DailyNotification,
    NotificationKind,
    NotificationKinds,
    NotificationText,
    daily_notifications,
    next_morning,
)
from homeshelf.outbox.store import can_reach, reaching_channels
from homeshelf.sentences import _, ngettext
from homeshelf.signing import digest
from homeshelf.table import Database, TransactionCancelled, Write, absent, exists
from homeshelf.web.services import Services

MAX_LETTERS = 80
"""The number that fits into a transaction, with a reserve."""
MAX_LINES = 50

FamilyText = tuple[str, NotificationText]


def notification_kinds_of(services: Services) -> dict[str, NotificationKind]:
    return {
        kind: notification
        for each in services.all(NotificationKinds)
        for kind, notification in each.by_kind.items()
    }


async def put_letters(services: Services, db: Database, left: Todo) -> None:
    """Put a cause's letters for each person and channel, in the transaction of its to-do."""
    channels = channels_of(services.settings)
    if not channels:
        return
    cause, after = Cause.of(left.about), left.about.get("after", "")
    notification = notification_kinds_of(services).get(cause.kind)
    recipients = await _recipients(db, notification, cause) if notification else ()
    recipients = sorted(id_ for id_ in recipients if id_ > after)
    people = recipients[: MAX_LETTERS // (1 + len(channels))]
    accounts = await db.get_existing(Account.key(member_id=id_) for id_ in people)
    writes = [write for each in accounts for write in await _letters_to(services, each, cause)]
    if len(recipients) > len(people):
        writes.append(todo(NOTIFY, cause.about | {"after": people[-1]}).put())
    with suppress(TransactionCancelled):  # another process was faster
        await db.transact(left.delete(exists), *writes)


async def _recipients(db: Database, notification: NotificationKind, cause: Cause) -> Sequence[str]:
    if notification.recipients is not None:
        return await notification.recipients(db, cause)
    active = await store.active_members(db, cause.family_id)
    return [member.member_id for member in active if member.is_admin]


async def _letters_to(services: Services, account: Account, cause: Cause) -> Sequence[Write]:
    recipient = recipient_of(services, account)
    channels = await reaching_channels(services.db, services.settings, recipient)
    if account.mail == "off" or not channels:
        return ()
    if account.mail == "daily" or _exceeds_limit(services, account):
        return _daily_writes(account, cause, channels)
    news = letter("news", memberId=account.member_id, matter=cause.about)
    return [news.by(channel).put(absent) for channel in channels]


def _daily_writes(account: Account, cause: Cause, channels: Sequence[str]) -> Sequence[Write]:
    """Write the same letter for each cause of a person, morning and channel."""
    due = next_morning(clock.now(), account.time_zone)
    day = clock.timestamp(due)
    news = DailyNotification(
        member_id=account.member_id,
        day=day,
        at=cause.at,
        kind=cause.kind,
        family_id=cause.family_id,
        id=cause.id,
        ttl=int((due + KEPT).timestamp()),
    )
    daily = letter(
        "daily",
        due=due,
        letter_id=digest(f"{account.member_id} {day}"),
        memberId=account.member_id,
        day=day,
    )
    return [news.put(), *(daily.by(channel).put() for channel in channels)]


def _exceeds_limit(services: Services, account: Account) -> bool:
    try:
        services.limits.of(FamilyLimits).news.take(account.email.lower() or account.member_id)
    except RateLimited:
        return True
    return False


async def write_notification(services: Services, letter: Letter) -> Message | None:
    causes = [Cause.of(letter.about["matter"])]
    return await _message(services, letter, causes, _AT_ONCE)


_AT_ONCE = _("We mail you right away. You can change this in your settings.")
_DAILY = _("We mail you once a day. You can change this in your settings.")


async def write_daily(services: Services, letter: Letter) -> Message | None:
    news = await services.db.all(daily_notifications(letter.about["memberId"], letter.about["day"]))
    causes = [each.cause for each in news]
    return await _message(services, letter, causes, _DAILY)


async def _message(
    services: Services, letter: Letter, causes: Sequence[Cause], why: str
) -> Message | None:
    reader = await get_account(services.db, letter.about["memberId"])
    if reader is None or reader.mail == "off":
        return None
    to, texts = recipient_of(services, reader), await _texts_for(services, reader, causes)
    if not texts or not await can_reach(services.db, services.settings, letter, to):
        return None
    home, text = services.settings.public_url or "", _combine_texts(texts)
    return Message(
        to=to,
        title=text.title,
        before=text.lines,
        link=f"{home}{text.path}",
        link_text=text.link_text,
        after=(why,),
        stop_link=f"{home}{unsubscribe_link(services.signer, reader.member_id)}",
    )


async def _texts_for(
    services: Services, reader: Account, causes: Sequence[Cause]
) -> list[FamilyText]:
    db, kinds = services.db, notification_kinds_of(services)
    causes = [cause for cause in dict.fromkeys(causes) if cause.kind in kinds]
    families = await db.get_existing(Family.key(family_id=cause.family_id) for cause in causes)
    names = {family.family_id: family.name for family in families}
    own = await db.get_existing(
        Member.key(family_id=id_, member_id=reader.member_id) for id_ in names
    )
    members = {each.family_id: each for each in own}
    texts: dict[Cause, NotificationText | None] = {}
    for kind, notification in kinds.items():
        own_causes = [
            cause
            for cause in causes
            if cause.kind == kind
            and (member := members.get(cause.family_id))
            and member.is_active
            and (notification.recipients is not None or member.is_admin)
        ]
        texts |= (
            zip(own_causes, await notification.texts(db, own_causes), strict=True)
            if own_causes
            else ()
        )
    return [(names[each.family_id], said) for each in causes if (said := texts.get(each))]


def _combine_texts(texts: Sequence[FamilyText]) -> NotificationText:
    (_family, first), *others = texts
    if not others:
        return first
    several = len({family for family, _text in texts}) > 1
    said = [(family, line) for family, it in texts for line in it.lines]
    lines = [_("{family}: {line}", family=f, line=it) if several else it for f, it in said]
    if len(lines) > MAX_LINES:
        lines[MAX_LINES:] = [_("There’s more in Homeshelf.")]
    title = ngettext(
        "{first}, and {count} more", "{first}, and {count} more", len(others), first=first.title
    )
    return NotificationText(title, tuple(lines), "/", _("Open Homeshelf"))
