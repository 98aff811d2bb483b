"""Test the commands `homeshelf user list`, `disable`, `enable` and `sign-out`."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest

from homeshelf import clock
from tests.forked_processes import run, served
from tests.processes import on_dynamodb
from tests.servers import Server

ADA = {"email": "ada@home.local", "password": "correct horse battery"}
TITLES = "ADDRESS NAME FAMILIES LAST SEEN STATE MEMBERID"


@pytest.fixture(params=["sqlite", "dynoxide"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Mapping[str, str]:
    if request.param == "sqlite":
        return {}
    server: Server = request.getfixturevalue("dynoxide")
    found = on_dynamodb(server, f"{clock.new_id()}.")
    run(tmp_path, "tables", "create", **found)
    return found


def test_accounts_are_listed_disabled_and_enabled_while_serving(
    tmp_path: Path, settings: Mapping[str, str]
) -> None:
    def user(*words: str) -> "subprocess.CompletedProcess[str]":
        return run(tmp_path, "user", *words, **settings)

    assert " ".join(user("list").stdout.split()) == TITLES
    with served(tmp_path, **settings) as homeshelf:
        api = f"{homeshelf.url}/api/v1"

        def signed_in(known: Mapping[str, str]) -> httpx.Response:
            return httpx.post(f"{api}/tokens", json=known)

        ada = httpx.post(f"{api}/accounts", json={**ADA, "name": "Ada"}).json()
        bob = {"email": "bob@home.local", "password": "another horse battery"}
        httpx.post(f"{api}/accounts", json={**bob, "name": "Bob"})
        bearer = {"Authorization": f"Bearer {signed_in(ADA).json()['accessToken']}"}
        httpx.post(f"{api}/families", json={"name": "Lovelace"}, headers=bearer)
        child = httpx.post(f"{api}/members", json={"name": "Alva"}, headers=bearer).json()

        today = clock.timestamp()[:10]
        _, *rows = user("list").stdout.splitlines()
        words = [row.split() for row in rows]
        id_ = ada["memberId"]
        assert words[0] == ["ada@home.local", "Ada", "Lovelace", today, "enabled", id_]
        assert words[1][:5] == ["bob@home.local", "Bob", "-", "-", "enabled"]
        assert words[2] == ["-", "Alva", "Lovelace", "-", "enabled", child["memberId"]]
        assert len(rows) == 3

        out = user("disable", "ADA@home.local")
        assert out.stdout == "Ada is signed out everywhere, and nothing lets them in.\n"
        assert "disabled" in user("list").stdout.splitlines()[1]
        assert httpx.get(f"{api}/me", headers=bearer).status_code == 401
        assert signed_in(ADA).status_code == 401
        assert user("enable", ada["memberId"].upper()).stdout == "Ada can sign in again.\n"
        again = {"Authorization": f"Bearer {signed_in(ADA).json()['accessToken']}"}
        assert httpx.get(f"{api}/me", headers=again).status_code == 200
        assert user("sign-out", "ada@home.local").stdout == "Ada is signed out everywhere.\n"
        assert httpx.get(f"{api}/me", headers=again).status_code == 401
        assert signed_in(ADA).status_code == 200


@pytest.mark.parametrize("command", ["disable", "enable", "sign-out"])
def test_unknown_account_is_one_line_of_error(tmp_path: Path, command: str) -> None:
    done = run(tmp_path, "user", command, "eve@home.local")
    sentence = "There is no account with eve@home.local; `homeshelf user list` lists them.\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)
