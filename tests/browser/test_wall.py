"""The display for a tablet on the kitchen wall."""

from playwright.async_api import expect

from tests.browser.family_home import Home
from tests.browser.list_page import entry_row, listed_entries, tick
from tests.browser.screens import TABLET
from tests.browser.storage import wait_for_worker, wait_until_equal
from tests.browser.visitor import Visitors
from tests.network import Line

LOCKS = """
  window.locks = [];
  const request = async (kind) => void locks.push(kind);
  Object.defineProperty(navigator, "wakeLock", { value: { request } });
"""
KEEPS_WISH = """async () => (await (await caches.match("/wall"))?.text())?.includes("Kite")"""
IS_NIGHT = "document.documentElement.hasAttribute('data-night')"
GROUND = "getComputedStyle(document.documentElement).backgroundColor"


async def test_wall_is_live_ticks_offline_and_has_one_way_out(
    visitors: Visitors, home: Home, line: Line
) -> None:
    milk = home.item("Milk", 5, 2)
    home.admin.ask("POST", "/shopping-list", {"name": "Apples"})
    kid = home.child(f"Emma-{home.admin.name}")
    wall = await home.phone(visitors, screen=TABLET, url=line.url, offline_worker=True)
    await wall.go("/")
    await wait_for_worker(wall)
    await wall.open(f"{home.admin.name}: family and settings")
    await wall.press("Wall display")
    await wall.reads_above_all(f"House of {home.admin.name}")
    await expect(wall.page.get_by_role("navigation")).to_have_count(0)
    assert await wall.page.get_by_role("link").all_inner_texts() == [
        "Skip to content",
        "Close wall display",
    ]

    home.admin.ask("POST", "/shopping-list", {"name": "Bread"})
    await expect(entry_row(wall, "Bread")).to_be_visible()
    home.admin.ask("POST", f"/items/{milk}/adjust", {"delta": -4})
    kid.ask("POST", "/suggestions", {"type": "create_item", "proposedItemName": "Kite"})
    for section, words in (("Running low", ("Milk", "1 left")), ("Wishes", ("Kite", kid.name))):
        shown = wall.page.get_by_role("region", name=section).get_by_role("listitem")
        for text in words:
            await expect(shown).to_contain_text(text)

    await tick(wall, "Apples")
    await wait_until_equal(["Apples purchased", "Bread"], lambda: _served(home))
    await wait_until_equal(True, lambda: wall.page.evaluate(KEEPS_WISH))
    line.becomes("cut")
    await tick(wall, "Bread")
    await wall.page.reload()
    await expect(entry_row(wall, "Bread")).to_have_attribute("data-status", "purchased")
    await expect(entry_row(wall, "Bread")).to_be_hidden()
    await wall.sees("The list is empty.")
    await wall.sees("Kite")
    line.becomes("open")
    await wait_until_equal(["Apples purchased", "Bread purchased"], lambda: _served(home))
    await wall.press("Close wall display")
    await wall.is_at("/")
    visitors.complaints.clear()  # the browser reports requests that failed on the cut line


async def test_wall_keeps_the_screen_awake_and_dims_at_night(
    visitors: Visitors, home: Home
) -> None:
    wall = await home.phone(visitors, new=True, screen=TABLET)
    await wall.page.add_init_script(LOCKS)
    await wall.page.clock.install(time="2026-11-20T20:59:30")
    await wall.go("/wall")
    await wait_until_equal(["screen"], lambda: wall.page.evaluate("locks"))
    assert not await wall.page.evaluate(IS_NIGHT)
    day = await wall.page.evaluate(GROUND)
    await wall.page.clock.run_for(60_000)
    assert await wall.page.evaluate(IS_NIGHT)
    assert await wall.page.evaluate(GROUND) != day
    await wall.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await wait_until_equal(["screen", "screen"], lambda: wall.page.evaluate("locks"))


async def test_wall_ticks_without_scripts(visitors: Visitors, home: Home) -> None:
    home.admin.ask("POST", "/shopping-list", {"name": "Apples"})
    wall = await home.phone(visitors, script=False)
    await wall.go("/wall")
    await tick(wall, "Apples")
    await wall.is_at("/wall")
    await wall.sees("The list is empty.")
    assert listed_entries(home) == ["Apples purchased"]


async def _served(home: Home) -> list[str]:
    return listed_entries(home)
