"""Purchased rows fold away only when the list is idle."""

from datetime import UTC, datetime, timedelta

from playwright.async_api import expect

from tests.browser.family_home import Home
from tests.browser.list_page import expect_bought, pending_entry_names, tick
from tests.browser.live_updates import PAGE_PAUSE_MS
from tests.browser.visitor import Visitors

THINGS = ["Apples", "Bread", "Cheese"]
LONGEST = 20
"""The longest wait in seconds of the page's clock; a late event counts as a touch."""


async def test_last_tick_shows_and_announces_that_all_is_done(
    visitors: Visitors, home: Home
) -> None:
    for name in THINGS[:2]:
        home.admin.ask("POST", "/shopping-list", {"name": name})
    phone = await home.phone(visitors)
    await phone.go("/list")
    done, spoken = phone.page.locator(".list-done"), phone.page.locator(".spoken")
    await tick(phone, "Apples")
    await expect_bought(phone, "Apples", yes=True)
    await expect(done).to_be_hidden()
    await tick(phone, "Bread")
    await expect(done).to_be_visible()
    await expect(spoken).to_have_text("All done!")
    await expect(phone.page.locator(".list-empty")).to_be_hidden()
    await tick(phone, "Bread")
    await expect(done).to_be_hidden()


async def test_ticked_row_stays_until_list_is_idle(visitors: Visitors, home: Home) -> None:
    for name in THINGS:
        home.admin.ask("POST", "/shopping-list", {"name": name})
    phone = await home.phone(visitors, new=True)
    clock = phone.page.clock
    await clock.install()
    await phone.go("/list")
    await expect(phone.page.locator(".list-group li.entry")).to_have_count(3)
    await clock.pause_at(datetime.now(UTC) + timedelta(hours=1))
    await tick(phone, "Bread")
    await expect_bought(phone, "Bread", yes=True)
    assert await pending_entry_names(phone) == THINGS
    await clock.run_for(3000)
    assert await pending_entry_names(phone) == THINGS
    await tick(phone, "Cheese")
    await clock.run_for(3000)
    assert await pending_entry_names(phone) == THINGS
    await phone.page.keyboard.press("Shift")
    await clock.run_for(3500)
    assert await pending_entry_names(phone) == THINGS
    seconds = 0
    while await pending_entry_names(phone) != ["Apples"]:
        seconds += 1
        assert seconds < LONGEST, "nothing folds away"
        await clock.run_for(1000)
        await phone.page.wait_for_timeout(PAGE_PAUSE_MS)
    await expect(phone.page.locator(".bought li.entry")).to_have_count(2)
