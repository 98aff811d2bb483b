"""Test `homeshelf adopt` and the commands after it on the command line."""

import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from homeshelf import clock
from homeshelf.config import addresses
from homeshelf.moving.copy_sides import connect
from homeshelf.table import BOOKS, TABLES, Database, key_in
from tests.databases import Connection, UsedTables
from tests.forked_processes import run, run_module, served
from tests.moving.foreign_tables import (
    FAMILY,
    JOHNS_ADDRESS,
    LIST,
    OTHER_FAMILY,
    Raw,
    all_records,
    large_family,
    unexpired_smiths,
    write_raw,
)
from tests.moving.households import house_variables, refusal_of
from tests.processes import environment, on_dynamodb
from tests.running import PASSWORD
from tests.servers import Server

TIMESTAMPS = {"createdAt", "updatedAt"}


@pytest.fixture(params=["sqlite", "dynoxide"])
async def variables(
    request: pytest.FixtureRequest, tmp_path: Path, dynoxide: Server
) -> AsyncIterator[dict[str, str]]:
    """The settings of a house with the tables of another program."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'data' / 'homeshelf.db'}"
        yield {**house_variables(tmp_path), "HOMESHELF_DATABASE": url}
        return
    tables: UsedTables = request.getfixturevalue("tables_of_dynoxide")
    async with tables.taken() as prefix:
        yield {**house_variables(tmp_path), **on_dynamodb(dynoxide, prefix)}


async def fill(variables: Mapping[str, str], records: list[Raw]) -> None:
    at = addresses.database(variables["HOMESHELF_DATABASE"])
    async with connect(at, new=True) as end:
        await write_raw(end.db, records)


async def contents(variables: Mapping[str, str]) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    async with connect(addresses.database(variables["HOMESHELF_DATABASE"])) as end:
        for table in TABLES:
            async for page in end.pages(table):
                for item in page.items:
                    kept = {name: item[name] for name in item.keys() - TIMESTAMPS}
                    found[key_in(table, item)] = kept
    return found


def run_successfully(folder: Path, variables: Mapping[str, str], *words: str, **more: Any) -> str:
    done = run(folder, *words, **variables, **more)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


@pytest.fixture(autouse=True)
def aws_credentials(monkeypatch: pytest.MonkeyPatch, dynoxide: Server) -> None:
    for name, value in on_dynamodb(dynoxide, "").items():
        if name.startswith("AWS"):
            monkeypatch.setenv(name, value)


async def test_adopt_previews_applies_and_then_finds_nothing_missing(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    await fill(variables, unexpired_smiths())
    doctor = run(tmp_path, "doctor", **variables)
    assert doctor.returncode == 1
    (wrong,) = (line for line in doctor.stdout.splitlines() if line.startswith("WRONG"))
    assert wrong.endswith("and run `homeshelf adopt`.")
    before = await contents(variables)
    preview = run_successfully(tmp_path, variables, "adopt", "--dry-run")
    assert "Homeshelf needs this, which is not there yet:\n" in preview
    assert "        3 people in their families\n" in preview
    assert f"the view passcode of the list {LIST}" in preview
    assert await contents(variables) == before
    done = run_successfully(tmp_path, variables, "adopt")
    assert "were made: it is all there.\n" in done
    assert "Nothing is missing.\n" in run_successfully(tmp_path, variables, "adopt")
    assert run(tmp_path, "doctor", **variables).returncode == 0


async def test_reset_link_and_new_passcode_work_after_adoption(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    await fill(variables, unexpired_smiths())
    run_successfully(tmp_path, variables, "adopt")
    code = ("share", "passcode", LIST.upper(), "--view", "--passcode-stdin")
    assert "has a new view passcode" in run_successfully(
        tmp_path, variables, *code, typed="open sesame\n"
    )
    link = run_successfully(tmp_path, variables, "user", "reset-password", JOHNS_ADDRESS, "--link")
    path = next(line for line in link.splitlines() if line.startswith("/reset/"))
    with served(tmp_path, **variables) as homeshelf:
        reset_and_sign_in(f"{homeshelf.url}/api/v1", path)


def reset_and_sign_in(api: str, path: str) -> None:
    reset = {"token": path.rpartition("/")[2], "password": PASSWORD}
    assert httpx.post(f"{api}/passwords/reset", json=reset).status_code == 204
    own = {"email": JOHNS_ADDRESS, "password": PASSWORD}
    token = httpx.post(f"{api}/tokens", json=own).json()["accessToken"]
    me = httpx.get(f"{api}/me", headers={"Authorization": f"Bearer {token}"}).json()
    assert [each["familyId"] for each in me["families"]] == [FAMILY]
    unlock = f"{api}/shareables/{LIST}/unlock"
    assert httpx.post(unlock, json={"passcode": "***"}).status_code == 401
    assert httpx.post(unlock, json={"passcode": "open sesame"}).status_code == 200


async def test_adoption_after_kills_ends_with_the_same_records(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    records = [*unexpired_smiths(), *large_family(OTHER_FAMILY, 400)]
    await fill(variables, records)
    for writes in (1, 120):
        dead = run_module(
            "tests.kill_points",
            ["adopt", variables["HOMESHELF_DATABASE"], str(writes)],
            tmp_path,
            environment(variables),
        )
        assert dead.returncode == -signal.SIGKILL, dead.stderr
    assert run(tmp_path, "doctor", **variables).returncode == 1
    run_successfully(tmp_path, variables, "adopt")
    assert "Nothing is missing.\n" in run_successfully(tmp_path, variables, "adopt")
    interrupted = await contents(variables)
    whole = {**variables, "HOMESHELF_DATABASE": f"sqlite:///{tmp_path / 'whole.db'}"}
    await fill(whole, records)
    run_successfully(tmp_path, whole, "adopt")
    assert {str(k): v for k, v in interrupted.items() if "LEASE" not in str(k)} == {
        str(k): v for k, v in (await contents(whole)).items()
    }


async def test_impossible_adopt_and_passcode_commands_change_nothing(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    def said(*words: str, **more: Any) -> str:
        return refusal_of(run(tmp_path, *words, **variables, **more))

    await fill(variables, unexpired_smiths())
    before = await contents(variables)
    assert said("adopt", "--issuer", "me").startswith("--issuer must be a web address")
    one = "Say which passcode: --view or --admin."
    assert said("share", "passcode", LIST) == one
    assert said("share", "passcode", LIST, "--view", "--admin") == one
    code = ("--admin", "--passcode-stdin")
    assert "There’s no list" in said("share", "passcode", "zzz-zzz-99999", *code, typed="12345\n")
    short = "Use 4 to 128 characters for a passcode."
    assert said("share", "passcode", LIST, *code, typed="123\n") == short
    assert await contents(variables) == before


def test_adopt_refuses_running_house_and_dry_run_works(tmp_path: Path) -> None:
    variables = house_variables(tmp_path)
    with served(tmp_path, **variables):
        assert "stop Homeshelf first" in refusal_of(run(tmp_path, "adopt", **variables))
        assert run(tmp_path, "adopt", "--dry-run", **variables).returncode == 0


def test_adopt_needs_tables_create_if_tables_are_missing(tmp_path: Path, dynoxide: Server) -> None:
    """The documented books table has no index, and the other tables are missing."""
    prefix = f"{clock.new_id()}."
    variables = on_dynamodb(dynoxide, prefix)
    with closing(Connection(dynoxide)) as connection:
        keys = {"pk": "HASH", "sk": "RANGE"}
        connection.call(
            "CreateTable",
            {
                "TableName": prefix + BOOKS.name,
                "BillingMode": "PAY_PER_REQUEST",
                "KeySchema": [{"AttributeName": k, "KeyType": v} for k, v in keys.items()],
                "AttributeDefinitions": [
                    {"AttributeName": name, "AttributeType": "S"} for name in keys
                ],
            },
        )
    said = refusal_of(run(tmp_path, "adopt", **variables))
    assert said.startswith("The database lacks the table InventoryManagement, ")
    assert said.endswith("`homeshelf tables create` makes it.")
    run_successfully(tmp_path, variables, "tables", "create")
    assert "Nothing is missing.\n" in run_successfully(tmp_path, variables, "adopt")


async def test_adopt_with_wrong_credentials_changes_nothing(
    extenddb: Server, tables_of_extenddb: UsedTables, tmp_path: Path
) -> None:
    """ExtendDB checks signatures."""
    async with tables_of_extenddb.taken() as prefix:
        variables = {**house_variables(tmp_path), **on_dynamodb(extenddb, prefix)}
        database = Database(tables_of_extenddb.engine(prefix))
        await write_raw(database, unexpired_smiths())
        before = await all_records(database)
        wrong = variables | {"AWS_SECRET_ACCESS_KEY": "somebodyelses"}
        said = refusal_of(run(tmp_path, "adopt", **wrong))
        assert "does not accept the AWS credentials" in said
        assert await all_records(database) == before
        await database.close()
        assert "were made: it is all there.\n" in run_successfully(tmp_path, variables, "adopt")
