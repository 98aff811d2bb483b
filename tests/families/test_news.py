"""Mail about a family."""

from dataclasses import replace
from typing import Any

import pytest

from homeshelf import clock
from homeshelf.config.addresses import mail_server, mailbox
from homeshelf.families import invitations, store
from homeshelf.families.notifications import write_daily, write_notification
from homeshelf.outbox.model import Message, letter
from homeshelf.outbox.notifications import Cause, DailyNotification
from homeshelf.web.services import Services
from tests.api_client import add_item, get_notices
from tests.home import NOBODYS, Home
from tests.queues import letters_of
from tests.running import SETTINGS, Person, RunningApp

MAIL: dict[str, Any] = {
    "smtp_url": mail_server("smtp://127.0.0.1:9"),
    "mail_from": mailbox("Homeshelf <shelf@example.org>"),
    "public_url": "https://shelf.example",
}
DAY = "2024-11-02T07:00:00.000Z"


def services_with_mail(running: RunningApp) -> Services:
    """Return services with mail switched on, without a sender."""
    services: Services = running.services
    return replace(services, settings=replace(SETTINGS, **MAIL))


async def low_stock_cause(home: Home) -> Cause:
    rice = await add_item(home.admin, name="Rice", quantity=1, threshold=2)
    (notice,) = await get_notices(home.admin, rice)
    return Cause("runs_low", home.family_id, notice["notificationId"], clock.timestamp())


async def write_messages(home: Home, member_id: str, cause: Cause) -> list[Message | None]:
    """Return the immediate and the daily message."""
    services = services_with_mail(home.running)
    waiting = DailyNotification(
        member_id=member_id,
        day=DAY,
        at=cause.at,
        kind=cause.kind,
        family_id=cause.family_id,
        id=cause.id,
        ttl=clock.seconds() + 3600,
    )
    await services.db.put(waiting)
    return [
        await write_notification(services, letter("news", memberId=member_id, matter=cause.about)),
        await write_daily(services, letter("daily", memberId=member_id, day=DAY)),
    ]


async def test_admin_gets_low_stock_mail(home: Home) -> None:
    for message in await write_messages(home, home.admin.member_id, await low_stock_cause(home)):
        assert message is not None
        assert (message.to.email, message.title) == (home.admin.email, "Rice is running low")
        assert message.link.startswith("https://shelf.example/")


@pytest.mark.parametrize("mail", ["now", "daily", "off"])
async def test_mail_is_dropped_after_unsubscribing(home: Home, mail: str) -> None:
    cause = await low_stock_cause(home)
    assert (await home.admin.patch("/me/preferences", {"mail": mail})).status_code == 200
    found = await write_messages(home, home.admin.member_id, cause)
    assert [message is None for message in found] == [mail == "off"] * 2


async def test_former_admin_gets_no_mail(home: Home, kid: Person) -> None:
    bob = await home.with_member("bob", "admin")
    await home.remove_member(bob)
    cause = await low_stock_cause(home)
    for member_id in (NOBODYS, kid.member_id, bob.member_id):
        assert await write_messages(home, member_id, cause) == [None, None]


@pytest.mark.parametrize("verified", [True, False])
async def test_only_verified_admin_sends_invitation_mail(home: Home, verified: bool) -> None:
    services = services_with_mail(home.running)
    account = home.admin.account.changed(email_verified=verified)
    admin = await store.get_member(services.db, home.family_id, home.admin.member_id)
    assert admin is not None
    db, email = services.db, "grace@home.local"
    made = await invitations.invite(db, admin, services, account, email, "admin")
    again = await invitations.send_again(db, made.own_key(), services, account, admin)
    assert (made.mailed, again.mailed) == (verified, verified)
    waiting = [each.kind for each in await letters_of(services.db)]
    assert waiting == (["invitation"] * 2 if verified else [])
