"""Test that a child's page shows new answers first until the child has seen them."""

import pytest

from homeshelf.families.memberships import delete_family
from homeshelf.suggestions.model import HeardAnswer
from tests.api_client import Shown, add_item, set_archived
from tests.home import NOBODYS, Home
from tests.moment import DAY, Moment
from tests.pages import led_to, look, see, send
from tests.running import Person, problem_of
from tests.suggestions.wish_requests import approve, ask_for, items_of, propose, reject

TITLE = "I’d like…"


def seen_path(wish: Shown) -> str:
    return f"/wishes/{wish['suggestionId']}/heard"


async def new_answers_text(kid: Person) -> str:
    """Return the text of the new answers, on one line."""
    words = (await look(kid, "/wishes")).words
    return words.partition("Skip to content")[2].partition(TITLE)[0]


async def unseen(kid: Person) -> int:
    """Return the badge of Home, which the script reads again."""
    count: int = (await kid.client.get("/wishes/unseen")).json()["unseenAnswers"]
    badge = (await see(kid, "/list")).partition('data-count="unseenAnswers"')[2]
    assert f">{count}</live-badge>" in badge.partition("</a>")[0]
    return count


async def earlier_wishes_text(kid: Person) -> str:
    return (await look(kid, "/wishes")).words.partition("Your wishes")[2]


async def test_approval_is_shown_until_child_has_seen_it(
    home: Home, kid: Person, rice: Shown
) -> None:
    wish = await ask_for(kid, rice)
    assert "Rice" not in await new_answers_text(kid)
    await approve(home.admin, wish)
    page = await look(kid, "/wishes")
    assert page.in_order("🍚", "Rice", "Yes!", "ada said yes. It’s on the list.", "just now", TITLE)
    assert "Rice" not in await earlier_wishes_text(kid)
    assert led_to(await page.send(seen_path(wish))) == "/wishes"
    assert "Rice" not in await new_answers_text(kid)
    assert "Rice Yes! just now ada said yes. It’s on the list." in await earlier_wishes_text(kid)


async def test_waiting_answer_is_first_on_home_and_counted_until_it_was_seen(
    home: Home, kid: Person, rice: Shown
) -> None:
    other = await home.with_member("zoe", "suggester")
    kite, wish = await propose(kid, "Kite"), await ask_for(kid, rice)
    assert await unseen(kid) == 0
    await approve(home.admin, wish)
    await reject(home.admin, kite, "Too windy")
    assert [await unseen(each) for each in (kid, other)] == [2, 0]
    assert problem_of(await home.admin.client.get("/wishes/unseen"))[0] == 403
    page = await look(kid, "/")
    assert page.in_order("Hello", "Kite", "“Too windy”", "1 more answer after this one")
    assert led_to(await page.send(seen_path(kite) + "?back=home")) == "/"
    page = await look(kid, "/")
    assert page.in_order("Hello", "Rice", "Yes!", "ada said yes. It’s on the list.", "Hooray!")
    await page.send(seen_path(wish) + "?back=home")
    assert await unseen(kid) == 0
    assert "Hooray!" not in (await look(kid, "/")).words
    for stranger in (other, home.admin):
        assert "Yes!" not in (await look(stranger, "/")).words


async def test_cards_begin_with_earlier_wishes_and_treats(home: Home, kid: Person) -> None:
    names = ("Batteries", "Apples", "Chocolate", "Glue", "Zip bags")
    made = {name: await add_item(home.admin, name=name) for name in names}
    for name in ("Glue", "Zip bags", "Zip bags"):
        await reject(home.admin, await ask_for(kid, made[name]))
    await ask_for(kid, made["Batteries"])
    page = await look(kid, "/wishes")
    assert page.in_order(TITLE, "Zip bags", "Glue", "Chocolate", "Apples", "Batteries You asked")


async def test_rejection_is_shown_with_its_reason(home: Home, kid: Person) -> None:
    drums, kite = await propose(kid, "Drums"), await propose(kid, "Kite")
    await reject(home.admin, drums, "Too loud")
    await reject(home.admin, kite)
    page = await look(kid, "/wishes")
    assert page.in_order("Drums", "Not this time", "“Too loud”", "ada, just now", "OK", TITLE)
    assert page.in_order("Kite", "Not this time", "ada, just now", "OK", TITLE)
    assert "cheer" not in page.text
    await page.send(seen_path(drums))
    assert "Drums" not in await new_answers_text(kid)
    assert "Kite" in await new_answers_text(kid)
    assert "Drums Not this time: “Too loud”" in await earlier_wishes_text(kid)
    await page.send(seen_path(kite))
    assert "Kite Not this time" in await earlier_wishes_text(kid)


async def test_approval_says_where_the_new_item_is(home: Home, kid: Person) -> None:
    kite = await propose(kid, "Kite")
    page = await look(home.admin, "/wishes")
    await page.send(f"/wishes/{kite['suggestionId']}/decide", answer="yes")
    assert "ada said yes. It’s on the list." in await new_answers_text(kid)
    await send(home.admin, f"/wishes/{kite['suggestionId']}/list", wanted="false")
    assert "ada said yes. It’s in the stock." in await new_answers_text(kid)
    (item,) = await items_of(home)
    await set_archived(home.admin, {"itemId": item.item_id}, "archive")
    assert "ada said yes." in await new_answers_text(kid)
    assert "It is" not in await new_answers_text(kid)


