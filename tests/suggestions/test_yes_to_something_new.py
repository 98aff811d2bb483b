"""A yes to something new puts it onto the list, too: a second step, which can fail or be undone."""

import asyncio

import pytest

from homeshelf.config.values import Rate
from homeshelf.shopping import store as shopping
from homeshelf.table import Database
from tests.api_client import Shown, add_entry, mark_entry, set_archived
from tests.database_hooks import before_first_transaction, with_hook
from tests.home import NOBODYS, Home, new_home
from tests.moment import Moment
from tests.pages import Page, led_to, look, send
from tests.running import Person, running_app
from tests.suggestions.asking import (
    approve,
    approved,
    ask_for,
    entries_of,
    items_of,
    propose,
    reject,
    wish_now,
)


@pytest.fixture
async def kite(kid: Person) -> Shown:
    return await propose(kid, "Kite", proposedQuantity=2)


def deciding(wish: Shown) -> str:
    return f"/wishes/{wish['suggestionId']}/decide"


def listing(wish: Shown) -> str:
    return f"/wishes/{wish['suggestionId']}/list"


def about(said: str, wish: Shown) -> str:
    return f"/wishes?said={said}&wish={wish['suggestionId']}"


async def say_yes(home: Home, wish: Shown) -> Page:
    """The button alone; returns the page that it leads to."""
    page = await look(home.admin, "/wishes")
    return await look(home.admin, led_to(await page.send(deciding(wish), answer="yes")))


async def test_it_is_in_the_stock_and_on_the_list(home: Home, kite: Shown) -> None:
    page = await look(home.admin, "/wishes")
    assert "Also add it to the list" in page.words
    assert page.form(deciding(kite)).fields["toList"] == "true"
    assert led_to(await page.send(deciding(kite), answer="yes")) == about("listed", kite)
    (item,), (entry,) = await items_of(home), await entries_of(home)
    assert (item.name, item.quantity, item.created_by) == ("Kite", 2, home.admin.member_id)
    assert (entry.item_id, entry.name, entry.quantity) == (item.item_id, "Kite", None)
    assert entry.added_by == home.admin.member_id
    now = await wish_now(home.admin, kite)
    assert (now["itemId"], now["itemStatus"], now["alreadyOnList"]) == (None, None, False)


async def test_who_does_not_want_that_unticks_it(home: Home, kite: Shown) -> None:
    answer = await send(home.admin, deciding(kite), answer="yes", version=1)
    assert led_to(answer) == "/wishes?said=stocked"
    after = await look(home.admin, "/wishes?said=stocked")
    assert "Done. It’s in your stock." in after.words
    assert [item.name for item in await items_of(home)] == ["Kite"]
    assert await entries_of(home) == []


async def test_more_of_something_is_not_put_there_twice(
    home: Home, kid: Person, rice: Shown
) -> None:
    wish = await ask_for(kid, rice)
    page = await look(home.admin, "/wishes")
    assert "toList" not in page.form(deciding(wish)).fields
    answer = await send(home.admin, deciding(wish), answer="yes", version=1, toList="true")
    assert led_to(answer) == "/wishes?said=yes"
    assert len(await entries_of(home)) == 1


async def test_a_no_puts_nothing_anywhere(home: Home, kite: Shown) -> None:
    page = await look(home.admin, "/wishes")
    assert led_to(await page.send(deciding(kite), answer="no")) == "/wishes?said=no"
    assert (await items_of(home), await entries_of(home)) == ([], [])


async def test_a_yes_of_the_api_makes_the_item_alone(home: Home, kite: Shown) -> None:
    answer = (await approve(home.admin, kite)).json()
    assert answer["created"]["entityType"] == "InventoryItem"
    assert "madeItemId" not in answer["suggestion"]
    assert "madeItemId" not in await wish_now(home.admin, kite)
    assert await entries_of(home) == []


