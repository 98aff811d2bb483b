"""Browsers that are used again: a new one fetches and compiles every script anew.

Whoever takes one finds nothing of those before: no cookie, nothing that a page has stored, and an
empty tab. Only what is the same for everybody stays: scripts and sheets, and the worker that keeps
them.
"""

from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import wraps
from typing import Any

from playwright.async_api import BrowserContext, Error, Page

MOST = 6
"""So many wait for somebody: each takes room in memory."""

_STORED = "indexeddb,local_storage"
_STORED_WITHOUT_WORKER = f"{_STORED},cache_storage"
_OWN_CLOCK = "'__pwClock' in window"
_NO_PAGE = "/api/v1/me"
"""It has no script, and no worker keeps it."""
_LASTING = (
    "add_init_script",
    "emulate_media",
    "expose_binding",
    "expose_function",
    "on",
    "once",
    "route",
    "set_extra_http_headers",
)
"""What is done to a tab and outlasts the page in it."""
_FORGETS_PAGES = """async () => {
  const names = "caches" in window ? await caches.keys() : [];
  const pages = names.filter((name) => name.endsWith("-pages"));
  await Promise.all(pages.map((name) => caches.delete(name)));
}"""


class Tab:
    """The first page of a browser. The next one gets it too where it was left as it was: a page
    costs twice as much in a new tab, where every script is compiled anew."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._is_as_it_was = True
        self._viewport = page.viewport_size
        self._hears, self._stops_hearing = page.on, page.remove_listener
        self._listeners: dict[Any, Callable[..., None]] = {}
        for name in _LASTING:
            setattr(page, name, self._noting(getattr(page, name)))

    def tell(self, **listeners: Callable[..., None]) -> None:
        """What happens on the page, by the names of events, until it is emptied."""
        self._listeners = dict(listeners)
        for event, listener in self._listeners.items():
            self._hears(event, listener)

    async def emptied(self) -> bool:
        """Whether it can be used again."""
        if not self._is_as_it_was or self.page.is_closed():
            return False
        for event, listener in self._listeners.items():
            self._stops_hearing(event, listener)
        with suppress(Error):  # where nothing was loaded, nothing is stored
            await self.page.evaluate("sessionStorage.clear()")
        await self.page.goto("about:blank")
        if self._viewport and self._viewport != self.page.viewport_size:
            await self.page.set_viewport_size(self._viewport)
        return True

    def _noting(self, do: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(do)
        def noted(*args: Any, **options: Any) -> Any:
            self._is_as_it_was = False
            return do(*args, **options)

        return noted


class Contexts:
    """Those that nobody uses, the last one used at the end."""

    def __init__(self) -> None:
        self._free: list[tuple[Hashable, BrowserContext, Tab | None]] = []

    def take(self, kind: Hashable) -> tuple[BrowserContext, Tab | None] | None:
        for index in reversed(range(len(self._free))):
            if self._free[index][0] == kind:
                return self._free.pop(index)[1:]
        return None

    async def put_back(self, kind: Hashable, context: BrowserContext, tab: Tab) -> None:
        """As a new one is, but for what its next page must be told to forget: see `forget`."""
        with suppress(Error):  # somebody has closed it
            is_empty = await tab.emptied()
            for page in context.pages:
                if page is not tab.page or not is_empty:
                    await page.close()
            await context.clear_cookies()
            await context.set_offline(False)
            self._free.append((kind, context, tab if is_empty else None))
        while len(self._free) > MOST:
            await self._free.pop(0)[1].close()

    async def close(self) -> None:
        for _, context, _ in self._free:
            await context.close()


async def forget(page: Page, origin: str, *, offline_worker: bool) -> None:
    """What was stored in this browser before, and what its worker has in mind if it has one."""
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
