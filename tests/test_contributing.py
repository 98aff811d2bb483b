"""`CONTRIBUTING.md` draws the tree, and the way of a write, as they are."""

import re
import sys
from pathlib import Path
from types import FrameType

from tests.api_client import add_entry
from tests.home import new_home
from tests.running import RunningApp

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text()
PICTURE, SEQUENCE = re.findall(r"^```\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_every_folder_of_the_program_is_in_the_picture_and_there() -> None:
    inside = PICTURE.partition("homeshelf/\n")[2].partition("\ntests/")[0]
    drawn = re.findall(r"^  (\w.*?)(?:   .*)?$", inside, re.MULTILINE)
    folders = {name for line in drawn for name in re.findall(r"(\w+)/", line)}
    there = {path.parent.name for path in (ROOT / "homeshelf").glob("*/__init__.py")}
    assert folders == there


def test_every_file_in_the_picture_is_there() -> None:
    for name in re.findall(r"\b\w+\.py\b", PICTURE):
        assert any((ROOT / "homeshelf").rglob(name)), name


def test_every_folder_beside_the_program_is_in_the_picture() -> None:
    beside = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"homeshelf"}
    for name in (*beside, "deploy", "docs", "requirements"):
        assert f"{name}/" in PICTURE


def test_the_names_that_are_to_be_touched_stand_in_the_files() -> None:
    rows = re.findall(r"^\| `(homeshelf/\S+\.py)`.*? \| (.*) \|$", PAGE, re.MULTILINE)
    named = [(path, name) for path, what in rows for name in re.findall(r"`([A-Za-z_]+)`", what)]
    assert named
    for path, name in named:
        assert re.search(rf"\b{name}\b", (ROOT / path).read_text()), f"{name} in {path}"


async def test_a_write_goes_the_way_that_is_drawn(running: RunningApp) -> None:
    drawn = re.findall(r"^ *(\w+) +([\w/*]+\.py)", SEQUENCE, re.MULTILINE)
    home = await new_home(running, "Home", "ada")
    path = f"/shopping-list/{(await add_entry(home.admin, name='Milk'))['shoppingItemId']}"
    calls: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            calls.append((frame.f_code.co_name, frame.f_code.co_filename))

    sys.setprofile(note)
    try:
        await home.admin.patch(path, {"name": "Bread", "version": 1}, key="k")
    finally:
        sys.setprofile(None)
    remaining = iter(calls)
    for name, file in drawn:
        assert any(call == name and Path(where).match(file) for call, where in remaining), (
            name,
            file,
        )
