"""Households on a disk, for commands to copy, lose and bring back."""

import hashlib
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import httpx

from homeshelf.table.sqlite.file import open_file
from tests.forking import run
from tests.running import PASSWORD
from tests.served import Served

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
