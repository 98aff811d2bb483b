"""Test the events of wishes for admins, and of answers for children."""

import pytest

from homeshelf import clock
from homeshelf.outbox.notifications import Cause, NotificationText
from homeshelf.suggestions import store
from homeshelf.suggestions.model import Suggestion
from homeshelf.suggestions.notifications import NOTIFICATION_KINDS
from tests.api_client import Shown, add_entry, entry_path, mark_entry, set_archived
from tests.home import NOBODYS, Home
from tests.running import Person
from tests.suggestions.wish_requests import (
    ask_for,
    get_created,
    propose,
    reject,
    strip_later_attributes,
)
from tests.table.faulty_engines import warp


def make_cause(home: Home, kind: str, wish: Shown) -> Cause:
    return Cause(kind, home.family_id, wish["suggestionId"], clock.timestamp())


async def notification_texts(
    home: Home, kind: str, *wishes: Shown
) -> list[NotificationText | None]:
    causes = [make_cause(home, kind, wish) for wish in wishes]
    return list(await NOTIFICATION_KINDS[kind].texts(home.running.db, causes))


async def notification_of(home: Home, kind: str, wish: Shown) -> tuple[str, tuple[str, ...]]:
    (text,) = await notification_texts(home, kind, wish)
    assert text is not None
    return text.title, text.lines


async def test_pending_wish_notifies_admins(home: Home, kid: Person, rice: Shown) -> None:
    buy, new = await ask_for(kid, rice, notes="We are out!"), await propose(kid, "Candy")
    assert await notification_of(home, "wish", buy) == (
        "kid is asking for Rice",
        ("kid is asking for Rice.", "“We are out!”"),
    )
    assert await notification_of(home, "wish", new) == (
        "kid is asking for Candy",
        ("kid is asking for Candy.",),
    )
    assert await notification_texts(home, "answer", buy, new) == [None, None]
    await home.running.db.change(
        store.key_of(home.family_id, new["suggestionId"]),
        lambda old: old.changed(proposed_item_name=None),
    )
    assert (await notification_of(home, "wish", new))[0] == "kid is asking for something"
    await reject(home.admin, buy)
    waiting, gone = await notification_texts(home, "wish", new, buy)
    assert waiting is not None
    assert gone is None


async def test_answer_notifies_its_suggester(home: Home, kid: Person, rice: Shown) -> None:
    buy, new, no = await ask_for(kid, rice), await propose(kid, "Candy"), await propose(kid, "Cola")
    for wish in (buy, new):
        await get_created(home.admin, wish)
    await reject(home.admin, no, "Too sweet")
    assert await notification_of(home, "answer", buy) == (
        "Yes! Rice",
        ("Yes! Rice is on the list now.",),
    )
    assert await notification_of(home, "answer", new) == (
        "Yes! Candy",
        ("Yes! Candy is in the stock now.",),
    )
    assert await notification_of(home, "answer", no) == (
        "Not this time: Cola",
        ("Not this time: Cola.", "“Too sweet”"),
    )
    assert await notification_texts(home, "wish", buy, new, no) == [None, None, None]
    recipients = NOTIFICATION_KINDS["answer"].recipients
    assert recipients is not None
    db = home.running.db
    assert await recipients(db, make_cause(home, "answer", buy)) == [kid.member_id]
    assert await recipients(db, make_cause(home, "answer", {"suggestionId": NOBODYS})) == []


async def test_approval_notification_describes_current_state(
    home: Home, kid: Person, rice: Shown
) -> None:
    admin, wish, kite = home.admin, await ask_for(kid, rice), await propose(kid, "Kite")
    entry, item = await get_created(admin, wish), await get_created(admin, kite)
    entry = await mark_entry(admin, entry, "purchased")
    assert (await notification_of(home, "answer", wish))[1] == ("Yes! Rice.",)
    entry = await mark_entry(admin, entry, "pending")
    assert (await notification_of(home, "answer", wish))[1] == ("Yes! Rice is on the list now.",)
    await admin.delete(entry_path(entry))
    assert (await notification_of(home, "answer", wish))[1] == ("Yes! Rice.",)
    listed = await add_entry(admin, itemId=item["itemId"])
    assert (await notification_of(home, "answer", kite))[1] == ("Yes! Kite is on the list now.",)
    await mark_entry(admin, listed, "purchased")
    assert (await notification_of(home, "answer", kite))[1] == ("Yes! Kite is in the stock now.",)
    await set_archived(admin, item, "archive")
    assert await notification_of(home, "answer", kite) == ("Yes! Kite", ("Yes! Kite.",))
    await admin.delete(f"/items/{item['itemId']}")
    assert (await notification_of(home, "answer", kite))[1] == ("Yes! Kite.",)


async def test_unknown_and_pending_wishes_have_no_answer_text(
    home: Home, kid: Person, rice: Shown
) -> None:
    wishes = [await propose(kid, "Kite"), await propose(kid, "Drums"), await ask_for(kid, rice)]
    await get_created(home.admin, wishes[0])
    await get_created(home.admin, wishes[2])
    gone = {"suggestionId": NOBODYS}
    found = await notification_texts(home, "answer", gone, *wishes)
    assert [each and each.title for each in found] == [None, "Yes! Kite", None, "Yes! Rice"]


async def test_unreadable_wish_does_not_block_other_notifications(
    home: Home, kid: Person, rice: Shown
) -> None:
    spoiled, whole = await propose(kid, "Kite"), await ask_for(kid, rice)
    key = Suggestion.key(family_id=home.family_id, suggestion_id=spoiled["suggestionId"])
    await warp(home.running.db, key, notes={"not": "a text"})
    found = await notification_texts(home, "wish", spoiled, whole)
    assert [each and each.title for each in found] == [None, "kid is asking for Rice"]


@pytest.mark.parametrize("kept", [{}, {"suggestedByName": "kid"}, {"itemNameSnapshot": "Rice"}])
async def test_notification_of_old_wish_uses_current_names(
    home: Home, kid: Person, rice: Shown, kept: dict[str, str]
) -> None:
    wish = await strip_later_attributes(home, await ask_for(kid, rice), **kept)
    assert (await notification_of(home, "wish", wish))[0] == "kid is asking for Rice"
