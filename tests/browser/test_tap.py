"""Opening a tag page takes one item, once, and only if a person sees the page."""

import asyncio
from functools import partial
from pathlib import Path

import pytest
from playwright.async_api import Response, Route

from tests.browser.demo_household import DemoHousehold
from tests.browser.family_home import create_home
from tests.browser.prerendering import COMES, open_prerendering_browser
from tests.browser.screens import chromium
from tests.browser.storage import CHANGES, wait_until_equal
from tests.browser.tag_page import (
    TaggedItem,
    expect_count,
    expect_message,
    open_tag_page,
    press_quickly,
)
from tests.browser.visitor import Visitors, expect

PRERENDERED = """
  let prepared = true;
  Object.defineProperty(document, "prerendering", { get: () => prepared });
  window.activate = () => {
    prepared = false;
    document.dispatchEvent(new Event("prerenderingchange"));
  };
"""
LONGER_THAN_A_PAUSE = "new Promise((done) => setTimeout(done, 500))"
"""Timers fire in order, so the batching pause is over by then."""
IS_SEEN = "document.dispatchEvent(new Event('visibilitychange'))"
HIDDEN = """
  let state = "hidden";
  Object.defineProperty(document, "visibilityState", { get: () => state });
  window.turnUp = () => {
    state = "visible";
    document.dispatchEvent(new Event("visibilitychange"));
  };
"""


async def test_tap_takes_one_and_reports_it(visitors: Visitors, tagged: TaggedItem) -> None:
    visitor = await open_tag_page(visitors, tagged)
    await expect_message(visitor.page, "Took 1 Paper Towels, 3 left.")
    await expect_count(visitor.page, 3)
    assert tagged.history == [("tap", -1)]


async def test_count_changes_before_response_and_looks_pale(
    visitors: Visitors, tagged: TaggedItem
) -> None:
    visitor = await visitors.arrive()
    answered = asyncio.Event()

    async def delay_response(route: Route) -> None:
        await answered.wait()
        await route.continue_()

    await visitor.page.route("**/api/v1/taps/**", delay_response)
    await visitor.go(tagged.path)
    await expect(visitor.page.locator(".tap-count[data-waiting]")).to_have_text("3")
    answered.set()
    await expect_count(visitor.page, 3)


async def test_press_during_request_is_sent_after_response(
    visitors: Visitors, tagged: TaggedItem
) -> None:
    visitor = await visitors.arrive()
    answered, asked = asyncio.Event(), list[str]()

    async def delay_response(route: Route) -> None:
        asked.append(route.request.url)
        await answered.wait()
        await route.continue_()

    await visitor.page.route("**/api/v1/taps/**", delay_response)
    await visitor.go(tagged.path)
    await expect(visitor.page.locator(".tap-count[data-waiting]")).to_have_text("3")
    await press_quickly(visitor, 1, 1)
    await visitor.page.evaluate(LONGER_THAN_A_PAUSE)
    assert len(asked) == 1
    answered.set()
    await expect_count(visitor.page, 4)
    assert tagged.history == [("tap", -1), ("tap", 1)]
    assert len(asked) == 2


async def test_tap_can_be_undone(visitors: Visitors, tagged: TaggedItem) -> None:
    visitor = await open_tag_page(visitors, tagged)
    await visitor.press("Undo")
    await expect_message(visitor.page, "Put 1 Paper Towels back, 4 left.")
    await expect_count(visitor.page, 4)
    await expect(visitor.found("Undo")).to_be_hidden()
    assert tagged.history == [("tap", -1), ("undo", 1)]


async def test_quick_presses_on_tag_page_are_one_request(
    visitors: Visitors, tagged: TaggedItem
) -> None:
    visitor = await open_tag_page(visitors, tagged)
    await expect_message(visitor.page, "Took 1 Paper Towels, 3 left.")
    await press_quickly(visitor, 1, 5)
    await expect_message(visitor.page, "Added 5 Paper Towels, 8 left.")
    await press_quickly(visitor, -1, 2)
    await expect_message(visitor.page, "Took 2 Paper Towels, 6 left.")
    await visitor.press("Undo")
    await expect_count(visitor.page, 8)
    assert tagged.history == [("tap", -1), ("tap", 5), ("tap", -2), ("undo", 2)]


async def test_presses_beyond_request_limit_are_split(
    visitors: Visitors, tagged: TaggedItem
) -> None:
    visitor = await open_tag_page(visitors, tagged)
    await expect_count(visitor.page, 3)
    await press_quickly(visitor, 1, 23)
    await expect_message(visitor.page, "Added 3 Paper Towels, 26 left.")
    assert tagged.history == [("tap", -1), ("tap", 20), ("tap", 3)]


