"""A second channel is one file and one setting. What one has sent another does not send again."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from homeshelf.config import Rate, Settings
from homeshelf.coordination.work_queue import SHARDS
from homeshelf.outbox import channels
from homeshelf.outbox.store import queue_of
from homeshelf.table import Database
from tests import running as running_module
from tests.api_client import add_item
from tests.home import Home, new_home
from tests.moment import Moment
from tests.moving.elsewhere import let_in
from tests.outbox.news import prefer, spread
from tests.outbox.post_office import HOME, PostOffice, outbox_empties
from tests.running import PASSWORD, SETTINGS, RunningApp, problem_of, running_app
from tests.served import free_port
from tests.suggestions.asking import propose, reject

LOW = "Rice runs low"


@dataclass(frozen=True)
class SettingsWithNtfy(Settings):
    ntfy_url: str | None = None


class NtfyServer:
    """Takes what is posted, while it is open."""

    def __init__(self) -> None:
        self.port = free_port()
        self.taken: list[dict[str, Any]] = []
        self._closing = AsyncExitStack()

    @property
    def settings(self) -> dict[str, Any]:
        return {"ntfy_url": f"http://127.0.0.1:{self.port}", "public_url": HOME}

    @property
    def titles(self) -> list[str]:
        return [each["title"] for each in self.taken]

    async def open(self) -> None:
        app = web.Application()
        app.router.add_post("/", self._take)
        runner = web.AppRunner(app)
        self._closing.push_async_callback(runner.cleanup)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", self.port).start()

    async def close(self) -> None:
        await self._closing.aclose()

    async def _take(self, request: web.Request) -> web.Response:
        self.taken.append(await request.json())
        return web.json_response({})


@pytest.fixture(autouse=True)
def ntfy_channel(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The channel's file is where the others are, and its setting is known."""
    folder = Path(__file__).parent / "channels"
    monkeypatch.setattr(channels, "__path__", [*channels.__path__, str(folder)])
    known = {field.name: getattr(SETTINGS, field.name) for field in fields(SETTINGS)}
    monkeypatch.setattr(running_module, "SETTINGS", SettingsWithNtfy(**known))
    channels.modules.cache_clear()
    yield
    channels.modules.cache_clear()


@pytest.fixture
async def closed_ntfy() -> AsyncIterator[NtfyServer]:
    server = NtfyServer()
    yield server
    await server.close()


@pytest.fixture
async def ntfy(closed_ntfy: NtfyServer) -> NtfyServer:
    await closed_ntfy.open()
    return closed_ntfy


@pytest.fixture
async def running(database: Database, closed_ntfy: NtfyServer) -> AsyncIterator[RunningApp]:
    """With no mail server at all."""
    async with running_app(database, **closed_ntfy.settings) as app:
        yield app


@pytest.fixture
async def with_both(
    database: Database, closed_ntfy: NtfyServer, closed_office: PostOffice
) -> AsyncIterator[RunningApp]:
    settings = closed_ntfy.settings | closed_office.settings
    async with running_app(database, **settings) as app:
        yield app


async def test_what_happens_at_home_is_told_without_a_mail_server(
    home: Home, ntfy: NtfyServer
) -> None:
    rice = await add_item(home.admin, name="Rice", quantity=1, threshold=2)
    await spread(home.running)
    await until(lambda: bool(ntfy.taken))
    (said,) = ntfy.taken
    assert said == {
        "topic": home.admin.member_id,
        "title": LOW,
        "message": "Rice runs low: 1 left, and there should be at least 2.\n"
        "You are told this as it happens. The settings have other ways.",
        "click": f"{HOME}/stock/{rice['itemId']}",
    }


async def test_who_has_not_said_that_an_address_is_theirs_is_reached_too(
    running: RunningApp, ntfy: NtfyServer
) -> None:
    ada = await running.person("ada")
    assert (await ada.post("/families", {"name": "Lovelace"})).status_code == 201
    await add_item(ada, name="Rice", quantity=1, threshold=2)
    await spread(running)
    await until(lambda: ntfy.titles == [LOW])


async def test_who_wants_to_be_told_nothing_is_told_nothing(home: Home, ntfy: NtfyServer) -> None:
    await prefer(home.admin, mail="off")
    await add_item(home.admin, name="Rice", quantity=1, threshold=2)
    await spread(home.running)
    assert await waiting(home.running.db, "ntfy") == 0
    assert ntfy.taken == []


