"""Helpers for the stock page and the stocktaking page."""

from playwright.async_api import Locator

from tests.browser.family_home import Home
from tests.browser.visitor import Visitor, expect


def count_output(phone: Visitor, name: str = "Rice") -> Locator:
    return phone.page.locator(f"form[aria-label='{name}'] output")


async def expect_waiting(phone: Visitor, name: str = "Rice", *, waits: bool = True) -> None:
    marked = phone.page.locator(f"form[aria-label='{name}'][data-waiting]")
    await expect(marked).to_have_count(int(waits))


async def press_steppers(phone: Visitor, *deltas: int, name: str = "Rice") -> None:
    for delta in deltas:
        await phone.press(f"One {'more' if delta > 0 else 'less'} {name}")


def adjustments_of(home: Home, item_id: str) -> list[int]:
    found = home.admin.ask("GET", f"/items/{item_id}/history")["items"]
    return [each["delta"] for each in reversed(found)][1:]


TAKE = "/stock/take"


async def quantity_by_item(home: Home) -> dict[str, int]:
    found = home.admin.ask("GET", "/items?limit=100")["items"]
    assert len({item["name"] for item in found}) == len(found)
    return {item["name"]: item["quantity"] for item in found}


def place_by_item(home: Home) -> dict[str, str]:
    """Return the location name of each item."""
    names, found = location_names(home), home.admin.ask("GET", "/items?limit=100")["items"]
    return {item["name"]: names.get(item.get("locationId"), "") for item in found}


async def type_items(phone: Visitor, *texts: str) -> None:
    for text in texts:
        await phone.field("What do you have?").press_sequentially(text)
        await phone.page.keyboard.press("Enter")


def taken_row(phone: Visitor, name: str) -> Locator:
    return phone.page.locator(".taken > li", has_text=name)


def location_names(home: Home) -> dict[str, str]:
    found = home.admin.ask("GET", "/locations")["items"]
    return {place["locationId"]: place["name"] for place in found}
