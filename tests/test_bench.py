"""`make bench` runs whole, and a figure beyond its bar ends it with 1."""

import subprocess
import sys

import pytest

SMALL = """
import sys
from bench import books, growth, hot, requests
from bench.__main__ import main

requests.TIMES = requests.ROUNDS = growth.TIMES = growth.ROUNDS = 1
books.TIMES = books.ROUNDS = 1
requests.ADDED, growth.MANY, hot.PEOPLE, hot.EACH = 10, 250, 3, 2
books.MANY, books.FLAT = 100, 1000
requests.AT_MOST_SECONDS = requests.AT_MOST_CONSTANTS = growth.FLAT = 1000
hot.WAIT_AT_MOST_SECONDS = {wait}
hot.CPU_AT_MOST_SECONDS = 1000
sys.exit(main({parts}))
"""


def bench(parts: list[str], wait: float = 1000) -> "subprocess.CompletedProcess[str]":
    """In a process of its own, because loggers keep the stream that they first had."""
    program = SMALL.format(parts=parts, wait=wait)
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=55, check=False
    )


def test_parts_run_one_after_the_other_and_each_bar_has_a_verdict() -> None:
    ran = bench(["books", "requests", "growth", "hot"])
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "missed" not in ran.stdout
    for what in (
        "reach a page",
        "add an item to the list",
        "the last page of 250",
        "the wait of one, p95",
    ):
        assert what.split(",")[0] in ran.stdout, what


def test_a_figure_beyond_its_bar_ends_it_with_1() -> None:
    ran = bench(["hot"], wait=0)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert ran.stdout.endswith("missed: hot: the wait of one, p95\n")


@pytest.mark.parametrize("name", ["nothing", "__main__", "report"])
def test_an_unknown_part_is_named(name: str) -> None:
    ran = bench([name])
    assert ran.returncode == 2
    assert ran.stdout.startswith(f"There is no {name}; there is books, growth, hot, ")
