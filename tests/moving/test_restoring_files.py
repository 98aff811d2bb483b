"""Test which files can be restored: complete ones of this and earlier versions."""

import os
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import httpx
import pytest

from homeshelf.table.sqlite.file import current_version
from tests.forked_processes import run, served
from tests.former.folder import LATER
from tests.moving.households import (
    backup,
    execute_sql,
    hash_files,
    refusal_of,
    signed_in_client,
    variables,
)
from tests.table.support import FORMER_LAYOUTS

__all__ = ["backup", "variables"]
Spoil = Callable[[Path], None]


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def overwrite_page(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(8192)
        file.write(os.urandom(4096))


def replace_by_other_program(path: Path) -> None:
    path.unlink()
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("CREATE TABLE HomeshelfHelper(PK, SK, ttl, item)")


def set_newer_version(path: Path) -> None:
    execute_sql(path, f"PRAGMA user_version = {current_version() + 1}")


def add_write_ahead_log(path: Path) -> None:
    path.with_name(f"{path.name}-wal").write_bytes(b"more of it")


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (truncate, "is damaged; nothing was changed."),
        (overwrite_page, "is damaged; nothing was changed."),
        (replace_by_other_program, "is not a Homeshelf database; nothing was changed."),
        (lambda path: path.write_text("Dear diary, " * 500), "is not a Homeshelf database"),
        (lambda path: path.write_bytes(b""), "is not a Homeshelf database"),
        (set_newer_version, "was made by a newer Homeshelf; install that version or a later one."),
        (
            add_write_ahead_log,
            "is in use, or was not closed: backup.db-wal has its latest changes.",
        ),
        (replace_by_folder, "There is no file "),
        (lambda path: path.unlink(), "There is no file "),
    ],
    ids=["cut", "scratched", "another's", "text", "empty", "newer", "open", "folder", "none"],
)
def test_restore_of_a_bad_file_changes_nothing(
    tmp_path: Path, variables: dict[str, str], backup: Path, spoil: Spoil, said: str
) -> None:
    spoil(backup)
    before = hash_files(tmp_path)
    assert said in refusal_of(run(tmp_path, "restore", str(backup), "--over", **variables))
    assert hash_files(tmp_path) == before


@pytest.mark.parametrize(
    "damage", [truncate, overwrite_page, lambda path: path.write_text("lost" * 5000)]
)
def test_restore_replaces_a_damaged_house(
    tmp_path: Path, variables: dict[str, str], backup: Path, damage: Spoil
) -> None:
    database = tmp_path / "data" / "homeshelf.db"
    damage(database)
    lost = database.read_bytes()
    done = run(tmp_path, "restore", str(backup), "--over", **variables)
    assert done.returncode == 0, done.stderr
    (kept,) = (tmp_path / "data").glob("homeshelf.db.before-*")
    assert kept.read_bytes()[100:] == lost[100:]  # the header before it says how the file is opened
    with served(tmp_path, **variables) as homeshelf, signed_in_client(homeshelf):
        pass


@pytest.mark.parametrize("script", FORMER_LAYOUTS, ids=lambda script: script.stem)
def test_restore_upgrades_backup_of_an_older_layout(
    tmp_path: Path, variables: dict[str, str], script: Path
) -> None:
    old = tmp_path / "old.db"
    with closing(apsw.Connection(str(old))) as connection:
        connection.execute(script.read_text())
    assert run(tmp_path, "restore", "old.db", **variables).returncode == 0
    assert run(tmp_path, "tables", "check", **variables).returncode == 0
    with closing(apsw.Connection(str(tmp_path / "data" / "homeshelf.db"))) as connection:
        assert connection.pragma("user_version") == current_version()


def test_database_of_an_earlier_version_is_restored(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    """Its signing key was in a separate file, so the house gets a new one."""
    shutil.copy(LATER.path / "homeshelf.db", tmp_path / "former.db")
    before = (tmp_path / "former.db").read_bytes()
    assert run(tmp_path, "restore", "former.db", **variables).returncode == 0
    assert (tmp_path / "former.db").read_bytes() == before
    with served(tmp_path, **variables) as homeshelf:
        assert httpx.get(f"{homeshelf.url}/t/{LATER.made['tags']['rice']}").status_code == 200
