"""What a phone keeps for when there is no signal."""

import asyncio

from tests.browser.visitor import Visitor, expect


async def keeps_pages(visitor: Visitor) -> None:
    """Wait until the phone keeps pages, and its worker has brought this one."""
    async with asyncio.timeout(20):
        while not await visitor.page.evaluate(_KEEPS):  # noqa: ASYNC110  # the page's own state
            await asyncio.sleep(0.05)
    if not await visitor.page.evaluate(_CAME_BY_WORKER):
        await visitor.page.reload()
    await expect(visitor.page.get_by_role("heading", level=1)).to_be_visible()


async def pages_kept(visitor: Visitor) -> set[str]:
    """The pages that a phone keeps, but for the one that says that there is no signal."""
    found: list[str] = await visitor.page.evaluate(_KEPT)
    return {path for path in found if not path.startswith("/static/")} - {"/offline"}


_KEPT = """async () => {
  const paths = [];
  for (const name of await caches.keys())
    for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname);
  return paths;
}"""
_CAME_BY_WORKER = "performance.getEntriesByType('navigation')[0].workerStart > 0"
_KEEPS = """async () => {
  const found = await navigator.serviceWorker.getRegistration();
  return found?.active?.state === "activated";
}"""

CHANGES = """() => new Promise((done) => {
  const opening = indexedDB.open("homeshelf");
  opening.onupgradeneeded = () => (opening.transaction.abort(), done([])); // there is none
  opening.onsuccess = ({ target }) => {
    target.result.transaction("changes").objectStore("changes").getAll().onsuccess =
      ({ target }) => done(target.result);
  };
})"""
"""What waits in this browser, of anybody."""
