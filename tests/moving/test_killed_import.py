"""Test that a killed import resumes with the same file and shows no family before its end."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from homeshelf import clock
from homeshelf.config import SqliteAt, addresses
from homeshelf.coordination.leases import Lease
from homeshelf.families.model import Family, Member
from homeshelf.inventory.model import QuantityChange
from homeshelf.moving.copy_sides import connect
from homeshelf.moving.progress_marks import ImportMark
from homeshelf.table import INVENTORY
from homeshelf.table.operations import Delete
from tests.forked_processes import run, run_module
from tests.former.folder import LATER
from tests.moving.households import house_variables, refusal_of
from tests.processes import environment, on_dynamodb
from tests.servers import Server

REPLACED_KINDS = ("Account", "Invitation", "SignInLink")
"""Kinds of records that an import changes."""


@pytest.fixture
async def export_records(tmp_path: Path) -> Path:
    """The exported file of a household with a longer history."""
    variables = house_variables(tmp_path)
    LATER.copied_to(tmp_path)
    family_id = LATER.made["familyId"]
    item_id, at, later = clock.new_id(), clock.timestamp(), clock.seconds() + 10**6
    async with connect(SqliteAt(tmp_path / "data" / "homeshelf.db")) as end:
        for number in range(150):
            change = QuantityChange(
                id=clock.new_id(),
                family_id=family_id,
                item_id=item_id,
                at=at,
                source="tap",
                delta=1,
                quantity=number,
                ttl=later,
            )
            await end.db.put(change)
    file = tmp_path / "family.json"
    done = run(tmp_path, "export", str(file), "--family", family_id, **variables)
    assert done.returncode == 0, done.stderr
    return file


@pytest.fixture(params=["sqlite", "dynoxide"])
def there(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """The environment variables of a second installation, which has no records yet."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path}/there/homeshelf.db"
        return house_variables(tmp_path, "there") | {"HOMESHELF_DATABASE": url}
    server: Server = request.getfixturevalue("dynoxide")
    variables = house_variables(tmp_path, "there") | on_dynamodb(server, f"{tmp_path.name}.")
    assert run(tmp_path, "tables", "create", **variables).returncode == 0
    return variables


async def test_killed_import_resumes_with_the_same_file(
    tmp_path: Path, export_records: Path, there: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in there.items():
        monkeypatch.setenv(name, value)
    family_id, came = LATER.made["familyId"], 0
    for turn in (1, 4, 13):
        words = ("import-family", str(turn), str(export_records))
        died = run_module("tests.kill_points", words, tmp_path, environment(there))
        assert died.returncode == -signal.SIGKILL, died.stderr
        said = refusal_of(run(tmp_path, "import", str(export_records), **there))
        assert said == "Another file is being imported: try again in half a minute."
        async with connect(addresses.database(there["HOMESHELF_DATABASE"])) as end:
            assert await end.db.get(ImportMark.key(owner_id=family_id)) is not None
            assert await end.db.get(Family.key(family_id=family_id)) is None
            before, came = came, len((await end.db.engine.scan(INVENTORY, 10_000)).items)
            assert came >= before
            await end.db.write(Delete(Lease.key(name="import")))
        nobody = refusal_of(run(tmp_path, "export", "x.json", "--family", family_id, **there))
        assert nobody == f"There is no family {family_id}."
    assert came
    done = run(tmp_path, "import", str(export_records), **there)
    assert (done.returncode, done.stderr) == (0, "")
    async with connect(addresses.database(there["HOMESHELF_DATABASE"])) as end:
        assert await end.db.get(ImportMark.key(owner_id=family_id)) is None
        members = await end.db.all(Member.where(family_id=family_id))
    assert sum("reset-password" in line for line in done.stdout.splitlines()) == len(members)
    again = tmp_path / "again.json"
    assert run(tmp_path, "export", str(again), "--family", family_id, **there).returncode == 0
    assert records_in(again) == records_in(export_records)


def records_in(file: Path) -> dict[str, list[str]]:
    records: dict[str, list[Any]] = json.loads(file.read_text())["records"]
    return {
        name: sorted(json.dumps(each, sort_keys=True) for each in found)
        for name, found in records.items()
        if name not in REPLACED_KINDS
    }
