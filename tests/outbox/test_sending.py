"""Test that each cause leads to one mail, whatever fails on the way."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

from homeshelf import clock
from homeshelf.coordination import leases
from homeshelf.outbox import sending
from homeshelf.outbox.channels.mail import server
from homeshelf.outbox.model import Letter
from homeshelf.table import Database
from tests.databases import Opener
from tests.home import Home
from tests.moment import Moment
from tests.outbox.post_office import (
    PostOffice,
    outbox,
    send_without_success,
    wait_for_empty_outbox,
    wait_until_outbox_is_empty,
)
from tests.running import RunningApp, running_app

HOUR = 3600


async def test_server_outage_of_an_hour_loses_no_letter(
    home: Home, closed_mail_server: PostOffice, moment: Moment
) -> None:
    await home.invite("grace@home.local")
    for _ in range(30):
        moment.pass_by(HOUR / 30)
        await asyncio.sleep(0.05)
    assert len(await outbox(home.running.db)) == 1
    closed_mail_server.open()
    await wait_for_empty_outbox(home.running.db, moment)
    assert [mail.to for mail in closed_mail_server.mails] == [["grace@home.local"]]


@pytest.mark.parametrize("seconds", [HOUR, 24 * HOUR])
async def test_clock_change_delays_no_letter(
    home: Home,
    closed_mail_server: PostOffice,
    moment: Moment,
    capfd: pytest.CaptureFixture[str],
    seconds: int,
) -> None:
    await home.invite("grace@home.local")
    async with asyncio.timeout(10):
        said = ""
        while "mail_server_away" not in said:
            await asyncio.sleep(0.01)
            said += capfd.readouterr().out
    moment.pass_by(-seconds)
    closed_mail_server.open()
    await home.invite("mary@home.local")
    await closed_mail_server.mail(2)
    mailed = sorted(mail.to[0] for mail in closed_mail_server.mails)
    assert mailed == ["grace@home.local", "mary@home.local"]


async def test_unstable_server_gets_each_letter_once(
    home: Home, closed_mail_server: PostOffice, moment: Moment
) -> None:
    people = [f"person{number}@home.local" for number in range(8)]
    for number, email in enumerate(people):
        await home.invite(email)
        (closed_mail_server.open if number % 2 else closed_mail_server.close)()
        moment.pass_by(120)
        await asyncio.sleep(0.1)
    await wait_for_empty_outbox(home.running.db, moment)
    assert sorted(mail.to[0] for mail in closed_mail_server.mails) == people


async def test_one_of_many_workers_sends_a_letter(
    home: Home, open_another: Opener, closed_mail_server: PostOffice
) -> None:
    people = [f"person{number}@home.local" for number in range(6)]
    for email in people:
        await home.invite(email)
    async with (
        running_app(open_another(), **closed_mail_server.settings),
        running_app(open_another(), **closed_mail_server.settings),
    ):
        closed_mail_server.open()
        await wait_until_outbox_is_empty(home.running.db, within=30)
    assert sorted(mail.to[0] for mail in closed_mail_server.mails) == people


async def test_two_workers_with_the_same_lease_send_one_mail(
    home: Home,
    open_another: Opener,
    office: PostOffice,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def keep_lease(*_: Any) -> bool:
        return True

    monkeypatch.setattr(leases, "hold_lease", keep_lease)
    office.order(slow=0.2)
    async with running_app(open_another(), **office.settings):
        for number in range(4):
            await home.invite(f"person{number}@home.local")
        await wait_until_outbox_is_empty(home.running.db, within=30)
    assert len(office.mails) == 4


async def test_temporarily_refused_recipient_is_retried(
    home: Home, office: PostOffice, moment: Moment
) -> None:
    office.order(rcpt="450 4.2.1 come back later")
    await home.invite("grace@home.local")
    for attempts in range(1, 4):
        moment.move((await wait_for_attempts(home.running.db, attempts)).due_at)
    letter = await wait_for_attempts(home.running.db, 4)
    pause = datetime.fromisoformat(letter.due_at) - clock.now()
    assert pause == timedelta(minutes=8), "twice as long each time"
    office.order()
    moment.move(letter.due_at)
    await wait_until_outbox_is_empty(home.running.db)
    assert len(office.mails) == 1


async def test_refusal_after_the_content_is_retried(
    home: Home, office: PostOffice, moment: Moment
) -> None:
    office.order(data="452 4.3.1 the disk is full")
    await home.invite("grace@home.local")
    letter = await wait_for_attempts(home.running.db, 1)
    assert not letter.handed_over
    office.order()
    moment.move(letter.due_at)
    await wait_until_outbox_is_empty(home.running.db)
    assert len(office.mails) == 1


@pytest.mark.parametrize("step", ["rcpt", "data"])
async def test_permanently_refused_letter_is_deleted(
    home: Home, office: PostOffice, step: str, capfd: pytest.CaptureFixture[str]
) -> None:
    office.order(**{step: "550 5.1.1 nobody of this name"})
    await home.invite("grace@home.local")
    await wait_until_outbox_is_empty(home.running.db)
    office.order()
    await home.invite("another@home.local")
    await wait_until_outbox_is_empty(home.running.db)
    assert [mail.to for mail in office.mails] == [["another@home.local"]]
    said = capfd.readouterr().out
    assert "letter_refused" in said
    assert "it said 550" in said


@pytest.mark.parametrize("answer", ["421 4.3.2 closing for the night", "550 5.7.1 who are you?"])
async def test_server_that_refuses_the_sender_is_retried(
    home: Home, office: PostOffice, moment: Moment, answer: str
) -> None:
    office.order(mail=answer)
    async with send_without_success(moment):
        await home.invite("grace@home.local")
    (letter,) = await outbox(home.running.db)
    assert letter.attempts == 0
    office.order()
    moment.pass_by(120)
    await wait_until_outbox_is_empty(home.running.db)
    assert len(office.mails) == 1


async def test_closed_connection_without_response_is_retried(
    home: Home, office: PostOffice, moment: Moment
) -> None:
    office.order(hang_up=True)
    async with send_without_success(moment):
        await home.invite("grace@home.local")
    async with asyncio.timeout(10):
        while (letter := (await outbox(home.running.db))[0]).handed_over:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    office.order()
    moment.pass_by(120)
    await wait_until_outbox_is_empty(home.running.db)
    (mail,) = office.mails
    assert mail.message["message-id"] == f"<{letter.letter_id}@example.org>"


async def test_missing_response_is_not_retried(
    home: Home, office: PostOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "LAST_RESPONSE_SECONDS", 0.2)
    office.order(silent=True)
    await home.invite("grace@home.local")
    await wait_until_outbox_is_empty(home.running.db)
    office.order()
    await asyncio.sleep(0.2)
    assert len(office.mails) == 1


async def test_stop_during_sending_sends_once(
    database: Database,
    open_another: Opener,
    office: PostOffice,
    moment: Moment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sending, "STOPS_WITHIN_SECONDS", 0.2)
    office.order(silent=True)
    async with running_app(database, **office.settings) as running:
        ada = await running.person("ada")
        await ada.post("/me/verification")
        await office.mail()
    (letter,) = await outbox(database)
    assert letter.handed_over
    office.order()
    async with running_app(open_another(), **office.settings):
        await asyncio.sleep(0.3)
        moment.pass_by(16 * 60)
        await wait_until_outbox_is_empty(database)
    assert len(office.mails) == 1


async def test_stop_before_sending_ends_at_once(
    database: Database, open_another: Opener, office: PostOffice
) -> None:
    office.order(slow=3)
    async with running_app(database, **office.settings) as running:
        ada = await running.person("ada")
        await ada.post("/me/verification")
        await asyncio.sleep(0.5)
        began = asyncio.get_running_loop().time()
    assert asyncio.get_running_loop().time() - began < 2.5
    office.order()
    async with running_app(open_another(), **office.settings):
        await wait_until_outbox_is_empty(database)
    await asyncio.sleep(0.1)
    assert len(office.mails) == 1


async def test_letter_of_an_unknown_kind_blocks_no_other(home: Home, office: PostOffice) -> None:
    odd = Letter(
        letter_id="odd",
        kind="of a later version",
        about={},
        due_at="2024-01-01T00:00:00.000Z",
        written_at="2024-01-01T00:00:00.000Z",
        ttl=9_000_000_000,
    )
    await home.running.db.put(odd)
    await home.invite("grace@home.local")
    assert (await office.mail()).to == ["grace@home.local"]
    assert [letter.attempts for letter in await outbox(home.running.db) if letter.kind == odd.kind]


async def test_letter_is_deleted_after_a_week(
    running: RunningApp, closed_mail_server: PostOffice, moment: Moment
) -> None:
    ada = await running.person("ada")
    await ada.post("/me/verification")
    moment.pass_by(7 * 24 * HOUR)
    assert await outbox(running.db) == []
    assert closed_mail_server.mails == []


async def test_password_reset_of_two_days_ago_is_not_sent(
    running: RunningApp, closed_mail_server: PostOffice, moment: Moment
) -> None:
    ada = await running.person("ada")
    async with send_without_success(moment):
        await running.visitor().post("/passwords/forgotten", {"email": ada.email})
    moment.pass_by(48 * HOUR)
    closed_mail_server.open()
    await wait_until_outbox_is_empty(running.db)
    assert closed_mail_server.mails == []


async def wait_for_attempts(db: Database, attempts: int) -> Letter:
    async with asyncio.timeout(10):
        while True:
            letters = await outbox(db)
            if letters and letters[0].attempts == attempts and not letters[0].handed_over:
                return letters[0]
            await asyncio.sleep(0.02)
