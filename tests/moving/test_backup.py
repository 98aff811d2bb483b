"""A backup is whole, for its owner alone, and never in the place of another."""

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
from homeshelf.table.sqlite.copies import opened_copy
from homeshelf.table.sqlite.engine import Sqlite
from homeshelf.table.sqlite.items import item_at
from tests.forked_processes import run, run_module
from tests.moment import Moment
from tests.moving.houses import all_in, backed_up, empty_file, house_in, refused, sql, with_account
from tests.processes import environment

EMMA = {"pk": "USER#1", "sk": "BOOK#1", "title": "Emma"}


@pytest.fixture
def house(tmp_path: Path) -> Path:
    return empty_file(tmp_path / "data" / "homeshelf.db")


def made(house: Path, target: Path, keep: int | None = None, key: Path | None = None) -> Backup:
    return back_up(house, key, target, keep, lambda _done, _of: None)


def named(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_it_is_a_file_for_its_owner_alone_with_the_key_in_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        variables = house_in(tmp_path)
        with_account(tmp_path, variables)
        (tmp_path / "data" / "secret.key").write_text("A" * 43)
        said = backed_up(tmp_path, variables, "monday.db").stdout
    finally:
        os.umask(before)
    backup = tmp_path / "monday.db"
    assert "records and the signing key, and was read back" in said
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    key = Secret.key()
    with opened_copy(backup) as copy:
        item = item_at(copy, key.table, key.partition, key.sort, 0)
    assert item is not None
    assert decoded(str(item["secret"])) == decoded("A" * 43)
    assert named(tmp_path) == ["data", "monday.db"]


def test_a_key_that_is_a_setting_stays_there(tmp_path: Path) -> None:
    variables = house_in(tmp_path)
    with_account(tmp_path, variables)
    secret = {"HOMESHELF_SECRET": "a secret that the backup has nothing of"}
    said = backed_up(tmp_path, variables | secret, "monday.db").stdout
    assert "records, and was read back" in said


async def test_what_is_not_in_the_file_yet_but_beside_it_is_in_the_copy(
    house: Path, tmp_path: Path
) -> None:
    engine = Sqlite(house)
    await engine.write(Put(BOOKS, EMMA))
    assert house.with_name("homeshelf.db-wal").stat().st_size
    made(house, tmp_path / "copy.db")
    await engine.close()
    with opened_copy(tmp_path / "copy.db") as copy:
        assert item_at(copy, BOOKS, "USER#1", "BOOK#1", 0) == EMMA


def test_a_file_that_is_there_stays(house: Path, tmp_path: Path) -> None:
    there = tmp_path / "there.db"
    there.write_text("something")
    with pytest.raises(CannotOpen, match=r"there\.db exists already and was not changed\."):
        made(house, there)
    assert there.read_text() == "something"
    assert named(tmp_path) == ["data", "there.db"]


def test_in_a_folder_it_is_named_by_the_moment(house: Path, tmp_path: Path, moment: Moment) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    assert made(house, folder).file == folder / "homeshelf-20241101-120000.db"
    with pytest.raises(CannotOpen, match="exists already"):
        made(house, folder)
    moment.pass_by(1)
    made(house, folder)
    assert named(folder) == ["homeshelf-20241101-120000.db", "homeshelf-20241101-120001.db"]


@pytest.mark.parametrize("more", [(), ("--keep", "1")])
def test_name_that_ends_with_a_slash_is_a_folder(tmp_path: Path, more: tuple[str, ...]) -> None:
    variables, folder = house_in(tmp_path), tmp_path / "copies"
    with_account(tmp_path, variables)
    backed_up(tmp_path, variables, "copies/", *more)
    assert folder.is_dir()
    assert [bool(backups.BACKUP_NAME.fullmatch(name)) for name in named(folder)] == [True]


def test_name_of_a_file_with_a_slash_is_refused(tmp_path: Path) -> None:
    variables = house_in(tmp_path)
    with_account(tmp_path, variables)
    (tmp_path / "monday.db").write_text("a file")
    assert (
        refused(run(tmp_path, "backup", "monday.db/", **variables)) == "monday.db is not a folder."
    )


def test_only_the_last_are_kept_and_nothing_of_others_goes(
    house: Path, tmp_path: Path, moment: Moment
) -> None:
    folder = tmp_path / "copies"
    kept = made(house, folder, keep=3).file
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
        removed += made(house, folder, keep=3).removed
    assert [path.name for path in removed] == [
        "homeshelf-20241101-120000.db",
        "homeshelf-20241101-120100.db",
    ]
    ours = [f"homeshelf-20241101-120{minute}00.db" for minute in (2, 3, 4)]
    assert named(folder) == sorted([*ours, *(path.name for path in strangers)])


def test_a_clock_that_went_back_does_not_cost_the_newest(
    house: Path, tmp_path: Path, moment: Moment
) -> None:
    folder = tmp_path / "copies"
    made(house, folder, keep=1)
    moment.pass_by(-3600)
    made(house, folder, keep=1)
    assert named(folder) == ["homeshelf-20241101-110000.db"]


def test_a_copy_that_is_not_what_was_copied_gets_no_name_and_costs_no_other(
    house: Path, tmp_path: Path, moment: Moment, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "copies"
    made(house, folder, keep=1)

    def spoil(path: Path) -> None:
        sql(path, "INSERT INTO BookTrackerTable(pk, sk, item) VALUES ('1', '2', '{}')")

    monkeypatch.setattr(backups, "sync_file", spoil)
    moment.pass_by(60)
    with pytest.raises(CannotOpen, match="differs from the database"):
        made(house, folder, keep=1)
    assert named(folder) == ["homeshelf-20241101-120000.db"]


def test_a_copy_whose_pages_are_spoilt_gets_no_name(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoil(path: Path) -> None:
        with path.open("r+b") as file:
            file.seek(4096)
            file.write(b"\xff" * 4096)

    monkeypatch.setattr(backups, "sync_file", spoil)
    with pytest.raises(CannotOpen, match="is damaged"):
        made(house, tmp_path / "copy.db")
    assert named(tmp_path) == ["data"]


def test_what_a_killed_one_left_is_taken_away_and_two_do_not_meet(
    house: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    (folder / ".homeshelf.partial").write_bytes(b"half of one")
    (folder / ".homeshelf.partial-journal").write_bytes(b"and its journal")
    again: list[str] = []

    def meanwhile(_done: int, _of: int) -> None:
        with pytest.raises(CannotOpen) as told:
            made(house, folder)
        again.append(str(told.value))

    first = back_up(house, None, folder, None, meanwhile)
    assert again[0] == f"Another backup is being made in {folder}."
    assert named(folder) == [first.file.name]


def test_what_a_killed_one_left_may_have_its_name_already_and_is_not_written_to(
    house: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    whole = folder / "homeshelf-20200101-000000.db"
    whole.write_bytes(b"what was read back yesterday")
    (folder / ".homeshelf.partial").hardlink_to(whole)
    made(house, folder)
    assert whole.read_bytes() == b"what was read back yesterday"
    assert not (folder / ".homeshelf.partial").exists()


@pytest.mark.parametrize("left", ["nothing", "a file of all", "a link"])
def test_nobody_else_reads_a_byte_of_it_on_the_way(house: Path, tmp_path: Path, left: str) -> None:
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


def test_who_comes_as_another_is_just_done_does_not_write_where_nobody_looks(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flock = fcntl.flock

    def late(descriptor: int, how: int) -> None:
        (tmp_path / ".copy.db.partial").unlink()
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with pytest.raises(CannotOpen, match="Another backup is being made"):
        made(house, tmp_path / "copy.db")
    assert named(tmp_path) == ["data"]


def test_one_that_is_killed_leaves_nothing_that_looks_like_a_backup(tmp_path: Path) -> None:
    """Wherever it is: the next one makes good what it left."""
    variables, folder = house_in(tmp_path), tmp_path / "copies"
    with_account(tmp_path, variables)
    for number in range(1, 20):
        words = ("files", str(number), "backup", f"copies/homeshelf-20200101-0000{number:02}.db")
        done = run_module("tests.kill_points", words, tmp_path, environment(variables))
        for file in folder.glob("homeshelf*"):
            with opened_copy(file):
                pass
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
    assert number > 4
    assert not list(folder.glob(".*"))


@pytest.mark.parametrize("most", [40_000, 200_000])
def test_a_full_disk_is_one_sentence_and_costs_no_other(tmp_path: Path, most: int) -> None:
    variables, folder = house_in(tmp_path), tmp_path / "copies"
    with_account(tmp_path, variables)
    backed_up(tmp_path, variables, "copies/homeshelf-20200101-000000.db")
    more = "INSERT INTO BookTrackerTable(pk, sk, item) VALUES ('a', 'b', zeroblob(300000))"
    sql(tmp_path / "data" / "homeshelf.db", more)
    before = all_in(folder)
    words = ("file-size", str(most), "backup", "copies", "--keep", "1")
    done = run_module("tests.faults.environment", words, tmp_path, environment(variables))
    assert refused(done) == "The disk of copies is full or failing; nothing was changed."
    assert all_in(folder) == before


def test_a_stick_without_links_takes_it_too(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unable(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(Path, "hardlink_to", unable)
    assert made(house, tmp_path / "copy.db").file.exists()
    with pytest.raises(CannotOpen, match="exists already"):
        made(house, tmp_path / "copy.db")


@pytest.mark.parametrize("arguments", [("x.db",), ("x", "--keep", "2")])
def test_where_there_is_nothing_to_copy_that_is_said(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    said = refused(run(tmp_path, "backup", *arguments, **house_in(tmp_path)))
    assert said == f"There is no database {tmp_path}/data/homeshelf.db."
    assert named(tmp_path) == []


def test_what_cannot_be_written_or_is_no_folder_is_one_sentence(tmp_path: Path) -> None:
    variables = house_in(tmp_path)
    with_account(tmp_path, variables)
    (tmp_path / "file").write_text("a file")
    said = refused(run(tmp_path, "backup", "file", "--keep", "2", **variables))
    assert said == "file is not a folder."
    assert refused(run(tmp_path, "backup", "file/copy.db", **variables)) == "file is not a folder."
    said = refused(run(tmp_path, "backup", "/proc/homeshelf/copy.db", **variables))
    assert said.startswith("/proc/homeshelf: ")


def test_a_file_of_another_program_is_not_taken_for_a_house(tmp_path: Path) -> None:
    other = tmp_path / "data" / "homeshelf.db"
    other.parent.mkdir()
    with closing(apsw.Connection(str(other))) as connection:
        connection.execute("CREATE TABLE theirs(x)")
    before = all_in(tmp_path)
    said = refused(run(tmp_path, "backup", "copy.db", **house_in(tmp_path)))
    assert said == f"{other} is not a Homeshelf database; nothing was changed."
    assert all_in(tmp_path) == before


def test_on_dynamodb_the_sentence_names_what_does_it(tmp_path: Path) -> None:
    variables = {"HOMESHELF_DATABASE": "dynamodb://eu-central-1"}
    for words in (("backup", "x.db"), ("restore", "x.db")):
        assert "point-in-time recovery" in refused(run(tmp_path, *words, **variables))
