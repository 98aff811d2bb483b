"""What a phone keeps for when there is no signal."""

from tests.browser.visitor import Visitor, expect


async def keeps_pages(visitor: Visitor) -> None:
    """Wait until the phone keeps pages: from the first one on that it loads afterwards."""
    await visitor.page.evaluate(
        "navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller || "
        "new Promise((done) => navigator.serviceWorker.addEventListener('controllerchange', done)))"
        ".then(() => null)"
    )
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
