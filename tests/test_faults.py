"""Deliberate faults are real ones: each changes what runs, and what it gives is still a program."""

import ast
from pathlib import Path

import pytest

from scripts.faults import faults_in
from scripts.mutants import BESIDE, ROOT, choose

PROGRAM = '''"""Says 1 == 1."""
def late(due: "int | None" = 3, ready: bool = True) -> "bool == True":
    if due is None or not ready:
        forget(due)
    return due <= 2
'''


def broken(folder: Path, name: str, text: str) -> dict[str, list[str]]:
    (folder / name).write_text(text)
    found: dict[str, list[str]] = {}
    for fault in faults_in(folder, Path(name)):
        after = fault.put_into(text.encode()).decode()
        assert after != text
        found.setdefault(fault.kind, []).append(after)
    return found


def test_every_kind_of_fault_is_found_where_it_can_be_put(tmp_path: Path) -> None:
    found = broken(tmp_path, "late.py", PROGRAM)
    assert {kind: len(each) for kind, each in found.items()} == {
        "a comparison turned": 2,
        "a constant moved": 3,
        "a condition dropped": 2,
        "a call left out": 1,
    }
    assert any("return (due < 2)" in text for text in found["a comparison turned"])
    assert any("= 4, ready" in text for text in found["a constant moved"])
    assert any("if False:" in text for text in found["a condition dropped"])
    assert any("        pass\n" in text for text in found["a call left out"])


def test_what_is_broken_is_still_a_program(tmp_path: Path) -> None:
    for texts in broken(tmp_path, "late.py", PROGRAM).values():
        for text in texts:
            ast.parse(text)


def test_letters_of_more_than_a_byte_move_no_fault(tmp_path: Path) -> None:
    [[text]] = broken(tmp_path, "oel.py", 'x = ["Øl", 7]\n').values()
    assert text == 'x = ["Øl", 8]\n'
    [[page]] = broken(tmp_path, "oel.html", "<p>Øl: {{ count }}!</p>").values()
    assert page == "<p>Øl: !</p>"


def test_decoration_is_left_alone(tmp_path: Path) -> None:
    page = '<b class="face-{{ name|hue }}">{{- icon("x") }}{{ icon("plus", 28) }}{{ name }}</b>'
    [texts] = broken(tmp_path, "face.html", page).values()
    assert texts == [page.replace("{{ name }}", "")]


def test_the_same_seed_breaks_the_same_things() -> None:
    assert choose("shopping", 40, 9) == choose("shopping", 40, 9)
    assert choose("shopping", 40, 9) != choose("shopping", 40, 10)


def test_a_slice_that_is_not_there_is_said_to_be_empty() -> None:
    with pytest.raises(SystemExit, match="nothing to break"):
        choose("attic", 40, 9)


def test_what_is_tested_for_all_slices_at_once_is_there() -> None:
    for name, tests in BESIDE.items():
        assert list(ROOT.glob(f"homeshelf/*/{name}")), name
        assert all((ROOT / each).is_file() for each in tests), tests
