from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from homeshelf import clock
from homeshelf.config import read_settings
from homeshelf.table import open_database
from tests.databases import ENGINES
from tests.forking import run
from tests.served import environment, on_dynamodb, served_with_quick_hashes
from tests.web.street import Street


@pytest.fixture(scope="module", params=ENGINES)
def settings(request: pytest.FixtureRequest) -> dict[str, str]:
    if request.param == "sqlite":
        return {}
    server = request.getfixturevalue(request.param)
    return on_dynamodb(server, f"{clock.new_id()}.")


@pytest.fixture(scope="module")
def serving(
    settings: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Path]]:
    folder = tmp_path_factory.mktemp("street")
    if settings:
        assert run(folder, "tables", "create", **settings).returncode == 0
    with served_with_quick_hashes(folder, "--workers", "2", **settings) as homeshelf:
        yield homeshelf.url, folder


@pytest.fixture
async def street(
    serving: tuple[str, Path], settings: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Street]:
    url, folder = serving
    monkeypatch.chdir(folder)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    db = open_database(read_settings(environment(settings)).database)
    yield Street(url, db)
    await db.close()
