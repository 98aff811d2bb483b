"""Test the message about files that the process may not read."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.faults.environment import WITHOUT_RIGHTS
from tests.forked_processes import run_module
from tests.moving.households import create_account, hash_files, house_variables, refusal_of
from tests.processes import environment, free_port

NOBODY = 65534
OTHERS = (
    r"belongs to \S.*, and this runs as .*; the user that runs Homeshelf should own it \(`chown`\)"
)


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    variables = house_variables(tmp_path)
    create_account(tmp_path, variables)
    (tmp_path / "data" / "secret.key").write_text("A" * 43)
    return variables


def without_rights(
    folder: Path, variables: dict[str, str], command: str
) -> "subprocess.CompletedProcess[str]":
    module, *fault = WITHOUT_RIGHTS
    port = ["--port", str(free_port())] if command == "serve" else []
    return run_module(module, [*fault, *command.split(), *port], folder, environment(variables))


@pytest.mark.parametrize("command", ["serve", "backup copy.db", "key rotate"])
def test_unreadable_key_is_refused_with_its_rights(
    tmp_path: Path, variables: dict[str, str], command: str
) -> None:
    key = tmp_path / "data" / "secret.key"
    key.chmod(0)
    assert refusal_of(without_rights(tmp_path, variables, command)) == (
        f"The signing key {key} cannot be read: its owner may not read {key}; "
        f"run `chmod u+rwX {key}`."
    )


@pytest.mark.parametrize("command", ["serve", "backup copy.db", "user list", "adopt"])
def test_unreadable_database_is_refused_with_its_rights(
    tmp_path: Path, variables: dict[str, str], command: str
) -> None:
    file = tmp_path / "data" / "homeshelf.db"
    before = hash_files(tmp_path)
    file.chmod(0)
    assert refusal_of(without_rights(tmp_path, variables, command)) == (
        f"{file} cannot be read: its owner may not read {file}; run `chmod u+rwX {file}`."
    )
    file.chmod(0o600)
    assert hash_files(tmp_path) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")
@pytest.mark.parametrize("name", ["secret.key", "homeshelf.db", "."])
def test_doctor_names_the_owner_of_what_it_may_not_read(
    tmp_path: Path, variables: dict[str, str], name: str
) -> None:
    os.chown(tmp_path / "data" / name, NOBODY, NOBODY)
    (tmp_path / "data" / name).chmod(0o700)
    done = without_rights(tmp_path, variables, "doctor")
    assert (done.returncode, done.stderr) == (1, "")
    what = "signing key" if name == "secret.key" else "database"
    assert re.search(rf"^WRONG {what}: .* cannot be read: \S* {OTHERS}", done.stdout, re.MULTILINE)
