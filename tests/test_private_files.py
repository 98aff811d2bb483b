"""Test that new files are readable by their owner only."""

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from homeshelf.private_files import (
    WRITING,
    is_open_to_others,
    keep_private,
    make_private_file,
    make_private_folder,
)

NOBODY = 65534


@pytest.fixture(autouse=True)
def everything_allowed() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


def test_every_folder_that_is_made_is_private_and_those_above_stay(folder: Path) -> None:
    make_private_folder(folder / "some" / "where")
    make_private_folder(folder / "some" / "where")
    assert [rights(folder / name) for name in ("", "some", "some/where")] == [0o777, 0o700, 0o700]


def test_a_file_is_private_from_the_beginning_and_made_once(folder: Path) -> None:
    make_private_file(folder / "new")
    assert rights(folder / "new") == 0o600
    (folder / "new").write_text("kept")
    make_private_file(folder / "new")
    assert (folder / "new").read_text() == "kept"


def test_a_file_that_is_open_to_others_is_closed_and_stays_what_it_was(folder: Path) -> None:
    for before, after in ((0o644, 0o600), (0o440, 0o400), (0o770, 0o700), (0o600, 0o600)):
        (folder / "file").unlink(missing_ok=True)
        (folder / "file").touch()
        (folder / "file").chmod(before)
        keep_private(folder / "file")
        assert rights(folder / "file") == after
    keep_private(folder / "missing")
    assert not (folder / "missing").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_what_belongs_to_somebody_else_is_left_as_it_is(folder: Path) -> None:
    (folder / "file").touch(0o644)
    os.seteuid(NOBODY)
    try:
        keep_private(folder / "file")
    finally:
        os.seteuid(0)
    assert rights(folder / "file") == 0o644


def test_reading_and_writing_by_others_are_told_apart(folder: Path) -> None:
    (folder / "file").touch(0o644)
    assert is_open_to_others(folder / "file")
    assert not is_open_to_others(folder / "file", WRITING)
    (folder / "file").chmod(0o662)
    assert is_open_to_others(folder / "file", WRITING)
    assert not is_open_to_others(folder / "missing")


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
