"""Test that no other process uses the house while a backup is restored."""

import signal
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from homeshelf.moving.restore import restore
from homeshelf.table import CannotOpen
from homeshelf.table.sqlite import file as sqlite_file
from tests.forked_processes import run, served
from tests.moving.households import (
    backup,
    empty_file,
    families_in,
    number_in,
    refusal_of,
    signed_in_client,
    variables,
)

__all__ = ["backup", "variables"]


def add_family_and_kill(folder: Path, variables: dict[str, str]) -> None:
    with served(folder, **variables) as homeshelf:
        with signed_in_client(homeshelf) as ada:
            assert ada.post("/families", json={"name": "Newest"}).is_success
        homeshelf.tell_to_stop(signal.SIGKILL)
        homeshelf.exit_code()


def test_concurrent_restore_is_refused(tmp_path: Path, backup: Path) -> None:
    database, told = tmp_path / "new" / "homeshelf.db", []

    def meanwhile(_done: int, _of: int) -> None:
        with pytest.raises(CannotOpen) as refusal:
            restore(backup, database, None, lambda *_: None, over=True)
        told.append(str(refusal.value))

    restore(backup, database, None, meanwhile, over=False)
    assert told[0] == f"Another backup is being restored in {database.parent}."
    assert [path.name for path in database.parent.iterdir()] == ["homeshelf.db"]


def test_restore_is_refused_if_a_house_is_opened_during_it(tmp_path: Path, backup: Path) -> None:
    database = tmp_path / "new" / "homeshelf.db"

    def meanwhile(_done: int, _of: int) -> None:
        empty_file(database)

    with pytest.raises(CannotOpen, match="stop Homeshelf first"):
        restore(backup, database, None, meanwhile, over=False)
    assert number_in(database, "SELECT count(*) FROM HomeshelfHelper") == 0
    assert [path.name for path in database.parent.iterdir()] == ["homeshelf.db"]


def test_process_that_starts_during_a_restore_keeps_its_file(tmp_path: Path, backup: Path) -> None:
    database = empty_file(tmp_path / "new" / "homeshelf.db")
    started: list[apsw.Connection] = []

    def meanwhile(_done: int, _of: int) -> None:
        if not started:
            started.append(sqlite_file.open_file(database))

    with pytest.raises(CannotOpen, match="stop Homeshelf first"):
        restore(backup, database, None, meanwhile, over=True)
    (connection,) = started
    connection.execute("INSERT INTO BookTrackerTable(pk, sk, item) VALUES ('a', 'b', '{}')")
    connection.close()
    assert number_in(database, "SELECT count(*) FROM BookTrackerTable") == 1
    assert [path.name for path in database.parent.iterdir()] == ["homeshelf.db"]


def test_restore_over_a_running_house_is_refused(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    with served(tmp_path, **variables) as homeshelf:
        said = refusal_of(run(tmp_path, "restore", str(backup), "--over", **variables))
        assert "stop Homeshelf first" in said
        with signed_in_client(homeshelf) as ada:
            assert ada.get("/me").status_code == 200
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == [
        "homeshelf.db",
        "secret.key",
    ]


def test_restore_is_refused_if_a_running_house_lost_its_file(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    """The write-ahead log of the deleted file is still in use."""
    with served(tmp_path, **variables) as homeshelf, signed_in_client(homeshelf):
        (tmp_path / "data" / "homeshelf.db").unlink()
        said = refusal_of(run(tmp_path, "restore", str(backup), "--over", **variables))
        assert "stop Homeshelf first" in said


def test_restore_keeps_the_write_ahead_log_of_a_killed_house(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    add_family_and_kill(tmp_path, variables)
    assert (tmp_path / "data" / "homeshelf.db-wal").stat().st_size
    assert run(tmp_path, "restore", str(backup), "--over", **variables).returncode == 0
    (kept,) = (tmp_path / "data").glob("homeshelf.db.before-*")
    assert families_in(kept) == ["Newest"]
    assert families_in(tmp_path / "data" / "homeshelf.db") == []


def test_orphaned_write_ahead_log_is_set_aside_by_restore(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    add_family_and_kill(tmp_path, variables)
    (tmp_path / "data" / "homeshelf.db").unlink()
    assert "--over" in refusal_of(run(tmp_path, "restore", str(backup), **variables))
    assert run(tmp_path, "restore", str(backup), "--over", **variables).returncode == 0
    assert families_in(tmp_path / "data" / "homeshelf.db") == []
    assert len(list((tmp_path / "data").glob("homeshelf.db.before-*-wal"))) == 1


def test_process_that_waited_for_a_replaced_file_opens_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process waits for a lock on a file that is replaced before it gets the lock."""
    path, other = empty_file(tmp_path / "a.db"), empty_file(tmp_path / "b.db")
    looked, looks = sqlite_file._refuse_unfit, []

    def exchanged(connection: apsw.Connection, at: Path, *, upgrade: bool) -> None:
        looked(connection, at, upgrade=upgrade)
        looks.append(at)
        if other.exists():
            other.replace(path)

    wanted = other.stat().st_ino
    monkeypatch.setattr(sqlite_file, "_refuse_unfit", exchanged)
    connection = sqlite_file.open_file(path)
    connection.execute("INSERT INTO BookTrackerTable(pk, sk, item) VALUES ('a', 'b', '{}')")
    connection.close()
    assert looks == [path, path]
    assert path.stat().st_ino == wanted
    with closing(apsw.Connection(str(path))) as now:
        assert now.execute("SELECT count(*) FROM BookTrackerTable").get == 1
