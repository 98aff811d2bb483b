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


def test_new_folders_are_private_and_parents_unchanged(folder: Path) -> None:
    make_private_folder(folder / "some" / "where")
    make_private_folder(folder / "some" / "where")
    assert [rights(folder / name) for name in ("", "some", "some/where")] == [0o777, 0o700, 0o700]


def test_new_file_is_private_from_the_start(folder: Path) -> None:
    make_private_file(folder / "new")
    assert rights(folder / "new") == 0o600
    (folder / "new").write_text("kept")
    make_private_file(folder / "new")
    assert (folder / "new").read_text() == "kept"


def test_readable_file_is_made_private_with_its_content(folder: Path) -> None:
    for before, after in ((0o644, 0o600), (0o440, 0o400), (0o770, 0o700), (0o600, 0o600)):
        (folder / "file").unlink(missing_ok=True)
        (folder / "file").touch()
        (folder / "file").chmod(before)
        keep_private(folder / "file")
        assert rights(folder / "file") == after
    keep_private(folder / "missing")
    assert not (folder / "missing").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_file_of_another_owner_is_unchanged(folder: Path) -> None:
    (folder / "file").touch(0o644)
    os.seteuid(NOBODY)
    try:
        keep_private(folder / "file")
    finally:
        os.seteuid(0)
    assert rights(folder / "file") == 0o644


def test_read_and_write_access_of_others_are_distinguished(folder: Path) -> None:
    (folder / "file").touch(0o644)
    assert is_open_to_others(folder / "file")
    assert not is_open_to_others(folder / "file", WRITING)
    (folder / "file").chmod(0o662)
    assert is_open_to_others(folder / "file", WRITING)
    assert not is_open_to_others(folder / "missing")


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
