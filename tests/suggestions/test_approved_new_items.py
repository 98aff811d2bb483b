"""Test that approving a new item also adds it to the list, in a second step that can fail."""

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
from tests.suggestions.wish_requests import (
    approve,
    ask_for,
    entries_of,
    get_created,
    items_of,
    propose,
    reject,
    wish_now,
)


@pytest.fixture
async def kite_wish(kid: Person) -> Shown:
    return await propose(kid, "Kite", proposedQuantity=2)


def decision_path(wish: Shown) -> str:
    return f"/wishes/{wish['suggestionId']}/decide"


def list_path(wish: Shown) -> str:
    return f"/wishes/{wish['suggestionId']}/list"


def notice_path(said: str, wish: Shown) -> str:
    return f"/wishes?said={said}&wish={wish['suggestionId']}"


async def approve_on_page(home: Home, wish: Shown) -> Page:
    """Press the button and return the page it leads to."""
    page = await look(home.admin, "/wishes")
    return await look(home.admin, led_to(await page.send(decision_path(wish), answer="yes")))


async def test_approval_of_new_item_adds_it_to_stock_and_list(home: Home, kite_wish: Shown) -> None:
    page = await look(home.admin, "/wishes")
    assert "Also add it to the list" in page.words
    assert page.form(decision_path(kite_wish)).fields["toList"] == "true"
    assert led_to(await page.send(decision_path(kite_wish), answer="yes")) == notice_path(
        "listed", kite_wish
    )
    (item,), (entry,) = await items_of(home), await entries_of(home)
    assert (item.name, item.quantity, item.created_by) == ("Kite", 2, home.admin.member_id)
    assert (entry.item_id, entry.name, entry.quantity) == (item.item_id, "Kite", None)
    assert entry.added_by == home.admin.member_id
    now = await wish_now(home.admin, kite_wish)
    assert (now["itemId"], now["itemStatus"], now["alreadyOnList"]) == (None, None, False)


async def test_approval_without_list_option_adds_item_to_stock_only(
    home: Home, kite_wish: Shown
) -> None:
    answer = await send(home.admin, decision_path(kite_wish), answer="yes", version=1)
    assert led_to(answer) == "/wishes?said=stocked"
    after = await look(home.admin, "/wishes?said=stocked")
    assert "Done. It’s in your stock." in after.words
    assert [item.name for item in await items_of(home)] == ["Kite"]
    assert await entries_of(home) == []


async def test_list_option_is_ignored_for_existing_item(
    home: Home, kid: Person, rice: Shown
) -> None:
    wish = await ask_for(kid, rice)
    page = await look(home.admin, "/wishes")
    assert "toList" not in page.form(decision_path(wish)).fields
    answer = await send(home.admin, decision_path(wish), answer="yes", version=1, toList="true")
    assert led_to(answer) == "/wishes?said=yes"
    assert len(await entries_of(home)) == 1


async def test_rejection_adds_no_item_or_entry(home: Home, kite_wish: Shown) -> None:
    page = await look(home.admin, "/wishes")
    assert led_to(await page.send(decision_path(kite_wish), answer="no")) == "/wishes?said=no"
    assert (await items_of(home), await entries_of(home)) == ([], [])


async def test_api_approval_adds_item_without_entry(home: Home, kite_wish: Shown) -> None:
    answer = (await approve(home.admin, kite_wish)).json()
    assert answer["created"]["entityType"] == "InventoryItem"
    assert "madeItemId" not in answer["suggestion"]
    assert "madeItemId" not in await wish_now(home.admin, kite_wish)
    assert await entries_of(home) == []


@pytest.mark.parametrize("answer", ["yes", "no"])
async def test_repeated_decision_form_has_same_result_once(
    home: Home, kite_wish: Shown, answer: str
) -> None:
    page = await look(home.admin, "/wishes")
    first = led_to(await page.send(decision_path(kite_wish), answer=answer))
    before = await items_of(home), await entries_of(home)
    assert led_to(await page.send(decision_path(kite_wish), answer=answer)) == first
    assert (await items_of(home), await entries_of(home)) == before
    other = "no" if answer == "yes" else "yes"
    assert led_to(await page.send(decision_path(kite_wish), answer=other)) == "/wishes?said=decided"
    assert (await items_of(home), await entries_of(home)) == before


