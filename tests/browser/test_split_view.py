"""Split view on wide screens."""

import asyncio
import re

import pytest
from playwright.async_api import FloatRect, Locator, Page, Route, expect

from tests.browser.accessibility import find_axe_violations
from tests.browser.family_home import Home
from tests.browser.list_page import add, all_sent, on_list, row
from tests.browser.screens import DESKTOP
from tests.browser.storage import wait_until_processed
from tests.browser.visitor import Visitor, Visitors


@pytest.fixture
def things(home: Home) -> dict[str, str]:
    return {name: home.item(name, 3, 1) for name in ("Apples", "Bread", "Coffee", "Dates")}


@pytest.fixture
async def desk(home: Home, things: dict[str, str], visitors: Visitors) -> Visitor:
    assert things
    return await home.phone(visitors, screen=DESKTOP)


def thing(desk: Visitor, name: str) -> Locator:
    return desk.page.locator("#stock .stock-item").filter(has_text=name)


def heading(desk: Visitor, name: str) -> Locator:
    return desk.page.get_by_role("heading", level=1, name=name, exact=True)


async def boxes(*found: Locator) -> list[FloatRect]:
    return [box for each in found if (box := await each.bounding_box())]


async def test_item_opens_beside_stock_at_its_own_url(
    desk: Visitor, things: dict[str, str]
) -> None:
    await desk.go("/stock")
    await desk.sees("Choose an item to see it here.")
    await thing(desk, "Bread").click()
    await expect(heading(desk, "Bread")).to_be_visible()
    await desk.is_at(f"/stock/{things['Bread']}")
    await expect(desk.page).to_have_title("Bread · Homeshelf")
    await expect(thing(desk, "Bread")).to_have_attribute("aria-current", "true")
    left, right = await boxes(thing(desk, "Apples"), heading(desk, "Bread"))
    assert left["x"] + left["width"] < right["x"]
    assert await find_axe_violations(desk.page) == []
    await thing(desk, "Coffee").click()
    await expect(heading(desk, "Coffee")).to_be_visible()
    await desk.sees_nothing_visible("Choose an item to see it here.")
    await desk.page.go_back()
    await desk.is_at("/stock")
    await desk.sees("Choose an item to see it here.")
    await expect(desk.page).to_have_title(re.compile("^Stock · House of "))
    await desk.page.go_forward()
    await expect(heading(desk, "Coffee")).to_be_visible()


async def test_reload_keeps_split_view(desk: Visitor, things: dict[str, str]) -> None:
    await desk.go(f"/stock/{things['Bread']}")
    await expect(thing(desk, "Bread")).to_have_attribute("aria-current", "true")
    left, right = await boxes(thing(desk, "Apples"), heading(desk, "Bread"))
    assert left["x"] + left["width"] < right["x"]
    await thing(desk, "Dates").click()
    await expect(heading(desk, "Dates")).to_be_visible()
    await desk.is_at(f"/stock/{things['Dates']}")
    await desk.page.go_back()
    await expect(heading(desk, "Bread")).to_be_visible()
    assert await find_axe_violations(desk.page) == []


async def test_both_panes_update_live(desk: Visitor, home: Home, things: dict[str, str]) -> None:
    await desk.go("/stock")
    await thing(desk, "Bread").click()
    counts = desk.page.locator("count-stepper[data-label='Bread'] output")
    await expect(counts).to_have_text(["3", "3"])
    await desk.page.evaluate("window.stayed = true")
    home.admin.ask("POST", f"/items/{things['Bread']}/adjust", {"delta": 4})
    await expect(counts).to_have_text(["7", "7"])
    home.item("Eggs", 1, 0)
    await expect(thing(desk, "Eggs")).to_be_visible()
    home.admin.ask("POST", f"/items/{things['Bread']}/adjust", {"delta": -1})
    await expect(counts).to_have_text(["6", "6"])
    await expect(heading(desk, "Bread")).to_be_visible()
    await expect(thing(desk, "Bread")).to_have_attribute("aria-current", "true")
    assert await desk.page.evaluate("window.stayed"), "it was loaded anew"