@pytest.mark.parametrize("answer", ["yes", "no"])
async def test_who_presses_twice_is_told_the_same_and_does_it_once(
    home: Home, kite: Shown, answer: str
) -> None:
    page = await look(home.admin, "/wishes")
    first = led_to(await page.send(deciding(kite), answer=answer))
    before = await items_of(home), await entries_of(home)
    assert led_to(await page.send(deciding(kite), answer=answer)) == first
    assert (await items_of(home), await entries_of(home)) == before
    other = "no" if answer == "yes" else "yes"
    assert led_to(await page.send(deciding(kite), answer=other)) == "/wishes?said=decided"
    assert (await items_of(home), await entries_of(home)) == before


async def test_two_presses_at_once_are_one(home: Home, kite: Shown) -> None:
    page = await look(home.admin, "/wishes")
    answers = await asyncio.gather(*(page.send(deciding(kite), answer="yes") for _ in range(6)))
    assert {led_to(answer) for answer in answers} == {about("listed", kite)}
    assert (len(await items_of(home)), len(await entries_of(home))) == (1, 1)


async def test_another_parent_is_told_that_it_is_decided(home: Home, kite: Shown) -> None:
    partner = await home.with_member("partner", "admin")
    theirs = await look(partner, "/wishes")
    await say_yes(home, kite)
    for answer in ("yes", "no"):
        assert led_to(await theirs.send(deciding(kite), answer=answer)) == "/wishes?said=decided"
    assert (len(await items_of(home)), len(await entries_of(home))) == (1, 1)


async def test_other_words_for_a_no_are_another_answer(home: Home, kite: Shown) -> None:
    page = await look(home.admin, "/wishes")
    await page.send(deciding(kite), answer="no", rejectionNotes="Too windy")
    later = await page.send(deciding(kite), answer="no", rejectionNotes="Too wet")
    assert led_to(later) == "/wishes?said=decided"
    assert (await wish_now(home.admin, kite))["rejectionNotes"] == "Too windy"


async def test_a_press_that_is_repeated_after_an_undo_lists_nothing(
    home: Home, kite: Shown
) -> None:
    page = await look(home.admin, "/wishes")
    after = await look(home.admin, led_to(await page.send(deciding(kite), answer="yes")))
    await after.send(listing(kite), wanted="false")
    assert await entries_of(home) == []
    again = led_to(await page.send(deciding(kite), answer="yes"))
    assert await entries_of(home) == []
    assert "Kite is no longer on the list." in (await look(home.admin, again)).words


async def test_it_is_taken_off_and_put_back_as_often_as_one_likes(home: Home, kite: Shown) -> None:
    page = await say_yes(home, kite)
    for _ in range(2):
        assert "Done. Kite is on the list." in page.words
        assert page.in_order("Kite is on the list", "Remove from list")
        led = led_to(await page.send(listing(kite), wanted="false"))
        assert (led, await entries_of(home)) == (about("off-list", kite), [])
        page = await look(home.admin, led)
        assert page.in_order("Kite is off the list again. It’s still in your stock", "Add to")
        led = led_to(await page.send(listing(kite), wanted="true"))
        assert (led, len(await entries_of(home))) == (about("listed", kite), 1)
        page = await look(home.admin, led)
    assert len(await items_of(home)) == 1


async def test_one_of_two_is_taken_off(home: Home, kite: Shown) -> None:
    page = await say_yes(home, kite)
    (item,) = await items_of(home)
    await add_entry(home.admin, itemId=item.item_id, force=True)
    await page.send(listing(kite), wanted="false")
    assert len(await entries_of(home)) == 1


async def test_what_was_bought_meanwhile_is_not_taken_off(home: Home, kite: Shown) -> None:
    page = await say_yes(home, kite)
    (entry,) = await entries_of(home)
    await mark_entry(
        home.admin, {"shoppingItemId": entry.shopping_item_id, "version": 1}, "purchased"
    )
    await page.send(listing(kite), wanted="false")
    assert [each.status for each in await entries_of(home)] == ["purchased"]


async def test_what_is_bought_at_this_very_moment_stays(home: Home) -> None:
    db = home.running.db
    entry = await add_entry(home.admin, name="Kite")

    async def buy() -> None:
        await mark_entry(home.admin, entry, "purchased")

    looking_on = with_hook(db, before_first_transaction(buy))
    await shopping.remove_if_pending(
        looking_on, shopping.key_of(home.family_id, entry["shoppingItemId"])
    )
    assert [each.status for each in await entries_of(home)] == ["purchased"]