async def test_concurrent_decision_forms_are_applied_once(home: Home, kite_wish: Shown) -> None:
    page = await look(home.admin, "/wishes")
    answers = await asyncio.gather(
        *(page.send(decision_path(kite_wish), answer="yes") for _ in range(6))
    )
    assert {led_to(answer) for answer in answers} == {notice_path("listed", kite_wish)}
    assert (len(await items_of(home)), len(await entries_of(home))) == (1, 1)


async def test_later_decision_of_other_admin_is_refused(home: Home, kite_wish: Shown) -> None:
    partner = await home.with_member("partner", "admin")
    theirs = await look(partner, "/wishes")
    await approve_on_page(home, kite_wish)
    for answer in ("yes", "no"):
        assert (
            led_to(await theirs.send(decision_path(kite_wish), answer=answer))
            == "/wishes?said=decided"
        )
    assert (len(await items_of(home)), len(await entries_of(home))) == (1, 1)


async def test_second_rejection_with_other_reason_is_refused(home: Home, kite_wish: Shown) -> None:
    page = await look(home.admin, "/wishes")
    await page.send(decision_path(kite_wish), answer="no", rejectionNotes="Too windy")
    later = await page.send(decision_path(kite_wish), answer="no", rejectionNotes="Too wet")
    assert led_to(later) == "/wishes?said=decided"
    assert (await wish_now(home.admin, kite_wish))["rejectionNotes"] == "Too windy"


async def test_repeated_approval_after_undo_adds_no_entry(home: Home, kite_wish: Shown) -> None:
    page = await look(home.admin, "/wishes")
    after = await look(home.admin, led_to(await page.send(decision_path(kite_wish), answer="yes")))
    await after.send(list_path(kite_wish), wanted="false")
    assert await entries_of(home) == []
    again = led_to(await page.send(decision_path(kite_wish), answer="yes"))
    assert await entries_of(home) == []
    assert "Kite is no longer on the list." in (await look(home.admin, again)).words


async def test_new_item_can_be_unlisted_and_listed_repeatedly(home: Home, kite_wish: Shown) -> None:
    page = await approve_on_page(home, kite_wish)
    for _ in range(2):
        assert "Done. Kite is on the list." in page.words
        assert page.in_order("Kite is on the list", "Remove from list")
        led = led_to(await page.send(list_path(kite_wish), wanted="false"))
        assert (led, await entries_of(home)) == (notice_path("off-list", kite_wish), [])
        page = await look(home.admin, led)
        assert page.in_order("Kite is off the list again. It’s still in your stock", "Add to")
        led = led_to(await page.send(list_path(kite_wish), wanted="true"))
        assert (led, len(await entries_of(home))) == (notice_path("listed", kite_wish), 1)
        page = await look(home.admin, led)
    assert len(await items_of(home)) == 1


async def test_unlisting_removes_one_of_two_entries(home: Home, kite_wish: Shown) -> None:
    page = await approve_on_page(home, kite_wish)
    (item,) = await items_of(home)
    await add_entry(home.admin, itemId=item.item_id, force=True)
    await page.send(list_path(kite_wish), wanted="false")
    assert len(await entries_of(home)) == 1


async def test_unlisting_keeps_purchased_entry(home: Home, kite_wish: Shown) -> None:
    page = await approve_on_page(home, kite_wish)
    (entry,) = await entries_of(home)
    await mark_entry(
        home.admin, {"shoppingItemId": entry.shopping_item_id, "version": 1}, "purchased"
    )
    await page.send(list_path(kite_wish), wanted="false")
    assert [each.status for each in await entries_of(home)] == ["purchased"]


async def test_unlisting_keeps_entry_purchased_during_it(home: Home) -> None:
    db = home.running.db
    entry = await add_entry(home.admin, name="Kite")

    async def buy() -> None:
        await mark_entry(home.admin, entry, "purchased")

    looking_on = with_hook(db, before_first_transaction(buy))
    await shopping.remove_if_pending(
        looking_on, shopping.key_of(home.family_id, entry["shoppingItemId"])
    )
    assert [each.status for each in await entries_of(home)] == ["purchased"]


