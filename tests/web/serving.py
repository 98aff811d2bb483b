"""A server of two processes on each engine, which all that listen to one share."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from homeshelf import clock
from homeshelf.config import read_settings
from homeshelf.table import open_database
from tests.databases import ENGINES
from tests.forking import run
from tests.served import environment, on_dynamodb, served_quickly
from tests.web.street import Street

MANY_FAMILIES = {"HOMESHELF_LIMIT_SIGNUPS": "10000/h"}
"""Everybody there has the same address."""


@dataclass(frozen=True)
class Serving:
    url: str
    folder: Path
    settings: dict[str, str]


@pytest.fixture(scope="session")
def serving_on(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Serving]]:
    """A server for each engine, from when it is first asked for: to start one takes seconds."""
    with ExitStack() as stack:

        @cache
        def serving(engine: str) -> Serving:
            folder, settings = tmp_path_factory.mktemp("street"), {}
            if engine != "sqlite":
                settings = on_dynamodb(request.getfixturevalue(engine), f"{clock.new_id()}.")
                assert run(folder, "tables", "create", **settings).returncode == 0
            variables = settings | MANY_FAMILIES
            started = served_quickly(folder, "--workers", "2", **variables)
            return Serving(stack.enter_context(started).url, folder, settings)

        yield serving


@pytest.fixture(params=ENGINES)
async def street(
    request: pytest.FixtureRequest,
    serving_on: Callable[[str], Serving],
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[Street]:
    """Others live there too: a test has the families and lists that it makes to itself."""
    serving = serving_on(request.param)
    monkeypatch.chdir(serving.folder)
    for name, value in serving.settings.items():
        monkeypatch.setenv(name, value)
    db = open_database(read_settings(environment(serving.settings)).database)
    yield Street(serving.url, db)
    await db.close()
