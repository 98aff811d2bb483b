"""A shared list on two phones."""

from typing import Any

import pytest
from playwright.async_api import Page, Route

from tests.browser.accessibility import find_overflowing
from tests.browser.demo_household import DemoHousehold, end_list
from tests.browser.live_updates import (
    advance_until_text,
    expect_within_a_second,
    stop_clock,
    wait_until,
)
from tests.browser.screens import DESKTOP
from tests.browser.share_page import SharedList, checklist_row, is_ticked, tick
from tests.browser.storage import cached_paths, wait_for_worker
from tests.browser.visitor import KeyboardVisitor, Visitor, Visitors, expect

API = "**/api/v1/shareables/**"


@pytest.fixture
def camping_list(household: DemoHousehold) -> SharedList:
    return SharedList(household, "Tent", "Rope", "Map", "Pan")


async def open_shared_list(visitors: Visitors, handed: SharedList, **more: Any) -> Visitor:
    visitor = await visitors.arrive(**more)
    await visitor.go(handed.path)
    return visitor


async def test_tick_on_shared_list_appears_on_another_phone(
    visitors: Visitors, camping_list: SharedList
) -> None:
    ada, bo = (
        await open_shared_list(visitors, camping_list),
        await open_shared_list(visitors, camping_list),
    )
    await ada.open("Add your name")
    await ada.write("Your name", "Ada Lovelace")
    await ada.press("Save")
    await ada.sees("You’re ticking as Ada Lovelace")
    await tick(ada.page, "Tent").click()
    await is_ticked(ada.page, "Tent")
    await is_ticked(bo.page, "Tent")
    await expect(checklist_row(bo.page, "Tent").locator(".face")).to_have_text("AL")
    await expect(bo.page.locator(".paper-count")).to_have_text("1 of 4 done")
    await tick(bo.page, "Rope").click()
    await is_ticked(ada.page, "Rope")
    await expect(checklist_row(ada.page, "Rope").locator(".face")).to_have_count(0)
    await tick(bo.page, "Tent").click()
    await is_ticked(ada.page, "Tent", ticked=False)
    assert camping_list.ticked == ["Rope"]
    ticks = iter(("Map", "Pan", "Tent"))

    def tick_next(number: int) -> str:
        camping_list.tick(next(ticks))
        return f"{number + 2} of 4 done"

    await expect_within_a_second(ada, ".paper-count", tick_next)


async def test_print_button_prints_shared_list(
    visitors: Visitors, camping_list: SharedList
) -> None:
    phone = await visitors.arrive()
    await phone.page.add_init_script("window.print = () => (window.printed = true)")
    await phone.go(f"{camping_list.path}/print")
    await phone.press("Print")
    assert await phone.page.evaluate("window.printed")


async def test_shared_list_shows_changes_of_others_live(
    visitors: Visitors, camping_list: SharedList
) -> None:
    ada, bo = (
        await open_shared_list(visitors, camping_list),
        await open_shared_list(visitors, camping_list),
    )
    await ada.write("Add an item", "Lamp")
    await ada.press("Add to list")
    await expect(checklist_row(ada.page, "Lamp")).to_be_visible()
    await expect(ada.field("Add an item")).to_have_value("")
    await expect(ada.field("Add an item")).to_be_focused()
    await expect(checklist_row(bo.page, "Lamp")).to_be_visible()
    await ada.press("Edit Lamp")
    await ada.write("Name", "Big lamp")
    await ada.press("Save")
    await expect(checklist_row(bo.page, "Big lamp")).to_be_visible()
    await ada.press("Edit Rope")
    await ada.press("Remove from list")
    await expect(checklist_row(bo.page, "Rope")).to_have_count(0)
    await ada.is_at(camping_list.path)
    await ada.press("Undo")
    await expect(checklist_row(bo.page, "Rope")).to_be_visible()
    assert camping_list.names == ["Tent", "Rope", "Map", "Pan", "Big lamp"]


async def test_offline_add_to_shared_list_is_not_shown_as_added(
    visitors: Visitors, camping_list: SharedList
) -> None:
    ada = await visitors.arrive(new=True)
    await ada.page.clock.install()
    await ada.go(camping_list.path)
    await stop_clock(ada.page)
    await ada.context.set_offline(True)
    await ada.write("Add an item", "Lamp")
    await ada.press("Add to list")
    await advance_until_text(ada, "You’re offline, so that wasn’t added.")
    await expect(ada.field("Add an item")).to_have_value("Lamp")
    assert len(camping_list.names) == 4
    await ada.context.set_offline(False)