async def test_of_those_without_an_address_each_has_an_allowance(
    database: Database, ntfy: NtfyServer
) -> None:
    """One child's wishes do not make the other wait until the morning."""
    settings = ntfy.settings | {"limit_news": Rate(1, 3600)}
    async with running_app(database, **settings) as running:
        home = await new_home(running, "Lovelace", "ada")
        await prefer(home.admin, mail="off")
        told = set()
        for name in ("Annabella", "Byron"):
            member_id = (await home.admin.post("/members", {"name": name})).json()["memberId"]
            child = await let_in(running, member_id)
            await reject(home.admin, await propose(child, f"Candy for {name}"))
            await reject(home.admin, await propose(child, f"Cake for {name}"))
            told.add(member_id)
        await spread(running)
        await until(lambda: len(ntfy.taken) == 2)
        assert {each["topic"] for each in ntfy.taken} == told
        async with asyncio.timeout(10):  # what was taken is crossed out a moment later
            while await waiting(database, "ntfy") > 2:  # noqa: ASYNC110  # the table's own state
                await asyncio.sleep(0.02)
        assert await waiting(database, "ntfy") == 2


async def test_that_a_password_was_changed_is_told(running: RunningApp, ntfy: NtfyServer) -> None:
    ada = await running.person("ada")
    asked = {"currentPassword": PASSWORD, "password": "another one"}
    assert (await ada.patch("/me", asked)).status_code == 200
    await until(lambda: ntfy.titles == ["Your password was changed"])


async def test_what_is_for_an_address_goes_by_mail_alone(home: Home, ntfy: NtfyServer) -> None:
    eve = await home.running.person("eve")
    assert problem_of(await eve.post("/me/verification"))[0] == 404
    await home.invite("grace@home.local")
    visitor = home.running.visitor()
    assert (await visitor.post("/passwords/forgotten", {"email": eve.email})).status_code == 202
    db = home.running.db
    assert (await waiting(db, "mail"), await waiting(db, "ntfy")) == (0, 0)
    assert ntfy.taken == []


async def test_mail_that_is_away_keeps_nothing_from_another_channel(
    with_both: RunningApp, ntfy: NtfyServer, closed_office: PostOffice, moment: Moment
) -> None:
    home = await new_home(with_both, "Lovelace", "ada")
    await add_item(home.admin, name="Rice", quantity=1, threshold=2)
    await spread(with_both)
    await until(lambda: ntfy.titles == [LOW])
    assert await waiting(with_both.db, "mail") == 1
    await closed_office.opens()
    await outbox_empties(with_both.db, moment)
    assert [str(mail.message["subject"]) for mail in closed_office.mails] == [LOW]
    assert ntfy.titles == [LOW], "and it is not sent again there"


async def test_another_channel_that_is_away_keeps_nothing_from_mail(
    with_both: RunningApp, closed_ntfy: NtfyServer, office: PostOffice, moment: Moment
) -> None:
    home = await new_home(with_both, "Lovelace", "ada")
    await add_item(home.admin, name="Rice", quantity=1, threshold=2)
    await spread(with_both)
    assert (await office.mail()).message["subject"] == LOW
    assert await waiting(with_both.db, "ntfy") == 1
    await closed_ntfy.open()
    await until(lambda: closed_ntfy.titles == [LOW], moment)
    assert len(office.mails) == 1


async def test_in_the_morning_each_channel_tells_all_of_it_once(
    with_both: RunningApp, ntfy: NtfyServer, office: PostOffice, moment: Moment
) -> None:
    home = await new_home(with_both, "Lovelace", "ada")
    await prefer(home.admin, mail="daily")
    for name in ("Rice", "Tea"):
        await add_item(home.admin, name=name, quantity=1, threshold=2)
    await spread(with_both)
    assert (ntfy.taken, office.mails) == ([], [])
    moment.pass_by(24 * 3600)
    title = str((await office.mail()).message["subject"])
    await until(lambda: ntfy.titles == [title])
    assert title.endswith("runs low, and 1 more")
    assert len(office.mails) == 1


async def waiting(db: Database, channel: str) -> int:
    found = [await db.all(queue_of(channel).query(shard).up_to_date()) for shard in SHARDS]
    return sum(map(len, found))


async def until(happened: Callable[[], bool], moment: Moment | None = None) -> None:
    """While time passes, where a server that was away is left alone for some of it."""
    end = time.monotonic() + 20
    while not happened():
        assert time.monotonic() < end, "it has not happened"
        if moment is not None:
            moment.pass_by(120)
        await asyncio.sleep(0.02)
