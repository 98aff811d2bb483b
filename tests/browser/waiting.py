"""What waits on a phone, put there by the modules that pages use."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from playwright.async_api import Page, Response

from tests.browser.home import Home
from tests.browser.kept import keeps_pages
from tests.browser.visitor import Visitor, Visitors
from tests.line import Line

SHELL = """await import(document.querySelector("script[src$='/js/app.js']").src)"""
"""The modules that every page has, by names such as `queue$phone`."""
SENDS = f"async () => (({SHELL}).queue$soon.sendSoon())"
_MODULES = f"""async (given) => {{
  const {{ queue$phone, shopping$changes }} = {SHELL};
  return await (%s)({{ ...queue$phone, ...shopping$changes }}, given);
}}"""


async def within(page: Page, work: str, given: Any = None) -> Any:
    """Runs `(modules, given) => ...` in the page, with what pages can use of the queue."""
    return await page.evaluate(_MODULES % work, given)


async def phone_of(
    home: Home, visitors: Visitors, line: Line, path: str = "/family", **more: Any
) -> Visitor:
    """A phone that keeps pages, on this line."""
    phone = await home.phone(visitors, url=line.url, offline_worker=True, **more)
    await phone.go(path)
    await keeps_pages(phone)
    return phone


async def adds(phone: Visitor, name: str) -> str:
    """Put a thing on the list, signal or not; returns its id."""
    made: str = await within(phone.page, _ADDS, name)
    return made


async def names_waiting(phone: Visitor) -> list[str]:
    names: list[str] = await within(
        phone.page, "async (phone) => (await phone.waiting()).map(({ label }) => label)"
    )
    return names


async def becomes(expected: Any, found: Callable[[], Awaitable[Any]], seconds: float = 20) -> None:
    """Wait for what happens behind the pages; shows what is there instead."""
    got = None
    try:
        async with asyncio.timeout(seconds):
            while (got := await found()) != expected:  # noqa: ASYNC110  # another program's state
                await asyncio.sleep(0.05)
    except TimeoutError:
        assert got == expected, got


async def has_read(phone: Visitor, answer: Response) -> None:
    """The page has done with an answer what it does: others came after it, and a frame."""
    await answer.finished()
    await phone.page.evaluate(_AFTER)


_AFTER = """async () => {
  for (const _ of "some") await fetch("/healthz").then((answer) => answer.text());
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}"""
_ADDS = """async (phone, name) => {
  const shoppingItemId = crypto.randomUUID();
  await phone.add(phone.adding({ shoppingItemId, name }));
  return shoppingItemId;
}"""
