"""Test `homeshelf copy` and `homeshelf verify` on the command line."""

import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import httpx
import pytest

from homeshelf.config import SqliteAt
from homeshelf.moving.copy_sides import connect
from homeshelf.moving.progress_marks import CopyMark
from homeshelf.table.sqlite.file import open_file
from tests.faults.environment import WITHOUT_RIGHTS
from tests.forked_processes import run, run_module, served
from tests.moving.households import (
    ADA,
    create_account,
    execute_sql,
    hash_files,
    house_variables,
    refusal_of,
    run_backup,
    signed_in_client,
)
from tests.processes import environment, on_dynamodb
from tests.servers import Server

EMPTY = "sqlite:///other/homeshelf.db"
BACKUP = "sqlite:///monday.db"
OUR_FILE = "sqlite:///data/homeshelf.db"


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    variables = house_variables(tmp_path)
    create_account(tmp_path, variables)
    return variables


def test_session_survives_copy_to_dynamodb_and_back(
    tmp_path: Path, variables: dict[str, str], dynoxide: Server
) -> None:
    """The copy creates the tables and moves the signing key."""
    with served(tmp_path, **variables) as homeshelf, signed_in_client(homeshelf) as ada:
        bearer = {"Authorization": ada.headers["Authorization"]}
    there = on_dynamodb(dynoxide, "moved.")
    away = there["HOMESHELF_DATABASE"]
    home = f"sqlite:///{tmp_path}/back/homeshelf.db"
    for source, target in ((OUR_FILE, away), (away, home)):
        done = run(tmp_path, "copy", "--from", source, "--to", target, **variables | there)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.endswith("All of it is there, and nobody has to sign in again.\n")
        with served(tmp_path, **variables | there | {"HOMESHELF_DATABASE": target}) as homeshelf:
            me = httpx.get(f"{homeshelf.url}/api/v1/me", headers=bearer)
            assert me.json()["email"] == ADA["email"]


def test_copy_refuses_running_house(tmp_path: Path, variables: dict[str, str]) -> None:
    with served(tmp_path, **variables):
        said = refusal_of(run(tmp_path, "copy", "--from", OUR_FILE, "--to", EMPTY, **variables))
        assert "stop Homeshelf first" in said
    assert not (tmp_path / "other").exists()


def test_copy_killed_at_its_start_leaves_no_file_or_half_a_copy(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    """`serve` refuses half a copy, but would take an empty file for a new household."""
    target, killed = tmp_path / "other" / "homeshelf.db", 0
    copying = ("copy", "--from", OUR_FILE, "--to", EMPTY)
    while True:
        words = ("files", str(killed + 1), *copying)
        done = run_module("tests.kill_points", words, tmp_path, environment(variables))
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
        killed += 1
        if target.exists():
            with closing(apsw.Connection(str(target))) as connection:
                found = connection.execute("SELECT PK FROM HomeshelfHelper").fetchall()
            assert found == [("COPY",)]
            break
    assert killed > 1
    assert run(tmp_path, *copying, **variables).returncode == 0


async def test_serve_refuses_unfinished_copy(tmp_path: Path, variables: dict[str, str]) -> None:
    async with connect(SqliteAt(tmp_path / "data" / "homeshelf.db")) as end:
        await end.db.put(CopyMark(source="elsewhere"))
    said = refusal_of(run(tmp_path, "serve", "--port", "1", **variables))
    assert said == "The database is an unfinished copy: run `homeshelf copy` again first."


@pytest.mark.parametrize("command", ["copy", "verify"])
def test_copy_and_verify_refuse_bad_addresses_and_change_nothing(
    tmp_path: Path, variables: dict[str, str], command: str
) -> None:
    before = hash_files(tmp_path)

    def said(source: str, target: str) -> str:
        return refusal_of(run(tmp_path, command, "--from", source, "--to", target, **variables))

    assert said("mysql://x", EMPTY).startswith("--from must start with sqlite:/// or dynamodb://")
    assert said(OUR_FILE, "nowhere").startswith("--to must start with sqlite:/// or dynamodb://")
    assert said("sqlite:///none.db", EMPTY) == "There is no database none.db."
    assert hash_files(tmp_path) == before


def test_copy_onto_itself_is_refused(tmp_path: Path, variables: dict[str, str]) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "data" / "homeshelf.db")
    for same in (OUR_FILE, f"sqlite:///{tmp_path}/data/homeshelf.db", "sqlite:///link.db"):
        said = refusal_of(run(tmp_path, "copy", "--from", OUR_FILE, "--to", same, **variables))
        assert said == "Both are the same database: there is nothing to copy."


