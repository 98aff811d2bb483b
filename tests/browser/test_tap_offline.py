"""Taps on a bad connection are stored and applied once."""

from collections.abc import AsyncIterator

import pytest

from tests.browser.demo_household import DemoHousehold
from tests.browser.storage import CHANGES, wait_for_worker, wait_until_equal
from tests.browser.tag_page import (
    KEEP_SCRIPT,
    TAPS,
    TaggedItem,
    expect_count,
    expect_message,
    expect_waiting_count,
    open_before_outage,
    open_tag_page,
    tagged_items,
)
from tests.browser.visitor import Visitor, Visitors, expect
from tests.cases import case
from tests.network import Line

KEPT = "You’re offline. Your change is saved and will be sent."


@pytest.fixture
async def phone(visitors: Visitors, line: Line) -> AsyncIterator[Visitor]:
    """The phone of an anonymous visitor who has been here before."""
    phone = await visitors.arrive(url=line.url, offline_worker=True)
    await phone.go("/sign-in")
    await wait_for_worker(phone)
    yield phone
    line.becomes("open")
    visitors.complaints.clear()  # the browser reports requests that failed on the bad line


async def item_history(tagged: TaggedItem) -> list[tuple[str, int]]:
    return tagged.history


async def test_offline_tap_outlives_page_and_is_sent_once(
    phone: Visitor, household: DemoHousehold, unique_name: str, line: Line
) -> None:
    for state, tagged in tagged_items(household, unique_name, "cut", "deaf"):
        with case(state):
            await open_before_outage(phone, tagged, line, state)
            await expect_message(phone.page, KEPT)
            await expect_waiting_count(phone.page, 3)
            assert tagged.history == ([("tap", -1)] if state == "deaf" else [])
            await phone.page.close()
            phone.page = await phone.context.new_page()
            line.becomes("open")
            await phone.go("/sign-in")
            await wait_until_equal([], lambda: phone.page.evaluate(CHANGES))
            assert tagged.history == [("tap", -1)]


async def test_open_tag_page_reports_that_tap_was_sent(
    phone: Visitor, household: DemoHousehold, unique_name: str, line: Line
) -> None:
    for state, tagged in tagged_items(household, unique_name, "cut", "deaf", "hang"):
        with case(state):
            await open_before_outage(phone, tagged, line, state)
            await expect_message(phone.page, KEPT)
            await expect_waiting_count(phone.page, 3)
            line.becomes("open")
            await expect_message(phone.page, "Sent. 3 left.")
            await expect_count(phone.page, 3)
            await phone.press("Add 1")
            await expect_message(phone.page, "Added 1 Paper Towels, 4 left.")
            assert tagged.history == [("tap", -1), ("tap", 1)]


async def test_reload_and_back_do_not_repeat_pending_tap(
    phone: Visitor, tagged: TaggedItem, line: Line
) -> None:
    await open_before_outage(phone, tagged, line, "deaf")
    await expect_message(phone.page, KEPT)
    line.becomes("open")
    await phone.page.reload()
    await wait_until_equal([], lambda: phone.page.evaluate(CHANGES))
    await expect_count(phone.page, 3)
    await phone.go("/sign-in")
    await phone.page.go_back()
    await expect_message(phone.page, "Nothing else was taken.")
    await expect_count(phone.page, 3)
    assert tagged.history == [("tap", -1)]


async def test_undo_drops_unsent_tap(phone: Visitor, tagged: TaggedItem, line: Line) -> None:
    await open_before_outage(phone, tagged, line, "cut")
    await expect_message(phone.page, KEPT)
    await expect(phone.found("Undo")).to_be_hidden()
    for count in (4, 5):
        await phone.press("Add 1")
        await expect_waiting_count(phone.page, count)
    await phone.press("Undo")
    await expect_waiting_count(phone.page, 3)
    await expect(phone.found("Undo")).to_be_hidden()
    await phone.press("Take 1")
    await expect_waiting_count(phone.page, 2)
    line.becomes("open")
    await expect_message(phone.page, "Sent. 2 left.")
    assert tagged.history == [("tap", -1), ("tap", -1)]


async def test_undo_drops_tap_made_without_network(visitors: Visitors, tagged: TaggedItem) -> None:
    visitor = await open_tag_page(visitors, tagged)
    await expect_count(visitor.page, 3)
    await wait_until_equal(True, lambda: visitor.page.evaluate(KEEP_SCRIPT))
    await visitor.context.set_offline(True)
    await visitor.press("Add 1")
    await expect_message(visitor.page, KEPT)
    await expect_waiting_count(visitor.page, 4)
    await visitor.press("Undo")
    await expect(visitor.page.locator(".tap-count")).to_have_text("3")
    await visitor.context.set_offline(False)
    await visitor.press("Take 1")
    await expect_count(visitor.page, 2)
    assert tagged.history == [("tap", -1), ("tap", -1)]


async def test_presses_without_response_are_stored_in_order(
    phone: Visitor, tagged: TaggedItem, line: Line
) -> None:
    await phone.go(tagged.path)
    await expect_count(phone.page, 3)
    line.becomes("deaf")
    await phone.press("Undo")
    for _ in range(2):
        await phone.press("Add 1")
    await expect_message(phone.page, KEPT)
    await expect_waiting_count(phone.page, 6)
    line.becomes("open")
    await expect_message(phone.page, "Sent. 6 left.")
    assert tagged.history == [("tap", -1), ("undo", 1), ("tap", 2)]


