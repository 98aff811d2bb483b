"""Test that a child ticks the list only while an admin allows it."""

import pytest

from tests.api_client import (
    Shown,
    add_entry,
    add_purchased_entry,
    entry_page_path,
    entry_path,
    get_entry,
    mark_entry,
    put_away,
)
from tests.home import Home, add_child, new_home, new_link, set_may_tick, signed_in, token_in
from tests.pages import led_to, look, send
from tests.running import Person, Visitor, problem_of
from tests.shopping.test_strangers import CHANGES, response_to

FORBIDDEN = (403, "forbidden")
TICK = {"status": "purchased", "version": 1}


@pytest.fixture
async def ticking_child(home: Home, kid: Person) -> Person:
    """A child who may tick."""
    assert (await set_may_tick(home.admin, kid)).status_code == 200
    return kid


async def tick(who: Visitor, entry: Shown) -> tuple[int, str]:
    answer = await who.patch(entry_path(entry, "/status"), TICK)
    return (200, "") if answer.is_success else problem_of(answer)


async def test_strangers_cannot_tick_or_grant_the_permission(
    home: Home, ticking_child: Person, neighbour: Person, gone: Person
) -> None:
    entry = await add_entry(home.admin, name="Cake")
    other = await home.with_member("zoe", "suggester")
    for stranger, refusal in (
        (home.running.visitor(), (401, "unauthenticated")),
        (neighbour, (404, "not_found")),
        (gone, (403, "no_family")),
        (other, FORBIDDEN),
    ):
        assert await tick(stranger, entry) == refusal
        assert problem_of(await set_may_tick(stranger, other, version=1)) == refusal
    assert problem_of(await set_may_tick(ticking_child, other, version=1)) == FORBIDDEN
    assert (await get_entry(home.admin, entry))["version"] == 1
    assert (await home.member(other))["mayTick"] is None


async def test_child_with_permission_ticks_both_ways_and_nothing_else(
    home: Home, ticking_child: Person
) -> None:
    assert (await home.member(ticking_child))["mayTick"] is True
    entry = await add_entry(home.admin, name="Cake")
    done = await mark_entry(ticking_child, entry, "purchased")
    assert (await mark_entry(ticking_child, done, "pending"))["version"] == 3
    for asked in CHANGES:
        if "/status" not in asked[1]:
            assert await response_to(ticking_child, entry["shoppingItemId"], asked) == FORBIDDEN
    assert problem_of(await ticking_child.post("/items", {"name": "Jam"})) == FORBIDDEN
    path = entry_page_path(entry)
    assert (
        led_to(await send(ticking_child, f"{path}/tick", status="purchased", version=3)) == "/list"
    )
    assert (await get_entry(home.admin, entry))["status"] == "purchased"
    assert (await send(ticking_child, f"{path}/put-away", version=4)).status_code == 403


async def test_child_cannot_tick_an_entry_that_was_put_away(
    home: Home, ticking_child: Person, milk: Shown
) -> None:
    entry = await add_purchased_entry(home.admin, itemId=milk["itemId"])
    away, _ = await put_away(home.admin, entry)
    for version in (1, away["version"]):
        for status in ("pending", "purchased"):
            body = {"status": status, "version": version}
            answer = await ticking_child.patch(entry_path(entry, "/status"), body)
            assert problem_of(answer) == FORBIDDEN
    assert await get_entry(home.admin, entry) == away


async def test_permission_ends_with_promotion_and_with_removal(
    home: Home, ticking_child: Person
) -> None:
    entry = await add_entry(home.admin, name="Cake")
    for role in ("admin", "suggester"):
        now = await home.member(ticking_child)
        body = {"role": role, "version": now["version"]}
        changed = await home.admin.patch(f"/members/{ticking_child.member_id}", body)
        assert changed.json()["mayTick"] is None
    assert await tick(ticking_child, entry) == FORBIDDEN
    assert (await set_may_tick(home.admin, ticking_child)).json()["mayTick"] is True
    await home.remove_member(ticking_child)
    assert (await home.member(ticking_child))["mayTick"] is None
    await home.let_in(ticking_child, "suggester")
    assert await tick(ticking_child, entry) == FORBIDDEN


async def test_permission_ends_at_once_even_for_a_repeated_request(
    home: Home, ticking_child: Person
) -> None:
    entry = await add_entry(home.admin, name="Cake")
    path = entry_path(entry, "/status")
    assert (await ticking_child.patch(path, TICK, key="tick")).is_success
    taken = await set_may_tick(home.admin, ticking_child, value=False)
    assert taken.json()["mayTick"] is None
    refused = await ticking_child.patch(path, TICK, key="tick")
    assert problem_of(refused) == FORBIDDEN
    assert refused.json()["detail"] == "Ask an adult to let you tick the list."


async def test_adult_cannot_have_the_permission(home: Home) -> None:
    answer = await set_may_tick(home.admin, home.admin)
    assert problem_of(answer) == (409, "wrong_state")
    assert answer.json()["current"]["mayTick"] is None


async def test_permission_holds_in_one_family_only(home: Home, ticking_child: Person) -> None:
    other = await new_home(home.running, "Byron", "annabella")
    await other.let_in(ticking_child, "suggester")
    here, there = await add_entry(home.admin, name="Cake"), await add_entry(other.admin, name="Tea")
    for family, entry, expected in ((home, here, (200, "")), (other, there, FORBIDDEN)):
        ticking_child.client.headers["Homeshelf-Family"] = family.family_id
        assert await tick(ticking_child, entry) == expected


async def test_child_without_address_ticks_by_link_until_it_is_taken_back(home: Home) -> None:
    child = await add_child(home)
    device = await signed_in(home.running, token_in(await new_link(home, child)))
    cake, tea = [await add_entry(home.admin, name=name) for name in ("Cake", "Tea")]
    assert await tick(device, cake) == FORBIDDEN
    page = await look(home.admin, "/family")
    path = f"/family/members/{child['memberId']}"
    assert page.form(path).fields["mayTick"] == "true"
    assert led_to(await page.send(path)) == "/family?said=saved"
    assert await tick(device, cake) == (200, "")
    page = await look(home.admin, "/family")
    assert "Child: can look, ask, and tick the list" in page.words
    await page.send(path)
    assert await tick(device, tea) == FORBIDDEN


async def test_list_page_of_child_shows_forms_only_with_the_permission(
    home: Home, kid: Person, milk: Shown
) -> None:
    entry = await add_entry(home.admin, name="Cake")
    bought = await add_purchased_entry(home.admin, itemId=milk["itemId"])
    away, _ = await put_away(home.admin, bought)
    ticks = [f"{entry_page_path(each)}/tick" for each in (entry, away)]
    page = await look(kid, "/list")
    assert not any(map(page.has_form, ticks))
    await set_may_tick(home.admin, kid)
    page = await look(kid, "/list")
    assert [page.has_form(path) for path in ticks] == [True, False]
    assert not page.has_form(f"{entry_page_path(away)}/put-away")
    assert entry_page_path(entry) not in page.links
    assert led_to(await page.send(ticks[0])) == "/list"
    assert (await get_entry(kid, entry))["status"] == "purchased"
