"""What is said about a matter, as it is when the mail goes out; nothing where it is settled."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from homeshelf.accounts.model import Account
from homeshelf.accounts.store import account
from homeshelf.families.model import Family, Member
from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.store import key_of
from homeshelf.mail.model import Letter, Words
from homeshelf.notices.model import Notification
from homeshelf.suggestions.model import Suggestion
from homeshelf.suggestions.seeing import seen
from homeshelf.table import Database, Key
from homeshelf.telling.links import unsubscribe_link
from homeshelf.telling.model import Matter
from homeshelf.telling.store import news_of
from homeshelf.web.services import Services

MOST_LINES = 50


@dataclass(frozen=True)
class Said:
    subject: str
    lines: tuple[str, ...]
    path: str
    link_word: str
    family: str


async def write_news(services: Services, letter: Letter) -> Words | None:
    """One matter, told at once."""
    reader = await _reader(services.db, letter.about["memberId"])
    if reader is None:
        return None
    for said in await _still_to_say(services.db, reader, [Matter.of(letter.about["matter"])]):
        return _words(services, reader, said, "You are told this as it happens.")
    return None


async def write_daily(services: Services, letter: Letter) -> Words | None:
    """All that has come up since yesterday's and still matters."""
    reader = await _reader(services.db, letter.about["memberId"])
    if reader is None:
        return None
    news = await services.db.all(news_of(reader.member_id, letter.about["day"]))
    said = await _still_to_say(services.db, reader, [each.matter for each in news])
    return _words(services, reader, _together(said), "You get this once a day.") if said else None


async def _reader(db: Database, member_id: str) -> Account | None:
    found = await account(db, member_id)
    return found if found is not None and found.gets_news else None


async def _still_to_say(db: Database, reader: Account, matters: Sequence[Matter]) -> list[Said]:
    """To somebody who is still of the family, in the role that the matter is for."""
    matters = list(dict.fromkeys(matters))
    around = [key for matter in matters for key in _around(matter, reader)]
    keys: list[Key[Any]] = list(dict.fromkeys(around))
    records = await db.get_many(keys, skip=True)
    found: dict[Key[Any], Any] = dict(zip(keys, records, strict=True))
    items = await _items(db, [it for it in records if isinstance(it, Notification)])
    said = []
    for matter in matters:
        record, member, family = (found[key] for key in _around(matter, reader))
        if record is None or family is None or not _concerns(matter, member):
            continue
        words = (
            _runs_low(record, items[record.item_id], family)
            if isinstance(record, Notification)
            else await _wish_or_answer(db, matter, record, family)
        )
        if words is not None:
            said.append(words)
    return said


def _around(matter: Matter, reader: Account) -> tuple[Key[Any], Key[Any], Key[Any]]:
    """The record that it is about, and the reader's place in the family that it is of."""
    family_id = matter.family_id
    record: Key[Any] = (
        Notification.key(family_id=family_id, notification_id=matter.id)
        if matter.kind == "runs_low"
        else Suggestion.key(family_id=family_id, suggestion_id=matter.id)
    )
    member = Member.key(family_id=family_id, member_id=reader.member_id)
    return record, member, Family.key(family_id=family_id)


def _concerns(matter: Matter, member: Member | None) -> bool:
    if member is None or not member.is_active:
        return False
    return matter.kind == "answer" or member.is_admin


async def _items(db: Database, notices: Sequence[Notification]) -> dict[str, InventoryItem | None]:
    """What notices are about, as it is now: a notice says how it was when it was made."""
    named = {notice.item_id: notice.family_id for notice in notices}
    found = await db.get_many([key_of(family, item) for item, family in named.items()], skip=True)
    return dict(zip(named, found, strict=True))


def _runs_low(notice: Notification, item: InventoryItem | None, family: Family) -> Said | None:
    if notice.status != "active" or item is None or not item.calls_for_notice:
        return None
    left = f"{item.quantity:,} left" if item.quantity else "none left"
    least = f"and there should be at least {item.threshold:,}"
    return Said(
        f"{item.name} runs low",
        (f"{item.name} runs low: {left}, {least}.",),
        f"/stock/{item.item_id}",
        "Look at it",
        family.name,
    )


async def _wish_or_answer(
    db: Database, matter: Matter, wish: Suggestion, family: Family
) -> Said | None:
    if wish.is_pending != (matter.kind == "wish"):
        return None
    if wish.lacks_names:
        wish = (await seen(db, [wish]))[0].suggestion
    return _wish(wish, family) if wish.is_pending else _answer(wish, family)


def _wish(wish: Suggestion, family: Family) -> Said:
    subject = f"{wish.suggested_by_name} asks for {_what(wish)}"
    return Said(subject, _with_words(f"{subject}.", wish.notes), "/wishes", "Decide", family.name)


def _answer(wish: Suggestion, family: Family) -> Said:
    what, approved = _what(wish), wish.status == "approved"
    where = "on the list" if wish.type == "add_to_shopping" else "in the stock"
    line = f"Yes: {what} is {where} now." if approved else f"No, not this time: {what}."
    return Said(
        f"{'Yes' if approved else 'No'} to {what}",
        _with_words(line, None if approved else wish.rejection_notes),
        "/wishes",
        "Look at your wishes",
        family.name,
    )


def _what(wish: Suggestion) -> str:
    return wish.item_name_snapshot or wish.proposed_item_name or "something"


def _with_words(line: str, words: str | None) -> tuple[str, ...]:
    return (line, f"“{words}”") if words else (line,)


def _together(all_said: Sequence[Said]) -> Said:
    if len(all_said) == 1:
        return all_said[0]
    first, several = all_said[0], len({each.family for each in all_said}) > 1
    lines = [
        f"{each.family}: {line}" if several else line for each in all_said for line in each.lines
    ]
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], "There is more at home."]
    subject = f"{first.subject}, and {len(all_said) - 1} more"
    return Said(subject, tuple(lines), "/", "Open Homeshelf", first.family)


def _words(services: Services, reader: Account, said: Said, why: str) -> Words:
    home = services.settings.public_url or ""
    return Words(
        to=reader.email,
        name=reader.name,
        subject=said.subject,
        before=said.lines,
        link=f"{home}{said.path}",
        link_word=said.link_word,
        after=(f"{why} The settings have other ways.",),
        unsubscribe=f"{home}{unsubscribe_link(services.signer, reader.member_id)}",
    )
