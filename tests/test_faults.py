"""Test that each injected fault changes the code, and leaves a valid program."""

import ast
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from scripts import mutants
from scripts.faults import faults_in
from scripts.mutants import ROOT, SHARED_TESTS, Outcome, choose_faults, is_enough, limit_after, main

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


def test_every_fault_kind_finds_its_places(tmp_path: Path) -> None:
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


def test_faulty_code_still_compiles(tmp_path: Path) -> None:
    for texts in broken(tmp_path, "late.py", PROGRAM).values():
        for text in texts:
            ast.parse(text)


def test_multibyte_characters_do_not_shift_faults(tmp_path: Path) -> None:
    [[text]] = broken(tmp_path, "oel.py", 'x = ["Øl", 7]\n').values()
    assert text == 'x = ["Øl", 8]\n'
    [[page]] = broken(tmp_path, "oel.html", "<p>Øl: {{ count }}!</p>").values()
    assert page == "<p>Øl: !</p>"


def test_decorative_markup_gets_no_faults(tmp_path: Path) -> None:
    page = '<b class="face-{{ name|hue }}">{{- icon("x") }}{{ icon("plus", 28) }}{{ name }}</b>'
    [texts] = broken(tmp_path, "face.html", page).values()
    assert texts == [page.replace("{{ name }}", "")]


def test_same_seed_gives_same_faults() -> None:
    assert choose_faults("shopping", 40, 9) == choose_faults("shopping", 40, 9)
    assert choose_faults("shopping", 40, 9) != choose_faults("shopping", 40, 10)


def test_unknown_slice_is_reported_as_empty() -> None:
    with pytest.raises(SystemExit, match="nothing to break"):
        choose_faults("attic", 40, 9)


def test_shared_test_modules_exist() -> None:
    for name, tests in SHARED_TESTS.items():
        assert list(ROOT.glob(f"homeshelf/*/{name}")), name
        assert all((ROOT / each).is_file() for each in tests), tests


LATE = """import time

PAUSE = 0
SLEPT = time.sleep(PAUSE * int("60"))


def is_late(days: int) -> bool:
    return days > 2
"""
TESTS = """from homeshelf.tiny.late import is_late


def test_late() -> None:
    assert is_late({days})
"""


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with a slice for three faults: its test notices one and hangs with another."""
    for name, text in (
        ("homeshelf/__init__.py", ""),
        ("homeshelf/tiny/__init__.py", ""),
        ("homeshelf/tiny/late.py", LATE),
        ("tests/tiny/test_late.py", TESTS.format(days=3)),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)  # noqa: S607
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    monkeypatch.setattr(mutants, "MIN_LIMIT_SECONDS", 5)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return tmp_path


def ended(capsys: pytest.CaptureFixture[str], minutes: float = 5) -> tuple[object, list[str]]:
    """Return the exit and the output of the run."""
    with pytest.raises(SystemExit) as end:
        main("tiny", minutes=minutes, jobs=1)
    return end.value.code, [line for line in capsys.readouterr().out.splitlines() if line]


def test_unnoticed_fault_is_printed(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, (*faults, summary) = ended(capsys)
    assert faults == [
        "homeshelf/tiny/late.py:3: a constant moved: 0 -> 1 (noticed by time alone)",
        "homeshelf/tiny/late.py:8: a comparison turned: days > 2 -> (days >= 2)",
    ]
    assert summary.startswith("tiny, seed 9: 2 of 3 faults noticed, 1 of them by taking longer")
    assert code == 1
    assert (tiny / "homeshelf/tiny/late.py").read_text() == LATE, "only copies are broken"


def test_run_succeeds_when_all_faults_are_noticed(
    tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    simple = "def is_late(days: int) -> bool:\n    return days != 2\n"
    (tiny / "homeshelf/tiny/late.py").write_text(simple)
    code, (said,) = ended(capsys)
    assert said.startswith("tiny, seed 9: 2 of 2 faults noticed, 0 of them")
    assert code == 0


def test_run_fails_when_tests_fail_without_fault(
    tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tiny / "tests/tiny/test_late.py").write_text(TESTS.format(days=2))
    code, said = ended(capsys)
    assert (code, said) == ("The tests of tiny fail without any fault.", [])


@pytest.mark.usefixtures("tiny")
def test_untried_faults_fail_the_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, (said,) = ended(capsys, minutes=0)
    assert said.startswith("tiny, seed 9: 0 of 0 faults noticed")
    assert code == 1


@pytest.mark.parametrize(
    ("ends", "enough"),
    [
        ({Outcome.NOTICED: 85, Outcome.UNNOTICED: 15}, True),
        ({Outcome.NOTICED: 80, Outcome.TOO_SLOW: 5, Outcome.UNNOTICED: 15}, True),
        ({Outcome.NOTICED: 84, Outcome.UNNOTICED: 16}, False),
        ({Outcome.NOTICED: 99, Outcome.NOT_TRIED: 1}, False),
    ],
)
def test_85_percent_of_noticed_faults_pass(ends: dict[Outcome, int], enough: bool) -> None:
    assert is_enough(Counter(ends)) is enough


def test_faulty_tests_time_out_after_20_seconds_or_twice_usual() -> None:
    assert [limit_after(seconds) for seconds in (1, 10, 10.5, 300)] == [20, 20, 21, 600]
