"""Changes on one phone appear on another without disturbing its user."""

import re

from playwright.async_api import expect

from tests.browser.family_home import Home
from tests.browser.live_updates import (
    REQUEST_DELAY_MS,
    expect_none,
    expect_text,
    expect_within_a_second,
    live_region,
    record_fetches,
    row_with_id,
    wait_for_all_changes,
    wait_for_change,
)
from tests.browser.visitor import Visitors

CALM = 1500
"""Milliseconds after the last touch until the page may move."""


async def test_childs_stock_updates_live(visitors: Visitors, home: Home) -> None:
    coffee = home.item("Coffee", 3, 2)
    emma = await home.phone(visitors, home.child(f"Emma-{home.admin.name}"))
    await emma.go("/stock")
    await expect(row_with_id(emma, coffee).locator(".row-count")).to_have_text("3")
    home.admin.ask("POST", f"/items/{coffee}/adjust", {"delta": -2})
    await expect(row_with_id(emma, coffee).locator(".row-count")).to_have_text("1")
    await expect_text(row_with_id(emma, coffee), "running low")
    await expect_text(emma.page.locator(".chips"), "Running low 1")
    tea = home.item("Tea", 1, 0)
    await expect_text(row_with_id(emma, tea), "Tea")
    pantry = home.admin.ask("POST", "/locations", {"name": "Pantry"})["locationId"]
    home.admin.ask("PATCH", f"/items/{tea}", {"locationId": pantry, "version": 1})
    await expect_text(live_region(emma, "stock").locator("section").first, "Tea")
    await expect_text(live_region(emma, "stock").locator("h2").first, "Pantry")
    await wait_for_all_changes(home, emma)
    home.admin.ask("PATCH", f"/locations/{pantry}", {"name": "Larder", "version": 1})
    await expect_text(live_region(emma, "stock").locator("h2").first, "Larder")
    home.admin.ask("POST", f"/items/{tea}/archive")
    await expect_none(row_with_id(emma, tea))
    await wait_for_all_changes(home, emma)
    counted = f"li[id='{coffee}'] .row-count"
    await expect_within_a_second(emma, counted, lambda _: _restock(home, coffee))


def _restock(home: Home, item_id: str) -> str:
    answer = home.admin.ask("POST", f"/items/{item_id}/adjust", {"delta": 10})
    return str(answer["item"]["quantity"])


async def test_home_updates_live(visitors: Visitors, home: Home) -> None:
    emma = home.child(f"Emma-{home.admin.name}")
    phone = await home.phone(visitors)
    await phone.go("/")
    item_id = home.item("Coffee", 1, 2)
    now = live_region(phone, "now")
    await expect_text(now, "1 left")
    market = home.store("Market")
    await wait_for_all_changes(home, phone)
    home.admin.ask("POST", "/shopping-list", {"itemId": item_id, "storeId": market})
    await expect_text(now, "1 item to buy")
    await expect_text(now, "Market")
    await expect_text(now, "on the list")
    emma.ask("POST", "/suggestions", {"type": "add_to_shopping", "itemId": item_id})
    await expect_text(now, "1 wish is waiting")
    home.child(f"Otto-{home.admin.name}")
    await expect_text(live_region(phone, "people"), f"Otto-{home.admin.name}")
    await wait_for_all_changes(home, phone)

    def create_low_item(number: int) -> str:
        home.item(f"Tea {number}", 0, 1)
        return f"Tea {number}"

    await expect_within_a_second(phone, "live-region#now", create_low_item)


