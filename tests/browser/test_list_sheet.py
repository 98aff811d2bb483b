"""Editing an entry in its sheet while other members change it."""

from asyncio import gather
from typing import Any

import pytest
from playwright.async_api import expect

from tests.browser.family_home import Home
from tests.browser.list_page import entry_row, listed_entries, wait_until_all_sent
from tests.browser.storage import wait_until_equal
from tests.browser.visitor import Visitor, Visitors


@pytest.fixture
def milk(home: Home) -> dict[str, Any]:
    return home.admin.ask("POST", "/shopping-list", {"name": "Milk"})


@pytest.fixture
async def phone(visitors: Visitors, home: Home, milk: dict[str, Any]) -> Visitor:
    """A phone with the sheet of an entry open."""
    phone = await home.phone(visitors)
    await phone.go("/list")
    await entry_row(phone, milk["name"]).get_by_role("link", name="Edit Milk").click()
    return phone


async def server_entries(home: Home) -> list[str]:
    return listed_entries(home)


async def test_concurrent_change_of_another_field_is_kept(
    phone: Visitor, home: Home, milk: dict[str, Any]
) -> None:
    path = f"/shopping-list/{milk['shoppingItemId']}"
    await phone.sees(f"Added by {home.admin.name}")
    home.admin.ask("PATCH", path, {"quantity": 5, "version": milk["version"]})
    await expect(entry_row(phone, "Milk").locator("output")).to_have_text("5")
    await phone.write("Notes", "the green one")
    await phone.press("Save")
    await wait_until_equal(["Milk 5 the green one"], lambda: server_entries(home))
    await expect(phone.page.locator(".decision-bar")).to_be_hidden()


async def test_concurrent_change_of_same_field_asks_the_user(
    phone: Visitor, home: Home, milk: dict[str, Any]
) -> None:
    path = f"/shopping-list/{milk['shoppingItemId']}"
    home.admin.ask("PATCH", path, {"notes": "theirs", "version": milk["version"]})
    await expect(entry_row(phone, "Milk")).to_contain_text("theirs")
    await phone.write("Notes", "mine")
    await phone.press("Save")
    await phone.sees("Someone else changed Milk too. Yours: mine. Theirs: theirs.")
    assert listed_entries(home) == ["Milk theirs"]


@pytest.mark.usefixtures("milk")
@pytest.mark.parametrize("script", [True, False])
async def test_two_people_edit_one_entry_and_both_changes_stay(
    visitors: Visitors, home: Home, script: bool
) -> None:
    mine, other = [await home.phone(visitors, script=script) for _ in range(2)]
    for phone in (mine, other):
        await phone.go("/list")
        await phone.press("Edit Milk")
        await expect(phone.field("How many?")).to_have_value("1")
    await mine.write("Notes", "the green one")
    await other.write("How many?", "3")
    await gather(mine.press("Save"), other.press("Save"))
    await wait_until_equal(["Milk 3 the green one"], lambda: server_entries(home))
    for phone in (mine, other):
        if not script:
            await phone.go("/list")  # it was drawn before the other person saved
        await expect(entry_row(phone, "Milk")).to_contain_text("the green one")
        await phone.press("Edit Milk")
        await expect(phone.field("How many?")).to_have_value("3")
    await mine.write("How many?", "4")
    await mine.press("Save")
    await wait_until_equal(["Milk 4 the green one"], lambda: server_entries(home))
    await other.write("How many?", "5")
    await other.press("Save")
    asked = "Yours: 5. Theirs: 4." if script else "Now: “4”."
    await other.sees(asked)
    if not script:
        await expect(other.field("How many?")).to_have_value("5")
    assert listed_entries(home) == ["Milk 4 the green one"]


async def test_edit_of_deleted_entry_is_reported(
    phone: Visitor, home: Home, milk: dict[str, Any]
) -> None:
    home.admin.ask("DELETE", f"/shopping-list/{milk['shoppingItemId']}")
    await expect(entry_row(phone, "Milk")).to_have_count(0)
    await phone.write("Notes", "mine")
    await phone.press("Save")
    await phone.sees("Someone removed Milk from the list.")


async def test_undo_of_removal_asks_nothing_if_item_is_listed_again(
    visitors: Visitors, home: Home
) -> None:
    coffee = {"itemId": home.item("Coffee", 0, 1)}
    home.admin.ask("POST", "/shopping-list", coffee)
    phone = await home.phone(visitors)
    await phone.go("/list")
    await entry_row(phone, "Coffee").get_by_role("link", name="Edit Coffee").click()
    await phone.press("Remove from list")
    await phone.rest_on("Undo")
    await wait_until_equal([], lambda: server_entries(home))
    home.admin.ask("POST", "/shopping-list", coffee)
    await expect(entry_row(phone, "Coffee")).to_have_count(1)
    await phone.press("Undo")
    await wait_until_equal(["Coffee", "Coffee"], lambda: server_entries(home))
    await expect(phone.page.locator(".decision-bar")).to_be_hidden()


@pytest.mark.parametrize("number", ["0", ""])
async def test_put_away_with_invalid_quantity_adds_no_stock(
    visitors: Visitors, home: Home, number: str
) -> None:
    coffee = home.item("Coffee", 0, 1)
    entry = home.admin.ask("POST", "/shopping-list", {"itemId": coffee, "quantity": 3})
    path = f"/shopping-list/{entry['shoppingItemId']}/status"
    home.admin.ask("PATCH", path, {"status": "purchased", "version": entry["version"]})
    phone = await home.phone(visitors)
    await phone.go("/list")
    await phone.page.locator(".bought summary").click()
    await phone.press("Edit Coffee")
    field = phone.field("How many to put away?")
    away = phone.page.get_by_role("dialog").get_by_role("button", name="Put away")
    await field.fill(number)
    await away.click()
    await expect(field).to_be_focused()
    await field.fill("2")
    await away.click()
    await expect(entry_row(phone, "Coffee")).to_contain_text("Undo")
    await wait_until_all_sent(phone)
    assert home.admin.ask("GET", f"/items/{coffee}")["quantity"] == 2
