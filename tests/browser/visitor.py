"""Visitors: browsers that find elements by role and name, as people do."""

import re
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Locator,
    Page,
    expect,
)

from tests.browser.contexts import Contexts, Tab, forget
from tests.browser.demo_household import DemoHousehold
from tests.browser.screens import PHONE, Screen

__all__ = ["FOCUS_SHOWS", "KeyboardVisitor", "Visitor", "Visitors", "expect"]

_EXPECTED = (
    "Service Worker registration blocked by Playwright",
    "Clear-Site-Data header on 'http://home.test",  # has no effect without HTTPS
    # The connection failed while a worker was registered. A missing worker causes another message.
    "An unknown error occurred when fetching the script.",
)
_NOT_LOADED = "Failed to load resource"
"""Logged for each status from 400 and for failed requests, which a test may cause."""
_STATUS = re.compile(r"responded with a status of (\d+)")
_HEARS = """
  window.heard = [];
  document.addEventListener("homeshelf:change", ({ detail }) => heard.push(detail));
"""
"""Records the live changes that the page receives."""
_STOPS = 80
"""More tab stops than any page has."""


class Visitor:
    """A person who uses a touch screen or a mouse."""

    def __init__(self, context: BrowserContext, page: Page) -> None:
        self.context, self.page = context, page

    async def go(self, path: str) -> None:
        try:
            await self.page.goto(path)
        except Error as error:
            if "ERR_ABORTED" not in error.message:  # the previous page reloaded itself
                raise
            await self.page.goto(path)

    async def press(self, name: str) -> None:
        """Click a button or a link."""
        await self.found(name).click()

    async def open(self, name: str) -> None:
        """Open a menu or details."""
        await self.unfolding(name).click()

    async def rest_on(self, name: str) -> None:
        """Focus an element so that its toast stays."""
        await self.found(name).focus()

    async def write(self, label: str, text: str) -> None:
        await self.field(label).fill(text)

    async def choose(self, label: str) -> None:
        """Check a radio button."""
        await self.page.get_by_role("radio", name=label).check()

    async def pick(self, label: str, option: str) -> None:
        """Select an option."""
        await self.field(label).select_option(option)

    async def sees(self, text: str) -> None:
        await expect(self.page.get_by_text(text).first).to_be_visible()

    async def sees_nothing_of(self, text: str) -> None:
        await expect(self.page.get_by_text(text)).to_have_count(0)

    async def sees_nothing_visible(self, text: str) -> None:
        await expect(self.page.get_by_text(text, exact=True).first).to_be_hidden()

    async def is_at(self, path: str) -> None:
        await expect(self.page).to_have_url(path)

    async def reads_above_all(self, text: str) -> None:
        """Check the main heading."""
        heading = self.page.get_by_role("heading", level=1, name=text, exact=True)
        await expect(heading).to_be_visible()

    def found(self, name: str) -> Locator:
        button = self.page.get_by_role("button", name=name, exact=True)
        return button.or_(self.page.get_by_role("link", name=name)).first

    def field(self, label: str) -> Locator:
        return self.page.get_by_label(label, exact=True).first

    def unfolding(self, name: str) -> Locator:
        named = self.page.get_by_label(name).or_(self.page.get_by_text(name, exact=True))
        return self.page.locator("summary").and_(named)