def test_verify_names_the_differing_kinds(tmp_path: Path, variables: dict[str, str]) -> None:
    ends = ("--from", OUR_FILE, "--to", EMPTY)
    assert run(tmp_path, "copy", *ends, **variables).returncode == 0
    fine = run(tmp_path, "verify", *ends, **variables)
    assert (fine.returncode, fine.stdout.splitlines()[-1]) == (0, "They are the same.")
    assert "same    Account: 1" in fine.stdout
    execute_sql(
        tmp_path / "other" / "homeshelf.db", "DELETE FROM HomeshelfHelper WHERE PK LIKE 'ACCOUNT#%'"
    )
    differs = run(tmp_path, "verify", *ends, **variables)
    assert (differs.returncode, differs.stderr) == (1, "")
    assert "DIFFERS Account: 1 and 0\n" in differs.stdout
    assert differs.stdout.splitlines()[-1] == "They differ."


def test_copy_and_verify_report_unreadable_records(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    shutil.copytree(tmp_path / "data", tmp_path / "whole")
    database = tmp_path / "data" / "homeshelf.db"
    execute_sql(database, "INSERT INTO BookTrackerTable(pk, sk, item) VALUES ('a', 'b', '{\"pk')")
    for command in ("copy", "verify"):
        ends = (
            "--from",
            OUR_FILE,
            "--to",
            "sqlite:///whole/homeshelf.db" if command == "verify" else EMPTY,
        )
        said = refusal_of(run(tmp_path, command, *ends, **variables))
        assert said.startswith("BookTrackerTable has 1 that cannot be read")


def test_verify_changes_no_file(tmp_path: Path, variables: dict[str, str]) -> None:
    run_backup(tmp_path, variables, "monday.db")
    before = hash_files(tmp_path)
    done = run(tmp_path, "verify", "--from", OUR_FILE, "--to", BACKUP, **variables)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "They are the same.")
    assert hash_files(tmp_path) == before


def test_verify_reads_a_read_only_medium(tmp_path: Path, variables: dict[str, str]) -> None:
    """The medium has a backup and the database of a stopped house."""
    medium = tmp_path / "medium"
    run_backup(tmp_path, variables, str(medium / "monday.db"))
    shutil.copytree(tmp_path / "data", medium / "data")
    ends = ("--from", "sqlite:///medium/data/homeshelf.db", "--to", "sqlite:///medium/monday.db")
    with read_only(medium):
        done = without_rights(tmp_path, variables, "verify", *ends)
    assert (done.returncode, done.stderr) == (0, "")
    assert "same    Account: 1" in done.stdout


def test_verify_refuses_read_only_database_with_write_ahead_log(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    """The database is from a machine that lost its power."""
    medium = tmp_path / "medium"
    with closing(open_file(tmp_path / "data" / "homeshelf.db")) as connection:
        connection.execute("DELETE FROM HomeshelfHelper WHERE PK LIKE 'ACCOUNT#%'")
        shutil.copytree(tmp_path / "data", medium)
    (medium / "homeshelf.db-shm").unlink()
    with read_only(medium):
        ends = ("--from", OUR_FILE, "--to", "sqlite:///medium/homeshelf.db")
        said = refusal_of(without_rights(tmp_path, variables, "verify", *ends))
    assert said == (
        "medium/homeshelf.db is in use, or was not closed: homeshelf.db-wal has its latest changes."
    )


def test_verify_refuses_and_keeps_a_file_that_is_no_database(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    (tmp_path / "other.db").write_text("Dear diary, today we moved house.\n" * 99)
    before = hash_files(tmp_path)
    ends = ("--from", "sqlite:///other.db", "--to", OUR_FILE)
    said = refusal_of(run(tmp_path, "verify", *ends, **variables))
    assert said == "other.db is not a Homeshelf database; nothing was changed."
    assert hash_files(tmp_path) == before


def test_copy_reads_a_read_only_medium_and_cannot_write_to_it(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    medium = tmp_path / "medium"
    run_backup(tmp_path, variables, str(medium / "monday.db"))
    shutil.copytree(tmp_path / "data", medium / "data")
    with read_only(medium):
        for number, name in enumerate(("monday.db", "data/homeshelf.db")):
            ends = ("--from", f"sqlite:///medium/{name}", "--to", f"sqlite:///{number}/new.db")
            done = without_rights(tmp_path, variables, "copy", *ends)
            assert (done.returncode, done.stderr) == (0, "")
        ends = ("--from", OUR_FILE, "--to", "sqlite:///medium/data/homeshelf.db")
        said = refusal_of(without_rights(tmp_path, variables, "copy", *ends))
    assert said.startswith("The database medium/data/homeshelf.db cannot be written")


def without_rights(
    folder: Path, variables: dict[str, str], *words: str
) -> "subprocess.CompletedProcess[str]":
    module, *fault = WITHOUT_RIGHTS
    return run_module(module, (*fault, *words), folder, environment(variables))


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    paths = [*folder.rglob("*"), folder]
    before = [path.stat().st_mode for path in paths]
    for path in paths:
        path.chmod(0o500 if path.is_dir() else 0o400)
    yield
    for path, mode in zip(paths, before, strict=True):
        path.chmod(mode)
