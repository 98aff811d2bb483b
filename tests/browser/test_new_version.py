"""A new version of the app arrives on a phone with a pending queue."""

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser

import homeshelf
from tests.browser.demo_household import DemoHousehold
from tests.browser.family_home import Home, create_home
from tests.browser.list_page import expect_bought, tick
from tests.browser.storage import (
    cached_paths,
    open_phone,
    queue_addition,
    run_with_queue,
    wait_until_equal,
)
from tests.browser.visitor import Visitor, Visitors
from tests.network import Line, line_to
from tests.processes import Served, served

PACKAGE = Path(homeshelf.__file__).parent
HALF_WRITTEN = shutil.ignore_patterns("*.pyc.*")
"""Temporary files of another process that compiles modules."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


@contextmanager
def serve_version(folder: Path, name: str) -> Iterator[Served]:
    """Serve the same household with `name` in its scripts."""
    place = folder / name
    place.mkdir()
    copied = shutil.copytree(PACKAGE, place / "homeshelf", ignore=HALF_WRITTEN)
    app = copied / "web" / "static" / "js" / "app.js"
    app.write_text(f"{app.read_text()}\nvoid '{name}';\n")
    with served(place, HOMESHELF_DATA_DIR=str(folder / "data"), PYTHONPATH=str(place)) as running:
        yield running


@pytest.fixture
async def line() -> AsyncIterator[Line]:
    async with line_to("http://127.0.0.1:9") as line:
        yield line


async def test_new_version_keeps_queue_and_opens_list_offline(
    browser: Browser, folder: Path, line: Line
) -> None:
    with serve_version(folder, "one") as first:
        home, visitors = _create_home(first, browser, folder)
        line.upstream = first.url
        home.admin.ask("POST", "/shopping-list", {"name": "Tea"})
        phone = await open_phone(home, visitors, line, "/list")
        await wait_until_equal(KEPT_PAGES, lambda: cached_paths(phone))
        before = await phone.page.evaluate(VERSIONS)
        line.becomes("cut")
        await tick(phone, "Tea")
        await queue_addition(phone, "Milk")
        await run_with_queue(phone.page, OF_SOMEBODY_ELSE)
        home.admin.api.close()
    with serve_version(folder, "two") as second:
        line.upstream = second.url
        line.becomes("open")
        await wait_until_equal(True, lambda: _has_only_another_version(phone, before))
        await wait_until_equal(["Bread"], lambda: phone.page.evaluate(WAITING))
        line.becomes("cut")
        await phone.go("/list")
        await phone.reads_above_all("Shopping list")
        await expect_bought(phone, "Tea", yes=True)
        await expect_bought(phone, "Milk", yes=False)
        (now,) = await phone.page.evaluate(VERSIONS)
        assert await phone.page.evaluate(LOADED) == now.removeprefix("homeshelf-")
        assert await phone.page.evaluate(WAITING) == ["Bread"]
        line.becomes("open")
        found = sorted((entry["name"], entry["status"]) for entry in _entries(home, second))
        assert found == [("Milk", "pending"), ("Tea", "purchased")]
    await visitors.leave()


def _create_home(running: Served, browser: Browser, folder: Path) -> tuple[Home, Visitors]:
    household = DemoHousehold(running.url, running.process.pid, {}, folder / "data", {})
    return create_home(household, "Ada"), Visitors(browser, household)


def _entries(home: Home, running: Served) -> list[dict[str, str]]:
    person = type(home.admin)(running.url, "Ada", home.admin.email, home.admin.password)
    found: list[dict[str, str]] = person.ask("GET", "/shopping-list")["items"]
    person.api.close()
    return found


async def _has_only_another_version(phone: Visitor, before: object) -> bool:
    """Open the list, which lets a worker that was interrupted delete the older version."""
    await phone.go("/list")
    found: list[str] = await phone.page.evaluate(VERSIONS)
    return len(found) == 1 and found != before


VERSIONS = """async () => [...new Set(
  (await caches.keys()).map((name) => name.replace(/-pages$/, "")))]"""
KEPT_PAGES = {"/", "/list", "/stock", "/books"}
LOADED = """() => document.querySelector("script[src$='/js/app.js']").src.split("/")[4]"""
OF_SOMEBODY_ELSE = """(phone) => phone.add({
  ...phone.draftAddition({ shoppingItemId: crypto.randomUUID(), name: "Bread" }),
  who: "somebody else", family: "another",
})"""
WAITING = """() => new Promise((done) => {
  indexedDB.open("homeshelf").onsuccess = ({ target }) => {
    const asked = target.result.transaction("changes").objectStore("changes").getAll();
    asked.onsuccess = () => done(asked.result.map(({ label }) => label));
  };
})"""