class KeyboardVisitor(Visitor):
    """A person who uses the keyboard alone and must see the focus."""

    async def press(self, name: str) -> None:
        await self._reach(self.found(name))
        await self.page.keyboard.press("Enter")

    async def open(self, name: str) -> None:
        await self._reach(self.unfolding(name))
        await self.page.keyboard.press("Enter")

    async def write(self, label: str, text: str) -> None:
        await self._reach(self.field(label))
        await self.page.keyboard.press("Control+A")
        await self.page.keyboard.type(text)

    async def choose(self, label: str) -> None:
        """Tab to the checked radio button, then use the arrows."""
        wanted = self.page.get_by_role("radio", name=label)
        group = await wanted.get_attribute("name")
        await self._reach(self.page.locator(f"input[name='{group}']:checked"))
        for _ in range(_STOPS):
            if await wanted.is_checked():
                return
            await self.page.keyboard.press("ArrowDown")
        raise AssertionError(f"no arrow leads to {label}")

    async def pick(self, label: str, option: str) -> None:
        await self._reach(self.field(label))
        await self.page.keyboard.type(option)

    async def _reach(self, wanted: Locator) -> None:
        """Press Tab until the element has focus. Locate it once, because that is slow."""
        await wanted.wait_for()
        one = await wanted.element_handle()
        for _ in range(_STOPS):
            if (is_there := await one.evaluate(_HAS_FOCUS)) is None:
                one = await wanted.element_handle()
            elif is_there:
                assert await one.evaluate(FOCUS_SHOWS), "nobody can see where they are"
                return
            else:
                await self.page.keyboard.press("Tab")
        raise AssertionError(f"the tab key does not lead to {wanted}")


_HAS_FOCUS = "one => one.isConnected ? one === document.activeElement : null"
FOCUS_SHOWS = """(one) => [one, one.closest("label") ?? one].map(getComputedStyle).some(
  ({ outlineStyle, outlineWidth }) => outlineStyle === "solid" && parseFloat(outlineWidth) >= 2)"""


class Visitors:
    def __init__(
        self, browser: Browser, household: DemoHousehold, used_contexts: Contexts | None = None
    ) -> None:
        self.browser, self.household = browser, household
        self.complaints: list[str] = []
        """Errors and warnings of the browsers."""
        self._used = used_contexts
        self._here: list[tuple[Hashable, BrowserContext, Tab]] = []

    async def arrive(
        self,
        who: str | None = None,
        screen: Screen = PHONE,
        *,
        kind: type[Visitor] = Visitor,
        url: str = "",
        new: bool = False,
        **more: Any,
    ) -> Visitor:
        """Open a browser, signed in as `who` or anonymous.

        Use `new` to count what is loaded, or to change what `forget` cannot reset.
        """
        url = url or self.household.url
        of = None if new else (screen, url, *sorted(more.items()))
        found = self._used.take(of) if self._used and of is not None else None
        context, tab = found or (await self._opened(screen, url, **more), None)
        tab = tab or Tab(await context.new_page())
        self._here.append((of, context, tab))
        page = tab.page
        if found:
            await forget(page, url, offline_worker=more.get("offline_worker", False))
        tab.add_listeners(
            console=self._heard,
            pageerror=lambda error: self.complaints.append(f"{page.url}: {error}"),
        )
        if who:
            await self.household.people[who].sign_in_to(context)
        return kind(context, page)

    async def _opened(self, screen: Screen, url: str, **more: Any) -> BrowserContext:
        context = await screen.open_context(self.browser, url, **more)
        await context.add_init_script(_HEARS)
        return context

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type not in ("error", "warning") or message.text.startswith(_EXPECTED):
            return
        url = message.location.get("url", "")
        if not message.text.startswith(_NOT_LOADED):
            self.complaints.append(f"{url}: {message.text}")
        elif (status := _STATUS.search(message.text)) and _is_fault(int(status[1]), url):
            self.complaints.append(f"{url}: {status[1]}")

    async def leave(self) -> None:
        for of, context, tab in self._here:
            if self._used and of is not None:
                await self._used.put_back(of, context, tab)
            else:
                await context.close()


def _is_fault(status: int, url: str) -> bool:
    """Return whether the status is a fault: refusals may be tested, missing files and crashes are
    not."""
    return status >= 500 or (status >= 400 and "/static/" in url)


@dataclass(frozen=True)
class Way:
    name: str
    screen: Screen
    kind: type[Visitor] = Visitor
    more: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name

    async def arrive(self, visitors: Visitors) -> Visitor:
        return await visitors.arrive(screen=self.screen, kind=self.kind, **self.more)
