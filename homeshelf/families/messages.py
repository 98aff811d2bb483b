"""Messages to invited people, and to members about their family."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from homeshelf import clock
from homeshelf.accounts.addresses import PendingAddress
from homeshelf.accounts.messages import letter_language, recipient_of
from homeshelf.accounts.model import Account
from homeshelf.accounts.store import account as account_of
from homeshelf.accounts.tokens import address_token, unsubscribe_link
from homeshelf.coordination.todos import Todo, todo
from homeshelf.errors import RateLimited
from homeshelf.families import invitations, store
from homeshelf.families.limits import FamilyLimits
from homeshelf.families.model import Family, Member, token_of
from homeshelf.outbox.channels import channels_of
from homeshelf.outbox.model import Letter, Message, Recipient, letter
from homeshelf.outbox.news import (
    KEPT,
    TELL,
    Matter,
    News,
    Passage,
    Topic,
    Topics,
    news_of,
    next_morning,
)
from homeshelf.outbox.store import can_reach, reaching_channels
from homeshelf.sentences import _, ngettext
from homeshelf.signing import digest
from homeshelf.table import Database, TransactionCancelled, Write, absent, exists
from homeshelf.web.services import Services


async def write_invitation(services: Services, letter: Letter) -> Message | None:
    """Write it only while the invitation is open and this is its last link."""
    family_id, invitation_id = letter.about["familyId"], letter.about["invitationId"]
    invitation = await store.invitation(services.db, family_id, invitation_id)
    family = await store.family(services.db, family_id)
    if invitation is None or family is None or not invitation.is_open(clock.timestamp()):
        return None
    inviter = await account_of(services.db, invitation.invited_by)
    member = await store.member(services.db, family_id, invitation.invited_by)
    if inviter is None or not inviter.email_verified or invitation.links != letter.about["link"]:
        return None
    if member is None or not invitation.is_vouched_for(member):
        return None
    invitation = await invitations.holding_for_a_week(services.db, invitation)
    if invitation is None:
        return None
    host = member.name
    return Message(
        to=Recipient(email=invitation.email, language=letter_language(services, inviter)),
        title=_("{host} invites you to {family}", host=host, family=family.name),
        before=(
            _("{host} invites you to {family} on Homeshelf.", host=host, family=family.name),
            _MAY[invitation.role],
        ),
        link=f"{services.settings.public_url}/join/{token_of(services.signer, invitation)}",
        link_text=_("Look at the invitation"),
        after=(
            _(
                "The link holds until {day}, for one person.",
                day=datetime.fromisoformat(invitation.expires_at),
            ),
            _("If you do not know {host}, do nothing.", host=host),
        ),
    )


_MAY = {
    "admin": _(
        "You will run the household together: what is there, what to buy, what the children "
        "ask for."
    ),
    "suggester": _(
        "You can see what is there and what is on the list, and ask for what you would like."
    ),
}


async def write_child_address(services: Services, letter: Letter) -> Message | None:
    """Write it only while the address waits and its maker is an admin."""
    db, family_id = services.db, letter.about["familyId"]
    pending = await db.get(PendingAddress.key(member_id=letter.about["memberId"]))
    if pending is None or pending.link_id != letter.about["link"]:
        return None
    parent = await account_of(db, pending.made_by)
    maker = await store.member(db, family_id, pending.made_by)
    child = await store.member(db, family_id, pending.member_id)
    if parent is None or not parent.email_verified or child is None or maker is None:
        return None
    if not maker.vouches(pending.made_by, pending.term):
        return None
    token = address_token(services.signer, pending, mailed=True)
    return Message(
        to=Recipient(
            name=child.name, email=pending.email, language=letter_language(services, parent)
        ),
        title=_("Your own password for Homeshelf"),
        before=(
            _(
                "{host} says that this is the address of {name}.",
                host=maker.name,
                name=child.name,
            ),
            _("Choose a password, and sign in with both from then on."),
        ),
        link=f"{services.settings.public_url}/reset/{token}",
        link_text=_("Choose a password"),
        after=(
            _("The link holds for a day and works once."),
            _("If you do not know {host}, do nothing.", host=maker.name),
        ),
    )


MOST_LETTERS = 80
"""What fits into a transaction, with some to spare."""
MOST_LINES = 50

Told = tuple[str, Passage]
"""A family's name, and a passage about it."""


def topics_of(services: Services) -> dict[str, Topic]:
    return {kind: topic for each in services.all(Topics) for kind, topic in each.by_kind.items()}


