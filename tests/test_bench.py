"""Test that `make bench` runs, stores its results and exits with 1 for a missed limit."""

import json
import re
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from threading import Thread
from xml.etree import ElementTree as ET

import pytest

from bench import crowd, page, remote, results, server, start
from bench.__main__ import main
from bench.charts import Curves, Rows, draw
from bench.family_database import ENTRIES, ITEMS, family_database
from bench.figures import Figure, Measured
from bench.part import AnyPart, Event, Part, Report
from bench.suite import SUITE
from homeshelf.accounts.model import Account
from homeshelf.config import SqliteAt
from homeshelf.families.model import Member
from homeshelf.inventory.model import InventoryItem
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.table import HELPER, open_database
from tests import forked_processes
from tests.processes import Served

IN_A_BROWSER = {"list", "weights"}
"""Parts that `tests/browser/test_bench.py` runs, because they need a browser."""


@pytest.fixture
def quick_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start servers from a loaded process, and on a disk without artificial delay."""
    for module in (server, remote, start):
        monkeypatch.setattr(module, "served", forked_processes.served)

    def serving_slowly(
        folder: Path, _milliseconds: int, *options: str, **settings: str
    ) -> AbstractContextManager[Served]:
        return forked_processes.served(folder, *options, **settings)

    monkeypatch.setattr(server, "served_on_a_slow_disk", serving_slowly)


@pytest.fixture
def crowd_of_this_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run crowds in this process, except in the part `hot`, which tests the separate one."""
    if request.getfixturevalue("name") != "hot":
        monkeypatch.setattr(crowd, "run_in_process", crowd.run_plan)


@pytest.mark.usefixtures("quick_starts", "crowd_of_this_process")
@pytest.mark.parametrize("name", [name for name in SUITE if name not in IN_A_BROWSER])
def test_part_measures_every_declared_figure(name: str, tmp_path: Path) -> None:
    part = SUITE[name]
    tiny = replace(part.tiny, cache=tmp_path) if name == "families" else part.tiny
    heard: list[Event] = []
    trouble: list[BaseException] = []

    def run() -> None:
        try:
            part.run(Report(part.figures, heard.append), tiny)
        except BaseException as error:  # noqa: BLE001  # it is raised below
            trouble.append(error)

    thread = Thread(target=run)  # loops of its own, beside that of the tests
    thread.start()
    thread.join()
    if trouble:
        raise trouble[0]
    measured = [event for event in heard if isinstance(event, Measured)]
    assert {each.figure.what for each in measured} == {each.what for each in part.figures}
    _nothing_went_wrong(measured)


def _nothing_went_wrong(measured: list[Measured]) -> None:
    """Check only for errors: the speed of tiny data means nothing."""
    never = [each for each in measured if each.figure.at_most == 0 and each.figure.kind == "count"]
    assert [each.figure.what for each in never if each.value] == []
    assert all(each.value is not None and each.value >= 0 for each in measured)


async def test_copied_family_equals_original(tmp_path: Path) -> None:
    folder = family_database(3, tmp_path)
    assert family_database(3, tmp_path) == folder
    db = open_database(SqliteAt(folder / "data" / "homeshelf.db"))
    found = (await db.engine.scan(HELPER, 10)).items
    accounts = [Account.load(each) for each in found]
    families = {family_id for account in accounts for family_id in account.families}
    assert len(accounts) == len(families) == 3
    for account in accounts:
        (family_id,) = account.families
        member = await db.get(Member.key(family_id=family_id, member_id=account.member_id))
        assert member is not None
        assert member.email == account.email
        items = await db.all(InventoryItem.where(family_id=family_id))
        entries = await db.all(ShoppingListItem.where(family_id=family_id))
        assert (len(items), len(entries)) == (ITEMS, ENTRIES)
    await db.close()