async def test_presses_are_sent_after_leaving_tag_page(
    visitors: Visitors, tagged: TaggedItem
) -> None:
    visitor = await open_tag_page(visitors, tagged)
    await expect_count(visitor.page, 3)
    await visitor.page.evaluate(
        """() => {
          for (let i = 0; i < 22; i++) document.querySelector("[value='1']").click();
          location.href = "/sign-in";
        }"""
    )
    await visitor.is_at("/sign-in")
    async with asyncio.timeout(10):
        while tagged.quantity != 25:  # noqa: ASYNC110  # nothing tells a test
            await asyncio.sleep(0.05)
    assert tagged.history[0] == ("tap", -1)
    assert sorted(tagged.history[1:]) == [("tap", 2), ("tap", 20)]


async def test_tag_page_buttons_do_not_move(visitors: Visitors, tagged: TaggedItem) -> None:
    visitor = await open_tag_page(visitors, tagged)
    await expect_count(visitor.page, 3)
    less = visitor.found("Take 1")
    with_undo = await less.bounding_box()
    await visitor.press("Undo")
    await expect_count(visitor.page, 4)
    assert await less.bounding_box() == with_undo


async def test_reload_of_tag_page_is_no_second_tap(visitors: Visitors, tagged: TaggedItem) -> None:
    visitor = await open_tag_page(visitors, tagged)
    await expect_count(visitor.page, 3)
    await wait_until_equal([], partial(visitor.page.evaluate, CHANGES))
    for _ in range(2):
        await visitor.page.reload()
        await expect_message(visitor.page, "Nothing else was taken.")
    await expect_count(visitor.page, 3)
    assert tagged.history == [("tap", -1)]


async def test_tap_can_be_undone_once_after_reload(visitors: Visitors, tagged: TaggedItem) -> None:
    visitor = await open_tag_page(visitors, tagged)
    await expect_count(visitor.page, 3)
    await wait_until_equal([], partial(visitor.page.evaluate, CHANGES))
    await visitor.page.reload()
    await expect_message(visitor.page, "Nothing else was taken.")
    await visitor.press("Undo")
    await expect_message(visitor.page, "Put 1 Paper Towels back, 4 left.")
    await wait_until_equal([], partial(visitor.page.evaluate, CHANGES))
    await visitor.page.reload()
    await expect_message(visitor.page, "Nothing else was taken.")
    await expect(visitor.found("Undo")).to_be_hidden()
    assert tagged.history == [("tap", -1), ("undo", 1)]


async def test_back_navigation_is_no_second_tap(visitors: Visitors, tagged: TaggedItem) -> None:
    visitor = await open_tag_page(visitors, tagged)
    await expect_count(visitor.page, 3)
    await visitor.go("/sign-in")
    await visitor.page.go_back()
    await expect_message(visitor.page, "Nothing else was taken.")
    await expect_count(visitor.page, 3)
    assert tagged.history == [("tap", -1)]


async def test_back_navigation_from_bfcache_is_no_second_tap(
    household: DemoHousehold, tagged: TaggedItem
) -> None:
    """Chromium keeps no page with `no-store`, so this test removes the header."""

    async def without_rule(route: Route) -> None:
        found = await route.fetch()
        headers = {name: text for name, text in found.headers.items() if name != "cache-control"}
        await route.fulfill(response=found, headers=headers)

    async with chromium(keeps_pages=True) as browser:
        page = await browser.new_page()
        await page.add_init_script("addEventListener('pageshow', (e) => { kept = e.persisted; })")
        await page.route("**/t/*", without_rule)
        await page.route("**/api/v1/taps/*", without_rule)
        await page.goto(f"{household.url}{tagged.path}")
        await expect_count(page, 3)
        await page.goto(household.url.replace("127.0.0.1", "home.test"))
        tagged.admin.ask("POST", f"/items/{tagged.item_id}/adjust", {"delta": 5})
        await page.go_back(wait_until="commit")
        await expect_count(page, 8)
        assert await page.evaluate("kept") is True
        await expect_message(page, "Someone else was here too.")
        await page.get_by_role("button", name="Undo").click()
        await expect_count(page, 9)
    assert tagged.history == [("tap", -1), ("adjust", 5), ("undo", 1)]


async def test_second_visit_is_second_tap(visitors: Visitors, tagged: TaggedItem) -> None:
    visitor = await open_tag_page(visitors, tagged)
    await expect_count(visitor.page, 3)
    await visitor.go("/sign-in")
    await visitor.go(tagged.path)
    await expect_message(visitor.page, "Took 1 Paper Towels, 2 left.")
    assert tagged.quantity == 2


