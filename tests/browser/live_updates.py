"""Helpers for live updates: the changes that a page received, and how soon it shows them."""

import time
from collections.abc import Callable

from playwright.async_api import Locator, Page, Request, expect

from tests.browser.family_home import Home
from tests.browser.screens import PATIENCE_MS
from tests.browser.visitor import Visitor

PROMPT_SECONDS = 1.0
TRIES = 3
PAGE_PAUSE_MS = 50
REQUEST_DELAY_MS = 300
"""Milliseconds within which a page would have sent its request."""

_HAS_HEARD = """([type, id, version]) => window.heard?.some(
  (each) => each.type === type && each.id === id && each.version >= version)"""

_IS_SETTLED = """() =>
  [...document.querySelectorAll("live-region")].every((each) => !each.isStale)"""

_SEEN_AT = """([place, text, patience]) => new Promise((done) => {
  const shown = (one) => one.checkVisibility() && one.textContent.includes(text);
  const within = `:is(${place}), :is(${place}) *`; // the place itself may have no box
  const look = () => [...document.querySelectorAll(within)].some(shown) && end(Date.now());
  const end = (found) => (watcher.disconnect(), clearTimeout(late), done(found), true);
  const watcher = new MutationObserver(look);
  const late = setTimeout(() => end(null), patience);
  const everything = { subtree: true, childList: true, characterData: true, attributes: true };
  look() || watcher.observe(document, everything);
})"""


async def wait_for_change(visitor: Visitor, type_: str, id_: str, version: int = 1) -> None:
    """Wait until the page received this change."""
    await visitor.page.wait_for_function(
        _HAS_HEARD, arg=[type_, id_, version], polling=PAGE_PAUSE_MS, timeout=PATIENCE_MS
    )


async def wait_for_all_changes(home: Home, *visitors: Visitor) -> None:
    """Wait until the pages received all earlier changes."""
    family = home.rename()
    for visitor in visitors:
        await wait_for_change(visitor, "Family", family["familyId"], family["version"])
        await visitor.page.wait_for_function(
            _IS_SETTLED, polling=PAGE_PAUSE_MS, timeout=PATIENCE_MS
        )


def record_fetches(visitor: Visitor) -> list[str]:
    """Return a list to which the pages fetched from now on are added."""
    found: list[str] = []

    def note(request: Request) -> None:
        if request.resource_type == "fetch" and "/api/" not in request.url:
            found.append(request.url)

    visitor.page.on("request", note)
    return found


async def expect_within_a_second(
    visitor: Visitor, place: str, change: Callable[[int], str]
) -> None:
    """Check that `place` shows the text that `change` returns within a second. A busy machine may
    be late twice; a page that polls is late every time."""
    took: list[float] = []
    for number in range(TRIES):
        text = change(number)
        answered = time.time()
        seen = await visitor.page.evaluate(_SEEN_AT, [place, text, PATIENCE_MS])
        assert seen, f"{place} never shows {text}"
        took.append(seen / 1000 - answered)
        if took[-1] <= PROMPT_SECONDS:
            return
    raise AssertionError(f"{place} showed it after {took} seconds")


async def stop_clock(page: Page) -> None:
    """Stop the page's clock; from now on the test moves it."""
    await page.clock.pause_at(await page.evaluate("Date.now() + 1000"))


async def advance_until_text(visitor: Visitor, text: str, step: int = 500) -> None:
    """Move the clock until the page shows the text."""
    said = visitor.page.get_by_text(text).first
    for _ in range(PATIENCE_MS // step):
        if await said.is_visible():
            return
        await visitor.page.clock.run_for(step)
        await visitor.page.wait_for_timeout(PAGE_PAUSE_MS)
    await visitor.sees(text)


async def wait_until(page: Page, holds: Callable[[], bool]) -> None:
    await advance_clock_until(page, 0, holds)


async def advance_clock_until(page: Page, step: int, holds: Callable[[], bool]) -> None:
    """Move the page's clock until `holds` is true. The number of steps depends on real response
    times."""
    started = time.monotonic()
    while not holds():
        assert time.monotonic() - started < PATIENCE_MS / 1000, "it did not happen"
        if step:
            await page.clock.run_for(step)
        await page.wait_for_timeout(PAGE_PAUSE_MS)


async def expect_text(place: Locator, text: str) -> None:
    await expect(place).to_contain_text(text)


async def expect_none(place: Locator) -> None:
    await expect(place).to_have_count(0)


def row_with_id(visitor: Visitor, id_: str) -> Locator:
    return visitor.page.locator(f"li[id='{id_}']")


def live_region(visitor: Visitor, name: str) -> Locator:
    return visitor.page.locator(f"live-region#{name}")