async def test_places_update_live_and_keep_typed_text(visitors: Visitors, home: Home) -> None:
    pantry = home.admin.ask("POST", "/locations", {"name": "Pantry"})["locationId"]
    phone = await home.phone(visitors)
    await phone.go("/places")
    await row_with_id(phone, pantry).locator("summary").click()
    field = row_with_id(phone, pantry).get_by_label("Name")
    await field.fill("Larder")
    await phone.write("Add a shop", "Corner sh")
    shop = phone.field("Add a shop")
    home.store("Market")
    await expect_text(live_region(phone, "stores"), "Market")
    cellar = home.admin.ask("POST", "/locations", {"name": "Cellar"})["locationId"]
    await expect_text(row_with_id(phone, cellar), "Cellar")
    await expect(shop).to_be_focused()
    await expect(shop).to_have_value("Corner sh")
    await expect(field).to_have_value("Larder")
    assert await row_with_id(phone, pantry).locator("details").get_attribute("open") is not None

    home.admin.ask("PATCH", f"/locations/{pantry}", {"name": "Chamber", "version": 1})
    await expect_text(row_with_id(phone, pantry).locator("summary"), "Chamber")
    await expect(field).to_have_value("Larder")
    await row_with_id(phone, pantry).get_by_role("button", name="Save").click()
    await phone.sees("Someone else changed this. Check it, then save.")
    await expect(field).to_have_value("Larder")
    assert home.admin.ask("GET", f"/locations/{pantry}")["name"] == "Chamber"
    await phone.go("/places")
    await wait_for_all_changes(home, phone)

    def create_store(number: int) -> str:
        home.store(f"Bakery {number}")
        return f"Bakery {number}"

    await expect_within_a_second(phone, "live-region#stores", create_store)


async def test_page_returned_by_form_updates_live(visitors: Visitors, home: Home) -> None:
    home.store("Market")
    phone = await home.phone(visitors)
    await phone.go("/places")
    await phone.write("Add a shop", "market")
    await phone.page.keyboard.press("Enter")
    await phone.sees("You already have one called that.")
    await phone.page.evaluate("document.activeElement.blur()")
    home.store("Bakery")
    await expect_text(live_region(phone, "stores"), "Bakery")
    await expect(phone.field("Add a shop")).to_have_value("market")


async def test_item_page_updates_live(visitors: Visitors, home: Home) -> None:
    coffee, market = home.item("Coffee", 3, 2), home.store("Market")
    phone = await home.phone(visitors)
    emma = await home.phone(visitors, home.child(f"Emma-{home.admin.name}"))
    for each in (phone, emma):
        await each.go(f"/stock/{coffee}")
    home.admin.ask("POST", f"/items/{coffee}/adjust", {"delta": -2})
    for each in (phone, emma):
        await expect_text(live_region(each, "item"), "Running low")
    await expect(phone.page.locator("output")).to_have_text("1")
    await expect(emma.page.locator(".row-count")).to_have_text("1")
    changes = {"name": "Good coffee", "preferredStoreId": market, "version": 2}
    home.admin.ask("PATCH", f"/items/{coffee}", changes)
    for each in (phone, emma):
        await expect_text(each.page.locator("h1"), "Good coffee")
        await expect_text(live_region(each, "item"), "Sold at Market.")
    home.admin.ask("POST", "/shopping-list", {"itemId": coffee})
    await expect_text(live_region(phone, "item"), "On the list")
    home.admin.ask("POST", f"/items/{coffee}/nfc-urls", {"label": "the kitchen door"})
    await expect_text(live_region(phone, "item"), "the kitchen door")
    await phone.open("Activity")
    home.admin.ask("PATCH", "/me", {"name": "Grandma"})
    await expect_text(live_region(phone, "item").get_by_role("table"), "Grandma")
    await phone.press("One more Good coffee")
    await expect(phone.page.locator("output")).to_have_text("2")
    await expect(emma.page.locator(".row-count")).to_have_text("2")
    await wait_for_all_changes(home, emma)
    await expect_within_a_second(emma, "#item .row-count", lambda _: _restock(home, coffee))
    home.admin.ask("DELETE", f"/items/{coffee}")
    await expect_text(emma.page.locator("main"), "This is no longer in your stock.")


