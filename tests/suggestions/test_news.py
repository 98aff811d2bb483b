"""What people are told of wishes: admins who asks for what, who asked what became of it."""

import pytest

from homeshelf import clock
from homeshelf.outbox.news import Matter, Passage
from homeshelf.suggestions.news import TOPICS
from tests.cupboard import Shown
from tests.home import NOBODYS, Home
from tests.running import Person
from tests.suggestions.asking import approved, ask_for, propose, reject
from tests.suggestions.test_old_records import grown_old


def matter(home: Home, kind: str, wish: Shown) -> Matter:
    return Matter(kind, home.family_id, wish["suggestionId"], clock.timestamp())


async def told(home: Home, kind: str, *wishes: Shown) -> list[Passage | None]:
    matters = [matter(home, kind, wish) for wish in wishes]
    return list(await TOPICS[kind].passages(home.running.db, matters))


async def told_of(home: Home, kind: str, wish: Shown) -> tuple[str, tuple[str, ...]]:
    (passage,) = await told(home, kind, wish)
    assert passage is not None
    return passage.title, passage.lines


async def test_admins_are_told_who_asks_for_what_while_it_waits(
    home: Home, kid: Person, rice: Shown
) -> None:
    buy, new = await ask_for(kid, rice, notes="We are out!"), await propose(kid, "Candy")
    assert await told_of(home, "wish", buy) == (
        "kid asks for Rice",
        ("kid asks for Rice.", "“We are out!”"),
    )
    assert await told_of(home, "wish", new) == ("kid asks for Candy", ("kid asks for Candy.",))
    assert await told(home, "answer", buy, new) == [None, None]
    await reject(home.admin, buy)
    waiting, gone = await told(home, "wish", new, buy)
    assert waiting is not None
    assert gone is None


async def test_who_asked_is_told_what_became_of_it(home: Home, kid: Person, rice: Shown) -> None:
    buy, new, no = await ask_for(kid, rice), await propose(kid, "Candy"), await propose(kid, "Cola")
    for wish in (buy, new):
        await approved(home.admin, wish)
    await reject(home.admin, no, "Too sweet")
    assert await told_of(home, "answer", buy) == ("Yes to Rice", ("Yes: Rice is on the list now.",))
    assert await told_of(home, "answer", new) == (
        "Yes to Candy",
        ("Yes: Candy is in the stock now.",),
    )
    assert await told_of(home, "answer", no) == (
        "No to Cola",
        ("No, not this time: Cola.", "“Too sweet”"),
    )
    assert await told(home, "wish", buy, new, no) == [None, None, None]
    concerned = TOPICS["answer"].concerned
    assert concerned is not None
    db = home.running.db
    assert await concerned(db, matter(home, "answer", buy)) == [kid.member_id]
    assert await concerned(db, matter(home, "answer", {"suggestionId": NOBODYS})) == []


@pytest.mark.parametrize("kept", [{}, {"suggestedByName": "kid"}, {"itemNameSnapshot": "Rice"}])
async def test_an_old_wish_is_told_with_the_names_of_today(
    home: Home, kid: Person, rice: Shown, kept: dict[str, str]
) -> None:
    wish = await grown_old(home, await ask_for(kid, rice), **kept)
    assert (await told_of(home, "wish", wish))[0] == "kid asks for Rice"
