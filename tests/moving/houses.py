"""Households on a disk to copy, back up and restore, and another house on tables of its own."""

import hashlib
import subprocess
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copy

import apsw
import httpx
import pytest

from homeshelf.table import Database
from homeshelf.table.sqlite.engine import Sqlite
from homeshelf.table.sqlite.file import open_file
from tests.databases import ENGINES, Opener, UsedTables, tables
from tests.forked_processes import run
from tests.processes import Served
from tests.running import PASSWORD, RunningApp, Visitor, running_app

ADA = {"email": "ada@home.local", "password": PASSWORD}


def house_in(folder: Path, data: str = "data") -> dict[str, str]:
    """The variables of a house whose signing key is kept beside its data."""
    return {"HOMESHELF_DATA_DIR": str(folder / data), "HOMESHELF_SECRET": ""}


def with_account(folder: Path, variables: Mapping[str, str]) -> Path:
    """Ada has an account; returns the database."""
    words = ("user", "create", ADA["email"], "--name", "Ada", "--password-stdin")
    done = run(folder, *words, typed=f"{PASSWORD}\n", **variables)
    assert done.returncode == 0, done.stderr
    return Path(variables["HOMESHELF_DATA_DIR"], "homeshelf.db")


def empty_file(path: Path) -> Path:
    open_file(path).close()
    return path


def backed_up(
    folder: Path, variables: Mapping[str, str], *more: str
) -> "subprocess.CompletedProcess[str]":
    done = run(folder, "backup", *more, **variables)
    assert done.returncode == 0, done.stderr
    return done


def refused(done: "subprocess.CompletedProcess[str]") -> str:
    """The one sentence of a command that could not."""
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr.strip()


def all_in(folder: Path) -> dict[str, str]:
    """What every file in a folder holds, and who may read it."""
    return {
        str(file.relative_to(folder)): f"{file.stat().st_mode:o} "
        + hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def sql(path: Path, statement: str, *values: object) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(statement, values)


@contextmanager
def signed_in(homeshelf: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"{homeshelf.url}/api/v1") as client:
        answer = client.post("/tokens", json=ADA)
        assert answer.is_success, answer.text
        client.headers["Authorization"] = f"Bearer {answer.json()['accessToken']}"
        yield client


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


def number_in(path: Path, question: str) -> int:
    with closing(apsw.Connection(str(path))) as connection:
        return int(connection.execute(question).get)


def families_in(path: Path) -> list[str]:
    found = "SELECT item ->> '$.name' FROM InventoryManagement WHERE SK LIKE 'FAMILY#%'"
    with closing(apsw.Connection(str(path))) as connection:
        return [name for (name,) in connection.execute(found)]


SECRET = b"the secret of another house, which is long enough"


@pytest.fixture
async def elsewhere(
    request: pytest.FixtureRequest,
    open_another: Opener,  # noqa: ARG001  # of the same engine
    tmp_path: Path,
) -> AsyncIterator[RunningApp]:
    if request.node.callspec.params["open_another"] == "sqlite":
        path = tmp_path / "elsewhere.db"
        copy(request.getfixturevalue("new_file"), path)
        async with served_by(Database(Sqlite(path))) as running:
            yield running
        return
    tables: UsedTables = request.getfixturevalue("tables_of_dynoxide")
    async with tables.taken() as prefix, served_by(Database(tables.engine(prefix))) as running:
        yield running


@dataclass(frozen=True)
class TwoHouses:
    here: RunningApp
    there: RunningApp


@pytest.fixture(scope="module", params=ENGINES)
async def two_houses(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[TwoHouses]:
    """For tests that leave both as they are: to furnish one takes longer than they do."""
    async with AsyncExitStack() as stack:
        opened = []
        for secret in ({}, {"secret": SECRET}):
            folder = tmp_path_factory.mktemp("house")
            open_one = await stack.enter_async_context(tables(request, folder))
            opened.append(await stack.enter_async_context(running_app(open_one(), **secret)))
        yield TwoHouses(*opened)


@asynccontextmanager
async def served_by(db: Database) -> AsyncIterator[RunningApp]:
    try:
        async with running_app(db, secret=SECRET) as running:
            yield running
    finally:
        await db.close()


async def let_in(running: RunningApp, member_id: str) -> Visitor:
    """Somebody who came in, as if they had a password by now."""
    session = await running.session_of(member_id)
    visitor = running.visitor()
    visitor.bear(running.access_token(member_id, session.session_id))
    return visitor
