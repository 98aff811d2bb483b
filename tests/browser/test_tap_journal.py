"""Taps survive a tag page that closes before the browser's database has stored them."""

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial

import pytest
from playwright.async_api import Page

from tests.browser.demo_household import DemoHousehold
from tests.browser.storage import (
    BLOCK_DATABASE,
    CHANGES,
    FAIL_DATABASE,
    JOURNAL_SIZE,
    SENDS,
    wait_for_worker,
    wait_until_equal,
)
from tests.browser.tag_page import (
    KEEP_SCRIPT,
    PAUSE_THAT_LASTS,
    TaggedItem,
    expect_count,
    expect_message,
    expect_waiting_count,
    open_before_outage,
    press_quickly,
    tagged_items,
)
from tests.browser.visitor import Visitor, Visitors
from tests.cases import case
from tests.network import Line

Goes = Callable[[Visitor, Line], Awaitable[None]]


@pytest.fixture
async def phone(visitors: Visitors, line: Line) -> AsyncIterator[Visitor]:
    """The phone of an anonymous visitor who has been here before."""
    phone = await visitors.arrive(url=line.url, offline_worker=True)
    await phone.go("/sign-in")
    await wait_for_worker(phone)
    yield phone
    line.becomes("open")
    visitors.complaints.clear()  # the browser reports requests that failed on the bad line


async def open_during_trouble(phone: Visitor, tagged: TaggedItem, trouble: str) -> None:
    await phone.page.add_init_script(CAN_BE_KILLED)
    await phone.go(tagged.path)
    await expect_count(phone.page, 3)
    await wait_until_equal(True, lambda: phone.page.evaluate(KEEP_SCRIPT))
    await phone.page.evaluate(PAUSE_THAT_LASTS)
    await phone.page.evaluate(trouble)


async def crash_page(phone: Visitor, line: Line) -> None:
    """Crash the page, so that none of its handlers run."""
    await phone.page.evaluate("isKilled = true")
    await close_page(phone, line)


async def close_page(phone: Visitor, line: Line) -> None:
    """Close the page before anything was stored in the database."""
    await phone.page.close()
    line.becomes("open")
    phone.page = await phone.context.new_page()
    await phone.page.goto("/healthz")  # a response without scripts
    assert await phone.page.evaluate(CHANGES) == []


async def test_tag_presses_survive_busy_database(
    phone: Visitor, household: DemoHousehold, unique_name: str, line: Line
) -> None:
    ways: tuple[Goes, ...] = (crash_page, close_page, close_page)
    tags = tagged_items(household, unique_name, "cut", "cut", "deaf")
    for goes, (state, tagged) in zip(ways, tags, strict=True):
        with case(f"{state}, and its page {goes.__name__}"):
            await open_during_trouble(phone, tagged, BLOCK_DATABASE)
            line.becomes(state)
            for count in (4, 5):
                await phone.press("Add 1")
                await expect_waiting_count(phone.page, count)
            await goes(phone, line)
            await phone.go("/sign-in")
            await phone.page.evaluate(LATER)
            await phone.page.evaluate(SENDS)
            await wait_until_equal(5, partial(item_quantity, tagged))
            await wait_until_equal((0, []), lambda: leftover_records(phone))
            assert tagged.quantity == 5


async def test_tap_survives_busy_database(
    phone: Visitor, household: DemoHousehold, unique_name: str, line: Line
) -> None:
    for state, tagged in tagged_items(household, unique_name, "cut", "deaf"):
        with case(state):
            await phone.page.add_init_script(f"({BLOCK_DATABASE})()")
            await open_before_outage(phone, tagged, line, state)
            await expect_waiting_count(phone.page, 3)
            await close_page(phone, line)
            await phone.go("/sign-in")
            await wait_until_equal([("tap", -1)], partial(item_history, tagged))
            await wait_until_equal((0, []), lambda: leftover_records(phone))
            assert tagged.history == [("tap", -1)]


async def test_next_tap_sends_journal_of_previous_page(
    phone: Visitor, tagged: TaggedItem, line: Line
) -> None:
    await open_during_trouble(phone, tagged, BLOCK_DATABASE)
    line.becomes("cut")
    await phone.press("Add 1")
    await expect_waiting_count(phone.page, 4)
    await close_page(phone, line)
    await phone.go(tagged.path)
    await wait_until_equal(3, lambda: item_quantity(tagged))
    await expect_count(phone.page, 3)
    assert sorted(tagged.history) == [("tap", -1), ("tap", -1), ("tap", 1)]


