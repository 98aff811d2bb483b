"""Test that only `homeshelf serve` upgrades a file of an earlier version."""

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from homeshelf.table.sqlite.file import current_version
from tests.forked_processes import run, served
from tests.moving.households import hash_files, refusal_of
from tests.table.support import FORMER_LAYOUTS

UPGRADING = "Upgrading the database; no earlier version can open it afterwards.\n"


@pytest.fixture
def old_file(tmp_path: Path) -> Path:
    path = tmp_path / "data" / "homeshelf.db"
    path.parent.mkdir(mode=0o700)
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(FORMER_LAYOUTS[0].read_text())
    path.chmod(0o600)
    return path


def version_of(path: Path) -> object:
    with closing(apsw.Connection(str(path))) as connection:
        return connection.pragma("user_version")


@pytest.mark.parametrize("command", ["user list", "tables check", "tables create", "demo"])
def test_command_refuses_an_older_layout_and_changes_nothing(
    tmp_path: Path, old_file: Path, command: str
) -> None:
    before = hash_files(tmp_path)
    folder = ["--folder", str(old_file.parent)] if command == "demo" else []
    assert refusal_of(run(tmp_path, *command.split(), *folder)) == (
        f"{old_file if folder else 'data/homeshelf.db'} was made by an earlier Homeshelf; "
        "start `homeshelf serve` of this version once, which upgrades it."
    )
    assert hash_files(tmp_path) == before


@pytest.mark.usefixtures("old_file")
def test_doctor_reports_an_older_layout_and_changes_nothing(tmp_path: Path) -> None:
    before = hash_files(tmp_path)
    done = run(tmp_path, "doctor")
    assert done.returncode == 1
    assert "WRONG database: data/homeshelf.db was made by an earlier Homeshelf" in done.stdout
    assert hash_files(tmp_path) == before


def test_backup_copies_an_older_layout_as_it_is(tmp_path: Path, old_file: Path) -> None:
    before = old_file.read_bytes()
    assert run(tmp_path, "backup", "copy.db").returncode == 0
    assert old_file.read_bytes() == before
    assert version_of(tmp_path / "copy.db") == 1


def test_serve_upgrades_an_older_layout_and_says_so_once(tmp_path: Path, old_file: Path) -> None:
    for said in (True, False):
        with served(tmp_path) as homeshelf:
            assert homeshelf.log.read_text().startswith(UPGRADING) is said
    assert version_of(old_file) == current_version()
