"""Test that a backup is complete, readable by its owner only, and never overwrites a file."""

import fcntl
import os
import signal
import stat
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from homeshelf.coordination.signing_keys import Secret
from homeshelf.moving import backup as backups
from homeshelf.moving.backup import Backup, back_up
from homeshelf.signing import decoded
from homeshelf.table import BOOKS, CannotOpen
from homeshelf.table.operations import Put
from homeshelf.table.sqlite.copies import open_copy
from homeshelf.table.sqlite.engine import Sqlite
from homeshelf.table.sqlite.items import item_at
from tests.forked_processes import run, run_module
from tests.moment import Moment
from tests.moving.households import (
    create_account,
    empty_file,
    execute_sql,
    hash_files,
    house_variables,
    refusal_of,
    run_backup,
)
from tests.processes import environment

EMMA = {"pk": "USER#1", "sk": "BOOK#1", "title": "Emma"}


@pytest.fixture
def house(tmp_path: Path) -> Path:
    return empty_file(tmp_path / "data" / "homeshelf.db")


def make_backup(
    house: Path, target: Path, keep: int | None = None, key: Path | None = None
) -> Backup:
    return back_up(house, key, target, keep, lambda _done, _of: None)


def file_names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_backup_has_mode_600_and_contains_the_signing_key(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        variables = house_variables(tmp_path)
        create_account(tmp_path, variables)
        (tmp_path / "data" / "secret.key").write_text("A" * 43)
        said = run_backup(tmp_path, variables, "monday.db").stdout
    finally:
        os.umask(before)
    backup = tmp_path / "monday.db"
    assert "records and the signing key, and was read back" in said
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    key = Secret.key()
    with open_copy(backup) as copy:
        item = item_at(copy, key.table, key.partition, key.sort, 0)
    assert item is not None
    assert decoded(str(item["secret"])) == decoded("A" * 43)
    assert file_names(tmp_path) == ["data", "monday.db"]


def test_signing_key_of_a_setting_is_not_in_the_backup(tmp_path: Path) -> None:
    variables = house_variables(tmp_path)
    create_account(tmp_path, variables)
    secret = {"HOMESHELF_SECRET": "a secret that the backup has nothing of"}
    said = run_backup(tmp_path, variables | secret, "monday.db").stdout
    assert "records, and was read back" in said


async def test_backup_contains_changes_of_the_write_ahead_log(house: Path, tmp_path: Path) -> None:
    engine = Sqlite(house)
    await engine.write(Put(BOOKS, EMMA))
    assert house.with_name("homeshelf.db-wal").stat().st_size
    make_backup(house, tmp_path / "copy.db")
    await engine.close()
    with open_copy(tmp_path / "copy.db") as copy:
        assert item_at(copy, BOOKS, "USER#1", "BOOK#1", 0) == EMMA


def test_backup_does_not_overwrite_a_file(house: Path, tmp_path: Path) -> None:
    there = tmp_path / "there.db"
    there.write_text("something")
    with pytest.raises(CannotOpen, match=r"there\.db exists already and was not changed\."):
        make_backup(house, there)
    assert there.read_text() == "something"
    assert file_names(tmp_path) == ["data", "there.db"]


def test_backup_in_a_folder_is_named_after_its_time(
    house: Path, tmp_path: Path, moment: Moment
) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    assert make_backup(house, folder).file == folder / "homeshelf-20241101-120000.db"
    with pytest.raises(CannotOpen, match="exists already"):
        make_backup(house, folder)
    moment.pass_by(1)
    make_backup(house, folder)
    assert file_names(folder) == ["homeshelf-20241101-120000.db", "homeshelf-20241101-120001.db"]


@pytest.mark.parametrize("more", [(), ("--keep", "1")])
def test_name_that_ends_with_a_slash_is_a_folder(tmp_path: Path, more: tuple[str, ...]) -> None:
    variables, folder = house_variables(tmp_path), tmp_path / "copies"
    create_account(tmp_path, variables)
    run_backup(tmp_path, variables, "copies/", *more)
    assert folder.is_dir()
    assert [bool(backups.BACKUP_NAME.fullmatch(name)) for name in file_names(folder)] == [True]


def test_name_of_a_file_with_a_slash_is_refused(tmp_path: Path) -> None:
    variables = house_variables(tmp_path)
    create_account(tmp_path, variables)
    (tmp_path / "monday.db").write_text("a file")
    assert (
        refusal_of(run(tmp_path, "backup", "monday.db/", **variables))
        == "monday.db is not a folder."
    )


def test_keep_removes_old_backups_and_no_other_files(
    house: Path, tmp_path: Path, moment: Moment
) -> None:
    folder = tmp_path / "copies"
    kept = make_backup(house, folder, keep=3).file
    strangers = {
        folder / "homeshelf-20200101-000000.db": b"no backup, but named like one",
        folder / "homeshelf.db": kept.read_bytes(),
        folder / "homeshelf-20200101-000000.db.gz": b"packed",
        folder / "notes.txt": b"notes",
    }
    for path, text in strangers.items():
        path.write_bytes(text)
    removed: list[Path] = []
    for _ in range(4):
        moment.pass_by(60)
        removed += make_backup(house, folder, keep=3).removed
    assert [path.name for path in removed] == [
        "homeshelf-20241101-120000.db",
        "homeshelf-20241101-120100.db",
    ]
    ours = [f"homeshelf-20241101-120{minute}00.db" for minute in (2, 3, 4)]
    assert file_names(folder) == sorted([*ours, *(path.name for path in strangers)])


def test_keep_spares_the_newest_backup_if_the_clock_went_back(
    house: Path, tmp_path: Path, moment: Moment
) -> None:
    folder = tmp_path / "copies"
    make_backup(house, folder, keep=1)
    moment.pass_by(-3600)
    make_backup(house, folder, keep=1)
    assert file_names(folder) == ["homeshelf-20241101-110000.db"]


def test_differing_copy_is_discarded_and_keeps_older_backups(
    house: Path, tmp_path: Path, moment: Moment, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "copies"
    make_backup(house, folder, keep=1)

    def spoil(path: Path) -> None:
        execute_sql(path, "INSERT INTO BookTrackerTable(pk, sk, item) VALUES ('1', '2', '{}')")

    monkeypatch.setattr(backups, "sync_file", spoil)
    moment.pass_by(60)
    with pytest.raises(CannotOpen, match="differs from the database"):
        make_backup(house, folder, keep=1)
    assert file_names(folder) == ["homeshelf-20241101-120000.db"]


def test_copy_with_damaged_pages_is_discarded(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoil(path: Path) -> None:
        with path.open("r+b") as file:
            file.seek(4096)
            file.write(b"\xff" * 4096)

    monkeypatch.setattr(backups, "sync_file", spoil)
    with pytest.raises(CannotOpen, match="is damaged"):
        make_backup(house, tmp_path / "copy.db")
    assert file_names(tmp_path) == ["data"]


def test_partial_files_are_removed_and_concurrent_backup_is_refused(
    house: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    (folder / ".homeshelf.partial").write_bytes(b"half of one")
    (folder / ".homeshelf.partial-journal").write_bytes(b"and its journal")
    again: list[str] = []

    def meanwhile(_done: int, _of: int) -> None:
        with pytest.raises(CannotOpen) as told:
            make_backup(house, folder)
        again.append(str(told.value))

    first = back_up(house, None, folder, None, meanwhile)
    assert again[0] == f"Another backup is being made in {folder}."
    assert file_names(folder) == [first.file.name]


def test_partial_file_that_is_a_hard_link_does_not_change_its_backup(
    house: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    whole = folder / "homeshelf-20200101-000000.db"
    whole.write_bytes(b"what was read back yesterday")
    (folder / ".homeshelf.partial").hardlink_to(whole)
    make_backup(house, folder)
    assert whole.read_bytes() == b"what was read back yesterday"
    assert not (folder / ".homeshelf.partial").exists()


@pytest.mark.parametrize("left", ["nothing", "a file of all", "a link"])
def test_partial_backup_is_never_readable_by_other_users(
    house: Path, tmp_path: Path, left: str
) -> None:
    folder, elsewhere = tmp_path / "copies", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.write_text("somebody's")
    elsewhere.chmod(0o666)
    key = tmp_path / "secret.key"
    key.write_text("A" * 43)
    if left == "a file of all":
        (folder / ".homeshelf.partial").hardlink_to(elsewhere)
    if left == "a link":
        (folder / ".homeshelf.partial").symlink_to(elsewhere)
    seen: list[tuple[str, int]] = []

    def look(_done: int, _of: int) -> None:
        seen.extend((path.name, stat.S_IMODE(path.stat().st_mode)) for path in folder.iterdir())

    before = os.umask(0)
    try:
        if left == "a link":
            with pytest.raises(OSError, match="symbolic link"):
                back_up(house, key, folder, None, look)
        else:
            back_up(house, key, folder, None, look)
            assert (".homeshelf.partial", 0o600) in seen
            assert {mode for _, mode in seen} == {0o600}
    finally:
        os.umask(before)
    assert elsewhere.read_text() == "somebody's"


def test_backup_is_refused_if_its_locked_file_was_removed(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flock = fcntl.flock

    def late(descriptor: int, how: int) -> None:
        (tmp_path / ".copy.db.partial").unlink()
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with pytest.raises(CannotOpen, match="Another backup is being made"):
        make_backup(house, tmp_path / "copy.db")
    assert file_names(tmp_path) == ["data"]


def test_killed_backup_leaves_only_whole_backups(tmp_path: Path) -> None:
    variables, folder = house_variables(tmp_path), tmp_path / "copies"
    create_account(tmp_path, variables)
    for number in range(1, 20):
        words = ("files", str(number), "backup", f"copies/homeshelf-20200101-0000{number:02}.db")
        done = run_module("tests.kill_points", words, tmp_path, environment(variables))
        for file in folder.glob("homeshelf*"):
            with open_copy(file):
                pass
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
    assert number > 4
    assert not list(folder.glob(".*"))


@pytest.mark.parametrize("most", [40_000, 200_000])
def test_full_disk_fails_the_backup_and_keeps_older_ones(tmp_path: Path, most: int) -> None:
    variables, folder = house_variables(tmp_path), tmp_path / "copies"
    create_account(tmp_path, variables)
    run_backup(tmp_path, variables, "copies/homeshelf-20200101-000000.db")
    more = "INSERT INTO BookTrackerTable(pk, sk, item) VALUES ('a', 'b', zeroblob(300000))"
    execute_sql(tmp_path / "data" / "homeshelf.db", more)
    before = hash_files(folder)
    words = ("file-size", str(most), "backup", "copies", "--keep", "1")
    done = run_module("tests.faults.environment", words, tmp_path, environment(variables))
    assert refusal_of(done) == "The disk of copies is full or failing; nothing was changed."
    assert hash_files(folder) == before


def test_backup_works_on_a_disk_without_hard_links(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unable(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(Path, "hardlink_to", unable)
    assert make_backup(house, tmp_path / "copy.db").file.exists()
    with pytest.raises(CannotOpen, match="exists already"):
        make_backup(house, tmp_path / "copy.db")


@pytest.mark.parametrize("arguments", [("x.db",), ("x", "--keep", "2")])
def test_backup_without_a_database_makes_no_files(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    said = refusal_of(run(tmp_path, "backup", *arguments, **house_variables(tmp_path)))
    assert said == f"There is no database {tmp_path}/data/homeshelf.db."
    assert file_names(tmp_path) == []


def test_backup_to_an_impossible_path_is_refused(tmp_path: Path) -> None:
    variables = house_variables(tmp_path)
    create_account(tmp_path, variables)
    (tmp_path / "file").write_text("a file")
    said = refusal_of(run(tmp_path, "backup", "file", "--keep", "2", **variables))
    assert said == "file is not a folder."
    assert (
        refusal_of(run(tmp_path, "backup", "file/copy.db", **variables)) == "file is not a folder."
    )
    said = refusal_of(run(tmp_path, "backup", "/proc/homeshelf/copy.db", **variables))
    assert said.startswith("/proc/homeshelf: ")


def test_backup_refuses_database_of_another_program(tmp_path: Path) -> None:
    other = tmp_path / "data" / "homeshelf.db"
    other.parent.mkdir()
    with closing(apsw.Connection(str(other))) as connection:
        connection.execute("CREATE TABLE theirs(x)")
    before = hash_files(tmp_path)
    said = refusal_of(run(tmp_path, "backup", "copy.db", **house_variables(tmp_path)))
    assert said == f"{other} is not a Homeshelf database; nothing was changed."
    assert hash_files(tmp_path) == before


def test_backup_and_restore_name_point_in_time_recovery_on_dynamodb(tmp_path: Path) -> None:
    variables = {"HOMESHELF_DATABASE": "dynamodb://eu-central-1"}
    for words in (("backup", "x.db"), ("restore", "x.db")):
        assert "point-in-time recovery" in refusal_of(run(tmp_path, *words, **variables))
