"""Nobody else has the house while a backup is restored."""

import signal
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from homeshelf.moving.restore import restore
from homeshelf.table import CannotOpen
from homeshelf.table.sqlite import file as sqlite_file
from tests.forked_processes import run, served
from tests.moving.houses import (
    backup,
    empty_file,
    families_in,
    number_in,
    refused,
    signed_in,
    variables,
)

__all__ = ["backup", "variables"]


def is_killed_with_something_new(folder: Path, variables: dict[str, str]) -> None:
    with served(folder, **variables) as homeshelf:
        with signed_in(homeshelf) as ada:
            assert ada.post("/families", json={"name": "Newest"}).is_success
        homeshelf.tell_to_stop(signal.SIGKILL)
        homeshelf.exit_code()


def test_two_do_not_meet(tmp_path: Path, backup: Path) -> None:
    database, told = tmp_path / "new" / "homeshelf.db", []

    def meanwhile(_done: int, _of: int) -> None:
        with pytest.raises(CannotOpen) as refusal:
            restore(backup, database, None, lambda *_: None, over=True)
        told.append(str(refusal.value))

    restore(backup, database, None, meanwhile, over=False)
    assert told[0] == f"Another backup is being restored in {database.parent}."
    assert [path.name for path in database.parent.iterdir()] == ["homeshelf.db"]


def test_a_house_that_is_opened_meanwhile_stays(tmp_path: Path, backup: Path) -> None:
    database = tmp_path / "new" / "homeshelf.db"

    def meanwhile(_done: int, _of: int) -> None:
        empty_file(database)

    with pytest.raises(CannotOpen, match="stop Homeshelf first"):
        restore(backup, database, None, meanwhile, over=False)
    assert number_in(database, "SELECT count(*) FROM HomeshelfHelper") == 0
    assert [path.name for path in database.parent.iterdir()] == ["homeshelf.db"]


def test_one_that_starts_before_the_end_keeps_its_file(tmp_path: Path, backup: Path) -> None:
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


def test_while_it_runs_it_is_refused(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    with served(tmp_path, **variables) as homeshelf:
        said = refused(run(tmp_path, "restore", str(backup), "--over", **variables))
        assert "stop Homeshelf first" in said
        with signed_in(homeshelf) as ada:
            assert ada.get("/me").status_code == 200
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == [
        "homeshelf.db",
        "secret.key",
    ]


def test_of_a_house_that_was_lost_while_it_runs_nothing_is_mixed_up(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    """Its file is gone; what lies beside that is still in use."""
    with served(tmp_path, **variables) as homeshelf, signed_in(homeshelf):
        (tmp_path / "data" / "homeshelf.db").unlink()
        said = refused(run(tmp_path, "restore", str(backup), "--over", **variables))
        assert "stop Homeshelf first" in said


def test_what_a_killed_one_had_written_beside_its_file_is_kept_with_it(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    is_killed_with_something_new(tmp_path, variables)
    assert (tmp_path / "data" / "homeshelf.db-wal").stat().st_size
    assert run(tmp_path, "restore", str(backup), "--over", **variables).returncode == 0
    (kept,) = (tmp_path / "data").glob("homeshelf.db.before-*")
    assert families_in(kept) == ["Newest"]
    assert families_in(tmp_path / "data" / "homeshelf.db") == []


def test_what_lies_beside_a_file_that_is_gone_is_not_taken_for_the_new_ones(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    is_killed_with_something_new(tmp_path, variables)
    (tmp_path / "data" / "homeshelf.db").unlink()
    assert "--over" in refused(run(tmp_path, "restore", str(backup), **variables))
    assert run(tmp_path, "restore", str(backup), "--over", **variables).returncode == 0
    assert families_in(tmp_path / "data" / "homeshelf.db") == []
    assert len(list((tmp_path / "data").glob("homeshelf.db.before-*-wal"))) == 1


def test_one_that_starts_meanwhile_opens_the_new_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waited for the old one, which is not the house any more when it gets it."""
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
