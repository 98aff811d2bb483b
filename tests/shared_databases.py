"""A database that other programs open too, by its address: for tests that kill them."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from homeshelf import clock
from homeshelf.config import addresses
from homeshelf.table import Database, open_database
from tests.databases import ENGINES
from tests.forking import run
from tests.served import on_dynamodb


@pytest.fixture(params=ENGINES)
def where(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """The variables that lead a program there."""
    if request.param == "sqlite":
        return {"HOMESHELF_DATABASE": f"sqlite:///{tmp_path}/homeshelf.db"}
    variables = on_dynamodb(request.getfixturevalue("dynoxide"), f"{clock.new_id()}.")
    assert run(tmp_path, "tables", "create", **variables).returncode == 0
    return variables


@pytest.fixture
async def db(where: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Database]:
    for name, value in where.items():
        monkeypatch.setenv(name, value)
    db = open_database(addresses.database(where["HOMESHELF_DATABASE"]))
    await db.engine.create_tables()
    yield db
    await db.close()
