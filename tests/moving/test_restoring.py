"""A backup brings a house back, and nothing else changes what is there."""

import os
import shutil
import signal
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import httpx
import pytest

from homeshelf.table.sqlite import file as sqlite_file
from homeshelf.table.sqlite.file import current_version
from tests.forking import run, served
from tests.former.folder import LATER
from tests.moving.houses import (
    ADA,
    all_in,
    backed_up,
    empty_file,
    house_in,
    refused,
    signed_in,
    sql,
    with_account,
)
from tests.table.test_layouts import FORMER

Spoil = Callable[[Path], None]


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    return house_in(tmp_path)


@pytest.fixture
def backup(tmp_path: Path, variables: dict[str, str]) -> Path:
    """Of a house in which Ada has an account; it is still there."""
    with_account(tmp_path, variables)
    (tmp_path / "data" / "secret.key").write_text("A" * 43)
    backed_up(tmp_path, variables, "backup.db")
    return tmp_path / "backup.db"


def test_the_drill(tmp_path: Path, variables: dict[str, str]) -> None:
    """Backup, destroy, restore, verify, sign in."""
    with_account(tmp_path, variables)
    with served(tmp_path, **variables) as homeshelf:
        with signed_in(homeshelf) as ada:
            ada.post("/families", json={"name": "Lovelace"})
            rice = ada.post("/items", json={"name": "Rice", "quantity": 3}).json()
            tag = ada.post(f"/items/{rice['itemId']}/nfc-urls").json()
            backed_up(tmp_path, variables, "open.db")
            (session,) = ada.get("/me/sessions").json()["items"]
            assert ada.delete(f"/me/sessions/{session['sessionId']}").status_code == 204
        backed_up(tmp_path, variables, "backup.db")
    shutil.rmtree(tmp_path / "data")

    done = run(tmp_path, "restore", "backup.db", **variables)
    assert (done.returncode, done.stderr) == (0, "")
    for word in ("Tags", "invitations", "removed members", "roles", "passwords", "signs in again"):
        assert word in done.stdout
    ends = ("--from", "sqlite:///backup.db", "--to", "sqlite:///data/homeshelf.db")
    same = run(tmp_path, "verify", *ends, **variables)
    assert (same.returncode, "same    Secret: 1" in same.stdout) == (0, True), same.stdout
    with served(tmp_path, **variables) as homeshelf, signed_in(homeshelf) as ada:
        assert ada.get(f"/items/{rice['itemId']}").json()["quantity"] == 3
        assert ada.post(f"/taps/{tag['urlId']}", json={"delta": -1}).json()["quantity"] == 2
    assert run(tmp_path, "doctor", **variables).returncode == 0


