"""When a live page refreshes: only for records it shows, in batches, until it is current."""

from collections.abc import Callable
from typing import Any

from playwright.async_api import Route, expect

from tests.browser.family_home import Home
from tests.browser.live_updates import (
    REQUEST_DELAY_MS,
    advance_clock_until,
    record_fetches,
    row_with_id,
    stop_clock,
    wait_for_all_changes,
    wait_for_change,
    wait_until,
)
from tests.browser.visitor import Visitors

TOGETHER, PAUSE = 100, 500
"""Milliseconds that a page collects changes before a refresh, and waits after it."""
SETTLED = 2500
"""Milliseconds after which a page refreshes again if indexes may lag."""
_NOTES_WHEEL = """() => {
  window.stoppable = new Promise((done) =>
    addEventListener("wheel", ({ cancelable }) => done(cancelable), { passive: true, once: true }));
}"""
_HIDDEN = """(hidden) => {
  Object.defineProperty(document, "hidden", { get: () => hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


async def test_page_refreshes_only_for_records_it_shows(visitors: Visitors, home: Home) -> None:
    coffee, tea = home.item("Coffee", 3, 0), home.item("Tea", 3, 0)
    pages = ("/", "/stock", f"/stock/{coffee}", "/places", "/wishes")
    phones = [await home.phone(visitors) for _ in pages]
    for phone, path in zip(phones, pages, strict=True):
        await phone.go(path)
    fetched = [record_fetches(phone) for phone in phones]

    async def pages_refreshed_by(change: Callable[[], Any]) -> set[str]:
        """Return the pages that `change` makes refresh."""
        await wait_for_all_changes(home, *phones)
        for urls in fetched:
            urls.clear()
        change()
        await wait_for_all_changes(home, *phones)
        return {path for path, urls in zip(pages, fetched, strict=True) if urls}

    def adjust() -> Any:
        return home.admin.ask("POST", f"/items/{tea}/adjust", {"delta": 1})

    assert await pages_refreshed_by(adjust) == {"/", "/stock", "/wishes"}
    assert await pages_refreshed_by(lambda: home.store("Market")) == {
        "/",
        f"/stock/{coffee}",
        "/places",
    }


async def test_hundred_changes_cause_two_refreshes(visitors: Visitors, home: Home) -> None:
    coffee = home.item("Coffee", 0, 0)
    emma = await home.phone(visitors, home.child(f"Emma-{home.admin.name}"), new=True)
    await emma.page.clock.install()
    await emma.go("/stock")
    await wait_for_all_changes(home, emma)
    await stop_clock(emma.page)
    fetched = record_fetches(emma)

    async def deliver_changes(changes: int) -> None:
        """Deliver changes while the page's clock stands still."""
        for _ in range(changes):
            home.admin.ask("POST", f"/items/{coffee}/adjust", {"delta": 1})
        version = home.admin.ask("GET", f"/items/{coffee}")["version"]
        await wait_for_change(emma, "InventoryItem", coffee, version)

    async def expect_fetches(times: int, *, after: int) -> None:
        await emma.page.clock.run_for(after - 1)
        await emma.page.wait_for_timeout(REQUEST_DELAY_MS)
        assert len(fetched) == times - 1
        await emma.page.clock.run_for(1)
        await wait_until(emma.page, lambda: len(fetched) == times)

    counted = row_with_id(emma, coffee).locator(".row-count")
    await deliver_changes(60)
    await expect_fetches(1, after=TOGETHER)
    await expect(counted).to_have_text("60")
    await deliver_changes(40)
    await expect_fetches(2, after=PAUSE)
    await expect(counted).to_have_text("100")


async def test_next_refresh_waits_for_previous_response(visitors: Visitors, home: Home) -> None:
    coffee = home.item("Coffee", 3, 0)
    phone = await home.phone(visitors, new=True)
    await phone.page.clock.install()
    await phone.go("/stock")
    await wait_for_all_changes(home, phone)
    await stop_clock(phone.page)
    held: list[Route] = []

    async def hold(route: Route) -> None:
        held.append(route)

    await phone.page.route("**/stock", hold)
    home.admin.ask("POST", f"/items/{coffee}/adjust", {"delta": 1})
    await advance_clock_until(phone.page, TOGETHER, lambda: len(held) == 1)
    home.admin.ask("POST", f"/items/{coffee}/adjust", {"delta": 1})
    await wait_for_change(phone, "InventoryItem", coffee, 3)
    await phone.page.clock.run_for(2 * PAUSE)
    await phone.page.wait_for_timeout(REQUEST_DELAY_MS)
    assert len(held) == 1
    await held[0].continue_()
    await advance_clock_until(phone.page, PAUSE, lambda: len(held) == 2)
    await held[1].continue_()
    await expect(row_with_id(phone, coffee).locator("output")).to_have_text("5")


