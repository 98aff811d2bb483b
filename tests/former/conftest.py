from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from homeshelf import clock
from tests.databases import ENGINES, tables
from tests.former.folder import FOLDER, Folder, FormerApp, fill, opened
from tests.moment import Moment
from tests.outbox.conftest import busy_workers, closed_mail_server, office
from tests.outbox.post_office import PostOffice

__all__ = ["busy_workers", "closed_mail_server", "office"]


@pytest.fixture
def folder() -> Folder:
    return FOLDER


@pytest.fixture
def moment(monkeypatch: pytest.MonkeyPatch, folder: Folder) -> Moment:
    """The clock at the time when the folder was made."""
    moment = Moment(folder.made["at"])
    monkeypatch.setattr(clock, "nanoseconds", moment.nanoseconds)
    return moment


@pytest.fixture(params=ENGINES)
async def former(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    folder: Folder,
    moment: Moment,  # noqa: ARG001  # stands still from before the folder is opened
    closed_mail_server: PostOffice,
) -> AsyncIterator[FormerApp]:
    """The folder opened by the current program; on DynamoDB, its records."""
    settings = closed_mail_server.settings
    async with AsyncExitStack() as stack:
        copied = folder.copied_to(tmp_path)
        if request.param == "sqlite":
            yield await stack.enter_async_context(opened(folder, settings, copied=copied))
            return
        opener = await stack.enter_async_context(tables(request, tmp_path))
        database = opener()
        await fill(database, copied)
        yield await stack.enter_async_context(opened(folder, settings, database=database))
