"""Toasts, animations, keyboard behavior and page weights."""

from typing import Any

import pytest
from playwright.async_api import Request

from tests.browser.demo_household import DemoHousehold
from tests.browser.storage import SHELL
from tests.browser.visitor import Visitor, Visitors, expect

MOST_FILES = 10
MOST_BYTES = 40_000
MOST_BYTES_OF_LIST = 64_000

_TOAST = f"""async () => {{
  const {{ $toast }} = {SHELL};
  $toast.toast("Took 1 Coffee, 3 left.", {{ undo: () => (document.title = "undone") }});
}}"""


@pytest.mark.parametrize("who", [None, "Mina"], ids=["stranger", "member"])
async def test_first_load_stays_below_its_weight(visitors: Visitors, who: str | None) -> None:
    visitor = await visitors.arrive(who, new=True)
    network = await visitor.context.new_cdp_session(visitor.page)
    loaded: list[float] = []

    def record_load(event: dict[str, Any]) -> None:
        loaded.append(event["encodedDataLength"])

    network.on("Network.loadingFinished", record_load)
    await network.send("Network.enable")
    await visitor.page.goto("/", wait_until="load")
    await expect(visitor.page.get_by_role("heading", level=1)).to_be_visible()
    assert 3 < len(loaded) < MOST_FILES
    assert sum(loaded) < MOST_BYTES


async def test_list_with_offline_support_stays_below_its_weight(visitors: Visitors) -> None:
    """Counts compressed bytes of the page and its files, each once."""
    mina = await visitors.arrive("Mina", new=True)
    loaded: list[Request] = []

    def record_load(request: Request) -> None:
        loaded.append(request)

    mina.page.on("requestfinished", record_load)
    await mina.page.goto("/list", wait_until="load")
    await expect(mina.page.locator("li.entry .entry-count").first).to_be_visible()
    firsts = {each.url: each for each in reversed(loaded)}
    sizes = [(await each.sizes())["responseBodySize"] for each in firsts.values()]
    assert any("/js/shopping.js" in url for url in firsts)
    assert sum(sizes) < MOST_BYTES_OF_LIST


async def test_next_page_loads_no_shared_assets_again(visitors: Visitors) -> None:
    mina = await visitors.arrive("Mina", new=True)
    await mina.page.goto("/", wait_until="load")
    asked: list[str] = []
    mina.page.on("response", lambda found: asked.append(found.url))
    await mina.page.goto("/notices", wait_until="load")
    fetched = await mina.page.evaluate(
        "performance.getEntriesByType('resource').filter((one) => one.transferSize > 0)"
        ".map((one) => one.name)"
    )
    assert [url for url in fetched if "/static/" in url] == []


async def test_toast_reports_change_and_undoes_it(visitors: Visitors) -> None:
    mina = await visitors.arrive("Mina")
    await mina.go("/")
    await mina.page.evaluate(_TOAST)
    said = mina.page.get_by_role("status").filter(has_text="Took 1 Coffee, 3 left.")
    await expect(said).to_have_attribute("aria-live", "polite")
    await mina.press("Undo")
    await expect(mina.page).to_have_title("undone")
    await expect(said).to_have_count(0)


async def test_toast_button_never_breaks_its_word(visitors: Visitors) -> None:
    phone = await visitors.arrive("Mina", locale="de")
    await phone.page.set_viewport_size({"width": 320, "height": 740})
    await phone.go("/stock")
    await phone.page.evaluate(_TOAST)
    box = await phone.found("Rückgängig").bounding_box()
    assert box
    assert box["height"] < 56, "it is one line"


async def test_toast_stays_while_focused_or_hovered(visitors: Visitors) -> None:
    mina = await visitors.arrive("Mina", new=True)
    await mina.page.clock.install()
    await mina.go("/")
    await mina.page.evaluate(_TOAST)
    await mina.found("Undo").focus()
    await mina.page.clock.run_for(60_000)
    await expect(mina.found("Undo")).to_be_visible()
    await mina.page.evaluate("document.activeElement.blur()")
    await mina.page.clock.run_for(7_000)
    await mina.sees_nothing_of("Took 1 Coffee")


async def test_reduced_motion_disables_animations(visitors: Visitors) -> None:
    for motion in (True, False):
        visitor = await visitors.arrive(motion=motion, new=True)
        await visitor.context.add_init_script(
            "addEventListener('pagereveal', (event) => (window.moves = !!event.viewTransition))"
        )
        await visitor.go("/sign-in")
        await visitor.press("Sign up")
        await visitor.reads_above_all("Nice to meet you")
        await visitor.page.wait_for_function("'moves' in window")
        assert await visitor.page.evaluate("window.moves") is motion
        await visitor.go("/design")
        running = "document.querySelector('dialog').getAnimations().length > 0"
        opens = "document.querySelector('[data-sheet]').click()"
        assert await visitor.page.evaluate(f"{opens}, {running}") is motion


async def test_navigation_badges_update_live(visitors: Visitors, household: DemoHousehold) -> None:
    jonas = household.people["Jonas"]
    mina = await visitors.arrive("Mina")
    await mina.go("/")
    count = await _count(mina)
    item = {"name": "Candles", "quantity": 0, "threshold": 1}
    made = jonas.ask("POST", "/items", item)
    await expect(_badge(mina)).to_have_text(str(count + 1))
    jonas.ask("POST", f"/items/{made['itemId']}/adjust", {"delta": 2})
    await expect(_badge(mina)).to_have_text(str(count))


def _badge(visitor: Visitor) -> Any:
    return visitor.page.locator("live-badge[data-count=unresolvedNotifications]")


async def _count(visitor: Visitor) -> int:
    return int(await _badge(visitor).text_content() or 0)
