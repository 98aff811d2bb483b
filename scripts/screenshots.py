"""`make screenshots`: take a picture of every page of the demo household.

Each page is taken on a phone and a desktop in both themes, and on a tablet, into `screenshots/`.
`ARGS="home list"` takes only these pages, and `ARGS="ar home list"` takes them in Arabic. Then the
picture of the README is taken, light and dark.
"""

import asyncio
import sys
import tempfile
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, BrowserContext, Page, ViewportSize

from homeshelf.languages import ENGLISH, LANGUAGES
from homeshelf.web.assets import SHARED
from homeshelf.web.installable import SCREENSHOTS
from tests.browser.demo_household import DemoHousehold, serve_demo_household
from tests.browser.screens import DARK_PHONE, DESKTOP, PHONE, SCREENS, TABLET, Screen, chromium
from tests.browser.tour import TOUR, Stop

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "screenshots"
DOCS = ROOT / "docs"

SIDE_BY_SIDE = ("/", "/stock", "/list")
PICTURE: ViewportSize = {"width": 946, "height": 620}
"""The size of the screenshot in the README."""


async def take_screenshots(names: Sequence[str]) -> None:
    FOLDER.mkdir(exist_ok=True)
    code = next((name for name in names if name in LANGUAGES), ENGLISH.code)
    names = [name for name in names if name != code]
    stops = [stop for stop in TOUR if not names or stop.name in names]
    with tempfile.TemporaryDirectory() as folder, serve_demo_household(Path(folder)) as household:
        async with chromium(whole=True) as browser:
            for screen in (*SCREENS, TABLET):
                await _take_pages(browser, household, screen, stops, code)
            if not names and code == ENGLISH.code:
                await _take_readme_picture(browser, household, PHONE, DOCS / "picture-light.png")
                await _take_readme_picture(
                    browser, household, DARK_PHONE, DOCS / "picture-dark.png"
                )
                await _take_manifest_pictures(browser, household)


async def _take_pages(
    browser: Browser, household: DemoHousehold, screen: Screen, stops: Sequence[Stop], code: str
) -> None:
    named = "" if code == ENGLISH.code else f"-{code}"
    for person in sorted({stop.who for stop in stops}, key=str):
        context = await _context(browser, household, screen, person, locale=code)
        page = await context.new_page()
        for stop in stops:
            if stop.who == person:
                await page.set_viewport_size(screen.viewport)
                await page.goto(stop.path(household))
                await _fit_window(page, screen)
                await page.screenshot(path=FOLDER / f"{stop}-{screen}{named}.png")
        await context.close()


async def _fit_window(page: Page, screen: Screen) -> None:
    """Make the window as tall as the page, so that fixed bars appear at the end."""
    tall: int = await page.evaluate("document.documentElement.scrollHeight")
    await page.set_viewport_size({**screen.viewport, "height": tall})


async def _take_readme_picture(
    browser: Browser, household: DemoHousehold, screen: Screen, path: Path
) -> None:
    """Take three phones side by side on a transparent background, for any theme."""
    context = await _context(browser, household, screen, "Mina")
    page = await context.new_page()
    phones = []
    for path_ in SIDE_BY_SIDE:
        await page.goto(path_)
        phones.append(b64encode(await page.screenshot()).decode())
    images = "".join(f'<img src="data:image/png;base64,{phone}">' for phone in phones)
    await page.goto("about:blank")
    await page.set_viewport_size(PICTURE)
    await page.set_content(f"<style>{_SHEET}</style>{images}")
    await page.screenshot(path=path, omit_background=True)
    await context.close()


async def _take_manifest_pictures(browser: Browser, household: DemoHousehold) -> None:
    """Take Home as a phone shows it before the app is installed, in few bytes."""
    for form, (width, height) in SCREENSHOTS.items():
        context = await _context(browser, household, PHONE if form == "narrow" else DESKTOP, "Mina")
        page = await context.new_page()
        await page.set_viewport_size({"width": width, "height": height})
        await page.goto("/")
        await page.screenshot(path=SHARED / f"screenshot-{form}.jpg", type="jpeg", quality=50)
        await context.close()


_SHEET = """
  body { display: flex; justify-content: space-between; margin: 0; }
  img { border: 1px solid #8886; border-radius: 24px; inline-size: 300px; }
"""


async def _context(
    browser: Browser, household: DemoHousehold, screen: Screen, person: str | None, **more: Any
) -> BrowserContext:
    context = await screen.open_context(browser, household.url, **more)
    if person:
        await household.people[person].sign_in_to(context)
    return context


if __name__ == "__main__":
    asyncio.run(take_screenshots(sys.argv[1:]))