async def test_presses_are_stored_when_page_hides_before_response(
    phone: Visitor, tagged: TaggedItem, line: Line
) -> None:
    """The phone may end the page of an app in the background."""
    await phone.go(tagged.path)
    await expect_count(phone.page, 3)
    await wait_until_equal(True, lambda: phone.page.evaluate(KEEP_SCRIPT))
    line.becomes("hang")
    await phone.page.evaluate(LOOKS_AWAY)
    await wait_until_equal(2, lambda: _count_queued(phone), seconds=6)
    await phone.page.close()
    phone.page = await phone.context.new_page()
    line.becomes("open")
    await phone.go("/sign-in")
    await wait_until_equal([], lambda: phone.page.evaluate(CHANGES))
    assert tagged.history == [("tap", -1), ("tap", 20), ("tap", 2)]


async def test_press_behind_pending_tap_is_stored_at_once(
    phone: Visitor, tagged: TaggedItem, line: Line
) -> None:
    await open_before_outage(phone, tagged, line, "cut")
    await expect_message(phone.page, KEPT)
    await phone.press("Add 1")
    await expect_waiting_count(phone.page, 4)
    await phone.page.close()
    phone.page = await phone.context.new_page()
    line.becomes("open")
    await phone.go("/sign-in")
    await wait_until_equal([], lambda: phone.page.evaluate(CHANGES))
    assert tagged.history == [("tap", -1), ("tap", 1)]


async def test_pending_tap_of_stopped_tag_is_reported_on_its_page(
    phone: Visitor, tagged: TaggedItem, line: Line
) -> None:
    await open_before_outage(phone, tagged, line, "cut")
    await expect_message(phone.page, KEPT)
    tagged.admin.ask("DELETE", f"/nfc-urls/{tagged.url_id}")
    line.becomes("open")
    await expect_message(phone.page, "This tag no longer works.")
    await expect_count(phone.page, 4)
    await expect(phone.found("Add 1")).to_be_disabled()
    await wait_until_equal([], lambda: phone.page.evaluate(CHANGES))


async def test_pending_tap_of_stopped_tag_is_reported_on_another_page(
    phone: Visitor, tagged: TaggedItem, line: Line
) -> None:
    await open_before_outage(phone, tagged, line, "cut")
    await expect_message(phone.page, KEPT)
    await phone.page.close()
    phone.page = await phone.context.new_page()
    tagged.admin.ask("DELETE", f"/nfc-urls/{tagged.url_id}")
    line.becomes("open")
    await phone.go("/sign-in")
    await phone.sees("Paper Towels wasn’t changed: its tag no longer works.")
    await wait_until_equal([], lambda: phone.page.evaluate(CHANGES))


async def test_change_sent_a_day_ago_asks_the_user(visitors: Visitors, tagged: TaggedItem) -> None:
    """The server no longer knows whether it applied the tap."""
    visitor = await open_tag_page(visitors, tagged)
    await expect_count(visitor.page, 3)
    await wait_until_equal(True, lambda: visitor.page.evaluate(KEEP_SCRIPT))
    await visitor.page.evaluate(SENT_LONG_AGO, tagged.url_id)
    await visitor.page.reload()
    await expect_message(visitor.page, "You were here a while ago.")
    await expect(visitor.page.locator(".tap-count")).to_have_text("3")
    assert tagged.history == [("tap", -1)]
    await visitor.press("Take 1 now")
    await expect_message(visitor.page, "Sent. 2 left.")
    assert tagged.history == [("tap", -1), ("tap", -1)]


async def test_tap_can_be_retried_if_browser_stores_nothing(
    visitors: Visitors, tagged: TaggedItem
) -> None:
    """The script that stores taps never loads."""
    visitor = await visitors.arrive()
    for path in (TAPS, "**/tap/store.js"):
        await visitor.page.route(path, lambda route: route.abort())
    await visitor.go(tagged.path)
    await expect_message(visitor.page, "You’re offline. Nothing has changed yet.")
    await expect_count(visitor.page, 4)
    for name in ("Take 1", "Add 1"):
        await expect(visitor.found(name)).to_be_disabled()
    await visitor.page.unroute(TAPS)
    await visitor.press("Take 1 now")
    await expect_message(visitor.page, "Took 1 Paper Towels, 3 left.")
    await visitor.page.reload()
    await expect_message(visitor.page, "Nothing else was taken.")
    assert tagged.history == [("tap", -1)]


async def _count_queued(phone: Visitor) -> int:
    return len(await phone.page.evaluate(CHANGES))


LOOKS_AWAY = """() => {
  for (let i = 0; i < 22; i++) document.querySelector("[value='1']").click();
  Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
SENT_LONG_AGO = """(about) => new Promise((done) => {
  indexedDB.open("homeshelf").onsuccess = ({ target }) => {
    const writing = target.result.transaction("changes", "readwrite");
    writing.objectStore("changes").put({
      kind: "tap", about, who: "", family: "", label: "Paper Towels", method: "POST",
      key: "k".repeat(32), path: `/api/v1/taps/${about}`, body: { delta: -1, undo: false },
      seen: null, question: null, over: null, sent: "2020-01-01T00:00:00.000Z",
    });
    writing.oncomplete = done;
  };
})"""
