"""Test the wish pages of children and what an admin sees before a decision."""

import re
from html import unescape

import pytest

from tests.api_client import Shown
from tests.home import Home
from tests.pages import see, send
from tests.running import Person
from tests.suggestions.wish_requests import approve, ask_for, items_of, propose, reject

NOTHING_YET = "You haven’t asked for anything yet."


@pytest.fixture
async def sibling(home: Home) -> Person:
    return await home.with_member("sibling", "suggester")


def text_of(shown: str) -> str:
    """Return the text of a page without its tags."""
    return " ".join(unescape(re.sub(r"<[^>]+>", "", shown)).split())


def section_under(shown: str, heading: str) -> str:
    """Return the section under a heading."""
    return shown.partition(f">{heading}</h2>")[2].partition("</section>")[0]


async def test_many_wishes_of_sibling_do_not_hide_own_wishes(
    home: Home, kid: Person, sibling: Person, rice: Shown
) -> None:
    assert NOTHING_YET in await see(kid, "/wishes")
    early = await propose(kid, "Kite")
    await reject(home.admin, early, "After the summer")
    await send(kid, f"/wishes/{early['suggestionId']}/heard")
    await ask_for(kid, rice)
    for number in range(31):
        await propose(sibling, f"Sweets {number}")
    mine = section_under(await see(kid, "/wishes"), "Your wishes")
    assert NOTHING_YET not in mine
    assert "Sweets" not in mine
    assert "After the summer" in mine
    assert mine.index("Rice") < mine.index("Kite")
    theirs = section_under(await see(sibling, "/wishes"), "Your wishes")
    assert "Sweets 30" in theirs
    assert "Sweets 0 " not in text_of(theirs)
    assert "Kite" not in theirs


async def test_answer_is_shown_before_many_newer_wishes(home: Home, kid: Person) -> None:
    yes, no, *_ = [await propose(kid, f"Toy {number}") for number in range(33)]
    await approve(home.admin, yes)
    await reject(home.admin, no, "Not today")
    shown = await see(kid, "/wishes")
    for wish in (yes, no):
        assert f'id="answer-{wish["suggestionId"]}"' in shown
    earlier = "Your wishes"
    assert text_of(section_under(shown, earlier)).count("waiting for an answer") == 30
    await send(kid, f"/wishes/{yes['suggestionId']}/heard")
    shown = await see(kid, "/wishes")
    assert f'id="answer-{yes["suggestionId"]}"' not in shown
    assert text_of(section_under(shown, earlier)).count("waiting for an answer") == 30
    assert "Toy 0" not in section_under(shown, earlier), "it is older than 30 others"


async def test_all_new_answers_are_shown(home: Home, kid: Person, sibling: Person) -> None:
    wishes = [await propose(kid, f"Toy {number}") for number in range(32)]
    theirs = await propose(sibling, "Kite")
    for wish in (*wishes, theirs):
        await approve(home.admin, wish)
    shown = await see(kid, "/wishes")
    for wish in wishes:
        assert f'id="answer-{wish["suggestionId"]}"' in shown
    assert "31 more answers after this one" in shown
    assert f'id="answer-{theirs["suggestionId"]}"' not in shown
    for wish in wishes:
        await send(kid, f"/wishes/{wish['suggestionId']}/heard")
    mine = text_of(section_under(await see(kid, "/wishes"), "Your wishes"))
    assert mine.count("Yes!") == 30
    assert "Toy 1 " not in mine, "it is older than 30 others"


async def test_child_can_propose_a_quantity(home: Home, kid: Person) -> None:
    assert "How many?" in await see(kid, "/wishes")
    asked = await send(kid, "/wishes", name="Snack bars", quantity=10, notes="For school")
    assert asked.headers["location"] == "/wishes?said=asked"
    (wish,) = (await kid.get("/suggestions")).json()["suggestions"]
    assert (wish["proposedItemName"], wish["proposedQuantity"]) == ("Snack bars", 10)
    assert (wish["proposedThreshold"], wish["notes"]) == (None, "For school")
    await approve(home.admin, wish)
    (item,) = await items_of(home)
    assert (item.name, item.quantity, item.threshold) == ("Snack bars", 10, 0)


async def test_proposed_quantity_is_optional(kid: Person) -> None:
    await send(kid, "/wishes", name="Snack bars", quantity="", notes="")
    (wish,) = (await kid.get("/suggestions")).json()["suggestions"]
    assert wish["proposedQuantity"] is None


@pytest.mark.parametrize("quantity", ["-1", "1.5", "many", "10000000000"])
async def test_invalid_quantity_is_refused_and_stays(kid: Person, quantity: str) -> None:
    answer = await send(kid, "/wishes", name="Kite", quantity=quantity)
    assert answer.status_code == 400
    assert 'id="quantity-wrong"' in answer.text
    assert f'value="{quantity}"' in answer.text
    assert 'value="Kite"' in answer.text
    assert (await kid.get("/suggestions")).json()["suggestions"] == []


async def test_wish_for_existing_item_refuses_a_quantity(kid: Person, rice: Shown) -> None:
    answer = await send(kid, "/wishes", itemId=rice["itemId"], quantity=3)
    assert answer.status_code == 400
    assert (await kid.get("/suggestions")).json()["suggestions"] == []


async def test_card_shows_proposed_quantity_and_threshold(home: Home, kid: Person) -> None:
    await propose(kid, "Snack bars", proposedQuantity=1200, proposedThreshold=3)
    card = text_of(await see(home.admin, "/wishes"))
    assert "Alert below 3. Saying yes adds 1,200 to your stock." in card


async def test_card_shows_no_threshold_for_proposed_zero(home: Home, kid: Person) -> None:
    await propose(kid, "Snack bars", proposedQuantity=0, proposedThreshold=0)
    card = text_of(await see(home.admin, "/wishes"))
    assert "Saying yes adds it to your stock, with none yet." in card
    assert "Alert below" not in card


async def test_card_without_proposals_shows_no_numbers(
    home: Home, kid: Person, rice: Shown
) -> None:
    await propose(kid, "Kite")
    card = text_of(await see(home.admin, "/wishes"))
    assert "Saying yes adds it to your stock, with none yet." in card
    assert "Alert below" not in card
    (wish,) = (await kid.get("/suggestions")).json()["suggestions"]
    await reject(home.admin, wish)
    await ask_for(kid, rice)
    assert "Saying yes" not in text_of(await see(home.admin, "/wishes"))


async def test_decided_wishes_name_their_suggester(
    home: Home, kid: Person, sibling: Person
) -> None:
    await approve(home.admin, await propose(kid, "Kite"))
    await reject(home.admin, await propose(sibling, "Drums"), "Too loud")
    decided = text_of(section_under(await see(home.admin, "/wishes"), "Decided"))
    assert "Kite kid asked. Yes!" in decided
    assert "Drums sibling asked. Not this time: “Too loud”" in decided
    assert "kid asked" not in await see(kid, "/wishes")
