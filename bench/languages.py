"""What languages cost: the memory of those that are read, and the time that a page takes more than
with plain English in it."""

import asyncio
import gc
import gzip
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from gettext import NullTranslations
from pathlib import Path
from time import process_time
from typing import Any

import httpx
from jinja2 import Environment, Template

from bench import processes
from bench.figures import Figure, ratios
from bench.part import Part, Report
from bench.sample import entries, items
from bench.server import serving
from homeshelf.config import SqliteAt
from homeshelf.languages import LANGUAGES, speaking
from homeshelf.table import open_database
from homeshelf.web import pages
from tests.home import new_home
from tests.pages import OURS
from tests.running import running_app

BEFORE, USED = "memory before a page", "memory once all are used"
CPU_AT_MOST = 1.1
PAGES = {
    "/stock": "inventory/stock.html",
    "/list": "shopping/list.html",
    "/settings": "accounts/settings.html",
    "/": "home/home.html",
}
"""Paths, and the templates behind them."""
RENDERED = [(name, code) for name in PAGES.values() for code in LANGUAGES]


@dataclass(frozen=True)
class Sizes:
    things: int = 60
    rounds: int = 40
    visited: tuple[str, ...] = tuple(PAGES) * 3
    """Where memory is looked at."""


_IMPORTED = """
from pathlib import Path
import contextvars, datetime, decimal, gettext, json, jinja2
def pss():
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
before = pss()
import homeshelf.languages.formats, homeshelf.languages.negotiation, homeshelf.sentences
print(pss() - before)
"""


def run(report: Report, sizes: Sizes) -> None:
    report.step("memory")
    ran = subprocess.run([sys.executable, "-c", _IMPORTED], capture_output=True, check=True)
    report.measured(BEFORE, int(ran.stdout) / 1000)
    asyncio.run(_once_all_are_used(report, sizes))
    report.step("rendering")
    asyncio.run(_rendering(report, sizes))


async def _once_all_are_used(report: Report, sizes: Sizes) -> None:
    with serving() as server:
        home = await server.household()
        await server.seed(items(home.family_id, home.member_id, sizes.things))
        used: dict[str, float] = {}
        for code in LANGUAGES:
            ada = {"Authorization": home.authorization, "Accept-Language": code}
            async with httpx.AsyncClient(base_url=server.url, headers=ada) as client:
                for page in sizes.visited:
                    (await client.get(page)).raise_for_status()
            used[code] = processes.pss_bytes(server.pid) / 1e6
    first, *others = used.values()
    report.measured(USED, max(others) - first)


async def _rendering(report: Report, sizes: Sizes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        db = open_database(SqliteAt(Path(folder) / "homeshelf.db"))
        async with running_app(db) as running:
            home = await new_home(running, "Lovelace", "ada")
            records = items(home.family_id, home.admin.member_id, sizes.things)
            listed = entries(home.family_id, home.admin.member_id, sizes.things)
            await running.db.batch([record.put() for record in (*records, *listed)])
            with _recorded() as contexts:
                for page in PAGES:
                    await home.admin.client.get(page, headers=OURS)
        await db.close()
    plain = _in_plain_english()
    for name, context in contexts:
        before, grown = _packed(plain.get_template(name), context), 0.0
        for language in LANGUAGES.values():
            with speaking(language):
                templates = [pages.template(name), plain.get_template(name)]
                report.measured(
                    _rendered(name, language.code), *_times(templates, context, sizes.rounds)
                )
                grown = max(grown, (_packed(pages.template(name), context) - before) / 1000)
        report.measured(_grows(name), grown)


def _rendered(name: str, code: str) -> str:
    return f"{name}, {code}"


def _grows(name: str) -> str:
    return f"{name} grows"


def _in_plain_english() -> Environment:
    """The same templates with the functions that Jinja brings for one language."""
    templates = pages.environment()
    templates.install_gettext_translations(NullTranslations(), newstyle=True)  # type: ignore[attr-defined]  # the extension's
    return templates


@contextmanager
def _recorded() -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """What pages are rendered with."""
    found: list[tuple[str, dict[str, Any]]] = []
    usual = pages.template

    class Recording:
        def __init__(self, name: str) -> None:
            self.name = name

        def render(self, **context: Any) -> str:
            found.append((self.name, context))
            return usual(self.name).render(**context)

    pages.template = Recording  # type: ignore[assignment]  # for what is rendered meanwhile
    try:
        yield found
    finally:
        pages.template = usual


def _times(templates: Sequence[Template], context: dict[str, Any], rounds: int) -> list[float]:
    """The best of some rounds of each, in turns: whatever else the machine does only adds to it."""
    best = [float("inf")] * len(templates)
    gc.collect()
    for _ in range(rounds):
        for number, template in enumerate(templates):
            began = process_time()
            template.render(**context)
            best[number] = min(best[number], process_time() - began)
    return best


def _packed(template: Template, context: dict[str, Any]) -> int:
    return len(gzip.compress(template.render(**context).encode(), 5))


PART = Part(
    about=(
        "What speaking six languages costs: memory, the CPU of rendering a page beside the same "
        "template with plain English in it (in turns, the best of 40), and how many bytes a page "
        "has more, packed."
    ),
    figures=[
        Figure(BEFORE, "MB", 3.0),
        Figure(USED, "MB", 13.0),
        *ratios([_rendered(name, code) for name, code in RENDERED], CPU_AT_MOST),
        *(Figure(_grows(name), "kB", 2.0) for name in PAGES.values()),
    ],
    run=run,
    full=Sizes(),
    tiny=Sizes(2, 1, ("/settings",)),
    seconds=90,
)