async def test_listing_an_already_listed_item_adds_no_entry(home: Home, kite_wish: Shown) -> None:
    await approve_on_page(home, kite_wish)
    assert led_to(await send(home.admin, list_path(kite_wish), wanted="true")) == notice_path(
        "listed", kite_wish
    )
    assert len(await entries_of(home)) == 1


async def test_notice_follows_current_state(home: Home, kite_wish: Shown) -> None:
    """The address stays in the browser, so a reload shows the notice again."""
    await approve_on_page(home, kite_wish)
    (item,) = await items_of(home)
    listed = notice_path("listed", kite_wish)
    for _ in range(2):
        assert "Done. Kite is on the list." in (await look(home.admin, listed)).words
    await set_archived(home.admin, {"itemId": item.item_id}, "archive")
    await send(home.admin, list_path(kite_wish), wanted="false")
    page = await look(home.admin, notice_path("off-list", kite_wish))
    assert "Kite is no longer on the list." in page.words
    assert not page.has_form(list_path(kite_wish))


async def test_forged_notice_address_shows_no_notice(
    home: Home, kid: Person, kite_wish: Shown, neighbour: Person
) -> None:
    await approve_on_page(home, kite_wish)
    candy = await propose(kid, "Candy")
    await reject(home.admin, candy)
    silent = (await look(home.admin, "/wishes")).words
    for path in (
        notice_path("anything", kite_wish),
        notice_path("listed", candy),
        f"/wishes?said=listed&wish={NOBODYS}",
        "/wishes?said=listed&wish=nothing",
        "/wishes?said=listed",
    ):
        assert (await look(home.admin, path)).words == silent
    assert "Kite" not in (await look(neighbour, notice_path("listed", kite_wish))).words


async def test_only_approved_new_items_can_be_listed_by_admin(
    home: Home, kid: Person, kite_wish: Shown, rice: Shown, neighbour: Person
) -> None:
    for wish in (kite_wish, await ask_for(kid, rice)):
        assert (await send(home.admin, list_path(wish), wanted="true")).status_code == 404
    await get_created(home.admin, kite_wish)
    for person, status in ((kid, 403), (neighbour, 404)):
        assert (await send(person, list_path(kite_wish), wanted="true")).status_code == status
    assert led_to(await send(home.admin, list_path(kite_wish), wanted="perhaps")) == "/wishes"
    assert await entries_of(home) == []
    assert led_to(await send(home.admin, list_path(kite_wish), wanted="true")) == notice_path(
        "listed", kite_wish
    )
    assert [entry.name for entry in await entries_of(home)] == ["Kite"]


async def test_failed_listing_keeps_approval_and_is_reported(
    database: Database, moment: Moment
) -> None:
    """The write limit allows the invitation and the approval only."""
    async with running_app(database, limit_writes=Rate(2, 60)) as running:
        home = await new_home(running, "Lovelace", "ada")
        kid = await running.person("kid", verified=True)
        await home.let_in(kid, "suggester")
        kite = await propose(kid, "Kite")
        page = await look(home.admin, "/wishes")
        led = led_to(await page.send(decision_path(kite), answer="yes"))
        assert led == notice_path("not-listed", kite)
        assert (len(await items_of(home)), len(await entries_of(home))) == (1, 0)
        assert (await wish_now(home.admin, kite))["status"] == "approved"
        moment.pass_by(61)
        after = await look(home.admin, led)
        assert after.in_order(
            "Kite is in your stock, but couldn’t be added to the list.", "Add to list"
        )
        assert led_to(await after.send(list_path(kite), wanted="true")) == notice_path(
            "listed", kite
        )
        assert (len(await items_of(home)), len(await entries_of(home))) == (1, 1)


async def test_repeated_approval_adds_missing_entry(database: Database, moment: Moment) -> None:
    async with running_app(database, limit_writes=Rate(2, 60)) as running:
        home = await new_home(running, "Lovelace", "ada")
        kid = await running.person("kid", verified=True)
        await home.let_in(kid, "suggester")
        kite = await propose(kid, "Kite")
        page = await look(home.admin, "/wishes")
        await page.send(decision_path(kite), answer="yes")
        moment.pass_by(61)
        assert led_to(await page.send(decision_path(kite), answer="yes")) == notice_path(
            "listed", kite
        )
        assert (len(await items_of(home)), len(await entries_of(home))) == (1, 1)
