"""Presses on a tag page are stored at once, before the batching pause ends."""

from collections.abc import AsyncIterator

import pytest

from tests.browser.demo_household import DemoHousehold
from tests.browser.storage import BLOCK_DATABASE, SENDS, wait_for_worker, wait_until_equal
from tests.browser.tag_page import (
    KEEP_SCRIPT,
    PAUSE_THAT_LASTS,
    TaggedItem,
    expect_count,
    expect_message,
)
from tests.browser.visitor import Visitor, Visitors
from tests.network import Line, line_to

LOOKS_AWAY = """() => {
  Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
_KEPT = """() => new Promise((done) => {
  indexedDB.open("homeshelf").onsuccess = ({ target }) => {
    target.result.transaction("changes").objectStore("changes").getAll().onsuccess =
      ({ target }) => done(target.result.map(%s));
  };
})"""
CHANGES = _KEPT % "({ body }) => body.delta"
SENT = _KEPT % "({ sent }) => sent !== null"


@pytest.fixture
async def line(household: DemoHousehold) -> AsyncIterator[Line]:
    async with line_to(household.url) as line:
        yield line


@pytest.fixture
async def phone(visitors: Visitors, line: Line, tagged: TaggedItem) -> AsyncIterator[Visitor]:
    """A phone on the tag page, whose batching pause never ends."""
    phone = await visitors.arrive(url=line.url, offline_worker=True)
    await phone.go("/sign-in")
    await wait_for_worker(phone)
    await phone.go(tagged.path)
    await expect_count(phone.page, 3)
    await wait_until_equal(True, lambda: phone.page.evaluate(KEEP_SCRIPT))
    await phone.page.evaluate(PAUSE_THAT_LASTS)
    yield phone
    line.becomes("open")
    visitors.complaints.clear()  # the browser reports requests that failed on the cut line


async def press_and_wait(phone: Visitor, *kept: int) -> None:
    await phone.press("Add 1")
    await wait_until_equal([*kept], lambda: phone.page.evaluate(CHANGES))


async def test_press_right_before_leaving_offline_is_kept(
    phone: Visitor, tagged: TaggedItem, line: Line
) -> None:
    line.becomes("hang")
    await press_and_wait(phone, 1)
    await press_and_wait(phone, 1, 1)
    line.becomes("cut")
    await phone.page.close()
    phone.page = await phone.context.new_page()
    line.becomes("open")
    await phone.go("/sign-in")
    await wait_until_equal([], lambda: phone.page.evaluate(CHANGES))
    assert tagged.quantity == 5
    assert tagged.history == [("tap", -1), ("tap", 1), ("tap", 1)]


async def test_press_that_was_sent_on_leaving_is_kept_as_sent(
    phone: Visitor, tagged: TaggedItem, line: Line
) -> None:
    """The press may have been counted, so a day later the page asks instead of sending it."""
    line.becomes("hang")
    await press_and_wait(phone, 1)
    assert await phone.page.evaluate(SENT) == [False]
    await phone.page.evaluate(LOOKS_AWAY)
    await wait_until_equal([True], lambda: phone.page.evaluate(SENT), seconds=6)
    line.becomes("open")
    await expect_count(phone.page, 4)
    assert tagged.history == [("tap", -1), ("tap", 1)]


async def test_press_right_before_leaving_online_counts_once(
    phone: Visitor, tagged: TaggedItem
) -> None:
    await press_and_wait(phone, 1)
    await press_and_wait(phone, 1, 1)
    await phone.go("/sign-in")
    await wait_until_equal([], lambda: phone.page.evaluate(CHANGES))
    assert tagged.history == [("tap", -1), ("tap", 1), ("tap", 1)]


async def test_presses_stored_one_by_one_are_sent_as_one_request(
    phone: Visitor, tagged: TaggedItem
) -> None:
    await press_and_wait(phone, 1)
    await press_and_wait(phone, 1, 1)
    await phone.page.evaluate("endPause()")
    await expect_message(phone.page, "Added 2 Paper Towels, 5 left.")
    await wait_until_equal([], lambda: phone.page.evaluate(CHANGES))
    assert tagged.history == [("tap", -1), ("tap", 2)]


async def test_presses_are_sent_once_if_page_hides_while_batching(
    phone: Visitor, tagged: TaggedItem
) -> None:
    await press_and_wait(phone, 1)
    await press_and_wait(phone, 1, 1)
    await phone.page.evaluate(BLOCK_DATABASE)
    await phone.page.evaluate("endPause()")
    await phone.page.evaluate(LOOKS_AWAY)
    await phone.page.evaluate("isBusy = false")
    await wait_until_equal([], lambda: phone.page.evaluate(CHANGES))
    await expect_count(phone.page, 5)
    assert tagged.history == [("tap", -1), ("tap", 2)]


async def test_presses_that_cancel_out_send_no_request(phone: Visitor, tagged: TaggedItem) -> None:
    await press_and_wait(phone, 1)
    await phone.press("Take 1")
    await wait_until_equal([1, -1], lambda: phone.page.evaluate(CHANGES))
    await phone.page.evaluate("endPause()")
    await wait_until_equal([], lambda: phone.page.evaluate(CHANGES))
    await expect_count(phone.page, 3)
    assert tagged.history == [("tap", -1)]


async def test_press_that_was_never_sent_is_dropped_by_undo_when_the_signal_goes(
    phone: Visitor, tagged: TaggedItem, line: Line
) -> None:
    line.becomes("hang")
    await phone.press("Undo")
    await phone.press("Add 1")
    line.becomes("cut")
    await expect_message(phone.page, "You’re offline. Your change is saved and will be sent.")
    await phone.press("Undo")
    line.becomes("open")
    await wait_until_equal([], lambda: phone.page.evaluate(CHANGES))
    assert tagged.history == [("tap", -1), ("undo", 1)]


async def test_presses_sent_by_another_page_are_not_repeated(
    phone: Visitor, tagged: TaggedItem
) -> None:
    await press_and_wait(phone, 1)
    other = Visitor(phone.context, await phone.context.new_page())
    await other.go("/sign-in")
    await other.page.evaluate(SENDS)
    await wait_until_equal([], lambda: other.page.evaluate(CHANGES))
    await phone.page.bring_to_front()
    await press_and_wait(phone, 1)
    await phone.page.evaluate("endPause()")
    await expect_count(phone.page, 5)
    assert tagged.history == [("tap", -1), ("tap", 1), ("tap", 1)]
