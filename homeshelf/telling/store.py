"""Spreads a matter to those whom it concerns, to each as they wish to be told."""

from collections.abc import Sequence
from contextlib import suppress

from homeshelf import clock
from homeshelf.accounts.model import Account
from homeshelf.coordination.todos import Handler, Todo, todo
from homeshelf.errors import RateLimited
from homeshelf.families.store import members_with_status
from homeshelf.mail.model import letter
from homeshelf.mail.store import can_send
from homeshelf.signing import digest
from homeshelf.suggestions.store import suggestion
from homeshelf.table import Database, Query, TransactionCancelled, Write, absent, exists
from homeshelf.telling.model import KEPT, TELL, Matter, News, next_morning
from homeshelf.web.services import Services

AT_ONCE = 40
"""As many people as there is room for in a transaction."""


def news_of(member_id: str, day: str) -> Query[News]:
    """What waits for somebody's mail of that day, oldest first."""
    return News.where(member_id=member_id, day=day).up_to_date()


def teller(services: Services) -> Handler:
    """What becomes of a matter that is to be told: nothing, where no mail is sent."""

    async def tell(_: Database, left: Todo) -> None:
        if can_send(services.settings):
            await spread(services, left)

    return tell


async def spread(services: Services, left: Todo) -> None:
    """The to-do goes in the transaction that puts the letters, so they are there once."""
    matter, after = Matter.of(left.about), left.about.get("after", "")
    concerned = sorted(id_ for id_ in await _concerned(services.db, matter) if id_ > after)
    people = concerned[:AT_ONCE]
    accounts = await services.db.get_many([Account.key(member_id=id_) for id_ in people], skip=True)
    writes = [write for each in accounts if each for write in _telling(services, each, matter)]
    if len(concerned) > AT_ONCE:
        writes.append(todo(TELL, matter.about | {"after": people[-1]}).put())
    with suppress(TransactionCancelled):  # somebody else was quicker
        await services.db.transact(left.delete(exists), *writes)


async def _concerned(db: Database, matter: Matter) -> list[str]:
    if matter.kind == "answer":
        asked = await suggestion(db, matter.family_id, matter.id)
        return [asked.suggested_by] if asked else []
    active = await db.all(members_with_status(matter.family_id, "active").up_to_date())
    return [member.member_id for member in active if member.is_admin]


def _telling(services: Services, account: Account, matter: Matter) -> Sequence[Write]:
    if not account.gets_news:
        return ()
    if account.mail == "now" and _not_too_often(services, account):
        news = letter("news", memberId=account.member_id, matter=matter.about)
        return (news.put(absent),)
    return _for_the_morning(account, matter)


def _for_the_morning(account: Account, matter: Matter) -> Sequence[Write]:
    """There is one letter a person and morning: each matter puts the same one."""
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
    return news.put(), daily.put()


def _not_too_often(services: Services, account: Account) -> bool:
    try:
        services.limits.news.take(account.email.lower())
    except RateLimited:
        return False
    return True
