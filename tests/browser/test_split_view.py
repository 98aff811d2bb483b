"""Split view on wide screens."""

import asyncio
import re

import pytest
from playwright.async_api import FloatRect, Locator, Page, Route, expect

from tests.browser.accessibility import find_axe_violations
from tests.browser.family_home import Home
from tests.browser.list_page import add, entry_row, listed_entries, wait_until_all_sent
from tests.browser.screens import DESKTOP
from tests.browser.storage import wait_until_processed
from tests.browser.visitor import Visitor, Visitors

WHOLE_WIDTH = 1100
"""The least width of a stock with nothing beside it, in pixels of a screen with 1280."""


@pytest.fixture
def item_ids(home: Home) -> dict[str, str]:
    return {name: home.item(name, 3, 1) for name in ("Apples", "Bread", "Coffee", "Dates")}


@pytest.fixture
async def desktop(home: Home, item_ids: dict[str, str], visitors: Visitors) -> Visitor:
    assert item_ids
    return await home.phone(visitors, screen=DESKTOP)


def stock_row(desktop: Visitor, name: str) -> Locator:
    return desktop.page.locator("#stock .stock-item").filter(has_text=name)


def heading(desktop: Visitor, name: str) -> Locator:
    return desktop.page.get_by_role("heading", level=1, name=name, exact=True)


async def bounding_boxes(*found: Locator) -> list[FloatRect]:
    return [box for each in found if (box := await each.bounding_box())]


async def test_item_opens_beside_stock_at_its_own_url(
    desktop: Visitor, item_ids: dict[str, str]
) -> None:
    await desktop.go("/stock")
    assert await _stock_width(desktop.page) > WHOLE_WIDTH
    await stock_row(desktop, "Bread").click()
    await expect(heading(desktop, "Bread")).to_be_visible()
    await desktop.is_at(f"/stock/{item_ids['Bread']}")
    await expect(desktop.page).to_have_title("Bread · Homeshelf")
    await expect(stock_row(desktop, "Bread")).to_have_attribute("aria-current", "true")
    left, right = await bounding_boxes(stock_row(desktop, "Apples"), heading(desktop, "Bread"))
    assert left["x"] + left["width"] < right["x"]
    assert await find_axe_violations(desktop.page) == []
    await stock_row(desktop, "Coffee").click()
    await expect(heading(desktop, "Coffee")).to_be_visible()
    assert await _stock_width(desktop.page) < WHOLE_WIDTH
    await desktop.page.go_back()
    await desktop.is_at("/stock")
    await expect(heading(desktop, "Coffee")).to_have_count(0)
    assert await _stock_width(desktop.page) > WHOLE_WIDTH
    await expect(desktop.page).to_have_title(re.compile("^Stock · House of "))
    await desktop.page.go_forward()
    await expect(heading(desktop, "Coffee")).to_be_visible()


async def test_titles_of_all_places_start_at_one_point(desktop: Visitor) -> None:
    found = set()
    for path in ("/", "/stock", "/list", "/books", "/settings", "/family"):
        await desktop.go(path)
        [title] = await bounding_boxes(desktop.page.get_by_role("heading", level=1))
        found.add((title["x"], title["y"]))
    assert len(found) == 1


async def _stock_width(page: Page) -> float:
    [stock] = await bounding_boxes(page.locator(".stock-group").first)
    return stock["width"]


async def test_chosen_item_stays_in_sight_when_columns_become_fewer(
    desktop: Visitor, home: Home
) -> None:
    for number in range(60):
        home.item(f"Thing {number:02}", 3, 1)
    await desktop.go("/stock")
    await expect(desktop.page.locator(".beside")).to_be_attached()
    await stock_row(desktop, "Thing 55").click()
    await expect(heading(desktop, "Thing 55")).to_be_visible()
    await expect(stock_row(desktop, "Thing 55")).to_be_in_viewport(ratio=1)


async def test_reload_keeps_split_view(desktop: Visitor, item_ids: dict[str, str]) -> None:
    await desktop.go(f"/stock/{item_ids['Bread']}")
    await expect(stock_row(desktop, "Bread")).to_have_attribute("aria-current", "true")
    left, right = await bounding_boxes(stock_row(desktop, "Apples"), heading(desktop, "Bread"))
    assert left["x"] + left["width"] < right["x"]
    await stock_row(desktop, "Dates").click()
    await expect(heading(desktop, "Dates")).to_be_visible()
    await desktop.is_at(f"/stock/{item_ids['Dates']}")
    await desktop.page.go_back()
    await expect(heading(desktop, "Bread")).to_be_visible()
    assert await find_axe_violations(desktop.page) == []