async def test_what_is_on_the_list_already_is_as_good(home: Home, kite: Shown) -> None:
    await say_yes(home, kite)
    assert led_to(await send(home.admin, listing(kite), wanted="true")) == about("listed", kite)
    assert len(await entries_of(home)) == 1


async def test_what_is_said_is_what_is_so(home: Home, kite: Shown) -> None:
    """The address stays when the page is loaded again, and the notice with it."""
    await say_yes(home, kite)
    (item,) = await items_of(home)
    listed = about("listed", kite)
    for _ in range(2):
        assert "Done. Kite is on the list." in (await look(home.admin, listed)).words
    await set_archived(home.admin, {"itemId": item.item_id}, "archive")
    await send(home.admin, listing(kite), wanted="false")
    page = await look(home.admin, about("off-list", kite))
    assert "Kite is no longer on the list." in page.words
    assert not page.has_form(listing(kite))


async def test_an_address_says_nothing_of_what_is_none_of_it(
    home: Home, kid: Person, kite: Shown, neighbour: Person
) -> None:
    await say_yes(home, kite)
    candy = await propose(kid, "Candy")
    await reject(home.admin, candy)
    silent = (await look(home.admin, "/wishes")).words
    for path in (
        about("anything", kite),
        about("listed", candy),
        f"/wishes?said=listed&wish={NOBODYS}",
        "/wishes?said=listed&wish=nothing",
        "/wishes?said=listed",
    ):
        assert (await look(home.admin, path)).words == silent
    assert "Kite" not in (await look(neighbour, about("listed", kite))).words


async def test_only_what_a_yes_has_made_goes_onto_the_list(
    home: Home, kid: Person, kite: Shown, rice: Shown, neighbour: Person
) -> None:
    for wish in (kite, await ask_for(kid, rice)):
        assert (await send(home.admin, listing(wish), wanted="true")).status_code == 404
    await approved(home.admin, kite)
    for person, status in ((kid, 403), (neighbour, 404)):
        assert (await send(person, listing(kite), wanted="true")).status_code == status
    assert led_to(await send(home.admin, listing(kite), wanted="perhaps")) == "/wishes"
    assert await entries_of(home) == []
    assert led_to(await send(home.admin, listing(kite), wanted="true")) == about("listed", kite)
    assert [entry.name for entry in await entries_of(home)] == ["Kite"]


async def test_where_the_second_step_fails_the_yes_stands_and_the_page_says_so(
    database: Database, moment: Moment
) -> None:
    """A parent may write twice in a minute: to invite the child, and the yes itself."""
    async with running_app(database, limit_writes=Rate(2, 60)) as running:
        home = await new_home(running, "Lovelace", "ada")
        kid = await running.person("kid", verified=True)
        await home.let_in(kid, "suggester")
        kite = await propose(kid, "Kite")
        page = await look(home.admin, "/wishes")
        led = led_to(await page.send(deciding(kite), answer="yes"))
        assert led == about("not-listed", kite)
        assert (len(await items_of(home)), len(await entries_of(home))) == (1, 0)
        assert (await wish_now(home.admin, kite))["status"] == "approved"
        moment.pass_by(61)
        after = await look(home.admin, led)
        assert after.in_order(
            "Kite is in your stock, but couldn’t be added to the list.", "Add to list"
        )
        assert led_to(await after.send(listing(kite), wanted="true")) == about("listed", kite)
        assert (len(await items_of(home)), len(await entries_of(home))) == (1, 1)


async def test_the_same_press_finishes_what_failed(database: Database, moment: Moment) -> None:
    async with running_app(database, limit_writes=Rate(2, 60)) as running:
        home = await new_home(running, "Lovelace", "ada")
        kid = await running.person("kid", verified=True)
        await home.let_in(kid, "suggester")
        kite = await propose(kid, "Kite")
        page = await look(home.admin, "/wishes")
        await page.send(deciding(kite), answer="yes")
        moment.pass_by(61)
        assert led_to(await page.send(deciding(kite), answer="yes")) == about("listed", kite)
        assert (len(await items_of(home)), len(await entries_of(home))) == (1, 1)
