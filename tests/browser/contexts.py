"""Browsers that are used again: a new one fetches and compiles every script anew.

Whoever takes one finds nothing of those before: no page, no cookie, nothing that a page has stored.
Only what is the same for everybody stays: scripts and sheets, and the worker that keeps them.
"""

from collections.abc import Hashable
from contextlib import suppress

from playwright.async_api import BrowserContext, Error, Page

MOST = 6
"""So many wait for somebody: each takes room in memory."""

_STORED = "indexeddb,local_storage"
_STORED_WITHOUT_WORKER = f"{_STORED},cache_storage"
_OWN_CLOCK = "'__pwClock' in window"
_NO_PAGE = "/api/v1/me"
"""It has no script, and no worker keeps it."""
_FORGETS_PAGES = """async () => {
  const names = "caches" in window ? await caches.keys() : [];
  const pages = names.filter((name) => name.endsWith("-pages"));
  await Promise.all(pages.map((name) => caches.delete(name)));
}"""


class Contexts:
    """Those that nobody uses, the last one used at the end."""

    def __init__(self) -> None:
        self._free: list[tuple[Hashable, BrowserContext]] = []

    def take(self, kind: Hashable) -> BrowserContext | None:
        for index in reversed(range(len(self._free))):
            if self._free[index][0] == kind:
                return self._free.pop(index)[1]
        return None

    async def put_back(self, kind: Hashable, context: BrowserContext) -> None:
        """As a new one is, but for what its next page must be told to forget: see `forget`."""
        with suppress(Error):  # somebody has closed it
            for page in context.pages:
                await page.close()
            await context.clear_cookies()
            await context.set_offline(False)
            self._free.append((kind, context))
        while len(self._free) > MOST:
            await self._free.pop(0)[1].close()

    async def close(self) -> None:
        for _, context in self._free:
            await context.close()


async def forget(page: Page, origin: str, *, offline_worker: bool) -> None:
    """What was stored in this browser before, and what its worker has in mind if it has one."""
    stopped = await page.evaluate(_OWN_CLOCK)
    assert not stopped, "who has a clock of their own has to arrive with `new`"
    if offline_worker:
        await _forget_but_for_files(page, origin)
    else:
        session = await page.context.new_cdp_session(page)
        everything = {"origin": origin, "storageTypes": _STORED_WITHOUT_WORKER}
        await session.send("Storage.clearDataForOrigin", everything)


async def _forget_but_for_files(page: Page, origin: str) -> None:
    """What a worker keeps for everybody stays."""
    await page.goto(f"{origin}{_NO_PAGE}")
    session = await page.context.new_cdp_session(page)
    await session.send("ServiceWorker.enable")
    await session.send("ServiceWorker.stopAllWorkers")
    await session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": _STORED})
    await session.detach()
    await page.evaluate(_FORGETS_PAGES)
