"""`make bench` runs whole, and a figure beyond its bar ends it with 1."""

import os
import subprocess
import sys

import pytest

from bench.__main__ import main

SMALL = """
import sys
from bench import books, crowd, growth, hot, requests, shares, stock
from bench import list as shopping
from bench.taps import crate, dead, lookups, pages, shelves
from bench.__main__ import main

requests.TIMES = requests.ROUNDS = growth.TIMES = growth.ROUNDS = 1
books.TIMES = books.ROUNDS = 1
requests.ADDED, growth.MANY, hot.PEOPLE, hot.EACH = 10, 250, 3, 2
books.MANY, books.FLAT = 100, 1000
shares.PHONES, shares.SECONDS, shares.ASKED = 3, 1, 10
shares.CPU_AT_MOST = shares.HEARD_AT_MOST_SECONDS = shares.SAME = 1000
requests.AT_MOST_SECONDS = requests.AT_MOST_CONSTANTS = growth.FLAT = 1000
hot.WAIT_AT_MOST_SECONDS = {wait}
hot.CPU_AT_MOST_SECONDS = 1000
pages.RUNS = crate.RUNS = dead.RUNS = lookups.RUNS = shelves.FAMILIES = 1
pages.WORKERS = crate.WORKERS = (2,)
crowd.PAUSE_SECONDS = 0.05
pages.PEOPLE = pages.PACED = crate.PEOPLE = dead.REQUESTS = lookups.TIMES = 20
pages.ROUNDS, pages.BUSY, pages.BUSY_SECONDS, crate.TAGS = 2, 10, 0.2, 4
pages.AT_ONCE_SECONDS = pages.PACED_SECONDS = crate.AT_MOST_SECONDS = 1000
dead.APART_AT_MOST = lookups.ONE_SECONDS = lookups.ITEM_SECONDS = lookups.FAMILY_SECONDS = 1e6
shopping.RUNS, shopping.FEW, shopping.MANY, shopping.LATENCY_SECONDS = 1, 3, 6, 0.2
shopping.SEEN_AT_MOST_MS, shopping.OPEN_AT_MOST_MS = {seen}, 1e6
stock.RUNS, stock.THINGS, stock.OPEN_AT_MOST_MS = 1, 120, 1e6
sys.exit(main({parts}))
"""


def bench(
    parts: list[str], wait: float = 1000, seen: float = 1e6
) -> "subprocess.CompletedProcess[str]":
    """In a process of its own, because loggers keep the stream that they first had.

    So wide that no figure, however long, breaks a line of the table.
    """
    return subprocess.run(
        [sys.executable, "-c", SMALL.format(parts=parts, wait=wait, seen=seen)],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
        env={**os.environ, "COLUMNS": "200"},
    )


def test_parts_run_one_after_the_other_and_each_bar_has_a_verdict() -> None:
    ran = bench(["books", "requests", "growth", "shares"])
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "missed" not in ran.stdout
    for what in (
        "reach a page",
        "add an item to the list",
        "the last page of 250",
        "until the last has heard it",
    ):
        assert what.split(",")[0] in ran.stdout, what


@pytest.mark.timeout(120)
def test_a_crowd_at_the_tags_is_counted_whole() -> None:
    ran = bench(["taps"])
    assert ran.returncode == 0, ran.stdout + ran.stderr
    for what in ("not counted", "histories that do not", "errors"):
        lines = [line.split() for line in ran.stdout.splitlines() if what in line]
        assert {line[-3] for line in lines} == {"0"}, lines


def test_a_figure_beyond_its_bar_ends_it_with_1() -> None:
    ran = bench(["hot"], wait=0)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert ran.stdout.endswith("missed: hot: the wait of one, p95\n")
    assert ran.stdout.count("missed:") == 1


def test_what_a_person_waits_for_is_measured() -> None:
    ran = bench(["list", "stock"], seen=0)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    missed = [line.split(": ")[-1] for line in ran.stdout.splitlines() if "missed:" in line]
    taps = ["from a tap to what it does", "from Enter to the new row", "a tick among many"]
    assert missed == taps
    for what in ("the list is open", "the stock is open", "the last one is found"):
        assert f"until {what}" in ran.stdout


@pytest.mark.parametrize("name", ["nothing", "__main__", "report"])
def test_an_unknown_part_is_named(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name]) == 2
    said = capsys.readouterr().out
    assert said.startswith(f"There is no {name}; there is books, growth, hot, ")