async def spread(services: Services, db: Database, left: Todo) -> None:
    """Put a matter's letters for each person and channel, in the transaction of its to-do."""
    channels = channels_of(services.settings)
    if not channels:
        return
    matter, after = Matter.of(left.about), left.about.get("after", "")
    topic = topics_of(services).get(matter.kind)
    concerned = await _concerned(db, topic, matter) if topic else ()
    concerned = sorted(id_ for id_ in concerned if id_ > after)
    people = concerned[: MOST_LETTERS // (1 + len(channels))]
    accounts = await db.get_existing(Account.key(member_id=id_) for id_ in people)
    writes = [write for each in accounts for write in await _letters_to(services, each, matter)]
    if len(concerned) > len(people):
        writes.append(todo(TELL, matter.about | {"after": people[-1]}).put())
    with suppress(TransactionCancelled):  # somebody else was quicker
        await db.transact(left.delete(exists), *writes)


async def _concerned(db: Database, topic: Topic, matter: Matter) -> Sequence[str]:
    if topic.concerned is not None:
        return await topic.concerned(db, matter)
    active = await store.active_members(db, matter.family_id)
    return [member.member_id for member in active if member.is_admin]


async def _letters_to(services: Services, account: Account, matter: Matter) -> Sequence[Write]:
    recipient = recipient_of(services, account)
    channels = await reaching_channels(services.db, services.settings, recipient)
    if account.mail == "off" or not channels:
        return ()
    if account.mail == "daily" or _too_often(services, account):
        return _for_the_morning(account, matter, channels)
    news = letter("news", memberId=account.member_id, matter=matter.about)
    return [news.by(channel).put(absent) for channel in channels]


def _for_the_morning(account: Account, matter: Matter, channels: Sequence[str]) -> Sequence[Write]:
    """Each matter puts the same letter for a person, morning and channel."""
    due = next_morning(clock.now(), account.time_zone)
    day = clock.timestamp(due)
    news = News(
        member_id=account.member_id,
        day=day,
        at=matter.at,
        kind=matter.kind,
        family_id=matter.family_id,
        id=matter.id,
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


def _too_often(services: Services, account: Account) -> bool:
    try:
        services.limits.of(FamilyLimits).news.take(account.email.lower() or account.member_id)
    except RateLimited:
        return True
    return False


async def write_news(services: Services, letter: Letter) -> Message | None:
    matters = [Matter.of(letter.about["matter"])]
    return await _message(services, letter, matters, _AT_ONCE)


_AT_ONCE = _("You are told this as it happens. The settings have other ways.")
_DAILY = _("You get this once a day. The settings have other ways.")


async def write_daily(services: Services, letter: Letter) -> Message | None:
    news = await services.db.all(news_of(letter.about["memberId"], letter.about["day"]))
    matters = [each.matter for each in news]
    return await _message(services, letter, matters, _DAILY)


async def _message(
    services: Services, letter: Letter, matters: Sequence[Matter], why: str
) -> Message | None:
    reader = await account_of(services.db, letter.about["memberId"])
    if reader is None or reader.mail == "off":
        return None
    to, told = recipient_of(services, reader), await _told(services, reader, matters)
    if not told or not await can_reach(services.db, services.settings, letter, to):
        return None
    home, passage = services.settings.public_url or "", _together(told)
    return Message(
        to=to,
        title=passage.title,
        before=passage.lines,
        link=f"{home}{passage.path}",
        link_text=passage.link_text,
        after=(why,),
        stop_link=f"{home}{unsubscribe_link(services.signer, reader.member_id)}",
    )


async def _told(services: Services, reader: Account, matters: Sequence[Matter]) -> list[Told]:
    """Return what is said to a member in the role that each matter is for."""
    db, topics = services.db, topics_of(services)
    matters = [matter for matter in dict.fromkeys(matters) if matter.kind in topics]
    families = await db.get_existing(Family.key(family_id=matter.family_id) for matter in matters)
    names = {family.family_id: family.name for family in families}
    own = await db.get_existing(
        Member.key(family_id=id_, member_id=reader.member_id) for id_ in names
    )
    members = {each.family_id: each for each in own}
    passages: dict[Matter, Passage | None] = {}
    for kind, topic in topics.items():
        theirs = [
            matter
            for matter in matters
            if matter.kind == kind
            and (member := members.get(matter.family_id))
            and member.is_active
            and (topic.concerned is not None or member.is_admin)
        ]
        passages |= zip(theirs, await topic.passages(db, theirs), strict=True) if theirs else ()
    return [(names[each.family_id], said) for each in matters if (said := passages.get(each))]


def _together(told: Sequence[Told]) -> Passage:
    (_family, first), *others = told
    if not others:
        return first
    several = len({family for family, _passage in told}) > 1
    said = [(family, line) for family, it in told for line in it.lines]
    lines = [_("{family}: {line}", family=f, line=it) if several else it for f, it in said]
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = [_("There is more at home.")]
    title = ngettext(
        "{first}, and {count} more", "{first}, and {count} more", len(others), first=first.title
    )
    return Passage(title, tuple(lines), "/", _("Open Homeshelf"))