async def test_pending_tick_is_pale_and_last_tick_wins(
    visitors: Visitors, camping_list: SharedList
) -> None:
    ada = await open_shared_list(visitors, camping_list)
    waiting: list[Route] = []

    async def hold_patch(route: Route) -> None:
        if route.request.method == "PATCH":
            waiting.append(route)
        else:
            await route.continue_()

    await ada.page.route(API, hold_patch)
    await tick(ada.page, "Tent").click()
    await wait_until(ada.page, lambda: len(waiting) == 1)
    await expect(checklist_row(ada.page, "Tent")).to_have_class("entry entry-pending entry-ticking")
    await is_ticked(ada.page, "Tent", ticked=False)
    await tick(ada.page, "Tent").click()
    await waiting.pop().continue_()
    await wait_until(ada.page, lambda: len(waiting) == 1)
    await wait_until(ada.page, lambda: camping_list.ticked == ["Tent"])
    await expect(checklist_row(ada.page, "Tent")).to_have_class("entry entry-pending")
    await waiting.pop().continue_()
    await expect(checklist_row(ada.page, "Tent")).to_have_class("entry")
    assert camping_list.ticked == []


async def test_tick_looks_done_once_answered_without_row_fetch(
    visitors: Visitors, camping_list: SharedList
) -> None:
    ada = await open_shared_list(visitors, camping_list)
    held: list[Route] = []

    async def hold(route: Route) -> None:
        held.append(route)

    await ada.page.route("**/items/*/row", hold)
    await tick(ada.page, "Tent").click()
    await expect(checklist_row(ada.page, "Tent")).to_have_class("entry entry-done")
    for route in held:
        await route.continue_()


async def test_lost_response_of_shared_list_add_is_retried(
    visitors: Visitors, camping_list: SharedList
) -> None:
    ada = await open_shared_list(visitors, camping_list)
    lost: list[str] = []

    async def lose(route: Route) -> None:
        if route.request.method != "POST" or lost:
            await route.continue_()
        else:
            lost.append(route.request.url)
            await route.fetch()
            await route.abort()

    await ada.page.route(API, lose)
    await ada.write("Add an item", "Lamp")
    await ada.press("Add to list")
    await expect(checklist_row(ada.page, "Lamp")).to_have_count(1)
    assert camping_list.names.count("Lamp") == 1


async def test_passcode_opens_list_until_it_is_changed(
    visitors: Visitors, household: DemoHousehold
) -> None:
    handed = SharedList(household, "Tent", viewPasscode="see it")
    ada = await open_shared_list(visitors, handed)
    await ada.reads_above_all("This list needs a passcode")
    await ada.write("Passcode", "guess")
    await ada.press("Open list")
    await ada.sees("That isn’t the list’s passcode.")
    await ada.write("Passcode", "see it")
    await ada.press("Open list")
    await ada.is_at(handed.path)
    await tick(ada.page, "Tent").click()
    await is_ticked(ada.page, "Tent")
    handed.ask("PATCH", {"viewPasscode": "other", "version": 1})
    await ada.reads_above_all("This list needs a passcode")


async def test_open_page_of_deleted_list_says_so(
    visitors: Visitors, camping_list: SharedList
) -> None:
    ada = await open_shared_list(visitors, camping_list)
    await expect(checklist_row(ada.page, "Tent")).to_be_visible()
    camping_list.ask("DELETE")
    await ada.reads_above_all("We can’t find this list")


async def test_expired_list_says_so_and_can_be_cloned(
    visitors: Visitors, household: DemoHousehold
) -> None:
    handed = SharedList(household, "Tent", adminPasscode="change it")
    end_list(household.data, handed.short_id)
    ada = await open_shared_list(visitors, handed)
    await ada.reads_above_all("This list has ended")
    await ada.open("Is it yours?")
    await ada.write("Passcode", "change it")
    await ada.press("Open")
    await ada.reads_above_all("Camping")
    await ada.press("Make a copy")
    await ada.press("Create copy")
    await ada.reads_above_all("Your list is ready")
    await ada.press("Open list")
    await expect(tick(ada.page, "Tent")).to_be_visible()


async def test_shared_list_is_reordered_by_dragging(
    visitors: Visitors, camping_list: SharedList
) -> None:
    ada = await open_shared_list(visitors, camping_list, screen=DESKTOP)
    bo = await open_shared_list(visitors, camping_list)
    await ada.press("Reorder")
    await drag(ada.page, "Pan", "Tent")
    await expect(ada.page.get_by_role("status").first).to_have_text("Pan is now 1 of 4")
    await wait_until(ada.page, lambda: camping_list.names == ["Pan", "Tent", "Rope", "Map"])
    assert await ada.page.evaluate("getSelection().toString()") == ""
    await drag(ada.page, "Tent", "Map")
    await wait_until(ada.page, lambda: camping_list.names == ["Pan", "Rope", "Map", "Tent"])
    await expect(bo.page.locator("li.entry .entry-name")).to_have_text(
        ["Pan", "Rope", "Map", "Tent"]
    )
    await ada.press("Done")
    await expect(ada.page.locator(".entry-name")).to_have_text(["Pan", "Rope", "Map", "Tent"])


async def drag(page: Page, name: str, onto: str) -> None:
    grip = page.locator("li").filter(has_text=name).locator(".grip")
    start = await grip.bounding_box()
    end = await page.locator("li").filter(has_text=onto).bounding_box()
    assert start
    assert end
    down = end["y"] > start["y"]
    await page.mouse.move(start["x"] + 10, start["y"] + 10)
    await page.mouse.down()
    await page.mouse.move(end["x"] + 10, end["y"] + (end["height"] - 2 if down else 2), steps=8)
    await page.mouse.up()


