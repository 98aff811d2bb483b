"""Test that names in the output of commands cannot control the terminal."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest

from homeshelf import clock
from homeshelf.accounts import store
from homeshelf.accounts.model import Account
from homeshelf.families.store import create_family
from homeshelf.shares.model import Shareable
from homeshelf.table import Database
from tests.forked_processes import run

EVIL = "Bob\x1b[2J\x07\x9b\u202e\n"
SHOWN = "Bob?[2J????"
EMAIL = "bob\x9b1m@home.local"
NEW = "another horse battery"


@pytest.fixture
async def bob(db: Database) -> Account:
    at = clock.timestamp()
    account = Account(
        member_id=clock.new_id(),
        email=EMAIL,
        name=EVIL,
        password_hash="none that any password has",
        origin="password",
        created_at=at,
        updated_at=at,
    )
    await store.create_account(db, account)
    await create_family(db, account.own_key(), EVIL)
    return account


def test_commands_print_names_without_control_characters(
    tmp_path: Path, where: Mapping[str, str], bob: Account
) -> None:
    commands = (
        ("user", "list"),
        ("user", "disable", bob.member_id),
        ("user", "enable", bob.member_id),
        ("user", "sign-out", bob.member_id),
        ("user", "reset-password", bob.member_id, "--password-stdin"),
        ("user", "reset-password", bob.member_id, "--link"),
        ("doctor",),
    )
    for command in commands:
        done = run(tmp_path, *command, typed=f"{NEW}\n", **where)
        printed = (done.stdout + done.stderr).splitlines()
        assert all(line.isprintable() for line in printed), command
        if command[0] == "user":
            assert done.returncode == 0, done.stderr
            assert any(SHOWN in line for line in printed), command


def test_errors_of_commands_print_names_without_control_characters(
    tmp_path: Path, where: Mapping[str, str], bob: Account
) -> None:
    assert bob.name == EVIL
    done = run(tmp_path, "user", "disable", f"nobody\x1b[2J@{EMAIL}", **where)
    assert done.returncode == 2
    assert "nobody?[2J@" in done.stderr
    assert done.stderr.rstrip("\n").isprintable()


async def test_passcode_command_prints_the_list_without_control_characters(
    tmp_path: Path, where: Mapping[str, str], db: Database
) -> None:
    expires_at = clock.timestamp(clock.now() + timedelta(days=30))
    shared = Shareable(
        entity="checklist", short_id="abc-def-23456", name=EVIL, expires_at=expires_at
    )
    await db.put(shared)
    words = "share", "passcode", shared.short_id, "--view", "--passcode-stdin"
    done = run(tmp_path, *words, typed="seven-view\n", **where)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(SHOWN)
    assert done.stdout.rstrip("\n").isprintable()