async def test_notices_update_live(visitors: Visitors, home: Home) -> None:
    parent = await home.phone(visitors)
    emma = await home.phone(visitors, home.child(f"Emma-{home.admin.name}"))
    both = (parent, emma)
    for each in both:
        await each.go("/notices")
        await expect_text(live_region(each, "notices"), "No alerts yet")
    coffee = home.item("Coffee", 1, 2)
    for each in both:
        await expect_text(live_region(each, "notices"), "1 left · alert below 2")
        await expect(each.page.get_by_text("No alerts yet")).to_have_count(0)
    await expect_text(live_region(emma, "notices"), "new")
    await parent.press("Dismiss Coffee")
    await parent.sees("Dismissed. The alert stays here until you’ve restocked.")
    await expect_text(live_region(emma, "notices"), "Dismiss")
    home.admin.ask("PATCH", f"/items/{coffee}", {"name": "Good coffee", "version": 1})
    home.admin.ask("POST", f"/items/{coffee}/adjust", {"delta": -1})
    for each in both:
        await expect_text(live_region(each, "notices"), "Good coffee")
        await expect_text(live_region(each, "notices"), "All gone · alert below 2")
    home.admin.ask("POST", f"/items/{coffee}/adjust", {"delta": 5})
    for each in both:
        await expect_text(live_region(each, "notices"), "restocked")
    await wait_for_all_changes(home, *both)

    def create_low_item(number: int) -> str:
        home.item(f"Tea {number}", 0, 1)
        return f"Tea {number}"

    for each in both:
        await expect_within_a_second(each, "live-region#notices", create_low_item)


async def test_tags_page_updates_live_until_tags_are_chosen(visitors: Visitors, home: Home) -> None:
    phone = await home.phone(visitors)
    await phone.go("/tags")
    await phone.sees("No tags yet.")
    salt, rice = home.item("Salt", 1, 0), home.item("Rice", 1, 0)

    def create_tag(item_id: str, label: str) -> str:
        made = home.admin.ask("POST", f"/items/{item_id}/nfc-urls", {"label": label})
        return str(made["urlId"])

    tags = live_region(phone, "tags")
    pantry = create_tag(salt, "pantry")
    await expect_text(tags.get_by_role("group", name="Salt"), "pantry")
    create_tag(rice, "cellar")
    await expect_text(tags.get_by_role("group", name="Rice"), "cellar")
    home.admin.ask("PATCH", f"/items/{rice}", {"name": "Brown rice", "version": 1})
    await expect_text(tags.get_by_role("group", name="Brown rice"), "cellar")
    home.admin.ask("DELETE", f"/nfc-urls/{pantry}")
    await expect(tags).not_to_contain_text("pantry")
    await wait_for_all_changes(home, phone)

    def create_another_tag(number: int) -> str:
        create_tag(salt, f"shelf {number}")
        return f"shelf {number}"

    await expect_within_a_second(phone, "live-region#tags", create_another_tag)
    cellar = phone.page.get_by_role("checkbox", name="cellar")
    await cellar.check()
    await cellar.blur()
    create_tag(salt, "fridge")
    await wait_for_all_changes(home, phone)
    await expect(cellar).to_be_checked()
    await expect(tags).not_to_contain_text("fridge")


