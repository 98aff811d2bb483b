"""Each browser opens one event stream, which reports whether a page is visible."""

from playwright.async_api import Page, Request

from tests.browser.demo_household import DemoHousehold
from tests.browser.live_updates import advance_clock_until, wait_until
from tests.browser.visitor import Visitors, expect

SEEN = """(seen) => {
  Object.defineProperty(document, "hidden", { get: () => !seen, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
BADGE = "live-badge[data-count=unresolvedNotifications]"


async def test_stream_reports_hidden_pages_and_misses_nothing(
    visitors: Visitors, household: DemoHousehold
) -> None:
    first, other, streams = await _open_two_tabs(visitors)
    await first.evaluate(SEEN, False)
    for _ in range(3):
        await first.clock.run_for(15_000)
        await first.wait_for_timeout(100)
    assert streams == [], "the other tab is seen"

    await other.evaluate(SEEN, False)
    await advance_clock_until(first, 5_000, lambda: len(streams) == 1)
    assert "visible=0" in streams[0]

    await other.evaluate(SEEN, True)
    await wait_until(first, lambda: len(streams) == 2)
    assert "visible=0" not in streams[1]

    count = int(await other.locator(BADGE).text_content() or 0)
    household.people["Jonas"].ask("POST", "/items", {"name": "Oats", "threshold": 1})
    await expect(other.locator(BADGE)).to_have_text(str(count + 1))


async def test_crashed_tab_does_not_count_as_visible(visitors: Visitors) -> None:
    first, other, streams = await _open_two_tabs(visitors)
    await first.evaluate(SEEN, False)
    await other.evaluate("BroadcastChannel.prototype.postMessage = () => {}")
    await other.evaluate(SEEN, False)
    await advance_clock_until(first, 5_000, lambda: len(streams) == 1)
    assert "visible=0" in streams[0]


async def _open_two_tabs(visitors: Visitors) -> tuple[Page, Page, list[str]]:
    """Return two tabs and a list to which new streams are added."""
    mina = await visitors.arrive("Mina", new=True)
    await mina.page.clock.install()
    streams: list[str] = []
    mina.context.on("request", lambda request: _note(streams, request))
    await mina.go("/")
    await expect(mina.page.locator(BADGE)).to_be_attached()
    await wait_until(mina.page, lambda: len(streams) == 1)
    other = await mina.context.new_page()
    await other.goto("/")
    await wait_until(mina.page, lambda: len(streams) == 2)  # it only catches up
    streams.clear()
    return mina.page, other, streams


def _note(streams: list[str], request: Request) -> None:
    if "/api/v1/events" in request.url:
        streams.append(request.url)