async def test_press_in_either_pane_counts_once(
    desk: Visitor, home: Home, things: dict[str, str]
) -> None:
    await desk.go("/stock")
    await thing(desk, "Bread").click()
    counts = desk.page.locator("count-stepper[data-label='Bread'] output")
    await expect(counts).to_have_count(2)
    for number in range(2):
        await desk.page.get_by_role("button", name="One more Bread").nth(number).click()
    await expect(counts).to_have_text(["5", "5"])
    await expect(desk.page.locator("form[data-waiting]")).to_have_count(0)
    assert home.admin.ask("GET", f"/items/{things['Bread']}")["quantity"] == 5


async def test_pane_opens_and_closes_by_keyboard(desk: Visitor, things: dict[str, str]) -> None:
    await desk.go("/stock")
    await expect(desk.page.locator(".beside")).to_be_visible()
    await desk.page.keyboard.press("ArrowDown")
    await expect(thing(desk, "Apples")).to_be_focused()
    await desk.page.keyboard.press("ArrowRight")
    await expect(thing(desk, "Bread")).to_be_focused()
    await desk.page.keyboard.press("Enter")
    await expect(heading(desk, "Bread")).to_be_visible()
    await expect(desk.page.locator(".beside")).to_be_focused()
    await desk.page.keyboard.press("Tab")
    await desk.page.keyboard.press("Tab")
    assert await desk.page.evaluate("document.activeElement.closest('.beside') !== null")
    await desk.page.keyboard.press("Escape")
    await desk.is_at("/stock")
    await expect(thing(desk, "Bread")).to_be_focused()
    assert things


async def test_pane_shows_only_last_chosen_item(desk: Visitor, things: dict[str, str]) -> None:
    held: list[Route] = []
    await desk.go("/stock")
    await expect(desk.page.locator(".beside")).to_be_visible()

    async def hold(route: Route) -> None:
        held.append(route)

    await desk.page.route(f"**/stock/{things['Apples']}", hold)
    async with desk.page.expect_request(f"**/stock/{things['Apples']}"):
        await thing(desk, "Apples").click()
    await thing(desk, "Dates").click()
    await expect(heading(desk, "Dates")).to_be_visible()
    async with desk.page.expect_response(f"**/stock/{things['Apples']}") as late:
        await held[0].continue_()
    await wait_until_processed(desk, await late.value)
    await expect(heading(desk, "Dates")).to_be_visible()
    await desk.is_at(f"/stock/{things['Dates']}")


async def test_stock_uses_columns_on_wide_screens(desk: Visitor) -> None:
    await desk.go("/stock")
    for script in (True, False):
        places = await boxes(*[thing(desk, name) for name in ("Apples", "Bread", "Coffee")])
        assert places[0]["y"] == places[1]["y"]
        assert places[0]["x"] + places[0]["width"] <= places[1]["x"]
        assert (places[2]["y"] == places[0]["y"]) is not script
        await _without_scripts(desk.page)


async def _without_scripts(page: Page) -> None:
    await page.route("**/*.js", lambda route: route.abort())
    await page.reload()


async def test_pane_content_is_visible_without_scrolling(home: Home, visitors: Visitors) -> None:
    desk = await home.phone(visitors, screen=DESKTOP)
    await desk.go("/stock")
    for name in ("Everything", "Running low", "Take stock", "Scan", "Places"):
        chip = desk.page.locator(".chips-line .chip", has_text=name)
        await expect(chip).to_be_in_viewport(ratio=1)


async def test_item_is_own_page_on_portrait_tablet(desk: Visitor, things: dict[str, str]) -> None:
    await desk.page.set_viewport_size({"width": 768, "height": 1024})
    await desk.go("/stock")
    await expect(desk.page.locator(".beside")).to_have_count(0)
    await thing(desk, "Bread").click()
    await expect(heading(desk, "Bread")).to_be_visible()
    await desk.is_at(f"/stock/{things['Bread']}")
    await expect(desk.page.locator("#stock")).to_have_count(0)


async def test_rotated_tablet_shows_chosen_item(desk: Visitor) -> None:
    await desk.go("/stock")
    await thing(desk, "Bread").click()
    await expect(heading(desk, "Bread")).to_be_visible()
    await desk.page.set_viewport_size({"width": 768, "height": 1024})
    await expect(heading(desk, "Bread")).to_be_visible()
    await expect(thing(desk, "Apples")).to_be_hidden()
    await desk.page.go_back()
    await expect(thing(desk, "Apples")).to_be_visible()