async def test_both_panes_update_live(
    desktop: Visitor, home: Home, item_ids: dict[str, str]
) -> None:
    await desktop.go("/stock")
    await stock_row(desktop, "Bread").click()
    counts = desktop.page.locator("count-stepper[data-label='Bread'] output")
    await expect(counts).to_have_text(["3", "3"])
    await desktop.page.evaluate("window.stayed = true")
    home.admin.ask("POST", f"/items/{item_ids['Bread']}/adjust", {"delta": 4})
    await expect(counts).to_have_text(["7", "7"])
    home.item("Eggs", 1, 0)
    await expect(stock_row(desktop, "Eggs")).to_be_visible()
    home.admin.ask("POST", f"/items/{item_ids['Bread']}/adjust", {"delta": -1})
    await expect(counts).to_have_text(["6", "6"])
    await expect(heading(desktop, "Bread")).to_be_visible()
    await expect(stock_row(desktop, "Bread")).to_have_attribute("aria-current", "true")
    assert await desktop.page.evaluate("window.stayed"), "it was loaded anew"


async def test_press_in_either_pane_counts_once(
    desktop: Visitor, home: Home, item_ids: dict[str, str]
) -> None:
    await desktop.go("/stock")
    await stock_row(desktop, "Bread").click()
    counts = desktop.page.locator("count-stepper[data-label='Bread'] output")
    await expect(counts).to_have_count(2)
    for number in range(2):
        await desktop.page.get_by_role("button", name="One more Bread").nth(number).click()
    await expect(counts).to_have_text(["5", "5"])
    await expect(desktop.page.locator("form[data-waiting]")).to_have_count(0)
    assert home.admin.ask("GET", f"/items/{item_ids['Bread']}")["quantity"] == 5


async def test_pane_opens_and_closes_by_keyboard(
    desktop: Visitor, item_ids: dict[str, str]
) -> None:
    await desktop.go("/stock")
    await expect(desktop.page.locator(".beside")).to_be_attached()
    await desktop.page.keyboard.press("ArrowDown")
    await expect(stock_row(desktop, "Apples")).to_be_focused()
    await desktop.page.keyboard.press("ArrowRight")
    await expect(stock_row(desktop, "Bread")).to_be_focused()
    await desktop.page.keyboard.press("Enter")
    await expect(heading(desktop, "Bread")).to_be_visible()
    await expect(desktop.page.locator(".beside")).to_be_focused()
    await desktop.page.keyboard.press("Tab")
    await desktop.page.keyboard.press("Tab")
    assert await desktop.page.evaluate("document.activeElement.closest('.beside') !== null")
    await desktop.page.keyboard.press("Escape")
    await desktop.is_at("/stock")
    await expect(stock_row(desktop, "Bread")).to_be_focused()
    assert item_ids


async def test_pane_shows_only_last_chosen_item(desktop: Visitor, item_ids: dict[str, str]) -> None:
    held: list[Route] = []
    await desktop.go("/stock")
    await expect(desktop.page.locator(".beside")).to_be_attached()

    async def hold(route: Route) -> None:
        held.append(route)

    await desktop.page.route(f"**/stock/{item_ids['Apples']}", hold)
    async with desktop.page.expect_request(f"**/stock/{item_ids['Apples']}"):
        await stock_row(desktop, "Apples").click()
    await stock_row(desktop, "Dates").click()
    await expect(heading(desktop, "Dates")).to_be_visible()
    async with desktop.page.expect_response(f"**/stock/{item_ids['Apples']}") as late:
        await held[0].continue_()
    await wait_until_processed(desktop, await late.value)
    await expect(heading(desktop, "Dates")).to_be_visible()
    await desktop.is_at(f"/stock/{item_ids['Dates']}")


async def test_stock_uses_columns_on_wide_screens(desktop: Visitor) -> None:
    await desktop.go("/stock")
    names = ("Apples", "Bread", "Coffee")
    places = await bounding_boxes(*[stock_row(desktop, name) for name in names])
    assert len({place["y"] for place in places}) == 1
    assert places[0]["x"] + places[0]["width"] <= places[1]["x"]


async def test_item_is_own_page_on_portrait_tablet(
    desktop: Visitor, item_ids: dict[str, str]
) -> None:
    await desktop.page.set_viewport_size({"width": 768, "height": 1024})
    await desktop.go("/stock")
    await expect(desktop.page.locator(".beside")).to_have_count(0)
    await stock_row(desktop, "Bread").click()
    await expect(heading(desktop, "Bread")).to_be_visible()
    await desktop.is_at(f"/stock/{item_ids['Bread']}")
    await expect(desktop.page.locator("#stock")).to_have_count(0)


async def test_rotated_tablet_shows_chosen_item(desktop: Visitor) -> None:
    await desktop.go("/stock")
    await stock_row(desktop, "Bread").click()
    await expect(heading(desktop, "Bread")).to_be_visible()
    await desktop.page.set_viewport_size({"width": 768, "height": 1024})
    await expect(heading(desktop, "Bread")).to_be_visible()
    await expect(stock_row(desktop, "Apples")).to_be_hidden()
    await desktop.page.go_back()
    await expect(stock_row(desktop, "Apples")).to_be_visible()


