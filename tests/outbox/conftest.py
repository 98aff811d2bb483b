from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from homeshelf.outbox import sending
from homeshelf.table import Database
from tests.outbox.post_office import PostOffice
from tests.outbox.smtp_server import SmtpServers
from tests.running import RunningApp, running_app


@pytest.fixture(autouse=True)
def busy_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "EVERY_SECONDS", 0.03)


@pytest.fixture
def closed_office(tmp_path: Path, smtp_servers: SmtpServers) -> Iterator[PostOffice]:
    office = PostOffice(tmp_path / "post", smtp_servers)
    yield office
    office.close()


@pytest.fixture
def office(closed_office: PostOffice) -> PostOffice:
    closed_office.open()
    return closed_office


@pytest.fixture
async def running(database: Database, closed_office: PostOffice) -> AsyncIterator[RunningApp]:
    async with running_app(database, **closed_office.settings) as running:
        yield running
