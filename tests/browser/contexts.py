"""Reuse browser contexts between tests, because a new one compiles every script again.

A reused context has no cookies, no stored data and an empty tab. Only static files and the service
worker that caches them stay.
"""

from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import wraps
from typing import Any

from playwright.async_api import BrowserContext, Error, Page

MAX_IDLE = 6
"""The most idle contexts, to limit their memory."""

_STORED = "indexeddb,local_storage"
_STORED_WITHOUT_WORKER = f"{_STORED},cache_storage"
_OWN_CLOCK = "'__pwClock' in window"
_NO_PAGE = "/api/v1/me"
"""A response without scripts that the service worker does not cache."""
LASTING_METHODS = (
    "add_init_script",
    "emulate_media",
    "expose_binding",
    "expose_function",
    "on",
    "once",
    "route",
    "set_extra_http_headers",
)
"""Methods of a tab whose effect outlasts the page in it."""
_FORGETS_PAGES = """async () => {
  const names = "caches" in window ? await caches.keys() : [];
  const pages = names.filter((name) => name.endsWith("-pages"));
  await Promise.all(pages.map((name) => caches.delete(name)));
}"""


class Tab:
    """The first tab of a context. It is reused if unchanged: a page takes twice as long in a new
    tab."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._is_as_it_was = True
        self._viewport = page.viewport_size
        self._hears, self._stops_hearing = page.on, page.remove_listener
        self._listeners: dict[Any, Callable[..., None]] = {}
        for name in LASTING_METHODS:
            setattr(page, name, self._recording_calls(getattr(page, name)))

    def add_listeners(self, **listeners: Callable[..., None]) -> None:
        """Register listeners by event name until the tab is emptied."""
        self._listeners = dict(listeners)
        for event, listener in self._listeners.items():
            self._hears(event, listener)

    async def empty(self) -> bool:
        """Empty the tab and return whether it can be reused."""
        if not self._is_as_it_was or self.page.is_closed():
            return False
        for event, listener in self._listeners.items():
            self._stops_hearing(event, listener)
        with suppress(Error):  # an unused tab has no storage
            await self.page.evaluate("sessionStorage.clear()")
        await self.page.goto("about:blank")
        if self._viewport and self._viewport != self.page.viewport_size:
            await self.page.set_viewport_size(self._viewport)
        return True

    def _recording_calls(self, do: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(do)
        def record_call(*args: Any, **options: Any) -> Any:
            self._is_as_it_was = False
            return do(*args, **options)

        return record_call


class Contexts:
    """Idle contexts, the last used one at the end."""

    def __init__(self) -> None:
        self._free: list[tuple[Hashable, BrowserContext, Tab | None]] = []

    def take(self, kind: Hashable) -> tuple[BrowserContext, Tab | None] | None:
        for index in reversed(range(len(self._free))):
            if self._free[index][0] == kind:
                return self._free.pop(index)[1:]
        return None

    async def put_back(self, kind: Hashable, context: BrowserContext, tab: Tab) -> None:
        """Reset the context, except for what `forget` clears when it is taken."""
        with suppress(Error):  # the test has closed it
            is_empty = await tab.empty()
            for page in context.pages:
                if page is not tab.page or not is_empty:
                    await page.close()
            await context.clear_cookies()
            await context.set_offline(False)
            self._free.append((kind, context, tab if is_empty else None))
        while len(self._free) > MAX_IDLE:
            await self._free.pop(0)[1].close()

    async def close(self) -> None:
        for _, context, _ in self._free:
            await context.close()


async def forget(page: Page, origin: str, *, offline_worker: bool) -> None:
    """Delete stored data and the state of the service worker."""
    stopped = await page.evaluate(_OWN_CLOCK)
    assert not stopped, "who has a clock of their own has to arrive with `new`"
    if offline_worker:
        await page.goto(f"{origin}{_NO_PAGE}")
    session = await page.context.new_cdp_session(page)
    if offline_worker:
        await session.send("ServiceWorker.enable")
        await session.send("ServiceWorker.stopAllWorkers")
    stored = _STORED if offline_worker else _STORED_WITHOUT_WORKER
    await session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": stored})
    await session.send("Page.resetNavigationHistory")
    await session.detach()
    if offline_worker:
        await page.evaluate(_FORGETS_PAGES)