async def test_newest_answer_is_shown_first_and_others_later(
    home: Home, kid: Person, moment: Moment
) -> None:
    ball = await propose(kid, "Ball")
    moment.pass_by(1)
    kite = await propose(kid, "Kite")
    for wish in (kite, ball):
        moment.pass_by(1)
        await approve(home.admin, wish)
    shown = await see(kid, "/wishes")
    cards = [each.partition(">")[0] for each in shown.split('<article class="card answer')[1:]]
    assert ["data-later" in each for each in cards] == [False, True]
    assert shown.index("Ball</h2>") < shown.index("Kite</h2>")
    assert "1 more answer after this one" in await new_answers_text(kid)
    await send(kid, seen_path(ball))
    assert "more answer" not in await new_answers_text(kid)


async def test_answer_is_not_new_after_two_weeks(home: Home, kid: Person, moment: Moment) -> None:
    kite = await propose(kid, "Kite")
    await approve(home.admin, kite)
    moment.pass_by(14 * DAY - 1)
    assert "Kite" in await new_answers_text(kid)
    moment.pass_by(2)
    assert "Kite" not in await new_answers_text(kid)
    assert "Kite" in await earlier_wishes_text(kid)


async def test_seen_mark_lasts_two_weeks(home: Home, kid: Person, moment: Moment) -> None:
    kite = await propose(kid, "Kite")
    await approve(home.admin, kite)
    await send(kid, seen_path(kite))
    (kept,) = await home.running.db.all(HeardAnswer.where(family_id=home.family_id))
    assert kept.ttl == int(moment.at.timestamp()) + 14 * DAY


async def test_only_suggester_can_mark_answer_seen(
    home: Home, kid: Person, neighbour: Person
) -> None:
    sibling = await home.with_member("sibling", "suggester")
    kite = await propose(kid, "Kite")
    assert (await send(kid, seen_path(kite))).status_code == 404
    await approve(home.admin, kite)
    for person, status in ((sibling, 404), (home.admin, 403), (neighbour, 403)):
        assert (await send(person, seen_path(kite))).status_code == status
    other = f"/wishes/{NOBODYS}/heard"
    assert (await send(kid, other)).status_code == 404
    assert "Kite" in await new_answers_text(kid)
    for _ in range(2):
        assert led_to(await send(kid, seen_path(kite))) == "/wishes"
    assert "Kite" not in await new_answers_text(kid)


async def test_answer_is_not_shown_to_sibling(home: Home, kid: Person) -> None:
    sibling = await home.with_member("sibling", "suggester")
    await approve(home.admin, await propose(kid, "Kite"))
    assert "Yes!" not in (await look(sibling, "/wishes")).words


async def test_answer_names_removed_admin(home: Home, kid: Person) -> None:
    partner = await home.with_member("partner", "admin")
    await approve(partner, await propose(kid, "Kite"))
    await home.remove_member(partner)
    assert "partner said yes." in await new_answers_text(kid)


async def test_records_are_deleted_with_family(home: Home, kid: Person) -> None:
    kite = await propose(kid, "Kite")
    await approve(home.admin, kite)
    await send(kid, seen_path(kite))
    services = home.running.services
    await delete_family(services, home.family_id)
    assert await home.running.db.all(HeardAnswer.where(family_id=home.family_id)) == []


@pytest.mark.usefixtures("rice")
async def test_search_matches_part_of_name_and_offers_new_item(home: Home, kid: Person) -> None:
    await add_item(home.admin, name="Crème fraîche")
    page = await look(kid, "/wishes?q=ICE")
    assert page.in_order(TITLE, "New item", "Rice", "Your wishes")
    assert "Crème" not in page.words
    assert "/wishes/new" in page.links
    assert "Crème fraîche" in (await look(kid, "/wishes?q=fraiche")).words
    none = await look(kid, "/wishes?q=fire%20works")
    assert none.in_order("New item: fire works", "No items found")
    assert "/wishes/new?name=fire%20works" in none.links
    form = (await look(kid, "/wishes/new?name=fire%20works")).form("/wishes")
    assert form.fields["name"] == "fire works"
    long = (await look(kid, f"/wishes/new?name={'n' * 101}")).form("/wishes")
    assert long.fields["name"] == "n" * 100


async def test_cards_are_sorted_by_name(home: Home, kid: Person) -> None:
    for quantity, name in enumerate(("Tea", "milk", "Bread")):
        await add_item(home.admin, name=name, quantity=quantity)
    assert (await look(kid, "/wishes")).in_order(TITLE, "Bread", "milk", "Tea", "Your wishes")


async def test_empty_stock_offers_a_new_item(kid: Person) -> None:
    page = await look(kid, "/wishes")
    assert page.in_order("New item", "There’s nothing here yet. Ask for something new.")
    new = await look(kid, "/wishes/new")
    assert new.title == "New item · Homeshelf"
    assert led_to(await new.send("/wishes", name="Kite")) == "/wishes?said=asked"


@pytest.mark.parametrize("path", ["/wishes/new", "/wishes/new?name=Kite"])
async def test_new_wish_page_returns_403_for_admin(home: Home, path: str) -> None:
    await look(home.admin, path, 403)


async def test_invalid_wish_returns_to_its_own_page(kid: Person, rice: Shown) -> None:
    for item_id in (rice["itemId"], rice["itemId"].upper()):
        answer = await send(kid, "/wishes", itemId=item_id, notes="n" * 501)
        assert answer.status_code == 400
        assert "Rice</h1>" in answer.text
        assert 'id="notes-wrong"' in answer.text
    new = await send(kid, "/wishes", name="n" * 101)
    assert "New item</h1>" in new.text
    assert 'id="name-wrong"' in new.text