async def test_scroll_listeners_are_passive(visitors: Visitors, home: Home) -> None:
    """A listener that is not passive delays scrolling."""
    phone = await home.phone(visitors)
    await phone.go("/stock")
    await phone.page.evaluate(_NOTES_WHEEL)
    await phone.page.mouse.move(100, 100)
    await phone.page.mouse.wheel(0, 50)
    assert await phone.page.evaluate("stoppable") is False


async def test_hidden_page_refreshes_when_shown(visitors: Visitors, home: Home) -> None:
    coffee = home.item("Coffee", 3, 0)
    phone = await home.phone(visitors, new=True)
    await phone.page.clock.install()
    await phone.go("/stock")
    await wait_for_all_changes(home, phone)
    await phone.page.evaluate(_HIDDEN, True)
    fetched = record_fetches(phone)
    home.admin.ask("POST", f"/items/{coffee}/adjust", {"delta": 1})
    await wait_for_change(phone, "InventoryItem", coffee, 2)
    await phone.page.clock.run_for(4 * PAUSE)
    await phone.page.wait_for_timeout(REQUEST_DELAY_MS)
    assert fetched == []
    await phone.page.evaluate(_HIDDEN, False)
    await expect(row_with_id(phone, coffee).locator("output")).to_have_text("4")


async def test_lagging_index_causes_second_refresh(visitors: Visitors, home: Home) -> None:
    coffee = home.item("Coffee", 3, 0)
    phone = await home.phone(visitors, new=True)
    await phone.page.clock.install()
    await phone.go("/stock")
    await wait_for_all_changes(home, phone)
    old = await (await phone.context.request.get("/stock")).text()
    await phone.page.evaluate("document.body.dataset.lags = ''")
    looked: list[str] = []

    async def respond_with_old_page(route: Route) -> None:
        looked.append(route.request.url)
        if len(looked) == 1:
            await route.fulfill(body=old, content_type="text/html")
        else:
            await route.continue_()

    await phone.page.route("**/stock", respond_with_old_page)
    home.admin.ask("POST", f"/items/{coffee}/adjust", {"delta": 1})
    await wait_for_change(phone, "InventoryItem", coffee, 2)
    await wait_until(phone.page, lambda: len(looked) == 1)
    await wait_for_all_changes(home, phone)
    await expect(row_with_id(phone, coffee).locator("output")).to_have_text("3")
    await phone.page.clock.run_for(SETTLED)
    await expect(row_with_id(phone, coffee).locator("output")).to_have_text("4")
    await phone.page.clock.run_for(2 * SETTLED)
    await phone.page.wait_for_timeout(REQUEST_DELAY_MS)
    assert len(looked) == 2


async def test_page_reports_lost_stream_and_catches_up(visitors: Visitors, home: Home) -> None:
    coffee = home.item("Coffee", 3, 0)
    phone = await home.phone(visitors)
    await phone.go("/stock")
    signal = phone.page.locator(".signal")
    await expect(signal).to_be_empty()
    await phone.context.set_offline(True)
    await expect(signal).to_have_text("You’re offline")
    home.admin.ask("POST", f"/items/{coffee}/adjust", {"delta": 1})
    await phone.context.set_offline(False)
    await expect(signal).to_be_empty()
    await expect(row_with_id(phone, coffee).locator("output")).to_have_text("4")


async def test_failed_refresh_is_retried(visitors: Visitors, home: Home) -> None:
    coffee = home.item("Coffee", 3, 0)
    phone = await home.phone(visitors, new=True)
    await phone.page.clock.install()
    await phone.go("/stock")
    await wait_for_all_changes(home, phone)
    failures: list[str] = []

    async def fail(route: Route) -> None:
        failures.append(route.request.url)
        if len(failures) < 3:
            await route.abort()
        else:
            await route.continue_()

    await phone.page.route("**/stock", fail)
    home.admin.ask("POST", f"/items/{coffee}/adjust", {"delta": 1})
    await advance_clock_until(phone.page, PAUSE, lambda: len(failures) == 3)
    await expect(row_with_id(phone, coffee).locator("output")).to_have_text("4")


async def test_refused_stream_is_reopened(visitors: Visitors, home: Home) -> None:
    coffee = home.item("Coffee", 3, 0)
    phone = await home.phone(visitors, new=True)
    refused: list[str] = []

    async def refuse(route: Route) -> None:
        refused.append(route.request.url)
        if len(refused) == 1:
            await route.fulfill(status=429)
        else:
            await route.continue_()

    await phone.page.route("**/api/v1/events*", refuse)
    await phone.page.clock.install()
    await phone.go("/stock")
    signal = phone.page.locator(".signal")
    while not await signal.text_content():
        await phone.page.clock.run_for(PAUSE)
    await expect(signal).to_have_text("You’re offline")
    home.admin.ask("POST", f"/items/{coffee}/adjust", {"delta": 1})
    await advance_clock_until(phone.page, PAUSE, lambda: len(refused) == 2)
    await expect(row_with_id(phone, coffee).locator("output")).to_have_text("4")
    await expect(signal).to_be_empty()
