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
def closed_mail_server(tmp_path: Path, smtp_servers: SmtpServers) -> Iterator[PostOffice]:
    office = PostOffice(tmp_path / "post", smtp_servers)
    yield office
    office.close()


@pytest.fixture
def office(closed_mail_server: PostOffice) -> PostOffice:
    closed_mail_server.open()
    return closed_mail_server


@pytest.fixture
async def running(database: Database, closed_mail_server: PostOffice) -> AsyncIterator[RunningApp]:
    async with running_app(database, **closed_mail_server.settings) as running:
        yield running
