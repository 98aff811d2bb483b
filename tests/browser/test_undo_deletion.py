"""Deletions can be undone or ask for confirmation."""

from playwright.async_api import expect

from tests.browser.demo_household import DemoHousehold
from tests.browser.family_home import create_home
from tests.browser.visitor import Visitors


async def test_deleted_location_is_restored_unchanged(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    words = {"name": "Attic", "description": "Behind the chimney"}
    attic = home.admin.ask("POST", "/locations", words)["locationId"]
    phone, other = await home.phone(visitors), await home.phone(visitors)
    for each in (phone, other):
        await each.go("/places")
    row = phone.page.locator(f"li[id='{attic}']")
    await row.locator("summary").click()
    home.admin.ask("PATCH", f"/locations/{attic}", {"description": "Dusty", "version": 1})
    await row.get_by_role("link", name="Delete").click()
    await phone.sees("Attic deleted.")
    await phone.rest_on("Undo")
    await expect(row).to_have_count(0)
    await expect(other.page.locator("#locations")).not_to_contain_text("Attic")
    assert home.admin.ask("GET", "/locations")["items"] == []
    await phone.press("Undo")
    await phone.sees("Attic is back.")
    for each in (phone, other):
        await expect(each.page.locator("#locations")).to_contain_text("Dusty")
    (found,) = home.admin.ask("GET", "/locations")["items"]
    assert (found["name"], found["description"]) == ("Attic", "Dusty")


async def test_deleted_store_is_restored_with_its_order(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    names = ["Bread", "Apples", "Milk"]
    market, order = home.store("Market"), "/shopping-list/order?storeId="
    home.admin.ask("PUT", f"{order}{market}", {"names": names})
    phone = await home.phone(visitors)
    await phone.go("/places")
    row = phone.page.locator(f"li[id='{market}']")
    await row.locator("summary").click()
    await phone.page.route("**/shopping-list/order?*", lambda route: route.abort())
    await row.get_by_role("link", name="Delete").click()
    await phone.sees("You’re offline, so that wasn’t deleted.")
    await phone.page.unroute("**/shopping-list/order?*")
    await row.get_by_role("link", name="Delete").click()
    await phone.sees("Market deleted.")
    await phone.rest_on("Undo")
    await phone.page.route("**/shopping-list/order?*", lambda route: route.abort())
    await phone.press("Undo")
    await phone.sees("You’re offline, so that wasn’t saved.")
    await phone.rest_on("Try again")
    await phone.page.unroute("**/shopping-list/order?*")
    async with phone.page.expect_response("**/shopping-list/order?*"):
        await phone.press("Try again")
    (found,) = home.admin.ask("GET", "/stores")["items"]
    assert (found["name"], found["storeId"] == market) == ("Market", False)
    assert home.admin.ask("GET", f"{order}{found['storeId']}")["names"] == names


async def test_failed_restore_gives_reason(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    market = home.store("Market")
    phone = await home.phone(visitors)
    await phone.go("/places")
    row = phone.page.locator(f"li[id='{market}']")
    await row.locator("summary").click()
    await phone.context.set_offline(True)
    await row.get_by_role("link", name="Delete").click()
    await phone.sees("You’re offline, so that wasn’t deleted.")
    await expect(row).to_be_visible()
    await phone.context.set_offline(False)
    await row.get_by_role("link", name="Delete").click()
    await phone.sees("Market deleted.")
    await phone.rest_on("Undo")
    await phone.context.set_offline(True)
    await phone.press("Undo")
    await phone.sees("You’re offline, so Market isn’t back yet.")
    await phone.rest_on("Try again")
    await phone.context.set_offline(False)
    home.store("market")
    await phone.press("Try again")
    await phone.sees("You already have one called that.")


async def test_location_in_use_is_kept_and_names_items(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    market = home.store("Market")
    home.item("Coffee", 1, 0, preferredStoreId=market)
    phone = await home.phone(visitors)
    await phone.go("/places")
    row = phone.page.locator(f"li[id='{market}']")
    await row.locator("summary").click()
    await row.get_by_role("link", name="Delete").click()
    await phone.reads_above_all("Market can’t leave yet")
    await phone.sees("Still used by 1 item in your stock.")


async def test_item_and_member_are_deleted_after_confirmation(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    emma = home.child(f"Emma-{unique_name}")
    coffee = home.item("Coffee", 3, 0)
    home.admin.ask("POST", f"/items/{coffee}/archive")
    phone = await home.phone(visitors)
    await phone.go(f"/stock/{coffee}")
    await phone.press("Delete permanently")
    await phone.reads_above_all("Delete Coffee permanently?")
    await phone.press("Cancel")
    await phone.reads_above_all("Coffee")
    await phone.press("Delete permanently")
    await phone.press("Delete permanently")
    await phone.reads_above_all("Stock")
    assert home.admin.ask("GET", "/items?status=all")["items"] == []

    await phone.go("/family")
    await phone.open(f"Edit {emma.name}")
    await phone.press("Remove from the family")
    await phone.press(f"Keep {emma.name}")
    await phone.sees(emma.name)
    await phone.open(f"Edit {emma.name}")
    await phone.press("Remove from the family")
    await phone.press("Remove")
    await phone.sees("Removed. You can invite them back.")


async def test_deletion_is_confirmed_on_a_page_without_scripts(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    shop = home.store("Bakery")
    phone = await home.phone(visitors, script=False)
    await phone.go("/places")
    row = phone.page.locator(f"li[id='{shop}']")
    await row.locator("summary").click()
    await row.get_by_role("link", name="Delete").click()
    await phone.reads_above_all("Delete Bakery?")
    await phone.press("Cancel")
    await phone.sees("Bakery")
    await phone.go(f"/places/stores/{shop}/delete")
    await phone.press("Delete")
    await phone.reads_above_all("Places")
    await phone.sees_nothing_of("Bakery")
