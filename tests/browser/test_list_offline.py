"""The list on a bad connection: every change shows at once and is applied exactly once."""

import asyncio
from collections.abc import AsyncIterator
from typing import Literal

import pytest
from playwright.async_api import Route, expect

from tests.browser.family_home import Home
from tests.browser.list_page import (
    add,
    entry_row,
    expect_bought,
    listed_entries,
    pending_entry_names,
    tick,
    wait_until_all_sent,
)
from tests.browser.storage import open_phone, wait_until_equal
from tests.browser.visitor import Visitor, Visitors
from tests.network import Line

Trouble = Literal["cut", "hang"]
THINGS = ("Apples", "Bread", "Cheese", "Dates", "Eggs")


@pytest.fixture
async def phone(home: Home, visitors: Visitors, line: Line) -> AsyncIterator[Visitor]:
    for name in THINGS:
        home.admin.ask("POST", "/shopping-list", {"name": name})
    phone = await open_phone(home, visitors, line, "/list")
    await expect(phone.page.locator("li.entry")).to_have_count(len(THINGS))
    yield phone
    line.becomes("open")
    visitors.complaints.clear()  # the browser reports requests that failed on the bad line


async def reopen_page(phone: Visitor) -> None:
    await phone.page.close()
    phone.page = await phone.context.new_page()
    await phone.go("/list")


async def server_entries(home: Home) -> list[str]:
    return listed_entries(home)


@pytest.mark.parametrize("trouble", ["cut", "hang"])
async def test_offline_list_changes_show_outlive_page_and_are_sent(
    phone: Visitor, home: Home, line: Line, trouble: Trouble
) -> None:
    line.becomes(trouble)
    await tick(phone, "Apples")
    await tick(phone, "Bread")
    await add(phone, "2 jam")
    await add(phone, "Tea")
    await tick(phone, "Tea")
    await entry_row(phone, "Cheese").get_by_role("link", name="Edit Cheese").click()
    await phone.write("Notes", "the old one")
    await phone.press("Save")
    await entry_row(phone, "Dates").get_by_role("link", name="Edit Dates").click()
    await phone.press("Remove from list")
    await reopen_page(phone)
    await expect(entry_row(phone, "Cheese")).to_contain_text("the old one")
    await expect(entry_row(phone, "Dates")).to_have_count(0)
    for name in ("Apples", "Bread", "Tea"):
        await expect_bought(phone, name, yes=True)
    await expect(entry_row(phone, "jam").locator("output")).to_have_text("2")
    wanted = ["Apples purchased", "Bread purchased", "Cheese the old one", "Eggs"]
    line.becomes("open")
    await wait_until_equal([*wanted, "Tea purchased", "jam 2"], lambda: server_entries(home), 40)
    await wait_until_all_sent(phone)
    assert await pending_entry_names(phone) == ["Cheese", "Eggs", "jam"]


async def test_offline_conflict_is_asked_and_deletion_is_reported(
    phone: Visitor, home: Home, line: Line
) -> None:
    line.becomes("cut")
    for name in ("Cheese", "Eggs"):
        await entry_row(phone, name).get_by_role("link", name=f"Edit {name}").click()
        await phone.write("Notes", "mine")
        await phone.press("Save")
    entries = {each["name"]: each for each in home.admin.ask("GET", "/shopping-list")["items"]}
    cheese, eggs = entries["Cheese"], entries["Eggs"]
    path = f"/shopping-list/{cheese['shoppingItemId']}"
    home.admin.ask("PATCH", path, {"notes": "theirs", "version": cheese["version"]})
    home.admin.ask("DELETE", f"/shopping-list/{eggs['shoppingItemId']}")
    line.becomes("open")
    both = "Someone else changed Cheese too. Yours: mine. Theirs: theirs."
    await phone.sees(both)
    await expect(entry_row(phone, "Eggs")).to_have_count(0)
    await phone.press("Review")
    question = phone.page.get_by_role("dialog", name=both)
    await expect(question).to_be_visible()
    await phone.page.keyboard.press("Escape")
    gone = phone.page.get_by_role("dialog", name="Someone removed Eggs from the list.")
    await expect(gone).to_be_visible()
    await gone.get_by_role("button", name="OK").click()
    await expect(gone).to_be_hidden()
    await phone.press("Review")
    await expect(question).to_be_visible()
    await phone.press("Keep mine")
    await expect(phone.page.locator(".decision-bar")).to_be_hidden()
    await wait_until_equal(
        ["Apples", "Bread", "Cheese mine", "Dates"], lambda: server_entries(home)
    )


async def test_last_of_two_quick_ticks_wins_on_slow_connection(
    visitors: Visitors, home: Home
) -> None:
    home.admin.ask("POST", "/shopping-list", {"name": "Milk"})
    phone = await home.phone(visitors)
    await phone.go("/list")
    heard: list[str] = []

    async def delay_request(route: Route) -> None:
        heard.append(route.request.method)
        await asyncio.sleep(0.5)
        await route.continue_()

    await phone.page.route("**/status", delay_request)
    await tick(phone, "Milk")
    await expect_bought(phone, "Milk", yes=True)
    async with asyncio.timeout(10):
        while not heard:  # noqa: ASYNC110  # the browser's own time
            await asyncio.sleep(0.02)
    await tick(phone, "Milk")
    await expect_bought(phone, "Milk", yes=False)
    await wait_until_all_sent(phone)
    await expect_bought(phone, "Milk", yes=False)
    assert listed_entries(home) == ["Milk"]


async def test_store_can_be_chosen_offline(phone: Visitor, home: Home, line: Line) -> None:
    market, chemist = home.store("Market"), home.store("Chemist")
    home.admin.ask("POST", "/shopping-list", {"name": "Pears", "storeId": market})
    home.admin.ask("POST", "/shopping-list", {"name": "Soap", "storeId": chemist})
    await expect(entry_row(phone, "Soap")).to_be_visible()
    await expect(phone.found("Market")).to_be_visible()
    line.becomes("cut")
    await phone.press("Market")
    assert await pending_entry_names(phone) == ["Pears", *THINGS]
    await add(phone, "Plums")
    await expect(entry_row(phone, "Plums")).to_have_attribute("data-store", market)
    await phone.page.go_back()
    assert "Soap" in await pending_entry_names(phone)


async def test_shared_text_waits_in_the_field_offline_and_is_added_by_enter(
    phone: Visitor, home: Home, line: Line
) -> None:
    line.becomes("cut")
    await phone.go("/list?shared=Honey&title=Shop")
    await expect(phone.page.locator("#text")).to_have_value("Honey")
    await expect(entry_row(phone, "Honey")).to_have_count(0)
    await phone.page.keyboard.press("Enter")
    await expect(entry_row(phone, "Honey")).to_be_visible()
    await phone.go("/list?shared=Salt%0AOil")
    review = phone.page.get_by_role("dialog", name="Add all these?")
    await expect(review).to_be_visible()
    await phone.page.keyboard.press("Escape")
    await phone.is_at("/list")
    line.becomes("open")
    await wait_until_equal(sorted([*THINGS, "Honey"]), lambda: server_entries(home))
