"""Keyboard shortcuts, which are off while the user types."""

import pytest
from playwright.async_api import Locator, Request, expect

from tests.browser.accessibility import find_axe_violations, find_small_targets
from tests.browser.family_home import Home
from tests.browser.list_page import entry_row
from tests.browser.screens import DESKTOP
from tests.browser.visitor import Visitor, Visitors


@pytest.fixture
async def desktop(home: Home, visitors: Visitors) -> Visitor:
    for name in ("Milk", "Rice", "Salt"):
        home.admin.ask("POST", "/shopping-list", {"name": name})
    home.item("Noodles", 3, 1)
    return await home.phone(visitors, screen=DESKTOP)


async def press_keys(desktop: Visitor, *keys: str) -> None:
    for key in keys:
        await desktop.page.keyboard.press(key)


def tick_row(desktop: Visitor, name: str) -> Locator:
    return entry_row(desktop, name).locator(".tick-row")


async def test_slash_focuses_search(desktop: Visitor) -> None:
    await desktop.go("/stock")
    await press_keys(desktop, "/")
    await expect(desktop.field("Search")).to_be_focused()
    await desktop.page.keyboard.type("n/?")
    await expect(desktop.field("Search")).to_have_value("n/?")
    await expect(desktop.page.locator("dialog[open]")).to_have_count(0)
    await desktop.page.evaluate("document.activeElement.blur()")
    await press_keys(desktop, "/")
    await expect(desktop.field("Search")).to_be_focused()
    await expect(desktop.field("Search")).to_have_value("n/?")
    await desktop.go("/family")
    await press_keys(desktop, "/")
    await expect(desktop.field("Search")).to_be_focused()


async def test_n_adds_to_current_page(desktop: Visitor) -> None:
    await desktop.go("/list")
    await press_keys(desktop, "n")
    await expect(desktop.field("What do you need?")).to_be_focused()
    await expect(desktop.field("What do you need?")).to_have_value("")
    await desktop.go("/stock")
    await press_keys(desktop, "n")
    await expect(desktop.page.get_by_role("dialog", name="New item")).to_be_visible()
    await expect(desktop.field("Name")).to_be_focused()
    await press_keys(desktop, "Escape")
    await desktop.go("/notices")
    await press_keys(desktop, "n")
    await desktop.is_at("/list#text")
    await expect(desktop.field("What do you need?")).to_be_focused()


async def test_arrows_and_space_tick_entries(desktop: Visitor) -> None:
    await desktop.go("/list")
    await expect(entry_row(desktop, "Salt").locator(".entry-count")).to_be_visible()
    await press_keys(desktop, "ArrowDown")
    await expect(tick_row(desktop, "Milk")).to_be_focused()
    await press_keys(desktop, "ArrowDown", "ArrowDown", "ArrowUp", "Space")
    await expect(tick_row(desktop, "Rice")).to_be_focused()
    await press_keys(desktop, "ArrowUp")
    await expect(tick_row(desktop, "Milk")).to_be_focused()
    for name, status in (("Milk", "pending"), ("Rice", "purchased"), ("Salt", "pending")):
        await expect(entry_row(desktop, name)).to_have_attribute("data-status", status)


async def test_arrow_starts_at_first_row_if_none_is_visible(
    desktop: Visitor,
) -> None:
    await desktop.go("/list")
    await expect(entry_row(desktop, "Salt").locator(".entry-count")).to_be_visible()
    await desktop.page.evaluate("document.body.style.paddingBottom = '200vh'")
    await desktop.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    await expect(entry_row(desktop, "Salt")).not_to_be_in_viewport()
    await press_keys(desktop, "ArrowDown")
    await expect(tick_row(desktop, "Milk")).to_be_focused()


async def test_question_mark_shows_shortcuts(desktop: Visitor) -> None:
    await desktop.go("/list")
    await press_keys(desktop, "?")
    keys = desktop.page.get_by_role("dialog", name="Keyboard shortcuts")
    await expect(keys).to_be_visible()
    await expect(keys).to_contain_text("Tick an item on the list")
    assert await find_axe_violations(desktop.page) == []
    assert await find_small_targets(desktop.page) == []
    await press_keys(desktop, "Escape")
    await expect(keys).to_be_hidden()
    await press_keys(desktop, "?")
    await expect(keys).to_be_visible()
    await expect(desktop.page.locator("#keys")).to_have_count(1)


async def test_open_dialog_disables_shortcuts(desktop: Visitor) -> None:
    await desktop.go("/stock")
    await press_keys(desktop, "?")
    await expect(desktop.page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    await press_keys(desktop, "n")
    await expect(desktop.page.locator("dialog[open]")).to_have_count(1)


async def test_shortcuts_can_be_switched_off_and_on(desktop: Visitor) -> None:
    await desktop.go("/stock")
    await press_keys(desktop, "?")
    switch = desktop.page.get_by_role("checkbox", name="Use shortcuts in this browser")
    await expect(switch).to_be_checked()
    await switch.uncheck()
    await press_keys(desktop, "Escape", "n", "/")
    await desktop.go("/stock")
    await press_keys(desktop, "n", "?", "/")
    await expect(desktop.page.locator("dialog[open]")).to_have_count(0)
    await expect(desktop.field("Search")).not_to_be_focused()
    await desktop.open(f"{await _signed_in_name(desktop)}: family and settings")
    await desktop.press("Keyboard shortcuts")
    await desktop.reads_above_all("Keyboard shortcuts")
    await expect(switch).not_to_be_checked()
    await switch.check()
    await desktop.go("/stock")
    await press_keys(desktop, "/")
    await expect(desktop.field("Search")).to_be_focused()


async def _signed_in_name(desktop: Visitor) -> str:
    name = await desktop.page.locator(".top details.menu summary").get_attribute("aria-label")
    return str(name).partition(":")[0]


async def test_browser_shortcuts_are_not_overridden(desktop: Visitor) -> None:
    await desktop.go("/stock")
    await press_keys(desktop, "Control+/", "Alt+n", "Control+ArrowDown")
    await expect(desktop.page.locator("dialog[open]")).to_have_count(0)
    assert await desktop.page.evaluate("document.activeElement === document.body")
    await press_keys(desktop, "Tab", "Tab", "ArrowDown")
    assert await desktop.page.evaluate("document.activeElement.matches('.brand')")


async def test_phone_does_not_load_shortcuts(home: Home, visitors: Visitors) -> None:
    phone = await home.phone(visitors, new=True)
    loaded: list[str] = []

    def record_request(request: Request) -> None:
        loaded.append(request.url)

    phone.page.on("request", record_request)
    await phone.go("/list")
    await expect(phone.page.locator(".list-empty")).to_be_visible()
    await phone.write("What do you need?", "n/?")
    assert loaded
    assert [url for url in loaded if "/wide" in url or "/shortcuts/" in url] == []
