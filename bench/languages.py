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
from gettext import NullTranslations
from pathlib import Path
from time import process_time
from typing import Any

import httpx
from jinja2 import Environment, Template

from bench import processes
from bench.report import Report
from bench.sample import entries, items
from bench.server import serving
from homeshelf.config import SqliteAt
from homeshelf.languages import LANGUAGES, speaking
from homeshelf.table import open_database
from homeshelf.web import pages
from tests.home import new_home
from tests.pages import OURS
from tests.running import running_app

MEMORY_BEFORE_AT_MOST_MB = 3.0
MEMORY_USED_AT_MOST_MB = 13.0
CPU_AT_MOST = 1.1
GROWTH_AT_MOST_KB = 2.0
PAGES = ("/stock", "/list", "/settings", "/")
THINGS = 60
ROUNDS = 40

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


def run(report: Report) -> None:
    _before_a_page(report)
    _once_all_are_used(report)
    asyncio.run(_rendering(report))


def _before_a_page(report: Report) -> None:
    ran = subprocess.run([sys.executable, "-c", _IMPORTED], capture_output=True, check=True)
    grown = int(ran.stdout) / 1000
    report.bound("memory before a page", grown, "{:.1f} MB", at_most=MEMORY_BEFORE_AT_MOST_MB)


def _once_all_are_used(report: Report) -> None:
    with serving() as server:
        home = server.household()
        asyncio.run(server.seed(items(home.family_id, home.member_id, THINGS)))
        used: dict[str, float] = {}
        for code in LANGUAGES:
            ada = {"Authorization": home.authorization, "Accept-Language": code}
            with httpx.Client(base_url=server.url, headers=ada) as client:
                for page in PAGES * 3:
                    client.get(page).raise_for_status()
            used[code] = processes.pss_bytes(server.pid) / 1e6
    first, *others = used.values()
    grown = max(others) - first
    report.bound("memory once all are used", grown, "{:.1f} MB", at_most=MEMORY_USED_AT_MOST_MB)


async def _rendering(report: Report) -> None:
    with tempfile.TemporaryDirectory() as folder:
        db = open_database(SqliteAt(Path(folder) / "homeshelf.db"))
        async with running_app(db) as running:
            home = await new_home(running, "Lovelace", "ada")
            records = items(home.family_id, home.admin.member_id, THINGS)
            listed = entries(home.family_id, home.admin.member_id, THINGS)
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
                ours, beside = _times([pages.template(name), plain.get_template(name)], context)
                grown = max(grown, (_packed(pages.template(name), context) - before) / 1000)
            report.ratio(f"{name}, {language.code}", ours, beside, at_most=CPU_AT_MOST)
        report.bound(f"{name} grows", grown, "{:.2f} kB", at_most=GROWTH_AT_MOST_KB)


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


def _times(templates: Sequence[Template], context: dict[str, Any]) -> list[float]:
    """The best of some rounds of each, in turns: whatever else the machine does only adds to it."""
    best = [float("inf")] * len(templates)
    gc.collect()
    for _ in range(ROUNDS):
        for number, template in enumerate(templates):
            began = process_time()
            template.render(**context)
            best[number] = min(best[number], process_time() - began)
    return best


def _packed(template: Template, context: dict[str, Any]) -> int:
    return len(gzip.compress(template.render(**context).encode(), 5))