@pytest.fixture
async def lister(desk: Visitor) -> Visitor:
    await desk.go("/list")
    for name in ("Milk", "Rice", "Salt"):
        await add(desk, name)
    await all_sent(desk)
    return desk


def sheet(desk: Visitor) -> Locator:
    return desk.page.get_by_role("dialog", name="Edit item")


async def test_entry_is_edited_beside_list(lister: Visitor, home: Home) -> None:
    await lister.press("Edit Rice")
    await expect(sheet(lister)).to_be_visible()
    left, right = await boxes(row(lister, "Rice"), sheet(lister))
    assert left["x"] + left["width"] <= right["x"]
    entries = home.admin.ask("GET", "/shopping-list")["items"]
    ids = {entry["name"]: entry["shoppingItemId"] for entry in entries}
    await lister.is_at(f"/list/{ids['Rice']}")
    assert await find_axe_violations(lister.page) == []
    await lister.write("Notes", "brown")
    await lister.press("Save")
    await expect(sheet(lister)).to_be_hidden()
    await lister.is_at("/list")
    await expect(row(lister, "Rice")).to_contain_text("brown")
    await all_sent(lister)
    assert on_list(home) == ["Milk", "Rice brown", "Salt"]


async def test_unsaved_text_is_kept_when_another_entry_opens(lister: Visitor, home: Home) -> None:
    await lister.press("Edit Rice")
    await lister.write("Notes", "brown")
    await lister.press("Edit Salt")
    await expect(lister.field("Name")).to_have_value("Salt")
    await lister.write("Name", "")
    await lister.press("Edit Milk")
    await expect(lister.field("Name")).to_have_value("")
    await expect(lister.field("Name")).to_be_focused()
    await lister.page.keyboard.press("Escape")
    await expect(sheet(lister)).to_be_hidden()
    await lister.is_at("/list")
    await all_sent(lister)
    assert on_list(home) == ["Milk", "Rice brown", "Salt"]


async def test_back_closes_entry_and_forward_reopens_it(lister: Visitor) -> None:
    await lister.press("Edit Rice")
    await lister.press("Edit Milk")
    await lister.page.go_back()
    await expect(sheet(lister)).to_be_hidden()
    await lister.is_at("/list")
    await lister.page.go_forward()
    await expect(sheet(lister)).to_be_visible()
    await expect(lister.field("Name")).to_have_value("Milk")
    await lister.page.set_viewport_size({"width": 768, "height": 1024})
    await expect(lister.field("Name")).to_have_value("Milk")
    await expect(lister.page.locator("#changing:modal")).to_be_visible()
    await lister.press("Close")
    await lister.is_at("/list")


async def test_list_stays_usable_while_entry_is_open(lister: Visitor) -> None:
    await lister.press("Edit Rice")
    await row(lister, "Milk").locator(".tick-row").click()
    await expect(row(lister, "Milk")).to_have_attribute("data-status", "purchased")
    await expect(sheet(lister)).to_be_visible()


async def test_entry_opens_beside_list_if_its_script_loads_late(
    home: Home, visitors: Visitors
) -> None:
    home.admin.ask("POST", "/shopping-list", {"name": "Milk"})
    desk = await home.phone(visitors, screen=DESKTOP)
    has_loaded = asyncio.Event()

    async def late(route: Route) -> None:
        await has_loaded.wait()
        await route.continue_()

    await desk.page.route("**/js/shopping/wide/sheet.js", late)
    await desk.page.goto("/list", wait_until="commit")
    await expect(row(desk, "Milk").locator(".entry-count")).to_be_visible()
    async with desk.page.expect_response("**/js/shopping/wide/sheet.js") as wide:
        has_loaded.set()
    await wait_until_processed(desk, await wide.value)
    await row(desk, "Milk").get_by_role("link", name="Edit Milk").click()
    await expect(desk.page.get_by_role("dialog")).to_be_visible()
    await expect(desk.page.locator("dialog:modal")).to_have_count(0)