async def test_tags_of_item_update_live(visitors: Visitors, home: Home) -> None:
    salt = home.item("Salt", 1, 0)
    tag = f"/items/{salt}/nfc-urls"
    pantry = home.admin.ask("POST", tag, {"label": "pantry"})["urlId"]
    phone, other = await home.phone(visitors), await home.phone(visitors)
    for each in (phone, other):
        await each.go(f"/stock/{salt}/tags")
    card = phone.page.get_by_role("region", name="pantry", exact=True)
    await card.get_by_text("Code and link").click()
    await other.page.locator("#label").fill("cellar")
    await other.press("Create a tag")
    await other.sees("Here’s the new tag.")
    await expect_text(live_region(phone, "tags"), "cellar")
    await expect_text(live_region(phone, "tags"), "Print 2 labels")
    await expect(card.get_by_label("Link", exact=True)).to_have_value(re.compile(pantry))
    await expect(card.get_by_role("button", name="Share the link")).to_be_visible()
    await expect(phone.found("Write to a tag")).to_be_hidden()
    home.admin.ask("PATCH", f"/items/{salt}", {"name": "Sea salt", "version": 1})
    for each in (phone, other):
        await each.reads_above_all("Tags for Sea salt")
    await other.sees("Here’s the new tag.")
    await expect(other.page.locator("details[open]")).to_have_count(1)
    await wait_for_all_changes(home, phone)

    def create_another_tag(number: int) -> str:
        home.admin.ask("POST", tag, {"label": f"shelf {number}"})
        return f"shelf {number}"

    await expect_within_a_second(phone, "live-region#tags", create_another_tag)
    home.admin.ask("DELETE", f"/nfc-urls/{pantry}")
    await expect_none(card)
    await expect_text(live_region(phone, "tags"), "1 tag that no longer works")
    home.admin.ask("POST", f"/items/{salt}/archive")
    await expect_text(live_region(phone, "tags"), "Its tags won’t work")


async def test_live_update_waits_while_user_types_or_presses(
    visitors: Visitors, home: Home
) -> None:
    home.item("Coffee", 3, 2)
    wish = {"type": "create_item", "proposedItemName": "Candy"}
    emma = home.child(f"Emma-{home.admin.name}")
    emma.ask("POST", "/suggestions", wish)
    writer, presser = [await home.phone(visitors, new=True) for _ in range(2)]
    for each, path in ((writer, "/wishes"), (presser, "/stock")):
        await each.page.clock.install()
        await each.go(path)
    await wait_for_all_changes(home, writer, presser)
    asked = record_fetches(writer), record_fetches(presser)
    reason = writer.field("Reason (if no)")
    await reason.focus()
    await presser.page.mouse.move(180, 300)
    await presser.page.mouse.down()
    emma.ask("POST", "/suggestions", wish)
    tea = home.item("Tea", 1, 0)
    for each in (writer, presser):
        await wait_for_change(each, "InventoryItem", tea)
        await each.page.clock.run_for(2 * CALM)  # nothing may happen in this time
    await writer.page.wait_for_timeout(REQUEST_DELAY_MS)
    assert asked == ([], [])
    await expect(row_with_id(presser, tea)).to_have_count(0)
    await expect(reason).to_be_focused()
    await reason.blur()
    await presser.page.mouse.up()
    await expect_text(live_region(writer, "wishes"), "1 more wish")
    await expect(row_with_id(presser, tea)).to_be_visible()


async def test_live_update_keeps_focus_and_scroll_position(visitors: Visitors, home: Home) -> None:
    for number in range(40):
        home.item(f"Item {number:02}", 5, 0)
    for by_browser in (True, False):
        phone = await home.phone(visitors)
        await phone.go("/stock")
        if not by_browser:
            await phone.page.evaluate("document.documentElement.style.overflowAnchor = 'none'")
        button = phone.found("One more Item 20")
        await button.scroll_into_view_if_needed()
        await button.focus()
        await phone.page.evaluate("scrollBy(0, 200)")
        before = await button.bounding_box()
        added = home.item(f"Another {by_browser}", 1, 0)
        await expect(row_with_id(phone, added)).to_be_attached()
        await expect(button).to_be_focused()
        after = await button.bounding_box()
        assert before
        assert after
        assert abs(before["y"] - after["y"]) <= 1


async def test_live_update_keeps_search_results(visitors: Visitors, home: Home) -> None:
    home.item("Rice", 3, 0)
    phone = await home.phone(visitors)
    await phone.go("/stock")
    await phone.write("Search", "rice")
    brown, tea = home.item("Brown rice", 1, 0), home.item("Tea", 1, 0)
    await expect(row_with_id(phone, brown)).to_be_visible()
    await expect(row_with_id(phone, tea)).to_be_attached()
    await expect(row_with_id(phone, tea)).to_be_hidden()
    await expect(phone.field("Search")).to_be_focused()