def test_all_sessions_end_and_everything_else_is_as_it_was(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    with_account(tmp_path, variables)
    with served(tmp_path, **variables) as homeshelf, signed_in(homeshelf) as ada:
        bearer = ada.headers["Authorization"]
        refresh = ada.post("/tokens", json=ADA).json()["refreshToken"]
        backed_up(tmp_path, variables, "backup.db")
    before = (tmp_path / "data" / "secret.key").read_text()
    assert run(tmp_path, "restore", "backup.db", "--over", **variables).returncode == 0
    assert (tmp_path / "data" / "secret.key").read_text() == before
    with served(tmp_path, **variables) as homeshelf:
        at = f"{homeshelf.url}/api/v1"
        assert httpx.get(f"{at}/me", headers={"Authorization": bearer}).status_code == 401
        assert httpx.post(f"{at}/tokens/refresh", json={"refreshToken": refresh}).status_code == 401
        assert httpx.post(f"{at}/tokens", json=ADA).is_success
    ends = ("--from", "sqlite:///backup.db", "--to", "sqlite:///data/homeshelf.db")
    kinds = [
        line.split(":")[0]
        for line in run(tmp_path, "verify", *ends, **variables).stdout.splitlines()
        if line.startswith("DIFFERS")
    ]
    assert set(kinds) <= {f"DIFFERS {name}" for name in ("Session", "KnownAddress", "Attempts")}


def test_what_is_there_stays_unless_it_is_said_and_is_kept_then(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    data = tmp_path / "data"
    sql(data / "homeshelf.db", "INSERT INTO BookTrackerTable(pk, sk, item) VALUES('a', 'b', '{}')")
    (data / "secret.key").write_text("B" * 43)
    before = all_in(data)
    assert "--over" in refused(run(tmp_path, "restore", str(backup), **variables))
    assert all_in(data) == before
    done = run(tmp_path, "restore", str(backup), "--over", **variables)
    assert done.returncode == 0, done.stderr
    kept = {path.name.split("before")[0]: path for path in data.glob("*.before-*")}
    assert sorted(kept) == ["homeshelf.db.", "secret.key."]
    for path in kept.values():
        assert str(path) in done.stdout
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert kept["secret.key."].read_text() == "B" * 43
    with closing(apsw.Connection(str(kept["homeshelf.db."]))) as connection:
        assert connection.execute("SELECT count(*) FROM BookTrackerTable").get == 1
    assert (data / "secret.key").read_text() == "A" * 43
    with closing(apsw.Connection(str(data / "homeshelf.db"))) as connection:
        assert connection.execute("SELECT count(*) FROM BookTrackerTable").get == 0
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in data.iterdir())


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
    with served(tmp_path, **variables) as homeshelf:
        with signed_in(homeshelf) as ada:
            assert ada.post("/families", json={"name": "Newest"}).is_success
        homeshelf.tell_to_stop(signal.SIGKILL)
        homeshelf.exit_code()
    assert (tmp_path / "data" / "homeshelf.db-wal").stat().st_size
    assert run(tmp_path, "restore", str(backup), "--over", **variables).returncode == 0
    (kept,) = (tmp_path / "data").glob("homeshelf.db.before-*")
    assert families_in(kept) == ["Newest"]
    assert families_in(tmp_path / "data" / "homeshelf.db") == []


def test_what_lies_beside_a_file_that_is_gone_is_not_taken_for_the_new_ones(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    with served(tmp_path, **variables) as homeshelf:
        with signed_in(homeshelf) as ada:
            assert ada.post("/families", json={"name": "Newest"}).is_success
        homeshelf.tell_to_stop(signal.SIGKILL)
        homeshelf.exit_code()
    (tmp_path / "data" / "homeshelf.db").unlink()
    assert "--over" in refused(run(tmp_path, "restore", str(backup), **variables))
    assert run(tmp_path, "restore", str(backup), "--over", **variables).returncode == 0
    assert families_in(tmp_path / "data" / "homeshelf.db") == []
    assert len(list((tmp_path / "data").glob("homeshelf.db.before-*-wal"))) == 1


def families_in(path: Path) -> list[str]:
    found = "SELECT item ->> '$.name' FROM InventoryManagement WHERE SK LIKE 'FAMILY#%'"
    with closing(apsw.Connection(str(path))) as connection:
        return [name for (name,) in connection.execute(found)]


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def scratched(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(8192)
        file.write(os.urandom(4096))


def another_programs(path: Path) -> None:
    path.unlink()
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("CREATE TABLE HomeshelfHelper(PK, SK, ttl, item)")


def newer(path: Path) -> None:
    sql(path, f"PRAGMA user_version = {current_version() + 1}")


def still_open(path: Path) -> None:
    path.with_name(f"{path.name}-wal").write_bytes(b"more of it")


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (cut, "is damaged; nothing was changed."),
        (scratched, "is damaged; nothing was changed."),
        (another_programs, "is nothing of Homeshelf's; nothing was changed."),
        (lambda path: path.write_text("Dear diary, " * 500), "is nothing of Homeshelf's"),
        (lambda path: path.write_bytes(b""), "is nothing of Homeshelf's"),
        (newer, "was made by a newer Homeshelf; install that version or a later one."),
        (still_open, "is open, or was not closed: backup.db-wal beside it has the rest."),
        (a_folder, "There is no file "),
        (lambda path: path.unlink(), "There is no file "),
    ],
    ids=["cut", "scratched", "another's", "text", "empty", "newer", "open", "folder", "none"],
)
def test_a_broken_or_foreign_file_changes_nothing(
    tmp_path: Path, variables: dict[str, str], backup: Path, spoil: Spoil, said: str
) -> None:
    spoil(backup)
    before = all_in(tmp_path)
    assert said in refused(run(tmp_path, "restore", str(backup), "--over", **variables))
    assert all_in(tmp_path) == before


@pytest.mark.parametrize("damage", [cut, scratched, lambda path: path.write_text("lost" * 5000)])
def test_a_house_that_is_damaged_gives_way(
    tmp_path: Path, variables: dict[str, str], backup: Path, damage: Spoil
) -> None:
    database = tmp_path / "data" / "homeshelf.db"
    damage(database)
    lost = database.read_bytes()
    done = run(tmp_path, "restore", str(backup), "--over", **variables)
    assert done.returncode == 0, done.stderr
    (kept,) = (tmp_path / "data").glob("homeshelf.db.before-*")
    assert kept.read_bytes()[100:] == lost[100:]  # before that it says how it is opened
    with served(tmp_path, **variables) as homeshelf, signed_in(homeshelf):
        pass


@pytest.mark.parametrize("script", FORMER, ids=lambda script: script.stem)
def test_a_backup_of_an_older_layout_becomes_a_current_one(
    tmp_path: Path, variables: dict[str, str], script: Path
) -> None:
    old = tmp_path / "old.db"
    with closing(apsw.Connection(str(old))) as connection:
        connection.execute(script.read_text())
    assert run(tmp_path, "restore", "old.db", **variables).returncode == 0
    assert run(tmp_path, "tables", "check", **variables).returncode == 0
    with closing(apsw.Connection(str(tmp_path / "data" / "homeshelf.db"))) as connection:
        assert connection.pragma("user_version") == current_version()


def test_a_former_house_comes_back(tmp_path: Path, variables: dict[str, str]) -> None:
    """Its signing key was beside it, and is not in it: everybody keeps the new one."""
    shutil.copy(LATER.path / "homeshelf.db", tmp_path / "former.db")
    before = (tmp_path / "former.db").read_bytes()
    assert run(tmp_path, "restore", "former.db", **variables).returncode == 0
    assert (tmp_path / "former.db").read_bytes() == before
    with served(tmp_path, **variables) as homeshelf:
        assert httpx.get(f"{homeshelf.url}/t/{LATER.made['tags']['rice']}").status_code == 200


def test_one_that_starts_meanwhile_opens_the_new_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waited for the old one, which is not the house any more when it gets it."""
    path, other = empty_file(tmp_path / "a.db"), empty_file(tmp_path / "b.db")
    looked, looks = sqlite_file._refuse_strangers, []

    def exchanged(connection: apsw.Connection, at: Path) -> None:
        looked(connection, at)
        looks.append(at)
        if other.exists():
            other.replace(path)

    wanted = other.stat().st_ino
    monkeypatch.setattr(sqlite_file, "_refuse_strangers", exchanged)
    connection = sqlite_file.open_file(path)
    connection.execute("INSERT INTO BookTrackerTable(pk, sk, item) VALUES ('a', 'b', '{}')")
    connection.close()
    assert looks == [path, path]
    assert path.stat().st_ino == wanted
    with closing(apsw.Connection(str(path))) as now:
        assert now.execute("SELECT count(*) FROM BookTrackerTable").get == 1
