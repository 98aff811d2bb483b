"""Helpers for browser storage: cached pages, the queue, and slow or failing databases."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from playwright.async_api import Page, Response

from tests.browser.family_home import Home
from tests.browser.visitor import Visitor, Visitors, expect
from tests.network import Line


async def wait_for_worker(visitor: Visitor) -> None:
    """Wait until the service worker is active and has served this page."""
    async with asyncio.timeout(20):
        while not await visitor.page.evaluate(_KEEPS):  # noqa: ASYNC110  # the page's own state
            await asyncio.sleep(0.05)
    if not await visitor.page.evaluate(_CAME_BY_WORKER):
        await visitor.page.reload()
    await expect(visitor.page.get_by_role("heading", level=1)).to_be_visible()


async def cached_paths(visitor: Visitor) -> set[str]:
    """Return the cached paths, except the offline page."""
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
"""Script that returns all queued changes of this browser."""


SHELL = """await import(document.querySelector("script[src$='/js/app.js']").src)"""
"""Expression for the modules of every page, by names like `queue$api`."""
SENDS = f"async () => (({SHELL}).queue$scheduler.scheduleFlush())"
_MODULES = f"""async (given) => {{
  const {{ queue$api, shopping$changes }} = {SHELL};
  return await (%s)({{ ...queue$api, ...shopping$changes }}, given);
}}"""


async def run_with_queue(page: Page, work: str, given: Any = None) -> Any:
    """Run `(modules, given) => ...` in the page, with the modules of the queue."""
    return await page.evaluate(_MODULES % work, given)


async def open_phone(
    home: Home, visitors: Visitors, line: Line, path: str = "/family", **more: Any
) -> Visitor:
    """Open a phone with a service worker on this line."""
    phone = await home.phone(visitors, url=line.url, offline_worker=True, **more)
    await phone.go(path)
    await wait_for_worker(phone)
    return phone


async def queue_addition(phone: Visitor, name: str) -> str:
    """Add an entry to the list through the queue and return its id."""
    made: str = await run_with_queue(phone.page, _ADDS, name)
    return made


async def pending_names(phone: Visitor) -> list[str]:
    names: list[str] = await run_with_queue(
        phone.page, "async (phone) => (await phone.listWaiting()).map(({ label }) => label)"
    )
    return names


async def wait_until_equal(
    expected: Any, found: Callable[[], Awaitable[Any]], seconds: float = 20
) -> None:
    """Wait until `found` returns the expected value; the failure shows the last one."""
    got = None
    try:
        async with asyncio.timeout(seconds):
            while (got := await found()) != expected:  # noqa: ASYNC110  # another program's state
                await asyncio.sleep(0.05)
    except TimeoutError:
        assert got == expected, got


async def wait_until_processed(phone: Visitor, answer: Response) -> None:
    """Wait until the page has processed the response."""
    await answer.finished()
    await phone.page.evaluate(_AFTER)


_AFTER = """async () => {
  for (const _ of "some") await fetch("/healthz").then((answer) => answer.text());
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}"""
_ADDS = """async (phone, name) => {
  const shoppingItemId = crypto.randomUUID();
  await phone.add(phone.draftAddition({ shoppingItemId, name }));
  return shoppingItemId;
}"""


BLOCK_DATABASE = """() => new Promise((done) => {
  window.isBusy = true;
  indexedDB.open("homeshelf").onsuccess = ({ target: { result: db } }) => {
    const things = db.transaction(["changes", "things"], "readwrite").objectStore("things");
    const go = () => (done(), isBusy && (things.count().onsuccess = go));
    go();
  };
})"""
"""Script that keeps a transaction open until `isBusy` is false or the page closes."""
FAIL_DATABASE = """(() => {
  Object.assign(window, { isFailing: true, failed: 0 });
  const { transaction } = IDBDatabase.prototype;
  IDBDatabase.prototype.transaction = function (...given) {
    if (isFailing) throw new DOMException(`${++failed}`, "UnknownError");
    return transaction.apply(this, given);
  };
})()"""
"""Script that makes every transaction fail until `isFailing` is false."""
JOURNAL_SIZE = (
    "Object.keys(localStorage).filter((name) => name.startsWith('homeshelf:note:')).length"
)
SHORTEN_TIMEOUTS = """() => {
  const later = window.setTimeout.bind(window);
  window.setTimeout = (work, pause, ...more) => later(work, pause / 10, ...more);
}"""
"""Script that divides all timeouts by ten."""
