"""`make screenshots`: every page of the demo household as a picture, for people to look at.

Each is taken in both sizes and both themes into `screenshots/`. The two pictures of the README
are taken as well.
"""

import asyncio
import tempfile
from pathlib import Path

from playwright.async_api import Browser, BrowserContext, Page

from tests.browser.lindqvists import Household, lindqvists
from tests.browser.screens import SCREENS, Screen, chromium
from tests.browser.tour import TOUR

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "screenshots"


async def take() -> None:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, lindqvists(Path(folder)) as household:
        async with chromium() as browser:
            for screen in SCREENS:
                await _all_pages(browser, household, screen)


async def _all_pages(browser: Browser, household: Household, screen: Screen) -> None:
    for who in sorted({stop.who for stop in TOUR}, key=str):
        context = await _context(browser, household, screen, who)
        page = await context.new_page()
        for stop in TOUR:
            if stop.who == who:
                await page.set_viewport_size(screen.viewport)
                await page.goto(stop.path(household))
                await _unroll(page, screen)
                await page.screenshot(path=FOLDER / f"{stop}-{screen}.png")
        await context.close()


async def _unroll(page: Page, screen: Screen) -> None:
    """A window as tall as the page, so that what sticks to its foot is at the foot."""
    tall: int = await page.evaluate("document.documentElement.scrollHeight")
    await page.set_viewport_size({**screen.viewport, "height": tall})


async def _context(
    browser: Browser, household: Household, screen: Screen, who: str | None, pixels: float = 1
) -> BrowserContext:
    context = await screen.opened(browser, household.url, pixels=pixels)
    if who:
        await household.people[who].enters(context)
    return context


if __name__ == "__main__":
    asyncio.run(take())
