"""Helpers for the shopping list page."""

from playwright.async_api import Locator, Route, expect

from tests.browser.family_home import Home
from tests.browser.visitor import Visitor


def entry_row(visitor: Visitor, name: str) -> Locator:
    return visitor.page.locator(f"li.entry[data-name='{name}']")


async def add(visitor: Visitor, text: str) -> None:
    await visitor.write("What do you need?", text)
    await visitor.page.keyboard.press("Enter")


async def tick(visitor: Visitor, name: str) -> None:
    await entry_row(visitor, name).locator(".tick-row").click()


async def expect_bought(visitor: Visitor, name: str, *, yes: bool) -> None:
    status = "purchased" if yes else "pending"
    await expect(entry_row(visitor, name)).to_have_attribute("data-status", status)


async def wait_until_all_sent(visitor: Visitor) -> None:
    await expect(visitor.page.locator("li.entry-pending")).to_have_count(0)


async def pending_entry_names(visitor: Visitor) -> list[str]:
    """Return the names of pending entries, top to bottom."""
    found: list[str] = await visitor.page.locator(".list-group li.entry").evaluate_all(
        "rows => rows.map((row) => row.dataset.name)"
    )
    return found


def listed_entries(home: Home) -> list[str]:
    """Return the server's entries as text: name, quantity, notes, status."""
    entries = home.admin.ask("GET", "/shopping-list?limit=100")["items"]
    return sorted(_entry_text(entry) for entry in entries)


def _entry_text(entry: dict[str, object]) -> str:
    parts = [entry["name"], entry["quantity"], entry["notes"], entry["status"]]
    return " ".join(str(part) for part in parts if part not in (None, "pending"))


_RESET = """document.dispatchEvent(
  new CustomEvent("homeshelf:change", { detail: { type: "reset", id: "", version: null } })
)"""


async def offer_usual_items(phone: Visitor, *names: str) -> None:
    """Make the server offer these names as usual items while they are not pending."""
    forgotten: list[str] = []

    async def add_usual_items(route: Route) -> None:
        answer = await route.fetch()
        told = await answer.json()
        there = [entry["name"] for entry in told["entries"]]
        usual = [
            {"usualId": name, "name": name, "itemId": None, "storeId": None, "picture": ""}
            for name in names
            if name not in (*there, *forgotten)
        ]
        await route.fulfill(response=answer, json=told | {"usual": usual})

    async def forget(route: Route) -> None:
        forgotten.append(route.request.url.rpartition("/")[2])
        await route.fulfill(status=204)

    await phone.page.route("**/list/now", add_usual_items)
    await phone.page.route("**/shopping-list/usual/*", forget)
    await phone.page.evaluate(_RESET)
