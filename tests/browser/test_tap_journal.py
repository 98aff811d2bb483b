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
    KEEPS,
    PAUSE_THAT_LASTS,
    TaggedItem,
    press_quickly,
    says,
    shows,
    tagged_items,
    touches,
    waits_with,
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


async def comes_while(phone: Visitor, tagged: TaggedItem, trouble: str) -> None:
    await phone.page.add_init_script(CAN_BE_KILLED)
    await phone.go(tagged.path)
    await shows(phone.page, 3)
    await wait_until_equal(True, lambda: phone.page.evaluate(KEEPS))
    await phone.page.evaluate(PAUSE_THAT_LASTS)
    await phone.page.evaluate(trouble)


async def is_killed(phone: Visitor, line: Line) -> None:
    """Crash the page, so that none of its handlers run."""
    await phone.page.evaluate("isKilled = true")
    await is_closed(phone, line)


async def is_closed(phone: Visitor, line: Line) -> None:
    """Close the page before anything was stored in the database."""
    await phone.page.close()
    line.becomes("open")
    phone.page = await phone.context.new_page()
    await phone.page.goto("/healthz")  # a response without scripts
    assert await phone.page.evaluate(CHANGES) == []


async def test_tag_presses_survive_busy_database(
    phone: Visitor, household: DemoHousehold, fresh: str, line: Line
) -> None:
    ways: tuple[Goes, ...] = (is_killed, is_closed, is_closed)
    tags = tagged_items(household, fresh, "cut", "cut", "deaf")
    for goes, (state, tagged) in zip(ways, tags, strict=True):
        with case(f"{state}, and its page {goes.__name__}"):
            await comes_while(phone, tagged, BLOCK_DATABASE)
            line.becomes(state)
            for count in (4, 5):
                await phone.press("Add 1")
                await waits_with(phone.page, count)
            await goes(phone, line)
            await phone.go("/sign-in")
            await phone.page.evaluate(LATER)
            await phone.page.evaluate(SENDS)
            await wait_until_equal(5, partial(quantity, tagged))
            await wait_until_equal((0, []), lambda: left(phone))
            assert tagged.quantity == 5


async def test_tap_survives_busy_database(
    phone: Visitor, household: DemoHousehold, fresh: str, line: Line
) -> None:
    for state, tagged in tagged_items(household, fresh, "cut", "deaf"):
        with case(state):
            await phone.page.add_init_script(f"({BLOCK_DATABASE})()")
            await touches(phone, tagged, line, state)
            await waits_with(phone.page, 3)
            await is_closed(phone, line)
            await phone.go("/sign-in")
            await wait_until_equal([("tap", -1)], partial(history, tagged))
            await wait_until_equal((0, []), lambda: left(phone))
            assert tagged.history == [("tap", -1)]


async def test_next_tap_sends_journal_of_previous_page(
    phone: Visitor, tagged: TaggedItem, line: Line
) -> None:
    await comes_while(phone, tagged, BLOCK_DATABASE)
    line.becomes("cut")
    await phone.press("Add 1")
    await waits_with(phone.page, 4)
    await is_closed(phone, line)
    await phone.go(tagged.path)
    await wait_until_equal(3, lambda: quantity(tagged))
    await shows(phone.page, 3)
    assert sorted(tagged.history) == [("tap", -1), ("tap", -1), ("tap", 1)]


async def test_journal_entry_sent_in_a_batch_counts_once(
    phone: Visitor, tagged: TaggedItem
) -> None:
    """The page closes between storing a change and deleting its journal entry."""
    await comes_while(phone, tagged, FAIL_DATABASE)
    for count in (4, 5):
        await phone.press("Add 1")
        await waits_with(phone.page, count)
    found = await phone.page.evaluate(COPY)
    await phone.page.evaluate("isFailing = false")
    await phone.page.evaluate("endPause()")
    await says(phone.page, "Added 2 Paper Towels, 5 left.")
    await phone.page.evaluate(PUT_BACK, found)
    await phone.go("/sign-in")
    await phone.page.evaluate(LATER)
    await phone.page.evaluate(SENDS)
    await wait_until_equal((0, []), lambda: left(phone))
    assert tagged.history == [("tap", -1), ("tap", 2)]


class Watched:
    """A tag page, and a second page of the browser that recovers its journal."""

    def __init__(self, visitor: Visitor, second: Page) -> None:
        self.visitor = visitor
        self.second = second

    async def notices(self) -> None:
        await self.second.evaluate(SENDS)

    async def time_passes(self) -> None:
        for page in (self.visitor.page, self.second):
            await page.evaluate(LATER)


@pytest.fixture
async def watched(visitors: Visitors, tagged: TaggedItem) -> AsyncIterator[Watched]:
    """The two pages, before the script that stores taps has loaded."""
    visitor = await visitors.arrive()
    second = await visitor.context.new_page()
    await second.goto("/sign-in")
    await visitor.page.route(KEEPING, lambda route: route.abort())
    await visitor.page.bring_to_front()
    await visitor.go(tagged.path)
    await shows(visitor.page, 3)
    await visitor.page.evaluate(PAUSE_THAT_LASTS)
    yield Watched(visitor, second)
    visitors.complaints.clear()  # the script was blocked


async def test_open_batch_is_left_to_its_page_for_a_moment(
    watched: Watched, tagged: TaggedItem
) -> None:
    page = watched.visitor.page
    await press_quickly(watched.visitor, 1, 1)
    await watched.notices()
    await press_quickly(watched.visitor, 1, 1)
    assert await page.evaluate(JOURNAL_SIZE) == 1
    assert tagged.history == [("tap", -1)]
    await watched.time_passes()
    await watched.notices()
    assert tagged.history == [("tap", -1), ("tap", 2)]
    await press_quickly(watched.visitor, 1, 1)
    await page.evaluate("endPause()")
    await shows(page, 6)
    assert tagged.history == [("tap", -1), ("tap", 2), ("tap", 1)]


@pytest.mark.parametrize("trouble", ["", FAIL_DATABASE], ids=["", "fails"])
async def test_journal_entry_recovered_by_another_page_is_not_resent(
    watched: Watched, tagged: TaggedItem, trouble: str
) -> None:
    page = watched.visitor.page
    await press_quickly(watched.visitor, 1, 1)
    await watched.time_passes()
    await watched.notices()
    assert tagged.history == [("tap", -1), ("tap", 1)]
    await page.unroute(KEEPING)
    await page.evaluate(trouble)
    await press_quickly(watched.visitor, 1, 1)
    await wait_until_equal(True, lambda: page.evaluate(KEEPS))
    await wait_until_equal(True, lambda: page.evaluate("failed > 1" if trouble else "true"))
    await page.evaluate("isFailing = false")
    await page.evaluate("endPause()")
    await shows(page, 5)
    assert tagged.history == [("tap", -1), ("tap", 1), ("tap", 1)]


async def quantity(tagged: TaggedItem) -> int:
    return tagged.quantity


async def history(tagged: TaggedItem) -> list[tuple[str, int]]:
    return tagged.history


async def left(phone: Visitor) -> tuple[int, list[object]]:
    return await phone.page.evaluate(JOURNAL_SIZE), await phone.page.evaluate(CHANGES)


CAN_BE_KILLED = """
  for (const kind of ["pagehide", "visibilitychange"])
    addEventListener(kind, (event) => window.isKilled && event.stopImmediatePropagation(), true);
"""
KEEPING = "**/tap/store.js"
LATER = "{ const now = Date.now; Date.now = () => now() + 5000; }"
COPY = "({ ...localStorage })"
PUT_BACK = "(found) => { Object.assign(localStorage, found); }"
