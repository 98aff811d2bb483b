"""What a phone keeps for when there is no signal."""

import asyncio

from tests.browser.visitor import Visitor, expect


async def keeps_pages(visitor: Visitor) -> None:
    """Wait until the phone keeps pages: from the first one on that it loads afterwards."""
    async with asyncio.timeout(20):
        while not await visitor.page.evaluate(_KEEPS):  # noqa: ASYNC110  # the page's own state
            await asyncio.sleep(0.05)
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
_KEEPS = """async () => {
  const found = await navigator.serviceWorker.getRegistration();
  return found?.active?.state === "activated";
}"""
