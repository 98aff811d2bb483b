"""Live updates of the open list."""

from playwright.async_api import expect

from tests.browser.family_home import Home
from tests.browser.list_page import entry_row, pending_entry_names
from tests.browser.storage import wait_until_equal
from tests.browser.visitor import Visitor, Visitors


async def open_list(home: Home, visitors: Visitors) -> Visitor:
    phone = await home.phone(visitors)
    await phone.go("/list")
    return phone


async def test_order_of_another_member_appears_live(visitors: Visitors, home: Home) -> None:
    for name in ("Apples", "Bread", "Cheese"):
        home.admin.ask("POST", "/shopping-list", {"name": name})
    phone, other = await open_list(home, visitors), await open_list(home, visitors)
    await entry_row(phone, "Apples").locator(".tick-row").focus()
    await phone.page.keyboard.press("Alt+ArrowDown")
    await wait_until_equal(["Bread", "Apples", "Cheese"], lambda: pending_entry_names(other))


async def test_new_picture_appears_live(visitors: Visitors, home: Home) -> None:
    item_id = home.item("Rice", 3, 0)
    home.admin.ask("POST", "/shopping-list", {"itemId": item_id})
    phone = await open_list(home, visitors)
    item = home.admin.ask("GET", f"/items/{item_id}")
    home.admin.ask("PATCH", f"/items/{item_id}", {"picture": "🦄", "version": item["version"]})
    await expect(entry_row(phone, "Rice").locator(".picture")).to_have_text("🦄")


async def test_lagging_indexes_cause_second_read(visitors: Visitors, home: Home) -> None:
    phone = await open_list(home, visitors)
    await phone.page.evaluate("document.body.dataset.lags = ''")
    asked: list[str] = []
    phone.page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    home.item("Rice", 3, 0)
    await wait_until_equal(2, lambda: _count(asked, "now"))


async def _count(asked: list[str], path: str) -> int:
    return asked.count(path)
