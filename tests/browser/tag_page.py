"""Helpers for items with tags and the tag page."""

from collections.abc import Iterator
from typing import Any

from playwright.async_api import Page, Route

from tests.browser.demo_household import DemoHousehold
from tests.browser.family_home import Home, create_home
from tests.browser.visitor import Visitor, Visitors, expect
from tests.network import Line, State


class TaggedItem:
    """An item with a tag."""

    def __init__(self, home: Home, quantity: int) -> None:
        self.admin = home.admin
        self.item_id = home.item("Paper Towels", quantity, 0)
        made = home.admin.ask("POST", f"/items/{self.item_id}/nfc-urls", {})
        self.path = f"/t/{made['urlId']}"
        self.url_id = made["urlId"]

    @property
    def quantity(self) -> int:
        count: int = self.admin.ask("GET", f"/items/{self.item_id}")["quantity"]
        return count

    @property
    def history(self) -> list[tuple[str, int]]:
        found = self.admin.ask("GET", f"/items/{self.item_id}/history")["items"]
        return [(each["source"], each["delta"]) for each in reversed(found)][1:]


def tagged_items(
    household: DemoHousehold, unique_name: str, *states: State
) -> Iterator[tuple[State, TaggedItem]]:
    """Yield a tagged item in a new family for each state of the line."""
    for number, state in enumerate(states):
        yield state, TaggedItem(create_home(household, f"{unique_name}-{number}"), 4)


async def expect_message(page: Page, text: str) -> None:
    await expect(page.get_by_role("status").and_(page.locator(".tap-message"))).to_have_text(text)


async def expect_count(page: Page, count: int) -> None:
    await expect(page.locator(".tap-count")).to_have_text(str(count))
    await expect(page.locator(".tap-count[data-waiting]")).to_have_count(0)


async def open_tag_page(visitors: Visitors, tagged: TaggedItem, **more: Any) -> Visitor:
    visitor = await visitors.arrive(**more)
    await visitor.go(tagged.path)
    return visitor


async def press_quickly(visitor: Visitor, delta: int, times: int) -> None:
    """Press by script, so that a busy machine makes no pause between presses."""
    button = f"document.querySelector('[value=\"{delta}\"]')"
    await visitor.page.evaluate(f"for (let i = 0; i < {times}; i++) {button}.click()")


PAUSE_THAT_LASTS = """() => {
  const later = window.setTimeout.bind(window);
  window.setTimeout = (work, pause, ...more) =>
    pause === 450 ? ((window.endPause = work), 1) : later(work, pause, ...more);
}"""


KEEP_SCRIPT = "() => Boolean(document.querySelector('tap-page').store)"


async def open_before_outage(phone: Visitor, tagged: TaggedItem, line: Line, state: State) -> None:
    """Open the tag page and set the line to `state` before its first tap is sent."""

    async def worsen_connection(route: Route) -> None:
        line.becomes(state)
        await route.continue_()

    await phone.page.route(TAPS, worsen_connection, times=1)
    await phone.go(tagged.path)


async def expect_waiting_count(page: Page, count: int) -> None:
    await expect(page.locator(".tap-count[data-waiting]")).to_have_text(str(count))


TAPS = "**/api/v1/taps/**"