def test_copy_of_other_records_is_discarded(tmp_path: Path) -> None:
    (tmp_path / "families-3-older" / "data").mkdir(parents=True)
    (tmp_path / "building-4194305").mkdir()
    (tmp_path / "families-30-older").mkdir()
    folder = family_database(3, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {folder.name, "families-30-older"}


def test_page_lists_figures_and_bars_of_suite() -> None:
    """Whatever the numbers are; `make bench ARGS=--write-docs` writes it."""
    sections = re.split(r"^### ", page.PAGE.read_text(), flags=re.MULTILINE)[1:]
    shown = {section.partition("\n")[0]: _rows_of(section) for section in sections}
    assert shown == {
        name: [(figure.what, figure.bar) for figure in part.figures] for name, part in SUITE.items()
    }


def _rows_of(section: str) -> list[tuple[str, str]]:
    rows = [line.split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return [(cells[0].removeprefix("| "), cells[4]) for cells in rows[2:]]


@pytest.fixture
def bench(tmp_path: Path) -> Callable[..., int]:
    def run(*arguments: str, **parts: AnyPart) -> int:
        return main([*arguments, "--results", str(tmp_path)], parts)

    return run


def part(
    run: Callable[[Report, int], None], *, at_most: float | None = 2.0, seconds: float = 20.0
) -> AnyPart:
    figures = [Figure("the wait", "time", at_most), Figure("beside it", "time", 3.0, "ratio")]
    return Part("What it is.", figures, run, 1, 0, seconds)


def measures(report: Report, size: int) -> None:
    report.step("measuring")
    report.measured("the wait", 1.0)
    report.measured("beside it", 4.0, 2.0)
    report.chart(Curves("curve", "a & b", "families", {"list": [(1, 1.0), (100, 1.2)]}, 1.5))
    assert size in (0, 1)


def breaks(report: Report, _: int) -> None:
    report.measured("the wait", 1.0)
    raise ValueError("there is no [disk]")


def forgets(report: Report, _: int) -> None:
    report.measured("the wait", 1.0)


def hangs(_: Report, __: int) -> None:
    time.sleep(60)


def test_results_store_date_machine_and_bar(
    bench: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench("--seed", "7", waits=part(measures)) == 0
    assert "1.00 s" in capsys.readouterr().out
    kept = json.loads((tmp_path / results.FILE).read_text())
    assert kept["seed"] == 7
    assert kept["date"]
    assert kept["commit"]
    assert kept["machine"].keys() == {"cpu", "cores", "system", "python", "sqlite"}
    wait, beside = kept["parts"]["waits"]["figures"]
    known = {"what": "beside it", "kind": "time", "value": 4.0, "beside": 2.0, "ratio": 2.0}
    assert beside == known | {"bar": 3.0, "of": "ratio", "met": True, "verdict": "ok"}
    assert (wait["value"], wait["met"]) == (1.0, True)
    for name in ("waits", "waits-curve"):
        assert _drawing((tmp_path / f"{name}.svg").read_text()).tag.endswith("svg")


def test_figure_beyond_bar_is_named_and_exits_with_1(
    bench: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench(waits=part(measures, at_most=0.5)) == 1
    assert "missed: waits: the wait (1.00 s, at most 0.50 s)\n" in capsys.readouterr().out
    kept = json.loads((tmp_path / results.FILE).read_text())
    assert kept["parts"]["waits"]["figures"][0]["met"] is False


def test_figure_slightly_beyond_bar_is_named_without_failure(
    bench: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench(waits=part(measures, at_most=0.95)) == 0
    assert "just over: waits: the wait" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("run", "why"),
    [(breaks, "ValueError: there is no [disk]"), (hangs, "it took longer than 1 s")],
    ids=["breaks", "hangs"],
)
def test_failed_part_is_explained_and_stops_no_other_part(
    bench: Callable[..., int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    run: Callable[[Report, int], None],
    why: str,
) -> None:
    began = time.monotonic()
    assert bench(first=part(run, seconds=1), second=part(measures)) == 1
    assert time.monotonic() - began < 15
    said = capsys.readouterr().out
    assert f"first failed: {why}" in said
    assert "failed: first: beside it\n" in said
    kept = json.loads((tmp_path / results.FILE).read_text())["parts"]
    assert kept["first"]["failed"] == why
    assert kept["first"]["figures"][1]["value"] is None
    assert kept["first"]["figures"][1]["met"] is False
    assert kept["second"]["failed"] is None


def test_parts_without_time_are_named_and_report_is_in_time(
    bench: Callable[..., int], tmp_path: Path
) -> None:
    began = time.monotonic()
    parts = {"first": part(measures), "second": part(hangs), "third": part(measures)}
    assert bench("--seconds", "2", **parts) == 1
    assert time.monotonic() - began < 15
    kept = json.loads((tmp_path / results.FILE).read_text())["parts"]
    assert kept["first"]["failed"] is None
    assert kept["second"]["failed"].startswith("it took longer than ")
    assert kept["third"]["failed"] == "no time was left for it"


def test_single_part_keeps_results_of_other_parts(
    bench: Callable[..., int], tmp_path: Path
) -> None:
    parts = {"first": part(measures), "second": part(measures)}
    bench("--seed", "1", **parts)
    bench("--seed", "2", "second", **parts)
    kept = json.loads((tmp_path / results.FILE).read_text())["parts"]
    assert {name: found["seed"] for name, found in kept.items()} == {"first": 1, "second": 2}


def test_tiny_run_is_neither_stored_nor_judged(bench: Callable[..., int], tmp_path: Path) -> None:
    assert bench("--tiny", waits=part(measures, at_most=0.1)) == 0
    assert bench("--tiny", waits=part(forgets)) == 1
    assert list(tmp_path.iterdir()) == []


def test_page_is_written_from_stored_results(bench: Callable[..., int], tmp_path: Path) -> None:
    parts = {"waits": part(measures), "new": part(measures)}
    bench("waits", **parts)
    written = tmp_path / "performance.md"
    written.write_text("# By hand\n\n## The figures\n\nold\n")
    page.write(parts, results.load(tmp_path), written)
    text = written.read_text()
    assert text.startswith("# By hand\n\n## The figures\n\nMeasured on 2")
    assert "old" not in text
    assert "| the wait | 1.00 s |  |  | 2.00 s | ok |" in text
    assert "| beside it | 4.00 s | 2.00 s | 2.00 | 3.00 times | ok |" in text
    assert "What it is. Not measured here yet." in text


def test_charts_are_readable_in_light_and_dark_theme() -> None:
    rows = Rows("r", "Weights", [("<list>", 40.0, 70.0, "40 kB"), ("home", 80.0, 70.0, "80 kB")])
    text = draw(rows)
    assert "prefers-color-scheme: dark" in text
    drawing = _drawing(text)
    kinds = [each.get("class") for each in drawing.iter() if each.tag.endswith("rect")]
    assert kinds == ["page", "within", "beyond"]
    assert "<list>" in {each.text for each in drawing.iter()}


def _drawing(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314  # of our own making


@pytest.mark.parametrize("name", ["nothing", "__main__", "results"])
def test_unknown_part_is_reported(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name]) == 2
    said = capsys.readouterr().out
    assert said.startswith(f"There is no {name}; there is requests, growth, ")
