"""Test that the program starts and opens its pages without the folder and line of any slice."""

import asyncio
import json
import os
import re
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, Response

from tests.browser.screens import DESKTOP, chromium
from tests.rooms import PROGRAM, ROOT, SLICES, drawn, naming
from tests.starting import ADA

NOT_FOUND = 404
REFUSED = {401, 403}
"""The browser's console reports pages for other roles with these statuses."""
KIND = re.compile(r'"(\w+\.\w+)": \w+|registerKinds\({ (\w+) }\)')


@dataclass
class Starter:
    """Starts the program without some slices, one start after the other."""

    process: asyncio.subprocess.Process
    copy: Path

    async def start(self, gone: set[str], folder: Path) -> "Started":
        for name in (path.name for path in self.copy.iterdir() if path.name in {*SLICES, "app.py"}):
            (self.copy / name).unlink()
        for name in set(SLICES) - gone:
            (self.copy / name).symlink_to(PROGRAM / name)
        (self.copy / "app.py").write_text(_app_without(gone))
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{folder}\n".encode())
        return Started(folder, asyncio.create_task(self.process.stdout.readline()))


@dataclass
class Started:
    folder: Path
    ended: "asyncio.Task[bytes]"

    async def serving(self) -> tuple[str, list[str]]:
        """Return the address and the paths of its pages."""
        found = self.folder / "serving.json"
        while not found.exists():  # another program's
            assert not self.ended.done(), self.said("stderr")
            await asyncio.sleep(0.02)
        serving = json.loads(found.read_text())
        return serving["url"], serving["pages"]

    async def end(self) -> int:
        (self.folder / "seen").touch()
        return int(await self.ended)

    def said(self, name: str) -> str:
        return (self.folder / name).read_text()


@pytest.fixture(scope="module")
async def starter(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Starter]:
    """Load the modules that know no slice once for all tests."""
    place, templates = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("templates")
    copy = place / "homeshelf"
    copy.mkdir()
    for path in PROGRAM.iterdir():
        if path.name not in {*SLICES, "app.py", "__pycache__"}:
            (copy / path.name).symlink_to(path)  # what is not deleted need not be copied
    environment = {
        **os.environ,
        "PYTHONPATH": f"{place}{os.pathsep}{ROOT}",
        "HOMESHELF_DATA_DIR": "data",
    }
    command = [sys.executable, "-P", "-m", "tests.starting", str(templates), *_modules_above()]
    process = await asyncio.create_subprocess_exec(
        *command, cwd=place, env=environment, stdin=PIPE, stdout=PIPE
    )
    yield Starter(process, copy)
    assert process.stdin
    process.stdin.close()
    await process.wait()


@pytest.fixture(scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as browser:
        yield browser


@pytest.fixture
async def context(browser: Browser) -> AsyncIterator[BrowserContext]:
    context = await browser.new_context(viewport=DESKTOP.viewport)
    yield context
    await context.close()


@pytest.mark.timeout(120)  # it opens fifty pages
@pytest.mark.parametrize("name", SLICES)
async def test_app_starts_and_serves_pages_without_a_slice(
    name: str, starter: Starter, context: BrowserContext, tmp_path: Path
) -> None:
    gone = {name, *naming(name)}
    started = await starter.start(gone, tmp_path)
    try:
        url, paths = await started.serving()
        if "accounts" not in gone:
            await context.request.post(f"{url}/sign-in", form=ADA, headers={"Origin": url})
        page = await context.new_page()
        complaints = await _opened(page, [f"{url}{path}" for path in (*paths, "/offline")])
        kinds = await _kinds(page)
    finally:
        code = await started.end()
    assert code == 0, started.said("stderr")
    (answered,) = re.findall(r"^answers (\d+) ?(.*)$", started.said("stdout"), re.MULTILINE)
    assert (answered[0], set(answered[1].split())) == ("200", set(SLICES) - gone)
    assert complaints == []
    assert kinds == {kind for each in set(SLICES) - gone for kind in _kinds_of(each)}


async def _opened(page: Page, addresses: list[str]) -> list[str]:
    """Open each address and the pages in its menu, and return the errors."""
    wrong: list[str] = []
    opened: set[str] = set()

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error" and message.location["url"] not in opened:
            wrong.append(f"{page.url}: {message.text}")

    def look(response: Response) -> None:
        if response.status in REFUSED and response.request.is_navigation_request():
            opened.add(response.url)
        elif response.status >= 400:
            wrong.append(f"{page.url}: {response.status} {response.url}")

    page.on("console", hear)
    page.on("response", look)
    page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
    links = set[str]()
    for address in addresses:
        await page.goto(address)
        links |= {*await page.eval_on_selector_all(".menu-body a, .places a", _ADDRESSES)}
    statuses = {link: (await page.request.get(link)).status for link in sorted(links)}
    wrong += [f"a menu leads to {link}" for link in statuses if statuses[link] == NOT_FOUND]
    await page.evaluate("navigator.serviceWorker.ready.then(() => null)")  # it has its files
    return wrong


_ADDRESSES = "links => links.map(({ href }) => href)"


async def _kinds(page: Page) -> set[str]:
    """Return the kinds of changes that the service worker can send."""
    return {*await page.evaluate(_KINDS)}


_KINDS = """async () => {
  const { src } = document.querySelector("script[src$='/js/app.js']");
  const { queue$kinds } = await import(src.replace("app.js", "queue/background.js"));
  return Object.keys(queue$kinds.kinds);
}"""


def _kinds_of(name: str) -> Iterator[str]:
    for path in (PROGRAM / name).glob("static/js/*/kinds.js"):
        yield from (one or other for one, other in KIND.findall(path.read_text()))


def _modules_above() -> Iterator[str]:
    """Yield the modules that know no slice, as CONTRIBUTING.md draws them."""
    rooms = [room for line in drawn() for room in line]
    for room in rooms[: rooms.index(SLICES[0])]:
        paths = [PROGRAM / f"{room}.py", *(PROGRAM / room).rglob("*.py")]
        for path in sorted(path for path in paths if path.exists()):
            parts = path.relative_to(ROOT).with_suffix("").parts
            yield ".".join(part for part in parts if part != "__init__")


def _app_without(gone: set[str]) -> str:
    lines = re.compile(rf"^ +({'|'.join(gone)})(\.SLICE)?,\n", re.MULTILINE)
    app, number = lines.subn("", (PROGRAM / "app.py").read_text())
    assert number == 2 * len(gone)
    return app
