"""A slice is its folder and its line in `app.py`: without both, the rest starts."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.rooms import PROGRAM, ROOT, SLICES, drawn, naming

Starter = Callable[[set[str], Path], int]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starter]:
    """Starts the program without some slices, in a folder; returns how that ended.

    What knows no slice is loaded once for all, where there is none yet.
    """
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
    with subprocess.Popen(
        command,
        cwd=place,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as starting:
        assert starting.stdin
        assert starting.stdout
        asked, told = starting.stdin, starting.stdout

        def start(gone: set[str], folder: Path) -> int:
            for name in set(SLICES) - gone:
                (copy / name).symlink_to(PROGRAM / name)
            (copy / "app.py").write_text(_app_without(gone))
            asked.write(f"{folder}\n")
            ended = told.readline()
            for name in {*SLICES, "app.py"} - gone:
                (copy / name).unlink()
            return int(ended)

        yield start


@pytest.mark.parametrize("name", SLICES)
def test_without_a_slice_and_those_that_name_it_the_rest_starts(
    name: str, start: Starter, tmp_path: Path
) -> None:
    gone = {name, *naming(name)}
    assert start(gone, tmp_path) == 0, (tmp_path / "stderr").read_text()
    said = (tmp_path / "stdout").read_text()
    (answered,) = re.findall(r"^answers (\d+) ?(.*)$", said, re.MULTILINE)
    assert (answered[0], set(answered[1].split())) == ("200", set(SLICES) - gone)


def _modules_above() -> Iterator[str]:
    """Of rooms that know no slice, as drawn."""
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
