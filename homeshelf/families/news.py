"""Tells members what happens in their family, each as they wish to be told."""

from collections.abc import Sequence
from contextlib import suppress

from homeshelf import clock
from homeshelf.accounts.messages import recipient_of
from homeshelf.accounts.model import Account
from homeshelf.coordination.todos import Handler, Todo, todo
from homeshelf.errors import RateLimited
from homeshelf.families.store import members_with_status
from homeshelf.outbox.channels import channels_of
from homeshelf.outbox.model import letter
from homeshelf.outbox.news import KEPT, TELL, Matter, News, Topic, Topics, next_morning
from homeshelf.signing import digest
from homeshelf.table import Database, TransactionCancelled, Write, absent, exists
from homeshelf.web.services import Services

MOST_LETTERS = 80
"""What a transaction has room for, with some to spare."""


def news_handler(services: Services) -> Handler:
    """What becomes of a matter that is to be told: nothing, where no channel is there."""

    async def handle(_: Database, left: Todo) -> None:
        if channels_of(services.settings):
            await spread(services, left)

    return handle


def topics_of(services: Services) -> Topics:
    return {kind: topic for each in services.slices for kind, topic in each.topics.items()}


async def spread(services: Services, left: Todo) -> None:
    """The to-do goes in the transaction that puts the letters, so they are there once."""
    matter, after = Matter.of(left.about), left.about.get("after", "")
    topic = topics_of(services).get(matter.kind)
    concerned = await _concerned(services.db, topic, matter) if topic else ()
    concerned = sorted(id_ for id_ in concerned if id_ > after)
    people = concerned[: MOST_LETTERS // (1 + len(channels_of(services.settings)))]
    accounts = await services.db.get_many([Account.key(member_id=id_) for id_ in people], skip=True)
    writes = [write for each in accounts if each for write in _letters_to(services, each, matter)]
    if len(concerned) > len(people):
        writes.append(todo(TELL, matter.about | {"after": people[-1]}).put())
    with suppress(TransactionCancelled):  # somebody else was quicker
        await services.db.transact(left.delete(exists), *writes)


async def _concerned(db: Database, topic: Topic, matter: Matter) -> Sequence[str]:
    if topic.concerned is not None:
        return await topic.concerned(db, matter)
    active = await db.all(members_with_status(matter.family_id, "active").up_to_date())
    return [member.member_id for member in active if member.is_admin]


def _letters_to(services: Services, account: Account, matter: Matter) -> Sequence[Write]:
    recipient = recipient_of(account)
    channels = [each.name for each in channels_of(services.settings) if each.reaches(recipient)]
    if account.mail == "off" or not channels:
        return ()
    if account.mail == "daily" or _too_often(services, account):
        return _for_the_morning(account, matter, channels)
    news = letter("news", memberId=account.member_id, matter=matter.about)
    return [news.by(channel).put(absent) for channel in channels]


def _for_the_morning(account: Account, matter: Matter, channels: Sequence[str]) -> Sequence[Write]:
    """There is one letter a person, morning and channel: each matter puts the same one."""
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
    letter_id = digest(f"{account.member_id} {day}")
    daily = letter("daily", due=due, letter_id=letter_id, memberId=account.member_id, day=day)
    return [news.put(), *(daily.by(channel).put() for channel in channels)]


def _too_often(services: Services, account: Account) -> bool:
    try:
        services.limits.news.take(account.email.lower() or account.member_id)
    except RateLimited:
        return True
    return False
