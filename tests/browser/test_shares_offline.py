"""A shared list on a bad connection: ticks are stored and sent once."""

from collections.abc import AsyncIterator

import pytest

from tests.browser.demo_household import DemoHousehold, end_list
from tests.browser.share_page import SharedList, checklist_row, is_ticked, tick
from tests.browser.storage import CHANGES, wait_for_worker, wait_until_equal
from tests.browser.visitor import Visitor, Visitors, expect
from tests.network import Line

WAITS = "entry entry-pending entry-ticking"


@pytest.fixture
async def phone(visitors: Visitors, line: Line) -> AsyncIterator[Visitor]:
    """An anonymous visitor's phone."""
    phone = await visitors.arrive(url=line.url, offline_worker=True)
    yield phone
    line.becomes("open")
    visitors.complaints.clear()  # the browser reports requests that failed on the bad line


@pytest.fixture
def camping_list(household: DemoHousehold) -> SharedList:
    return SharedList(household, "Tent", "Rope", "Map", "Pan")


async def open_shared_list(phone: Visitor, handed: SharedList) -> None:
    await phone.go(handed.path)
    await wait_for_worker(phone)
    await expect(checklist_row(phone.page, "Tent")).to_be_visible()
    await phone.page.evaluate("customElements.whenDefined('shared-list').then(() => true)")


async def test_offline_ticks_outlive_page_and_are_sent(
    phone: Visitor, camping_list: SharedList, line: Line
) -> None:
    await open_shared_list(phone, camping_list)
    await tick(phone.page, "Map").click()
    await is_ticked(phone.page, "Map")
    line.becomes("cut")
    for name in ("Tent", "Rope", "Pan", "Rope", "Map"):
        await tick(phone.page, name).click()
    await expect(checklist_row(phone.page, "Tent")).to_have_class(WAITS)
    await expect(checklist_row(phone.page, "Rope")).to_have_class("entry entry-pending")
    await phone.sees("You’re offline. Your ticks are saved and will be sent.")
    await phone.page.close()
    assert camping_list.ticked == ["Map"]
    line.becomes("open")
    phone.page = await phone.context.new_page()
    await phone.go("/sign-in")
    await wait_until_equal(["Tent", "Pan"], lambda: _ticked_names(camping_list))
    await phone.go(camping_list.path)
    await is_ticked(phone.page, "Tent")
    await expect(phone.page.locator(".entry-pending")).to_have_count(0)


async def test_pending_tick_is_marked_when_list_is_reopened(
    phone: Visitor, camping_list: SharedList, line: Line
) -> None:
    await open_shared_list(phone, camping_list)
    line.becomes("cut")
    await tick(phone.page, "Tent").click()
    await expect(checklist_row(phone.page, "Tent")).to_have_class(WAITS)
    await phone.page.close()
    phone.page = await phone.context.new_page()
    await phone.page.route("**/healthz", lambda route: route.abort())
    line.becomes("open")
    await phone.go(camping_list.path)
    await expect(checklist_row(phone.page, "Tent")).to_have_class(WAITS)
    camping_list.tick("Rope")
    await is_ticked(phone.page, "Rope")
    await expect(checklist_row(phone.page, "Tent")).to_have_class(WAITS)
    camping_list.tick("Tent")
    await is_ticked(phone.page, "Tent")
    await expect(checklist_row(phone.page, "Tent")).to_contain_class("entry-pending")
    await phone.page.unroute("**/healthz")
    await expect(checklist_row(phone.page, "Tent")).to_have_class("entry entry-done")
    assert camping_list.ticked == ["Tent", "Rope"]


@pytest.mark.parametrize("state", ["deaf", "hang"])
async def test_last_tick_wins_on_bad_connection(
    phone: Visitor, camping_list: SharedList, line: Line, state: str
) -> None:
    await open_shared_list(phone, camping_list)
    line.becomes("deaf" if state == "deaf" else "hang")
    for name in ("Tent", "Rope", "Rope", "Tent", "Tent"):
        await tick(phone.page, name).click()
    await expect(checklist_row(phone.page, "Tent")).to_have_class(WAITS)
    line.becomes("open")
    await is_ticked(phone.page, "Tent")
    await expect(phone.page.locator(".entry-pending")).to_have_count(0)
    assert camping_list.ticked == ["Tent"]


async def test_phones_converge_on_unstable_connection(
    phone: Visitor, camping_list: SharedList, line: Line, visitors: Visitors
) -> None:
    await open_shared_list(phone, camping_list)
    other = await visitors.arrive()
    await other.go(camping_list.path)
    async with line.flapping(0.7):
        for name in ("Tent", "Rope", "Pan", "Rope"):
            await tick(phone.page, name).click()
            await phone.page.wait_for_timeout(400)
        await tick(other.page, "Map").click()
    for visitor in (phone, other):
        for name in ("Tent", "Map", "Pan"):
            await is_ticked(visitor.page, name)
        await is_ticked(visitor.page, "Rope", ticked=False)
    await expect(phone.page.locator(".entry-pending")).to_have_count(0)
    assert camping_list.ticked == ["Tent", "Map", "Pan"]


@pytest.mark.parametrize(
    ("happens", "shows", "says"),
    [
        ("ended", "This list has ended", "that list has expired."),
        ("deleted", "We can’t find this list", "someone removed it from the list."),
        ("locked", "This list needs a passcode", "that list has a new passcode."),
    ],
)
async def test_late_tick_is_reported_and_dropped(
    phone: Visitor, household: DemoHousehold, line: Line, happens: str, shows: str, says: str
) -> None:
    handed = SharedList(household, "Tent", viewPasscode="see it")
    await phone.go(handed.path)
    await phone.write("Passcode", "see it")
    await phone.press("Open list")
    await open_shared_list(phone, handed)
    line.becomes("cut")
    await tick(phone.page, "Tent").click()
    await expect(checklist_row(phone.page, "Tent")).to_have_class(WAITS)
    kept = await phone.page.evaluate(CHANGES)
    assert [each["kind"] for each in kept] == ["share.tick"]
    assert (await _cookie_token(phone)) not in str(kept)
    if happens == "ended":
        end_list(household.data, handed.short_id)
    elif happens == "deleted":
        handed.ask("DELETE")
    else:
        handed.ask("PATCH", {"viewPasscode": "other", "version": 1})
    line.becomes("open")
    await phone.reads_above_all(shows)
    await phone.sees(f"Tent wasn’t ticked: {says}")
    await wait_until_equal([], lambda: phone.page.evaluate(CHANGES))
    await phone.go("/sign-in")
    await phone.sees_nothing_of("wasn’t ticked")


async def _ticked_names(handed: SharedList) -> list[str]:
    return handed.ticked


async def _cookie_token(phone: Visitor) -> str:
    (cookie,) = [
        each for each in await phone.context.cookies() if each.get("name") == "homeshelf-lists"
    ]
    return cookie.get("value", "")
