"""Test `homeshelf export` and `homeshelf import` on the command line."""

import stat
from pathlib import Path

import httpx
import pytest

from tests.forked_processes import run, served
from tests.home import NOBODYS
from tests.moving.households import (
    ADA,
    create_account,
    house_variables,
    refusal_of,
    signed_in_client,
)
from tests.running import PASSWORD


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    variables = house_variables(tmp_path)
    create_account(tmp_path, variables)
    return variables


def test_exported_family_is_imported_and_its_admin_signs_in(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    """Both houses run during the export and the import."""
    there = house_variables(tmp_path, "elsewhere")
    with served(tmp_path, **variables) as homeshelf, signed_in_client(homeshelf) as ada:
        family = ada.post("/families", json={"name": "Lovelace"}).json()["familyId"]
        rice = ada.post("/items", json={"name": "Rice", "quantity": 3}).json()
        tag = ada.post(f"/items/{rice['itemId']}/nfc-urls").json()
        done = run(tmp_path, "export", "family.json", "--family", family, **variables)
        assert (done.returncode, done.stderr) == (0, "")
    assert stat.S_IMODE((tmp_path / "family.json").stat().st_mode) == 0o600
    with served(tmp_path, **there) as homeshelf:
        came = run(tmp_path, "import", "family.json", **there)
        assert (came.returncode, came.stderr) == (0, "")
        (way,) = (line for line in came.stdout.splitlines() if "reset-password" in line)
        tokens = f"{homeshelf.url}/api/v1/tokens"
        assert httpx.post(tokens, json=ADA).status_code == 401
        words = way.partition("homeshelf ")[2].split()
        new = run(tmp_path, *words, "--password-stdin", typed=f"{PASSWORD}\n", **there)
        assert (new.returncode, new.stderr) == (0, "")
        with signed_in_client(homeshelf) as ada:
            assert ada.get(f"/items/{rice['itemId']}").json()["quantity"] == 3
            assert ada.post(f"/taps/{tag['urlId']}", json={"delta": -1}).json()["quantity"] == 2
        assert "is here already" in refusal_of(run(tmp_path, "import", "family.json", **there))
    assert run(tmp_path, "doctor", **there).returncode == 0


def test_imported_person_cannot_take_an_address_in_use(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    there = house_variables(tmp_path, "elsewhere")
    done = run(tmp_path, "export", "ada.json", "--person", ADA["email"], **variables)
    assert done.returncode == 0, done.stderr
    came = run(tmp_path, "import", "ada.json", **there)
    member_id = came.stdout.split()[-1]
    create_account(tmp_path, there)
    words = ("user", "reset-password", member_id, "--password-stdin")
    said = refusal_of(run(tmp_path, *words, typed="another password\n", **there))
    assert said == f"Another account has the address {ADA['email']}: invite that person."


def test_impossible_export_and_import_commands_are_refused(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    def said(*words: str) -> str:
        return refusal_of(run(tmp_path, *words, **variables))

    one = "Name one family with --family, or one person with --person."
    assert said("export", "x.json") == one
    assert said("export", "x.json", "--family", NOBODYS, "--person", "a@b.example") == one
    assert said("export", "x.json", "--family", NOBODYS) == f"There is no family {NOBODYS}."
    assert said("export", "x.json", "--family", "#") == "There is no family #."
    assert said("export", "x.json", "--person", "a@b.example").startswith("There is no account")
    (tmp_path / "there.json").write_text("mine")
    assert "exists already" in said("export", "there.json", "--person", ADA["email"])
    assert (tmp_path / "there.json").read_text() == "mine"
    assert said("import", "none.json") == "none.json cannot be read: No such file or directory."
    assert said("import", "there.json").startswith("The file is not a complete export of Homeshelf")
    assert not (tmp_path / "x.json").exists()