@pytest.fixture
async def desktop_with_list(desktop: Visitor) -> Visitor:
    await desktop.go("/list")
    for name in ("Milk", "Rice", "Salt"):
        await add(desktop, name)
    await wait_until_all_sent(desktop)
    return desktop


def edit_sheet(desktop: Visitor) -> Locator:
    return desktop.page.get_by_role("dialog", name="Edit item")


async def test_entry_is_edited_beside_list(desktop_with_list: Visitor, home: Home) -> None:
    await desktop_with_list.press("Edit Rice")
    await expect(edit_sheet(desktop_with_list)).to_be_visible()
    left, right = await bounding_boxes(
        entry_row(desktop_with_list, "Rice"), edit_sheet(desktop_with_list)
    )
    assert left["x"] + left["width"] <= right["x"]
    entries = home.admin.ask("GET", "/shopping-list")["items"]
    ids = {entry["name"]: entry["shoppingItemId"] for entry in entries}
    await desktop_with_list.is_at(f"/list/{ids['Rice']}")
    assert await find_axe_violations(desktop_with_list.page) == []
    await desktop_with_list.write("Notes", "brown")
    await desktop_with_list.press("Save")
    await expect(edit_sheet(desktop_with_list)).to_be_hidden()
    await desktop_with_list.is_at("/list")
    await expect(entry_row(desktop_with_list, "Rice")).to_contain_text("brown")
    await wait_until_all_sent(desktop_with_list)
    assert listed_entries(home) == ["Milk", "Rice brown", "Salt"]


async def test_unsaved_text_is_kept_when_another_entry_opens(
    desktop_with_list: Visitor, home: Home
) -> None:
    await desktop_with_list.press("Edit Rice")
    await desktop_with_list.write("Notes", "brown")
    await desktop_with_list.press("Edit Salt")
    await expect(desktop_with_list.field("Name")).to_have_value("Salt")
    await desktop_with_list.write("Name", "")
    await desktop_with_list.press("Edit Milk")
    await expect(desktop_with_list.field("Name")).to_have_value("")
    await expect(desktop_with_list.field("Name")).to_be_focused()
    await desktop_with_list.page.keyboard.press("Escape")
    await expect(edit_sheet(desktop_with_list)).to_be_hidden()
    await desktop_with_list.is_at("/list")
    await wait_until_all_sent(desktop_with_list)
    assert listed_entries(home) == ["Milk", "Rice brown", "Salt"]


async def test_back_closes_entry_and_forward_reopens_it(desktop_with_list: Visitor) -> None:
    await desktop_with_list.press("Edit Rice")
    await desktop_with_list.press("Edit Milk")
    await desktop_with_list.page.go_back()
    await expect(edit_sheet(desktop_with_list)).to_be_hidden()
    await desktop_with_list.is_at("/list")
    await desktop_with_list.page.go_forward()
    await expect(edit_sheet(desktop_with_list)).to_be_visible()
    await expect(desktop_with_list.field("Name")).to_have_value("Milk")
    await desktop_with_list.page.set_viewport_size({"width": 768, "height": 1024})
    await expect(desktop_with_list.field("Name")).to_have_value("Milk")
    await expect(desktop_with_list.page.locator("#changing:modal")).to_be_visible()
    await desktop_with_list.press("Close")
    await desktop_with_list.is_at("/list")


async def test_list_stays_usable_while_entry_is_open(desktop_with_list: Visitor) -> None:
    await desktop_with_list.press("Edit Rice")
    await entry_row(desktop_with_list, "Milk").locator(".tick-row").click()
    await expect(entry_row(desktop_with_list, "Milk")).to_have_attribute("data-status", "purchased")
    await expect(edit_sheet(desktop_with_list)).to_be_visible()


async def test_entry_opens_beside_list_if_its_script_loads_late(
    home: Home, visitors: Visitors
) -> None:
    home.admin.ask("POST", "/shopping-list", {"name": "Milk"})
    desktop = await home.phone(visitors, screen=DESKTOP)
    has_loaded = asyncio.Event()

    async def delay_response(route: Route) -> None:
        await has_loaded.wait()
        await route.continue_()

    await desktop.page.route("**/js/shopping/wide/sheet.js", delay_response)
    await desktop.page.goto("/list", wait_until="commit")
    await expect(entry_row(desktop, "Milk").locator(".entry-count")).to_be_visible()
    async with desktop.page.expect_response("**/js/shopping/wide/sheet.js") as wide:
        has_loaded.set()
    await wait_until_processed(desktop, await wide.value)
    await entry_row(desktop, "Milk").get_by_role("link", name="Edit Milk").click()
    await expect(desktop.page.get_by_role("dialog")).to_be_visible()
    await expect(desktop.page.locator("dialog:modal")).to_have_count(0)
