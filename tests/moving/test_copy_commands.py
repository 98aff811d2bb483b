"""`homeshelf copy` and `homeshelf verify` as they are typed."""

import shutil
from pathlib import Path

import httpx
import pytest

from homeshelf.config import SqliteAt
from homeshelf.moving.ends import opened
from homeshelf.moving.mark import CopyMark
from tests.forking import run, served
from tests.moving.houses import ADA, all_in, house_in, refused, signed_in, sql, with_account
from tests.served import on_dynamodb
from tests.servers import Server

EMPTY = "sqlite:///other/homeshelf.db"
OURS = "sqlite:///data/homeshelf.db"


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    variables = house_in(tmp_path)
    with_account(tmp_path, variables)
    return variables


def test_who_was_signed_in_still_is_on_dynamodb_and_back_home(
    tmp_path: Path, variables: dict[str, str], dynoxide: Server
) -> None:
    """The tables are made on the way, and the signing key moves along."""
    with served(tmp_path, **variables) as homeshelf, signed_in(homeshelf) as ada:
        bearer = {"Authorization": ada.headers["Authorization"]}
    there = on_dynamodb(dynoxide, "moved.")
    away = there["HOMESHELF_DATABASE"]
    home = f"sqlite:///{tmp_path}/back/homeshelf.db"
    for source, target in ((OURS, away), (away, home)):
        done = run(tmp_path, "copy", "--from", source, "--to", target, **variables | there)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.endswith("All of it is there, and nobody has to sign in again.\n")
        with served(tmp_path, **variables | there | {"HOMESHELF_DATABASE": target}) as homeshelf:
            me = httpx.get(f"{homeshelf.url}/api/v1/me", headers=bearer)
            assert me.json()["email"] == ADA["email"]


def test_a_house_that_is_in_use_is_not_copied(tmp_path: Path, variables: dict[str, str]) -> None:
    with served(tmp_path, **variables):
        said = refused(run(tmp_path, "copy", "--from", OURS, "--to", EMPTY, **variables))
        assert "stop Homeshelf first" in said
    assert not (tmp_path / "other").exists()


async def test_half_a_copy_is_not_served(tmp_path: Path, variables: dict[str, str]) -> None:
    async with opened(SqliteAt(tmp_path / "data" / "homeshelf.db")) as end:
        await end.db.put(CopyMark(source="elsewhere"))
    said = refused(run(tmp_path, "serve", "--port", "1", **variables))
    assert said == "The database is half a copy: run `homeshelf copy` again first."


@pytest.mark.parametrize("command", ["copy", "verify"])
def test_what_cannot_be_is_one_sentence_and_changes_nothing(
    tmp_path: Path, variables: dict[str, str], command: str
) -> None:
    before = all_in(tmp_path)

    def said(source: str, target: str) -> str:
        return refused(run(tmp_path, command, "--from", source, "--to", target, **variables))

    assert said("mysql://x", EMPTY).startswith("--from must start with sqlite:/// or dynamodb://")
    assert said(OURS, "nowhere").startswith("--to must start with sqlite:/// or dynamodb://")
    assert said("sqlite:///none.db", EMPTY) == "There is no database none.db."
    assert all_in(tmp_path) == before


def test_a_database_is_not_copied_onto_itself(tmp_path: Path, variables: dict[str, str]) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "data" / "homeshelf.db")
    for same in (OURS, f"sqlite:///{tmp_path}/data/homeshelf.db", "sqlite:///link.db"):
        said = refused(run(tmp_path, "copy", "--from", OURS, "--to", same, **variables))
        assert said == "Both are the same database: there is nothing to copy."


def test_verify_names_what_differs(tmp_path: Path, variables: dict[str, str]) -> None:
    ends = ("--from", OURS, "--to", EMPTY)
    assert run(tmp_path, "copy", *ends, **variables).returncode == 0
    fine = run(tmp_path, "verify", *ends, **variables)
    assert (fine.returncode, fine.stdout.splitlines()[-1]) == (0, "They are the same.")
    assert "same    Account: 1" in fine.stdout
    sql(
        tmp_path / "other" / "homeshelf.db", "DELETE FROM HomeshelfHelper WHERE PK LIKE 'ACCOUNT#%'"
    )
    differs = run(tmp_path, "verify", *ends, **variables)
    assert (differs.returncode, differs.stderr) == (1, "")
    assert "DIFFERS Account: 1 and 0\n" in differs.stdout
    assert differs.stdout.splitlines()[-1] == "They differ."


def test_a_damaged_record_is_not_left_behind_in_silence(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    shutil.copytree(tmp_path / "data", tmp_path / "whole")
    database = tmp_path / "data" / "homeshelf.db"
    sql(database, "INSERT INTO BookTrackerTable(pk, sk, item) VALUES ('a', 'b', '{\"pk')")
    for command in ("copy", "verify"):
        ends = (
            "--from",
            OURS,
            "--to",
            "sqlite:///whole/homeshelf.db" if command == "verify" else EMPTY,
        )
        said = refused(run(tmp_path, command, *ends, **variables))
        assert said.startswith("BookTrackerTable has 1 that cannot be read")
