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

from homeshelf.config import SqliteAt, read_settings
from homeshelf.moving.restoring import restore
from homeshelf.table import HELPER, CannotOpen, Item, open_database
from homeshelf.table.operations import Put
from homeshelf.table.sqlite import file as sqlite_file
from homeshelf.table.sqlite.engine import Sqlite
from homeshelf.table.sqlite.file import current_version
from homeshelf.web.services import open_services
from homeshelf.web.signing_keys import key_beside
from tests.forking import run, run_module, served
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
from tests.served import environment
from tests.table.test_layouts import FORMER

Spoil = Callable[[Path], None]
House = tuple[str, list[str]]
"""The signing key with which one starts, and the families in it."""


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
    assert run(tmp_path, "restore", "backup.db", "--over", **variables).returncode == 0
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


async def test_no_session_of_any_kind_is_left(tmp_path: Path, variables: dict[str, str]) -> None:
    """Of a person, of a child's device, through a provider, and of whom is gone."""
    database = with_account(tmp_path, variables)
    engine = Sqlite(database)
    kinds: list[Item] = [{}, {"familyId": "f"}, {"issuer": "i"}, {"endsAt": 4 * 10**9}]
    for number, kind in enumerate(kinds):
        keys = {"PK": f"ACCOUNT#{number}", "SK": f"SESSION#{number}"}
        await engine.put(Put(HELPER, {**keys, **kind, "ttl": 4 * 10**9}))
    await engine.close()
    backed_up(tmp_path, variables, "backup.db")
    count = "SELECT count(*) FROM HomeshelfHelper WHERE SK LIKE 'SESSION#%'"
    assert number_in(tmp_path / "backup.db", count) == 4
    assert run(tmp_path, "restore", "backup.db", "--over", **variables).returncode == 0
    assert number_in(database, count) == 0
    assert number_in(database, "SELECT count(*) FROM HomeshelfHelper WHERE SK = 'ACCOUNT'") == 1


def number_in(path: Path, question: str) -> int:
    with closing(apsw.Connection(str(path))) as connection:
        return int(connection.execute(question).get)


def test_another_signing_key_stays_unless_it_is_said(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    key = tmp_path / "data" / "secret.key"
    (tmp_path / "data" / "homeshelf.db").unlink()
    key.write_text("B" * 43)
    said = refused(run(tmp_path, "restore", str(backup), **variables))
    assert said.startswith(f"{key} is there already; --over")
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["secret.key"]
    key.write_bytes(b"\xff" * 43)
    assert "is there already" in refused(run(tmp_path, "restore", str(backup), **variables))
    assert run(tmp_path, "restore", str(backup), "--over", **variables).returncode == 0
    assert key.read_text() == "A" * 43
    (tmp_path / "data" / "homeshelf.db").unlink()
    assert run(tmp_path, "restore", str(backup), **variables).returncode == 0


def test_a_key_that_is_a_setting_is_the_one(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    shutil.rmtree(tmp_path / "data")
    secret = {"HOMESHELF_SECRET": "a secret that is long enough for everybody"}
    assert run(tmp_path, "restore", str(backup), **variables | secret).returncode == 0
    assert not (tmp_path / "data" / "secret.key").exists()
    secrets = "SELECT count(*) FROM HomeshelfHelper WHERE PK = 'SECRET'"
    assert number_in(tmp_path / "data" / "homeshelf.db", secrets) == 0


async def test_wherever_it_is_killed_the_house_is_the_old_one_or_the_new_one(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    """Its records and its signing key: what one has sealed, the other does not open."""
    data, former = tmp_path / "data", tmp_path / "former"
    new = "INSERT INTO InventoryManagement(PK, SK, item) VALUES('1', 'FAMILY#1', ?)"
    sql(data / "homeshelf.db", new, '{"PK": "1", "SK": "FAMILY#1", "name": "Newest"}')
    (data / "secret.key").write_text("B" * 43)
    shutil.copytree(data, former)
    old: House = ("B" * 43, ["Newest"])
    restored: House = ("A" * 43, [])
    found = []
    for number in range(1, 40):
        shutil.rmtree(data)
        shutil.copytree(former, data)
        words = (str(number), "restore", str(backup), "--over")
        done = run_module("tests.moving.killed_at", words, tmp_path, environment(variables))
        found.append(await house(variables))
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
        if number % 4 == 0:
            assert run(tmp_path, "restore", str(backup), "--over", **variables).returncode == 0
            assert await house(variables) == restored
    turn = found.index(restored)
    assert found[:turn] == [old] * turn
    assert found[turn:] == [restored] * (len(found) - turn)
    assert 3 < turn < len(found) - 2


async def house(variables: dict[str, str]) -> House:
    settings = read_settings(environment(variables))
    assert isinstance(settings.database, SqliteAt)
    db = open_database(settings.database)
    try:
        await open_services(settings, db)
    finally:
        await db.close()
    key = key_beside(settings.database.path).read_text()
    return key, families_in(settings.database.path)


async def test_a_backup_that_somebody_put_there_brings_its_key(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    data = tmp_path / "data"
    (data / "secret.key").write_text("B" * 43)
    shutil.copy(backup, data / "homeshelf.db")
    backed_up(tmp_path, variables, "again.db")
    assert await house(variables) == ("A" * 43, [])
    secrets = "SELECT count(*) FROM HomeshelfHelper WHERE PK = 'SECRET'"
    assert number_in(data / "homeshelf.db", secrets) == 0
    (kept,) = data.glob("secret.key.before-*")
    assert kept.read_text() == "B" * 43
    assert {stat.S_IMODE(path.stat().st_mode) for path in data.glob("secret.key*")} == {0o600}
    shutil.rmtree(data)
    assert run(tmp_path, "restore", "again.db", **variables).returncode == 0
    assert (data / "secret.key").read_text() == "A" * 43


def test_a_house_on_another_disk_stays_there(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    """Where the file is a link, what it points to is exchanged."""
    data, disk = tmp_path / "data", tmp_path / "disk"
    disk.mkdir()
    (data / "homeshelf.db").rename(disk / "house.db")
    (data / "homeshelf.db").symlink_to(disk / "house.db")
    new = "INSERT INTO BookTrackerTable(pk, sk, item) VALUES('a', 'b', '{}')"
    sql(disk / "house.db", new)
    assert run(tmp_path, "restore", str(backup), "--over", **variables).returncode == 0
    assert (data / "homeshelf.db").is_symlink()
    assert number_in(disk / "house.db", "SELECT count(*) FROM BookTrackerTable") == 0
    (kept,) = disk.glob("house.db.before-*")
    assert number_in(kept, "SELECT count(*) FROM BookTrackerTable") == 1


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


def test_a_full_disk_changes_nothing(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    sql(tmp_path / "data" / "homeshelf.db", "PRAGMA journal_mode = delete")
    before = all_in(tmp_path)
    words = ("40000", "restore", str(backup), "--over")
    done = run_module("tests.moving.little_room", words, tmp_path, environment(variables))
    assert refused(done) == (
        f"There is no room in {tmp_path}/data, or its disk fails; nothing was changed."
    )
    assert all_in(tmp_path) == before


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
