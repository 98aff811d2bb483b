"""Test which letters count towards the limits."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from homeshelf.accounts.messages import verification_letter
from homeshelf.config.values import Rate
from homeshelf.coordination import leases
from homeshelf.outbox.channel import Refused, ServerUnavailable, TemporaryFailure
from homeshelf.outbox.channels.mail import counts_for
from homeshelf.outbox.model import letter
from homeshelf.table import Database
from tests.databases import Opener
from tests.home import Home
from tests.moment import Moment
from tests.outbox.mail import (
    HOUR,
    MailAllowance,
    app_with_small_limit,
    people_with_requested_links,
    take,
)
from tests.outbox.post_office import (
    PostOffice,
    wait_for_empty_outbox,
    wait_until_outbox_is_empty,
)
from tests.running import SETTINGS, RunningApp, running_app


async def test_many_workers_share_one_limit(database: Database, open_another: Opener) -> None:
    settings = replace(SETTINGS, limit_mail=Rate(16, HOUR), limit_letters=Rate(100, HOUR))
    workers = [MailAllowance(db, settings) for db in (database, open_another(), open_another())]
    sent = await asyncio.gather(
        *(take(worker, "news", f"{number}@home.local") for number in range(8) for worker in workers)
    )
    assert sum(sent) == 8


@pytest.mark.parametrize("outcome", [ServerUnavailable("x"), TemporaryFailure("x")])
async def test_undelivered_letter_is_not_counted(database: Database, outcome: Exception) -> None:
    allowance = MailAllowance(database, replace(SETTINGS, limit_letters=Rate(1, HOUR)))
    for _ in range(3):
        with pytest.raises(type(outcome)):
            async with allowance.reserve(letter("news"), "ada@home.local"):
                raise outcome
    assert await take(allowance, "news", "ada@home.local")


@pytest.mark.parametrize("outcome", [Refused("x"), asyncio.CancelledError(), KeyboardInterrupt()])
async def test_possibly_delivered_letter_stays_counted(
    database: Database, open_another: Opener, outcome: BaseException
) -> None:
    settings = replace(SETTINGS, limit_letters=Rate(1, HOUR))
    with pytest.raises(type(outcome)):
        async with MailAllowance(database, settings).reserve(letter("news"), "ada@home.local"):
            raise outcome
    assert not await take(MailAllowance(open_another(), settings), "news", "ada@home.local")


async def test_unavailable_server_uses_no_allowance(
    database: Database, closed_mail_server: PostOffice, moment: Moment
) -> None:
    async with app_with_small_limit(database, closed_mail_server) as running:
        people = await people_with_requested_links(running, "ada", "bob")
        for _ in range(5):
            moment.pass_by(120)
            await asyncio.sleep(0.1)
        await closed_mail_server.open_in_thread()
        await wait_for_empty_outbox(running.db, moment)
    assert sorted(mail.to[0] for mail in closed_mail_server.mails) == [p.email for p in people]


async def test_two_workers_with_one_letter_count_it_once(
    home: Home, open_another: Opener, office: PostOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def keep_lease(*_: Any) -> bool:
        return True

    monkeypatch.setattr(leases, "hold_lease", keep_lease)
    office.order(slow=0.2)
    about: dict[str, Any] = {"by": home.admin.member_id, "familyId": home.family_id}
    counts = counts_for(SETTINGS, letter("invitation", **about), "grace@home.local")
    async with running_app(open_another(), **office.settings), asyncio.timeout(10):
        await home.invite("grace@home.local")
        await office.mail()
        while True:
            counted = await home.running.db.get_many([count.key for count in counts])
            if [len(each.times) for each in counted if each] == [1] * len(counts):
                break
            await asyncio.sleep(0.02)
    assert len(office.mails) == 1


async def test_invalid_address_is_not_counted(running: RunningApp, office: PostOffice) -> None:
    ada = (await running.person("ada")).account.changed(email="ada@a,b")
    await running.db.put(ada)
    waiting = verification_letter(ada)
    await running.db.put(waiting)
    await wait_until_outbox_is_empty(running.db)
    for count in counts_for(SETTINGS, waiting, ada.email):
        assert await running.db.get(count.key) is None
    assert office.mails == []
