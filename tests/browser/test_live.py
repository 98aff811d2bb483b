"""One stream a browser, that says whether somebody sees a page."""

from collections.abc import Callable

from playwright.async_api import Page, Request

from tests.browser.lindqvists import Household
from tests.browser.visitor import Visitors, expect

SEEN = """(seen) => {
  Object.defineProperty(document, "hidden", { get: () => !seen, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
BADGE = "live-badge[data-count=unresolvedNotifications]"


async def test_a_stream_says_when_nobody_sees_a_page_and_misses_nothing(
    visitors: Visitors, household: Household
) -> None:
    mina = await visitors.arrive("Mina")
    first = mina.page
    await first.clock.install()
    streams: list[str] = []
    mina.context.on("request", lambda request: _note(streams, request))
    await mina.go("/")
    await expect(first.locator(BADGE)).to_be_attached()
    await _until(first, lambda: len(streams) == 1)
    other = await mina.context.new_page()
    await other.goto("/")
    await _until(first, lambda: len(streams) == 2)  # it only catches up
    streams.clear()

    await first.evaluate(SEEN, False)
    await first.clock.run_for(15_000)
    await first.wait_for_timeout(300)
    assert streams == [], "the other tab is seen"

    await other.evaluate(SEEN, False)
    await first.wait_for_timeout(200)
    await first.clock.run_for(15_000)
    await _until(first, lambda: len(streams) == 1)
    assert "visible=0" in streams[0]

    await other.evaluate(SEEN, True)
    await _until(first, lambda: len(streams) == 2)
    assert "visible=0" not in streams[1]

    count = int(await other.locator(BADGE).text_content() or 0)
    household.people["Jonas"].ask("POST", "/items", {"name": "Oats", "threshold": 1})
    await expect(other.locator(BADGE)).to_have_text(str(count + 1))


def _note(streams: list[str], request: Request) -> None:
    if "/api/v1/events" in request.url:
        streams.append(request.url)


async def _until(page: Page, holds: Callable[[], bool]) -> None:
    for _ in range(100):
        if holds():
            return
        await page.wait_for_timeout(50)
    raise AssertionError("it did not happen")