async def test_journal_entry_sent_in_a_batch_counts_once(
    phone: Visitor, tagged: TaggedItem
) -> None:
    """The page closes between storing a change and deleting its journal entry."""
    await open_during_trouble(phone, tagged, FAIL_DATABASE)
    for count in (4, 5):
        await phone.press("Add 1")
        await expect_waiting_count(phone.page, count)
    found = await phone.page.evaluate(COPY)
    await phone.page.evaluate("isFailing = false")
    await phone.page.evaluate("endPause()")
    await expect_message(phone.page, "Added 2 Paper Towels, 5 left.")
    await phone.page.evaluate(PUT_BACK, found)
    await phone.go("/sign-in")
    await phone.page.evaluate(LATER)
    await phone.page.evaluate(SENDS)
    await wait_until_equal((0, []), lambda: leftover_records(phone))
    assert tagged.history == [("tap", -1), ("tap", 2)]


class PagePair:
    """A tag page, and a second page of the browser that recovers its journal."""

    def __init__(self, visitor: Visitor, second: Page) -> None:
        self.visitor = visitor
        self.second = second

    async def send_recovered_taps(self) -> None:
        await self.second.evaluate(SENDS)

    async def advance_clocks(self) -> None:
        for page in (self.visitor.page, self.second):
            await page.evaluate(LATER)


@pytest.fixture
async def page_pair(visitors: Visitors, tagged: TaggedItem) -> AsyncIterator[PagePair]:
    """The two pages, before the script that stores taps has loaded."""
    visitor = await visitors.arrive()
    second = await visitor.context.new_page()
    await second.goto("/sign-in")
    await visitor.page.route(KEEPING, lambda route: route.abort())
    await visitor.page.bring_to_front()
    await visitor.go(tagged.path)
    await expect_count(visitor.page, 3)
    await visitor.page.evaluate(PAUSE_THAT_LASTS)
    yield PagePair(visitor, second)
    visitors.complaints.clear()  # the script was blocked


async def test_open_batch_is_left_to_its_page_for_a_moment(
    page_pair: PagePair, tagged: TaggedItem
) -> None:
    page = page_pair.visitor.page
    await press_quickly(page_pair.visitor, 1, 1)
    await page_pair.send_recovered_taps()
    await press_quickly(page_pair.visitor, 1, 1)
    assert await page.evaluate(JOURNAL_SIZE) == 1
    assert tagged.history == [("tap", -1)]
    await page_pair.advance_clocks()
    await page_pair.send_recovered_taps()
    assert tagged.history == [("tap", -1), ("tap", 2)]
    await press_quickly(page_pair.visitor, 1, 1)
    await page.evaluate("endPause()")
    await expect_count(page, 6)
    assert tagged.history == [("tap", -1), ("tap", 2), ("tap", 1)]


@pytest.mark.parametrize("trouble", ["", FAIL_DATABASE], ids=["", "fails"])
async def test_journal_entry_recovered_by_another_page_is_not_resent(
    page_pair: PagePair, tagged: TaggedItem, trouble: str
) -> None:
    page = page_pair.visitor.page
    await press_quickly(page_pair.visitor, 1, 1)
    await page_pair.advance_clocks()
    await page_pair.send_recovered_taps()
    assert tagged.history == [("tap", -1), ("tap", 1)]
    await page.unroute(KEEPING)
    await page.evaluate(trouble)
    await press_quickly(page_pair.visitor, 1, 1)
    await wait_until_equal(True, lambda: page.evaluate(KEEP_SCRIPT))
    await wait_until_equal(True, lambda: page.evaluate("failed > 1" if trouble else "true"))
    await page.evaluate("isFailing = false")
    await page.evaluate("endPause()")
    await expect_count(page, 5)
    assert tagged.history == [("tap", -1), ("tap", 1), ("tap", 1)]


async def item_quantity(tagged: TaggedItem) -> int:
    return tagged.quantity


async def item_history(tagged: TaggedItem) -> list[tuple[str, int]]:
    return tagged.history


async def leftover_records(phone: Visitor) -> tuple[int, list[object]]:
    return await phone.page.evaluate(JOURNAL_SIZE), await phone.page.evaluate(CHANGES)


CAN_BE_KILLED = """
  for (const kind of ["pagehide", "visibilitychange"])
    addEventListener(kind, (event) => window.isKilled && event.stopImmediatePropagation(), true);
"""
KEEPING = "**/tap/store.js"
LATER = "{ const now = Date.now; Date.now = () => now() + 5000; }"
COPY = "({ ...localStorage })"
PUT_BACK = "(found) => { Object.assign(localStorage, found); }"
