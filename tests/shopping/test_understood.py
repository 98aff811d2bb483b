"""What people type, and what is worked out from it.

The cases are data, because the script of the list has the same rules.
"""

import json
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeshelf.shopping.typed import LONGEST, folded, understood

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "typed_cases.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["text"][:40])
def test_what_is_typed_is_understood(case: dict[str, Any]) -> None:
    known = {folded(name) for name in case["known"]}
    found = understood(case["text"], known)
    entries = [{"name": it.name, "quantity": it.quantity, "notes": it.notes} for it in found]
    assert entries == case["expected"]


@given(st.text(), st.sets(st.text()))
def test_nothing_that_is_typed_is_lost(typed: str, known: set[str]) -> None:
    for entry in understood(typed, known):
        assert entry.name.strip()
        assert entry.quantity is None or 1 <= entry.quantity <= 999
        words = [*entry.name.split(), *(entry.notes or "").split()]
        assert all(word in " ".join(typed.split()) for word in words)


@given(st.lists(st.text("abcdefg hijk", min_size=1).filter(str.strip), max_size=8))
def test_each_line_is_an_entry(lines: list[str]) -> None:
    found = understood("\n".join(lines))
    assert [it.name for it in found] == [" ".join(line.split()) for line in lines]


@pytest.mark.parametrize("piece", ["x ", "a 1 ", "1/2 ", "d'", "2 x ", "- ", "1,"])
def test_however_odd_it_is_it_takes_no_time(piece: str) -> None:
    text = piece * (5000 // len(piece))
    lines = "\n".join(text[start : start + LONGEST] for start in range(0, len(text), LONGEST))
    began = perf_counter()
    understood(text)
    understood(lines)
    assert perf_counter() - began < 1
