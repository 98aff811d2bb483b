from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from homeshelf.mail import sending
from homeshelf.table import Database
from tests.house import OpenHouse, open_house
from tests.mail.post_office import PostOffice
from tests.mail.smtp_servers import SmtpServers


@pytest.fixture(autouse=True)
def busy_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look into the outbox so often that no test waits for it."""
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
async def house(database: Database, closed_office: PostOffice) -> AsyncIterator[OpenHouse]:
    """A house that sends mail."""
    async with open_house(database, **closed_office.settings) as house:
        yield house
