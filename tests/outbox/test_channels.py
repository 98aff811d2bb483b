"""Test a second channel, which consists of one file with the addresses of its people."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from homeshelf import clock
from homeshelf.accounts.model import Account
from homeshelf.accounts.store import remove_address, set_address
from homeshelf.config import Rate
from homeshelf.coordination.work_queue import SHARDS
from homeshelf.errors import Unauthenticated
from homeshelf.outbox import channels
from homeshelf.outbox.channel import PersonalAddress
from homeshelf.outbox.store import queue_of
from homeshelf.table import Database
from tests.api_client import add_item
from tests.home import Home, new_home
from tests.moment import Moment
from tests.moving.households import sign_in_member
from tests.outbox.mail import put_due_letters, set_preferences
from tests.outbox.post_office import HOME, PostOffice, wait_for_empty_outbox
from tests.processes import free_port
from tests.running import PASSWORD, Person, RunningApp, problem_of, running_app
from tests.suggestions.wish_requests import propose, reject

LOW = "Rice is running low"


class NtfyServer:
    """An HTTP server that accepts notifications while it is open."""

    def __init__(self) -> None:
        self.port = free_port()
        self.taken: list[dict[str, Any]] = []
        self.tokens: list[str] = []
        self.trouble = "none"
        self._closing = AsyncExitStack()

    @property
    def titles(self) -> list[str]:
        return [each["title"] for each in self.taken]

    def address_of(self, member_id: str, **more: str) -> PersonalAddress:
        (kind,) = channels.address_kinds()
        server = f"http://127.0.0.1:{self.port}"
        given = {"server": server, "topic": f"topic-of-{member_id}", **more}
        return kind.model_validate({"member_id": member_id, **given})

    async def subscribe(self, db: Database, person: Person, **more: str) -> None:
        address = self.address_of(person.member_id, **more)
        await set_address(db, Account.key(member_id=person.member_id), address)

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
        body = await request.json()
        if self.trouble == "hung up":
            assert request.transport is not None
            request.transport.abort()
        if self.trouble == "refused":
            return web.Response(status=403, text=f"no {body['topic']} here")
        self.taken.append(body)
        self.tokens.append(request.headers.get("Authorization", ""))
        return web.json_response({})


@pytest.fixture(autouse=True)
def ntfy_channel(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = Path(__file__).parent / "channels"
    monkeypatch.setattr(channels, "__path__", [*channels.__path__, str(folder)])
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
async def running(database: Database) -> AsyncIterator[RunningApp]:
    async with running_app(database, public_url=HOME) as app:
        yield app


@pytest.fixture
async def home(running: RunningApp, closed_ntfy: NtfyServer) -> Home:
    return await home_with_subscribed_admin(running, closed_ntfy)


async def home_with_subscribed_admin(running: RunningApp, ntfy: NtfyServer) -> Home:
    home = await new_home(running, "Lovelace", "ada")
    await ntfy.subscribe(running.db, home.admin)
    return home


@pytest.fixture
async def app_with_both_channels(
    database: Database, closed_mail_server: PostOffice
) -> AsyncIterator[RunningApp]:
    async with running_app(database, **closed_mail_server.settings) as app:
        yield app


async def test_notifications_work_without_a_mail_server(home: Home, ntfy: NtfyServer) -> None:
    rice = await add_item(home.admin, name="Rice", quantity=1, threshold=2)
    await put_due_letters(home.running)
    await wait_until(lambda: bool(ntfy.taken))
    (said,) = ntfy.taken
    assert said == {
        "topic": f"topic-of-{home.admin.member_id}",
        "title": LOW,
        "message": "Rice is running low: 1 left. You wanted at least 2.\n"
        "We mail you right away. You can change this in your settings.",
        "click": f"{HOME}/stock/{rice['itemId']}",
    }


async def test_person_without_a_verified_address_is_notified_too(
    running: RunningApp, ntfy: NtfyServer
) -> None:
    ada = await running.person("ada")
    await ntfy.subscribe(running.db, ada)
    assert (await ada.post("/families", {"name": "Lovelace"})).status_code == 201
    await add_item(ada, name="Rice", quantity=1, threshold=2)
    await put_due_letters(running)
    await wait_until(lambda: ntfy.titles == [LOW])


async def test_person_who_disabled_notifications_gets_none(home: Home, ntfy: NtfyServer) -> None:
    await set_preferences(home.admin, mail="off")
    await add_item(home.admin, name="Rice", quantity=1, threshold=2)
    await put_due_letters(home.running)
    assert await count_waiting_letters(home.running.db, "ntfy") == 0
    assert ntfy.taken == []


async def test_each_person_without_an_address_has_own_limits(
    database: Database, ntfy: NtfyServer
) -> None:
    limits = {"limit_news": Rate(1, 3600)}
    async with running_app(database, public_url=HOME, **limits) as running:
        home = await new_home(running, "Lovelace", "ada")
        await set_preferences(home.admin, mail="off")
        told = set()
        for name in ("Annabella", "Byron"):
            member_id = (await home.admin.post("/members", {"name": name})).json()["memberId"]
            child = await sign_in_member(running, member_id)
            account = Account.key(member_id=member_id)
            await set_address(database, account, ntfy.address_of(member_id))
            await reject(home.admin, await propose(child, f"Candy for {name}"))
            await reject(home.admin, await propose(child, f"Cake for {name}"))
            told.add(f"topic-of-{member_id}")
        await put_due_letters(running)
        await wait_until(lambda: len(ntfy.taken) == 2)
        assert {each["topic"] for each in ntfy.taken} == told
        async with asyncio.timeout(10):  # what was taken is crossed out a moment later
            while await count_waiting_letters(database, "ntfy") > 2:  # noqa: ASYNC110  # the table's own state
                await asyncio.sleep(0.02)
        assert await count_waiting_letters(database, "ntfy") == 2


async def test_password_change_is_notified(running: RunningApp, ntfy: NtfyServer) -> None:
    ada = await running.person("ada")
    await ntfy.subscribe(running.db, ada)
    asked = {"currentPassword": PASSWORD, "password": "another one"}
    assert (await ada.patch("/me", asked)).status_code == 200
    await wait_until(lambda: ntfy.titles == ["Your password was changed"])


async def test_address_verification_is_sent_by_mail_only(home: Home, ntfy: NtfyServer) -> None:
    eve = await home.running.person("eve")
    assert problem_of(await eve.post("/me/verification"))[0] == 404
    await home.invite("grace@home.local")
    visitor = home.running.visitor()
    assert (await visitor.post("/passwords/forgotten", {"email": eve.email})).status_code == 202
    db = home.running.db
    assert (await count_waiting_letters(db, "mail"), await count_waiting_letters(db, "ntfy")) == (
        0,
        0,
    )
    assert ntfy.taken == []


async def test_mail_outage_does_not_block_another_channel(
    app_with_both_channels: RunningApp,
    ntfy: NtfyServer,
    closed_mail_server: PostOffice,
    moment: Moment,
) -> None:
    home = await home_with_subscribed_admin(app_with_both_channels, ntfy)
    await add_item(home.admin, name="Rice", quantity=1, threshold=2)
    await put_due_letters(app_with_both_channels)
    await wait_until(lambda: ntfy.titles == [LOW])
    assert await count_waiting_letters(app_with_both_channels.db, "mail") == 1
    await closed_mail_server.open_in_thread()
    await wait_for_empty_outbox(app_with_both_channels.db, moment)
    assert [str(mail.message["subject"]) for mail in closed_mail_server.mails] == [LOW]
    assert ntfy.titles == [LOW], "and it is not sent again there"


async def test_outage_of_another_channel_does_not_block_mail(
    app_with_both_channels: RunningApp, closed_ntfy: NtfyServer, office: PostOffice, moment: Moment
) -> None:
    home = await home_with_subscribed_admin(app_with_both_channels, closed_ntfy)
    await add_item(home.admin, name="Rice", quantity=1, threshold=2)
    await put_due_letters(app_with_both_channels)
    assert (await office.mail()).message["subject"] == LOW
    assert await count_waiting_letters(app_with_both_channels.db, "ntfy") == 1
    await closed_ntfy.open()
    await wait_until(lambda: closed_ntfy.titles == [LOW], moment)
    assert len(office.mails) == 1


async def test_each_channel_sends_the_daily_notifications_once(
    app_with_both_channels: RunningApp, ntfy: NtfyServer, office: PostOffice, moment: Moment
) -> None:
    home = await home_with_subscribed_admin(app_with_both_channels, ntfy)
    await set_preferences(home.admin, mail="daily")
    for name in ("Rice", "Tea"):
        await add_item(home.admin, name=name, quantity=1, threshold=2)
    await put_due_letters(app_with_both_channels)
    assert (ntfy.taken, office.mails) == ([], [])
    moment.pass_by(24 * 3600)
    title = str((await office.mail()).message["subject"])
    await wait_until(lambda: ntfy.titles == [title])
    assert title.endswith("is running low, and 1 more")
    assert len(office.mails) == 1


async def test_each_person_is_notified_at_their_own_address(home: Home, ntfy: NtfyServer) -> None:
    db = home.running.db
    grace, alan = [await home.with_member(name, "admin") for name in ("grace", "alan")]
    await ntfy.subscribe(db, grace, token="sesame")
    await add_item(home.admin, name="Rice", quantity=1, threshold=2)
    await put_due_letters(home.running)
    await wait_until(lambda: len(ntfy.taken) == 2)
    topics = {f"topic-of-{each.member_id}" for each in (home.admin, grace)}
    assert {each["topic"] for each in ntfy.taken} == topics
    assert sorted(ntfy.tokens) == ["", "Bearer sesame"]
    await ntfy.subscribe(db, alan, topic="another topic")
    (kind,) = channels.address_kinds()
    for gone in (home.admin, grace):
        await remove_address(db, Account.key(member_id=gone.member_id), kind)
    await add_item(home.admin, name="Tea", quantity=1, threshold=2)
    await put_due_letters(home.running)
    await wait_until(lambda: len(ntfy.taken) == 3)
    assert ntfy.taken[2]["topic"] == "another topic"
    await wait_until_none_waits(db)


async def test_waiting_letter_goes_to_the_changed_address(
    home: Home, closed_ntfy: NtfyServer, moment: Moment
) -> None:
    await add_item(home.admin, name="Rice", quantity=1, threshold=2)
    await put_due_letters(home.running)
    assert await count_waiting_letters(home.running.db, "ntfy") == 1
    await closed_ntfy.subscribe(home.running.db, home.admin, topic="a new topic")
    await closed_ntfy.open()
    await wait_until(lambda: closed_ntfy.titles == [LOW], moment)
    assert closed_ntfy.taken[0]["topic"] == "a new topic"


async def test_child_gets_only_answers_to_own_wishes(home: Home, ntfy: NtfyServer) -> None:
    db, running = home.running.db, home.running
    kid, other = [await home.with_member(name, "suggester") for name in ("kid", "other")]
    for child in (kid, other):
        await ntfy.subscribe(db, child)
    wish = await propose(kid, "Candy")
    await add_item(home.admin, name="Rice", quantity=1, threshold=2)
    await reject(home.admin, wish)
    await put_due_letters(running)
    await wait_until(lambda: len(ntfy.taken) == 2)
    told = {each["topic"]: each["title"] for each in ntfy.taken}
    assert told == {
        f"topic-of-{kid.member_id}": "Not this time: Candy",
        f"topic-of-{home.admin.member_id}": LOW,
    }
    await wait_until_none_waits(db)


async def test_deleted_or_disabled_account_is_not_notified(home: Home, ntfy: NtfyServer) -> None:
    db = home.running.db
    grace, alan = [await home.with_member(name, "admin") for name in ("grace", "alan")]
    for person in (grace, alan):
        await ntfy.subscribe(db, person)
    account = await db.get(Account.key(member_id=grace.member_id))
    assert account is not None
    await db.put(account.disable(clock.timestamp()))
    answer = await alan.ask("DELETE", "/me", {"password": PASSWORD})
    assert answer.status_code == 204, answer.text
    (kind,) = channels.address_kinds()
    assert await db.get(kind.key(member_id=alan.member_id)) is None
    with pytest.raises(Unauthenticated):
        await ntfy.subscribe(db, alan)
    await add_item(home.admin, name="Rice", quantity=1, threshold=2)
    await put_due_letters(home.running)
    await wait_until(lambda: ntfy.titles == [LOW])
    assert ntfy.taken[0]["topic"] == f"topic-of-{home.admin.member_id}"
    await wait_until_none_waits(db)


@pytest.mark.parametrize("trouble", ["none", "refused", "away", "hung up", "no address at all"])
async def test_logs_contain_no_address(
    home: Home, closed_ntfy: NtfyServer, capfd: pytest.CaptureFixture[str], trouble: str
) -> None:
    ntfy, db = closed_ntfy, home.running.db
    ntfy.trouble = trouble
    server = {"server": "http://topic-is-secret.example:port"} if "address" in trouble else {}
    await ntfy.subscribe(db, home.admin, topic="topic-is-secret", token="token-is-secret", **server)
    if trouble != "away":
        await ntfy.open()
    await add_item(home.admin, name="Rice", quantity=1, threshold=2)
    await put_due_letters(home.running)
    event = {
        "none": "letter_sent",
        "refused": "letter_refused",
        "away": "ntfy_server_away",
        "hung up": "letter_in_doubt",
        "no address at all": "letter_failed",
    }[trouble]
    logged = ""

    def is_logged() -> bool:
        nonlocal logged
        logged += "".join(capfd.readouterr())
        return event in logged

    await wait_until(is_logged)
    assert "secret" not in logged
    (kind,) = channels.address_kinds()
    stored = await db.get(kind.key(member_id=home.admin.member_id))
    assert "secret" not in f"{stored!r} {stored}"


async def count_waiting_letters(db: Database, channel: str) -> int:
    found = [await db.all(queue_of(channel).query(shard).up_to_date()) for shard in SHARDS]
    return sum(map(len, found))


async def wait_until_none_waits(db: Database) -> None:
    async with asyncio.timeout(10):
        while await count_waiting_letters(db, "ntfy"):  # noqa: ASYNC110  # the table's own state
            await asyncio.sleep(0.02)


async def wait_until(happened: Callable[[], bool], moment: Moment | None = None) -> None:
    end = time.monotonic() + 20
    while not happened():
        assert time.monotonic() < end, "it has not happened"
        if moment is not None:
            moment.pass_by(120)
        await asyncio.sleep(0.02)
