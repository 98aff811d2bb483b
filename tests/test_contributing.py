"""Test that `CONTRIBUTING.md` shows the current tree, and the real path of a write and a page."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from tests.api_client import add_entry
from tests.home import new_home
from tests.pages import see
from tests.running import RunningApp

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text()
PICTURE, WRITE, SHOWN_PAGE = re.findall(r"^```\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_tree_lists_every_folder_of_the_package() -> None:
    inside = PICTURE.partition("homeshelf/\n")[2].partition("\ntests/")[0]
    drawn = re.findall(r"^  (\w.*?)(?:   .*)?$", inside, re.MULTILINE)
    folders = {name for line in drawn for name in re.findall(r"(\w+)/", line)}
    there = {path.parent.name for path in (ROOT / "homeshelf").glob("*/__init__.py")}
    assert folders == there


def test_every_file_in_the_tree_exists() -> None:
    for name in re.findall(r"\b\w+\.py\b", PICTURE):
        assert any((ROOT / "homeshelf").rglob(name)), name


def test_tree_lists_every_top_level_folder() -> None:
    beside = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"homeshelf"}
    for name in (*beside, "deploy", "docs", "requirements"):
        assert f"{name}/" in PICTURE


def test_recipes_name_code_that_exists() -> None:
    rows = re.findall(r"^\| `(homeshelf/\S+\.py)`.*? \| (.*) \|$", PAGE, re.MULTILINE)
    named = [(path, name) for path, what in rows for name in re.findall(r"`([A-Za-z_]+)`", what)]
    assert named
    for path, name in named:
        assert re.search(rf"\b{name}\b", (ROOT / path).read_text()), f"{name} in {path}"


async def test_write_calls_functions_in_the_documented_order(running: RunningApp) -> None:
    home = await new_home(running, "Home", "ada")
    path = f"/shopping-list/{(await add_entry(home.admin, name='Milk'))['shoppingItemId']}"
    with recorded_calls() as calls:
        await home.admin.patch(path, {"name": "Bread", "version": 1}, key="k")
    require_in_order(WRITE, calls)


async def test_page_calls_functions_in_the_documented_order(running: RunningApp) -> None:
    home = await new_home(running, "Home", "ada")
    with recorded_calls() as calls:
        await see(home.admin, "/notices")
    require_in_order(SHOWN_PAGE, calls)


def test_drawings_have_few_functions_and_are_not_deep() -> None:
    drawn = [line for line in (WRITE + SHOWN_PAGE).splitlines() if ".py" in line]
    assert len(drawn) <= 20
    assert max((len(line) - len(line.lstrip())) // 2 for line in drawn) + 1 <= 6


Call = tuple[str, str]


@contextmanager
def recorded_calls() -> Iterator[list[Call]]:
    """Record the functions that are called, with their files."""
    calls: list[Call] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            calls.append((frame.f_code.co_name, frame.f_code.co_filename))

    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(None)


def require_in_order(drawing: str, calls: list[Call]) -> None:
    remaining = iter(calls)
    for name, file in re.findall(r"^ *(\w+) +([\w/*]+\.py)", drawing, re.MULTILINE):
        assert any(call == name and Path(where).match(file) for call, where in remaining), (
            name,
            file,
        )
