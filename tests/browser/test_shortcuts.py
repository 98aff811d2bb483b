"""Keyboard shortcuts, which are off while the user types."""

import pytest
from playwright.async_api import Locator, Request, expect

from tests.browser.accessibility import find_axe_violations, find_small_targets
from tests.browser.family_home import Home
from tests.browser.list_page import row
from tests.browser.screens import DESKTOP
from tests.browser.visitor import Visitor, Visitors


@pytest.fixture
async def desk(home: Home, visitors: Visitors) -> Visitor:
    for name in ("Milk", "Rice", "Salt"):
        home.admin.ask("POST", "/shopping-list", {"name": name})
    home.item("Noodles", 3, 1)
    return await home.phone(visitors, screen=DESKTOP)


async def presses(desk: Visitor, *keys: str) -> None:
    for key in keys:
        await desk.page.keyboard.press(key)


def ticks(desk: Visitor, name: str) -> Locator:
    return row(desk, name).locator(".tick-row")


async def test_slash_focuses_search(desk: Visitor) -> None:
    await desk.go("/stock")
    await presses(desk, "/")
    await expect(desk.field("Search")).to_be_focused()
    await desk.page.keyboard.type("n/?")
    await expect(desk.field("Search")).to_have_value("n/?")
    await expect(desk.page.locator("dialog[open]")).to_have_count(0)
    await desk.page.evaluate("document.activeElement.blur()")
    await presses(desk, "/")
    await expect(desk.field("Search")).to_be_focused()
    await expect(desk.field("Search")).to_have_value("n/?")
    await desk.go("/family")
    await presses(desk, "/")
    await expect(desk.field("Search")).to_be_focused()


async def test_n_adds_to_current_page(desk: Visitor) -> None:
    await desk.go("/list")
    await presses(desk, "n")
    await expect(desk.field("What do you need?")).to_be_focused()
    await expect(desk.field("What do you need?")).to_have_value("")
    await desk.go("/stock")
    await presses(desk, "n")
    await expect(desk.page.get_by_role("dialog", name="New item")).to_be_visible()
    await expect(desk.field("Name")).to_be_focused()
    await presses(desk, "Escape")
    await desk.go("/notices")
    await presses(desk, "n")
    await desk.is_at("/list#text")
    await expect(desk.field("What do you need?")).to_be_focused()


async def test_arrows_and_space_tick_entries(desk: Visitor) -> None:
    await desk.go("/list")
    await expect(row(desk, "Salt").locator(".entry-count")).to_be_visible()
    await presses(desk, "ArrowDown")
    await expect(ticks(desk, "Milk")).to_be_focused()
    await presses(desk, "ArrowDown", "ArrowDown", "ArrowUp", "Space")
    await expect(ticks(desk, "Rice")).to_be_focused()
    await presses(desk, "ArrowUp")
    await expect(ticks(desk, "Milk")).to_be_focused()
    for name, status in (("Milk", "pending"), ("Rice", "purchased"), ("Salt", "pending")):
        await expect(row(desk, name)).to_have_attribute("data-status", status)


async def test_arrow_starts_at_first_row_if_none_is_visible(
    desk: Visitor,
) -> None:
    await desk.go("/list")
    await expect(row(desk, "Salt").locator(".entry-count")).to_be_visible()
    await desk.page.evaluate("document.body.style.paddingBottom = '200vh'")
    await desk.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    await expect(row(desk, "Salt")).not_to_be_in_viewport()
    await presses(desk, "ArrowDown")
    await expect(ticks(desk, "Milk")).to_be_focused()


async def test_question_mark_shows_shortcuts(desk: Visitor) -> None:
    await desk.go("/list")
    await presses(desk, "?")
    keys = desk.page.get_by_role("dialog", name="Keyboard shortcuts")
    await expect(keys).to_be_visible()
    await expect(keys).to_contain_text("Tick an item on the list")
    assert await find_axe_violations(desk.page) == []
    assert await find_small_targets(desk.page) == []
    await presses(desk, "Escape")
    await expect(keys).to_be_hidden()
    await presses(desk, "?")
    await expect(keys).to_be_visible()
    await expect(desk.page.locator("#keys")).to_have_count(1)


async def test_open_dialog_disables_shortcuts(desk: Visitor) -> None:
    await desk.go("/stock")
    await presses(desk, "?")
    await expect(desk.page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    await presses(desk, "n")
    await expect(desk.page.locator("dialog[open]")).to_have_count(1)


async def test_shortcuts_can_be_switched_off_and_on(desk: Visitor) -> None:
    await desk.go("/stock")
    await presses(desk, "?")
    switch = desk.page.get_by_role("checkbox", name="Use shortcuts in this browser")
    await expect(switch).to_be_checked()
    await switch.uncheck()
    await presses(desk, "Escape", "n", "/")
    await desk.go("/stock")
    await presses(desk, "n", "?", "/")
    await expect(desk.page.locator("dialog[open]")).to_have_count(0)
    await expect(desk.field("Search")).not_to_be_focused()
    await desk.open(f"{await _who(desk)}: family and settings")
    await desk.press("Keyboard shortcuts")
    await desk.reads_above_all("Keyboard shortcuts")
    await expect(switch).not_to_be_checked()
    await switch.check()
    await desk.go("/stock")
    await presses(desk, "/")
    await expect(desk.field("Search")).to_be_focused()


async def _who(desk: Visitor) -> str:
    name = await desk.page.locator("details.menu summary").get_attribute("aria-label")
    return str(name).partition(":")[0]


async def test_browser_shortcuts_are_not_overridden(desk: Visitor) -> None:
    await desk.go("/stock")
    await presses(desk, "Control+/", "Alt+n", "Control+ArrowDown")
    await expect(desk.page.locator("dialog[open]")).to_have_count(0)
    assert await desk.page.evaluate("document.activeElement === document.body")
    await presses(desk, "Tab", "Tab", "ArrowDown")
    assert await desk.page.evaluate("document.activeElement.matches('.brand')")


async def test_phone_does_not_load_shortcuts(home: Home, visitors: Visitors) -> None:
    phone = await home.phone(visitors, new=True)
    loaded: list[str] = []

    def asked(request: Request) -> None:
        loaded.append(request.url)

    phone.page.on("request", asked)
    await phone.go("/list")
    await expect(phone.page.locator(".list-empty")).to_be_visible()
    await phone.write("What do you need?", "n/?")
    assert loaded
    assert [url for url in loaded if "/wide" in url or "/shortcuts/" in url] == []
