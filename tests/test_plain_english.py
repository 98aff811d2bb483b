from pathlib import Path

import pytest

from scripts.plain_english import check_messages, check_python, check_script

PYTHON = (
    '"""Of the entries that wait."""',
    "LIMIT = 3  # nobody needs more",
    "def test_who_may_enter(): ...",
)
SCRIPT = ("/** What the phone keeps. */", "// somebody else was faster")
MESSAGES = ("Whoever has the link", "word " * 25)


@pytest.mark.parametrize("line", PYTHON)
def test_odd_python_is_found(tmp_path: Path, line: str) -> None:
    path = tmp_path / "odd.py"
    path.write_text(f"{line}\n")
    assert len(list(check_python(path))) == 1


@pytest.mark.parametrize("line", SCRIPT)
def test_odd_script_is_found(tmp_path: Path, line: str) -> None:
    path = tmp_path / "odd.js"
    path.write_text(f"{line}\n")
    assert len(list(check_script(path))) == 1


@pytest.mark.parametrize("text", MESSAGES)
def test_odd_message_is_found(tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.pot"
    path.write_text(f'msgid "{text}"\nmsgstr ""\n')
    assert len(list(check_messages(path))) == 1


def test_plain_english_passes(tmp_path: Path) -> None:
    path = tmp_path / "plain.py"
    path.write_text('"""Return the entries of an item."""\n# The order matters to the phone.\n')
    assert list(check_python(path)) == []