async def test_shared_list_is_reordered_by_keys_and_buttons(
    visitors: Visitors, camping_list: SharedList
) -> None:
    ada = await open_shared_list(visitors, camping_list, kind=KeyboardVisitor)
    await ada.press("Reorder")
    grip = ada.page.get_by_label("Move Tent: use the arrow keys")
    await grip.focus()
    for _ in range(2):
        await ada.page.keyboard.press("ArrowDown")
    await expect(grip).to_be_focused()
    await wait_until(ada.page, lambda: camping_list.names == ["Rope", "Map", "Tent", "Pan"])
    await ada.press("Move Pan up")
    await wait_until(ada.page, lambda: camping_list.names == ["Rope", "Map", "Pan", "Tent"])
    await ada.press("Move Rope down")
    await ada.page.get_by_role("link", name="Done").click()
    await ada.is_at(camping_list.path)
    await wait_until(ada.page, lambda: camping_list.names == ["Map", "Rope", "Pan", "Tent"])


async def test_failed_reorder_is_reverted(visitors: Visitors, camping_list: SharedList) -> None:
    ada = await open_shared_list(visitors, camping_list)
    await ada.press("Reorder")
    await ada.context.set_offline(True)
    await ada.press("Move Pan up")
    await ada.sees("You’re offline, so the order wasn’t saved.")
    await expect(ada.page.locator(".order-row .row-text")).to_have_text(
        ["Tent", "Rope", "Map", "Pan"]
    )
    await ada.context.set_offline(False)


async def test_shared_list_works_with_arrows_and_space(
    visitors: Visitors, camping_list: SharedList
) -> None:
    ada = await open_shared_list(visitors, camping_list)
    await tick(ada.page, "Tent").focus()
    await ada.page.keyboard.press("ArrowDown")
    await expect(tick(ada.page, "Rope")).to_be_focused()
    await ada.page.keyboard.press("Space")
    await is_ticked(ada.page, "Rope")
    await expect(tick(ada.page, "Rope")).to_be_focused()
    assert camping_list.ticked == ["Rope"]


async def test_shared_list_works_without_scripts(visitors: Visitors) -> None:
    ada = await visitors.arrive(script=False)
    await ada.go("/s")
    await ada.press("Create a list")
    await ada.write("List name", "Camping")
    await ada.write("Items", "Tent\nRope")
    await ada.press("Create list")
    await ada.reads_above_all("Your list is ready")
    short_id = await ada.page.locator(".share-id").text_content() or ""
    await ada.go("/s")
    await ada.write("List code", short_id.upper().replace("-", " ").replace("O", "0"))
    await ada.press("Open list")
    await ada.reads_above_all("Camping")
    await tick(ada.page, "Tent").click()
    await is_ticked(ada.page, "Tent")
    await ada.write("Add an item", "Lamp")
    await ada.press("Add to list")
    await ada.press("Reorder")
    await ada.press("Move Lamp up")
    await ada.press("Done")
    await expect(ada.page.locator(".entry-name")).to_have_text(["Tent", "Lamp", "Rope"])
    await ada.press("Edit Lamp")
    await ada.press("Remove from list")
    await ada.press("Undo")
    await expect(ada.page.locator(".entry-name")).to_have_text(["Tent", "Lamp", "Rope"])


async def test_widest_short_id_fits_the_narrowest_phone(
    visitors: Visitors, household: DemoHousehold
) -> None:
    ada = await visitors.arrive()
    await ada.go(f"{SharedList(household, 'Tent').path}/share")
    await ada.page.evaluate("document.querySelector('.share-id').textContent = 'mwm-wmw-00000'")
    assert await find_overflowing(ada.page, 320) == []


async def test_shared_list_page_is_never_cached(
    visitors: Visitors, household: DemoHousehold
) -> None:
    handed = SharedList(household, "Tent", viewPasscode="see it")
    ada = await open_shared_list(visitors, handed, offline_worker=True)
    await ada.write("Passcode", "see it")
    await ada.press("Open list")
    await expect(checklist_row(ada.page, "Tent")).to_be_visible()
    await wait_for_worker(ada)
    await ada.press("Share")
    await ada.reads_above_all("Share Camping")
    assert await cached_paths(ada) == set()


async def test_list_token_is_in_no_url_and_unreadable_by_scripts(
    visitors: Visitors, household: DemoHousehold
) -> None:
    handed = SharedList(household, "Tent", viewPasscode="lakeside")
    ada = await open_shared_list(visitors, handed, new=True)
    asked: list[str] = []
    ada.context.on("request", lambda request: asked.append(request.url))
    await ada.write("Passcode", "lakeside")
    await ada.press("Open list")
    await tick(ada.page, "Tent").click()
    await is_ticked(ada.page, "Tent")
    (cookie,) = [
        each for each in await ada.context.cookies() if each.get("name") == "homeshelf-lists"
    ]
    assert cookie.get("httpOnly")
    assert await ada.page.evaluate("document.cookie") == ""
    assert not [url for url in asked if cookie.get("value", "?") in url or "lakeside" in url]