@pytest.mark.parametrize(
    ("before", "then"),
    [(PRERENDERED, "activate()"), (HIDDEN, "turnUp()")],
    ids=["prepared", "hidden"],
)
async def test_hidden_tag_page_is_no_tap(
    visitors: Visitors, tagged: TaggedItem, before: str, then: str
) -> None:
    visitor = await visitors.arrive()
    await visitor.page.add_init_script(before)
    await visitor.go(tagged.path)
    await visitor.page.wait_for_load_state("networkidle")
    assert tagged.history == []
    await visitor.page.evaluate(then)
    await expect_message(visitor.page, "Took 1 Paper Towels, 3 left.")


async def test_prerendered_tag_page_is_no_tap_until_shown(
    household: DemoHousehold, tagged: TaggedItem, tmp_path: Path
) -> None:
    async with (
        open_prerendering_browser(household.url, tagged.path, tmp_path) as seen,
        asyncio.timeout(30),
    ):
        await seen.ran.wait()
        assert seen.purposes[tagged.path] == "prefetch;prerender"
        assert tagged.history == []
        seen.activate_page()
        await seen.answered.wait()
    assert tagged.history == [("tap", -1)]
    about_it = [each for each in seen.seen if each == COMES or tagged.url_id in each]
    tap = f"POST /api/v1/taps/{tagged.url_id}"
    assert about_it == [f"GET {tagged.path}", COMES, tap]


async def test_tap_works_without_scripts(visitors: Visitors, tagged: TaggedItem) -> None:
    visitor = await open_tag_page(visitors, tagged, script=False)
    assert tagged.history == []
    await visitor.press("Take 1")
    await expect(visitor.page.locator(".tap-count")).to_have_text("3")
    await visitor.is_at(tagged.path)
    await visitor.press("Add 1")
    await expect(visitor.page.locator(".tap-count")).to_have_text("4")
    assert tagged.history == [("tap", -1), ("tap", 1)]


async def test_tap_at_zero_reports_empty_stock(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    visitor = await open_tag_page(visitors, TaggedItem(create_home(household, unique_name), 0))
    await expect_message(visitor.page, "Paper Towels: already at 0.")
    await expect_count(visitor.page, 0)
    await expect(visitor.found("Undo")).to_be_hidden()


async def test_press_at_zero_is_still_sent(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    tagged = TaggedItem(create_home(household, unique_name), 0)
    visitor = await open_tag_page(visitors, tagged)
    await expect_message(visitor.page, "Paper Towels: already at 0.")
    tagged.admin.ask("POST", f"/items/{tagged.item_id}/adjust", {"delta": 5})
    await visitor.press("Take 1")
    await expect_message(visitor.page, "Took 1 Paper Towels, 4 left.")


async def test_tag_stopped_during_visit_disables_buttons(
    visitors: Visitors, tagged: TaggedItem
) -> None:
    visitor = await open_tag_page(visitors, tagged)
    await expect_count(visitor.page, 3)
    tagged.admin.ask("DELETE", f"/nfc-urls/{tagged.url_id}")
    await visitor.press("Add 1")
    await expect_message(visitor.page, "This tag no longer works.")
    await expect_count(visitor.page, 3)
    await expect(visitor.found("Add 1")).to_be_disabled()
    await expect(visitor.found("Undo")).to_be_hidden()


async def test_tag_stopped_while_hidden_is_reported_on_return(
    visitors: Visitors, tagged: TaggedItem
) -> None:
    visitor = await open_tag_page(visitors, tagged)
    await expect_count(visitor.page, 3)
    home = tagged.admin
    home.ask("POST", f"/items/{tagged.item_id}/adjust", {"delta": 4})
    await visitor.page.evaluate(IS_SEEN)
    await expect_count(visitor.page, 7)
    home.ask("DELETE", f"/nfc-urls/{tagged.url_id}")
    await visitor.page.evaluate(IS_SEEN)
    await expect_message(visitor.page, "This tag no longer works.")
    await expect(visitor.found("Add 1")).to_be_disabled()


async def test_stopped_tag_page_explains_what_to_do(visitors: Visitors, tagged: TaggedItem) -> None:
    tagged.admin.ask("DELETE", f"/nfc-urls/{tagged.url_id}")
    visitor = await open_tag_page(visitors, tagged)
    await visitor.reads_above_all("There’s nothing here")


async def test_tag_page_stays_below_weight_and_request_limits(
    visitors: Visitors, tagged: TaggedItem
) -> None:
    visitor = await visitors.arrive(new=True)
    loaded: list[Response] = []
    visitor.page.on("response", lambda response: loaded.append(response))  # noqa: PLW0108  # marked by Playwright
    await visitor.go(tagged.path)
    await expect_message(visitor.page, "Took 1 Paper Towels, 3 left.")
    needed = [each for each in loaded if "/api/" not in each.url]
    sizes = [(await each.request.sizes())["responseBodySize"] for each in needed]
    assert len(sizes) == 2
    assert sum(sizes) < 10_000
