"""Test that a restored backup brings back a house."""

import shutil
import signal
import stat
from contextlib import closing
from pathlib import Path

import apsw
import httpx

from homeshelf.config import SqliteAt, read_settings
from homeshelf.coordination.signing_keys import key_beside
from homeshelf.table import HELPER, Item, open_database
from homeshelf.table.operations import Put
from homeshelf.table.sqlite.engine import Sqlite
from homeshelf.web.services import open_services
from tests.forked_processes import run, run_module, served
from tests.moving.households import (
    ADA,
    backup,
    create_account,
    execute_sql,
    families_in,
    hash_files,
    number_in,
    refusal_of,
    run_backup,
    signed_in_client,
    variables,
)
from tests.processes import environment

__all__ = ["backup", "variables"]
House = tuple[str, list[str]]
"""The signing key of a house and its families."""


def test_destroyed_house_is_restored_verified_and_used(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    create_account(tmp_path, variables)
    with served(tmp_path, **variables) as homeshelf:
        with signed_in_client(homeshelf) as ada:
            ada.post("/families", json={"name": "Lovelace"})
            rice = ada.post("/items", json={"name": "Rice", "quantity": 3}).json()
            tag = ada.post(f"/items/{rice['itemId']}/nfc-urls").json()
            (session,) = ada.get("/me/sessions").json()["items"]
            assert ada.delete(f"/me/sessions/{session['sessionId']}").status_code == 204
        run_backup(tmp_path, variables, "backup.db")
    shutil.rmtree(tmp_path / "data")

    done = run(tmp_path, "restore", "backup.db", **variables)
    assert (done.returncode, done.stderr) == (0, "")
    for word in ("Tags", "invitations", "removed members", "roles", "passwords", "signs in again"):
        assert word in done.stdout
    ends = ("--from", "sqlite:///backup.db", "--to", "sqlite:///data/homeshelf.db")
    same = run(tmp_path, "verify", *ends, **variables)
    assert (same.returncode, "same    Secret: 1" in same.stdout) == (0, True), same.stdout
    assert run(tmp_path, "restore", "backup.db", "--over", **variables).returncode == 0
    with served(tmp_path, **variables) as homeshelf, signed_in_client(homeshelf) as ada:
        assert ada.get(f"/items/{rice['itemId']}").json()["quantity"] == 3
        assert ada.post(f"/taps/{tag['urlId']}", json={"delta": -1}).json()["quantity"] == 2
    assert run(tmp_path, "doctor", **variables).returncode == 0


def test_restore_ends_all_sessions_and_keeps_other_records(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    create_account(tmp_path, variables)
    with served(tmp_path, **variables) as homeshelf, signed_in_client(homeshelf) as ada:
        bearer = ada.headers["Authorization"]
        refresh = ada.post("/tokens", json=ADA).json()["refreshToken"]
        run_backup(tmp_path, variables, "backup.db")
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


async def test_restore_deletes_every_kind_of_session(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    """The sessions are of a person, a child's device, a provider and a deleted account."""
    database = create_account(tmp_path, variables)
    engine = Sqlite(database)
    kinds: list[Item] = [{}, {"familyId": "f"}, {"issuer": "i"}, {"endsAt": 4 * 10**9}]
    for number, kind in enumerate(kinds):
        keys = {"PK": f"ACCOUNT#{number}", "SK": f"SESSION#{number}"}
        await engine.write(Put(HELPER, {**keys, **kind, "ttl": 4 * 10**9}))
    await engine.close()
    run_backup(tmp_path, variables, "backup.db")
    count = "SELECT count(*) FROM HomeshelfHelper WHERE SK LIKE 'SESSION#%'"
    assert number_in(tmp_path / "backup.db", count) == 4
    assert run(tmp_path, "restore", "backup.db", "--over", **variables).returncode == 0
    assert number_in(database, count) == 0
    assert number_in(database, "SELECT count(*) FROM HomeshelfHelper WHERE SK = 'ACCOUNT'") == 1


def test_restore_replaces_another_signing_key_only_with_over(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    key = tmp_path / "data" / "secret.key"
    (tmp_path / "data" / "homeshelf.db").unlink()
    key.write_text("B" * 43)
    said = refusal_of(run(tmp_path, "restore", str(backup), **variables))
    assert said.startswith(f"{key} exists already; --over")
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["secret.key"]
    key.write_bytes(b"\xff" * 43)
    assert "exists already" in refusal_of(run(tmp_path, "restore", str(backup), **variables))
    assert run(tmp_path, "restore", str(backup), "--over", **variables).returncode == 0
    assert key.read_text() == "A" * 43
    (tmp_path / "data" / "homeshelf.db").unlink()
    assert run(tmp_path, "restore", str(backup), **variables).returncode == 0


def test_restore_stores_no_key_if_a_setting_has_it(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    shutil.rmtree(tmp_path / "data")
    secret = {"HOMESHELF_SECRET": "a secret that is long enough for everybody"}
    assert run(tmp_path, "restore", str(backup), **variables | secret).returncode == 0
    assert not (tmp_path / "data" / "secret.key").exists()
    secrets = "SELECT count(*) FROM HomeshelfHelper WHERE PK = 'SECRET'"
    assert number_in(tmp_path / "data" / "homeshelf.db", secrets) == 0


async def test_killed_restore_leaves_the_old_or_the_new_house(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    """Records and signing key must match: one key cannot read what the other sealed."""
    data, former = tmp_path / "data", tmp_path / "former"
    new = "INSERT INTO InventoryManagement(PK, SK, item) VALUES('1', 'FAMILY#1', ?)"
    execute_sql(data / "homeshelf.db", new, '{"PK": "1", "SK": "FAMILY#1", "name": "Newest"}')
    (data / "secret.key").write_text("B" * 43)
    shutil.copytree(data, former)
    old: House = ("B" * 43, ["Newest"])
    restored: House = ("A" * 43, [])
    found = []
    for number in range(1, 40):
        shutil.rmtree(data)
        shutil.copytree(former, data)
        words = ("files", str(number), "restore", str(backup), "--over")
        done = run_module("tests.kill_points", words, tmp_path, environment(variables))
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


async def test_backup_copied_into_place_brings_its_signing_key(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    data = tmp_path / "data"
    (data / "secret.key").write_text("B" * 43)
    shutil.copy(backup, data / "homeshelf.db")
    run_backup(tmp_path, variables, "again.db")
    assert await house(variables) == ("A" * 43, [])
    secrets = "SELECT count(*) FROM HomeshelfHelper WHERE PK = 'SECRET'"
    assert number_in(data / "homeshelf.db", secrets) == 0
    (kept,) = data.glob("secret.key.before-*")
    assert kept.read_text() == "B" * 43
    assert {stat.S_IMODE(path.stat().st_mode) for path in data.glob("secret.key*")} == {0o600}
    shutil.rmtree(data)
    assert run(tmp_path, "restore", "again.db", **variables).returncode == 0
    assert (data / "secret.key").read_text() == "A" * 43


def test_restore_follows_a_symlinked_database(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    data, disk = tmp_path / "data", tmp_path / "disk"
    disk.mkdir()
    (data / "homeshelf.db").rename(disk / "house.db")
    (data / "homeshelf.db").symlink_to(disk / "house.db")
    new = "INSERT INTO BookTrackerTable(pk, sk, item) VALUES('a', 'b', '{}')"
    execute_sql(disk / "house.db", new)
    assert run(tmp_path, "restore", str(backup), "--over", **variables).returncode == 0
    assert (data / "homeshelf.db").is_symlink()
    assert number_in(disk / "house.db", "SELECT count(*) FROM BookTrackerTable") == 0
    (kept,) = disk.glob("house.db.before-*")
    assert number_in(kept, "SELECT count(*) FROM BookTrackerTable") == 1


def test_restore_on_a_full_disk_changes_nothing(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    execute_sql(tmp_path / "data" / "homeshelf.db", "PRAGMA journal_mode = delete")
    before = hash_files(tmp_path)
    words = ("file-size", "40000", "restore", str(backup), "--over")
    done = run_module("tests.faults.environment", words, tmp_path, environment(variables))
    assert refusal_of(done) == (
        f"The disk of {tmp_path}/data is full or failing; nothing was changed."
    )
    assert hash_files(tmp_path) == before


def test_restore_needs_over_and_keeps_the_former_files(
    tmp_path: Path, variables: dict[str, str], backup: Path
) -> None:
    data = tmp_path / "data"
    execute_sql(
        data / "homeshelf.db", "INSERT INTO BookTrackerTable(pk, sk, item) VALUES('a', 'b', '{}')"
    )
    (data / "secret.key").write_text("B" * 43)
    before = hash_files(data)
    assert "--over" in refusal_of(run(tmp_path, "restore", str(backup), **variables))
    assert hash_files(data) == before
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
