"""The shopping list on two phones."""

import re

from playwright.async_api import expect

from tests.browser.demo_household import DemoHousehold
from tests.browser.family_home import create_home
from tests.browser.list_page import add, entry_row, expect_bought, wait_until_all_sent
from tests.browser.live_updates import expect_within_a_second, wait_for_all_changes
from tests.browser.visitor import Visitors


async def test_list_changes_appear_on_another_phone(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    home.store("Market")
    mine, other = await home.phone(visitors), await home.phone(visitors)
    for phone in (mine, other):
        await phone.go("/list")
        await add(phone, f"bread of {id(phone)}")
    await add(mine, "2 milk")
    await expect(entry_row(other, "milk")).to_be_visible()
    await expect(entry_row(other, "milk").locator(".badge")).to_have_text("2")

    await entry_row(mine, "milk").locator(".tick-row").click()
    await mine.rest_on("Undo")
    await expect_bought(mine, "milk", yes=True)
    await expect_bought(other, "milk", yes=True)
    await mine.press("Undo")
    await expect_bought(other, "milk", yes=False)

    await mine.press("Edit milk")
    await mine.write("Notes", "the blue one")
    await mine.pick("Shop", "Market")
    await mine.press("Save")
    await expect(entry_row(other, "milk")).to_contain_text("the blue one")

    await mine.press("Edit milk")
    await mine.press("Remove from list")
    await expect(entry_row(other, "milk")).to_have_count(0)
    await wait_for_all_changes(home, other)

    def add_to_list(number: int) -> str:
        home.admin.ask("POST", "/shopping-list", {"name": f"Tea {number}"})
        return f"Tea {number}"

    await expect_within_a_second(other, "li.entry", add_to_list)


async def test_duplicate_entry_asks_the_user(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    home.item("Milk", 1, 0)
    phone = await home.phone(visitors)
    await phone.go("/list")
    await add(phone, "milk")
    await expect(entry_row(phone, "Milk")).to_have_count(1)
    await add(phone, "2 milk")
    await phone.sees("Milk is already on the list. Add another?")
    await phone.press("Cancel")
    await expect(entry_row(phone, "Milk")).to_have_count(1)
    await add(phone, "2 milk")
    await phone.press("Add another")
    await expect(entry_row(phone, "Milk")).to_have_count(2)


async def test_purchased_entry_is_put_away_and_taken_back(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    item_id = home.item("Butter", 0, 1)
    mine, other = await home.phone(visitors), await home.phone(visitors)
    await mine.go("/")
    await mine.press("Add Butter to the list")
    await other.go("/list")
    await mine.go("/list")
    await entry_row(mine, "Butter").locator(".tick-row").click()
    await expect_bought(other, "Butter", yes=True)
    await mine.go("/list")
    await mine.page.locator(".bought summary").click()
    await entry_row(mine, "Butter").get_by_role("button", name="Put away").click()
    await mine.sees("Butter put away.")
    await mine.rest_on("Undo")
    await expect(entry_row(other, "Butter")).to_contain_text("Undo")
    assert home.admin.ask("GET", f"/items/{item_id}")["quantity"] == 1
    await mine.press("Undo")
    await expect(entry_row(other, "Butter")).to_contain_text("Put away")
    assert home.admin.ask("GET", f"/items/{item_id}")["quantity"] == 0


async def test_list_works_without_scripts(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    item_id = home.item("Flour", 1, 0)
    phone = await home.phone(visitors, script=False)
    await phone.go("/list")
    await phone.write("What do you need?", "3x flour")
    await phone.press("Add to list")
    await expect(entry_row(phone, "Flour")).to_have_count(1)
    await phone.write("What do you need?", "flour")
    await phone.press("Add to list")
    await phone.reads_above_all("Flour is already on the list. Add another?")
    await phone.press("Cancel")
    await entry_row(phone, "Flour").locator(".tick-row").click()
    await phone.press("Put away")
    await phone.press("Put all away")
    await phone.sees("Put away. Your stock is up to date.")
    assert home.admin.ask("GET", f"/items/{item_id}")["quantity"] == 4


async def test_store_filter_shows_its_own_and_unassigned_entries(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    market, chemist = home.store("Market"), home.store("Chemist")
    for name, store in (("Apples", market), ("Soap", chemist), ("Candles", None)):
        known = {"name": name} | ({"storeId": store} if store else {})
        home.admin.ask("POST", "/shopping-list", known)
    phone = await home.phone(visitors)
    await phone.go("/list")
    await phone.press("Market")
    await phone.sees("Apples")
    await phone.sees("Candles")
    await phone.sees_nothing_of("Soap")


async def test_purchased_entry_is_edited_and_put_away_in_another_quantity(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    item_id = home.item("Geschirrspülmaschinentabs", 0, 1)
    entry = home.admin.ask("POST", "/shopping-list", {"itemId": item_id, "quantity": 3})
    path = f"/shopping-list/{entry['shoppingItemId']}/status"
    home.admin.ask("PATCH", path, {"status": "purchased", "version": entry["version"]})
    phone = await home.phone(visitors)
    await phone.go("/list")
    await phone.page.locator(".bought summary").click()
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not await phone.page.evaluate(wide)
    change = phone.page.get_by_role("link", name="Edit Geschirrspülmaschinentabs")
    assert await change.evaluate("link => link.getBoundingClientRect().width") >= 44
    await change.click()
    await phone.write("How many to put away?", "2")
    await phone.page.get_by_role("dialog").get_by_role("button", name="Put away").click()
    await expect(entry_row(phone, "Geschirrspülmaschinentabs")).to_contain_text("Undo")
    await wait_until_all_sent(phone)
    assert home.admin.ask("GET", f"/items/{item_id}")["quantity"] == 2


async def test_store_filter_persists_through_forms(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    market, item_id = home.store("Market"), home.item("Flour", 0, 1)
    known = {"itemId": item_id, "storeId": market}
    entry = home.admin.ask("POST", "/shopping-list", known)
    path = f"/shopping-list/{entry['shoppingItemId']}/status"
    home.admin.ask("PATCH", path, {"status": "purchased", "version": entry["version"]})
    phone = await home.phone(visitors)
    here = re.compile(rf"/list\?at={market}$")
    await phone.go(f"/list?at={market}")
    await phone.page.locator(".bought summary").click()
    await entry_row(phone, "Flour").get_by_role("button", name="Put away").click()
    await expect(entry_row(phone, "Flour")).to_contain_text("Undo")
    await phone.press("Edit Flour")
    await phone.write("Notes", "the coarse one")
    await phone.press("Save")
    await expect(entry_row(phone, "Flour")).to_contain_text("the coarse one")
    await entry_row(phone, "Flour").get_by_role("button", name="Undo").click()
    await expect(entry_row(phone, "Flour")).to_contain_text("Put away")
    await expect(phone.page).to_have_url(here)
    await wait_until_all_sent(phone)
    assert home.admin.ask("GET", f"/items/{item_id}")["quantity"] == 0
