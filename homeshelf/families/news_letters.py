"""What is said about matters, as they are when the message goes out."""

from collections.abc import Sequence

from homeshelf.accounts.messages import recipient_of
from homeshelf.accounts.model import Account
from homeshelf.accounts.store import account
from homeshelf.accounts.tokens import unsubscribe_link
from homeshelf.families.model import Family, Member
from homeshelf.families.news import topics_of
from homeshelf.outbox.model import Letter, Message
from homeshelf.outbox.news import Matter, Passage, news_of
from homeshelf.outbox.store import reaches
from homeshelf.web.services import Services

MOST_LINES = 50


Told = tuple[str, Passage]
"""The name of a family, and what there is to say about it."""


async def write_news(services: Services, letter: Letter) -> Message | None:
    """One matter, told at once."""
    reader = await _reader(services, letter)
    if reader is None:
        return None
    told = await _told(services, reader, [Matter.of(letter.about["matter"])])
    why = "You are told this as it happens."
    return _message(services, reader, _together(told), why) if told else None


async def write_daily(services: Services, letter: Letter) -> Message | None:
    """All that has come up since yesterday's and still matters."""
    reader = await _reader(services, letter)
    if reader is None:
        return None
    news = await services.db.all(news_of(reader.member_id, letter.about["day"]))
    told = await _told(services, reader, [each.matter for each in news])
    return _message(services, reader, _together(told), "You get this once a day.") if told else None


async def _reader(services: Services, letter: Letter) -> Account | None:
    found = await account(services.db, letter.about["memberId"])
    if found is None or found.mail == "off":
        return None
    return found if reaches(services.settings, letter, recipient_of(found)) else None


async def _told(services: Services, reader: Account, matters: Sequence[Matter]) -> list[Told]:
    """To somebody who is still of the family, in the role that the matter is for."""
    db, topics = services.db, topics_of(services)
    matters = [matter for matter in dict.fromkeys(matters) if matter.kind in topics]
    ids = list(dict.fromkeys(matter.family_id for matter in matters))
    families = await db.get_many([Family.key(family_id=id_) for id_ in ids], skip=True)
    names = {family.family_id: family.name for family in families if family}
    own = [Member.key(family_id=id_, member_id=reader.member_id) for id_ in names]
    members = {each.family_id: each for each in await db.get_many(own, skip=True) if each}
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
    (_, first), *others = told
    if not others:
        return first
    several = len({family for family, _ in told}) > 1
    said = [(f"{family}: " if several else "", line) for family, it in told for line in it.lines]
    lines = [f"{before}{line}" for before, line in said[:MOST_LINES]]
    if len(said) > MOST_LINES:
        lines.append("There is more at home.")
    title = f"{first.title}, and {len(others)} more"
    return Passage(title, tuple(lines), "/", "Open Homeshelf")


def _message(services: Services, reader: Account, passage: Passage, why: str) -> Message:
    home = services.settings.public_url or ""
    return Message(
        to=recipient_of(reader),
        title=passage.title,
        before=passage.lines,
        link=f"{home}{passage.path}",
        link_text=passage.link_text,
        after=(f"{why} The settings have other ways.",),
        stop_link=f"{home}{unsubscribe_link(services.signer, reader.member_id)}",
    )
