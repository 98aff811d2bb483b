"""Test the contents, recipients and links of letters."""

import html
import re

import pytest

from homeshelf.accounts import store
from homeshelf.accounts.model import Account
from homeshelf.families.store import create_family
from homeshelf.outbox.channels.mail.email import BREAK, address_of
from homeshelf.outbox.model import Recipient
from homeshelf.table import Database
from tests.home import Home
from tests.moment import Moment
from tests.outbox.mail import LOOKS_LINKED
from tests.outbox.post_office import (
    HOME,
    LONGEST_PAUSE_SECONDS,
    PostOffice,
    outbox,
    send_without_success,
    wait_until_nothing_is_due,
    wait_until_outbox_is_empty,
)
from tests.running import PASSWORD, RunningApp, problem_of, running_app

ADA = {"email": "ada@home.local", "password": PASSWORD, "name": "Ada"}


async def test_sign_up_sends_a_verification_link(running: RunningApp, office: PostOffice) -> None:
    visitor = running.visitor()
    member_id = (await visitor.post("/accounts", ADA)).json()["memberId"]
    mail = await office.mail()
    assert mail.to == ["ada@home.local"]
    token = mail.link.removeprefix(f"{HOME}/verify/")
    assert (await visitor.post("/accounts/verify", {"token": token})).status_code == 204
    account = await store.get_account(running.db, member_id)
    assert account is not None
    assert account.email_verified


async def test_verification_link_can_be_requested_again(
    running: RunningApp, office: PostOffice
) -> None:
    ada = await running.person("ada")
    assert (await ada.post("/me/verification")).status_code == 202
    link = (await office.mail()).link
    page = await ada.client.get(link.removeprefix(HOME), headers={"accept": "text/html"})
    assert "Is this your address?" in page.text


async def test_verification_link_can_be_requested_on_the_page(
    running: RunningApp, office: PostOffice
) -> None:
    ada = await running.person("ada")
    headers = {"sec-fetch-site": "same-origin"}
    assert "/settings/verification" in (await ada.client.get("/settings")).text
    sent = await ada.client.post("/settings/verification", headers=headers)
    page = await ada.client.get(sent.headers["location"])
    assert "We’ve sent you a mail with a link." in page.text
    link = (await office.mail()).link.removeprefix(HOME)
    assert (await ada.client.post(link, headers=headers)).status_code == 303
    assert "/settings/verification" not in (await ada.client.get("/settings")).text


async def test_repeated_idempotency_key_sends_one_mail(
    running: RunningApp, office: PostOffice
) -> None:
    ada = await running.person("ada")
    for _ in range(3):
        answer = await ada.post("/me/verification", key="once")
        assert (answer.status_code, answer.content) == (202, b"")
    await wait_until_outbox_is_empty(running.db)
    assert len(office.mails) == 1


async def test_verified_account_gets_no_verification_link(
    running: RunningApp, office: PostOffice
) -> None:
    ada = await running.person("ada", verified=True)
    assert (await ada.post("/me/verification")).status_code == 202
    assert await outbox(running.db) == []
    assert office.mails == []


async def test_mailed_link_resets_a_forgotten_password(
    running: RunningApp, office: PostOffice
) -> None:
    await running.person("ada")
    visitor = running.visitor()
    for email in ("ADA@home.local", "nobody@home.local"):
        answer = await visitor.post("/passwords/forgotten", {"email": email})
        assert (answer.status_code, answer.content) == (202, b"")
    mail = await office.mail()
    assert mail.to == ["ada@home.local"]
    token = mail.link.removeprefix(f"{HOME}/reset/")
    new = {"token": token, "password": "a new password"}
    assert (await visitor.post("/passwords/reset", new)).status_code == 204
    await wait_until_outbox_is_empty(running.db)
    assert [mail.message["subject"] for mail in office.mails] == [
        "Reset your Homeshelf password",
        "Your password was changed",
    ]


async def test_password_change_is_reported_to_a_verified_address(
    running: RunningApp, office: PostOffice
) -> None:
    for name, verified in (("eve", False), ("ada", True)):
        person = await running.person(name, verified=verified)
        wrong = {"password": "another one", "currentPassword": "not this"}
        assert (await person.patch("/me", wrong)).status_code == 400
        assert (await person.patch("/me", {"name": "Ada"})).status_code == 200
        await wait_until_outbox_is_empty(running.db)
        right = wrong | {"currentPassword": PASSWORD}
        for _ in range(2):
            assert (await person.patch("/me", right, key="once")).status_code == 200
    await wait_until_outbox_is_empty(running.db)
    (mail,) = office.mails
    assert (mail.to, mail.link) == (["ada@home.local"], f"{HOME}/forgotten")


async def test_password_change_on_the_page_is_reported_too(
    running: RunningApp, office: PostOffice, moment: Moment
) -> None:
    moment.move("2026-01-15T16:05:00Z")
    ada = await running.person("ada", verified=True)
    await store.set_preferences(
        running.db, Account.key(member_id=ada.member_id), {"time_zone": "Asia/Tokyo"}
    )
    form = {"currentPassword": PASSWORD, "password": "another one"}
    headers = {"sec-fetch-site": "same-origin"}
    sent = await ada.client.post("/settings/password", data=form, headers=headers)
    assert sent.status_code == 303
    mail = await office.mail()
    assert mail.message["subject"] == "Your password was changed"
    assert "was changed on 16 January 2026" in " ".join(mail.text.split())


async def test_outdated_letter_is_not_sent(
    home: Home, closed_mail_server: PostOffice, moment: Moment
) -> None:
    running = home.running
    async with send_without_success(moment):
        revoked = await home.invite("revoked@home.local")
        sent_again = await home.invite("again@home.local")
        accepted = await home.invite("accepted@home.local")
        leaver, verified, remembers = [
            await running.person(n) for n in ("leaver", "verified", "knows")
        ]
        for person in (leaver, verified):
            await person.post("/me/verification")
        for person in (leaver, remembers):
            await running.visitor().post("/passwords/forgotten", {"email": person.email})
    assert len(await outbox(running.db)) == 7

    await home.admin.delete(f"/invitations/{revoked['invitationId']}")
    last = (await home.admin.post(f"/invitations/{sent_again['invitationId']}/resend")).json()
    joins = await running.person("joins")
    await joins.post("/invitations/accept", {"token": accepted["link"].rpartition("/")[2]})
    await leaver.delete("/me", {"password": PASSWORD})
    account = await store.get_account(running.db, verified.member_id)
    assert account is not None
    await running.db.put(account.changed(email_verified=True))
    await remembers.patch("/me", {"password": "another one", "currentPassword": PASSWORD})

    await closed_mail_server.open_in_thread()
    moment.pass_by(LONGEST_PAUSE_SECONDS)
    await wait_until_outbox_is_empty(running.db)
    (mail,) = closed_mail_server.mails
    assert (mail.to, mail.link) == (["again@home.local"], last["link"])


@pytest.mark.parametrize(("hours", "mailed"), [(23, 1), (25, 0)])
async def test_password_reset_is_sent_within_a_day(
    home: Home, closed_mail_server: PostOffice, moment: Moment, hours: int, mailed: int
) -> None:
    async with send_without_success(moment):
        asked = {"email": home.admin.email}
        await home.running.visitor().post("/passwords/forgotten", asked)
    await closed_mail_server.open_in_thread()
    moment.pass_by(hours * 3600)
    await wait_until_outbox_is_empty(home.running.db)
    assert len(closed_mail_server.mails) == mailed


async def test_outbox_contains_no_secrets_and_no_addresses(
    home: Home, closed_mail_server: PostOffice
) -> None:
    invitation = await home.invite("grace@home.local")
    await (await home.running.person("eve")).post("/me/verification")
    await home.running.visitor().post("/passwords/forgotten", {"email": home.admin.email})
    waiting = await outbox(home.running.db)
    assert sorted(each.kind for each in waiting) == ["invitation", "reset", "verify"]
    stored = str([each.item() for each in waiting])
    assert "@" not in stored
    assert "eyJ" not in stored
    assert invitation["link"].rpartition("/")[2] not in stored
    assert closed_mail_server.mails == []


async def test_letters_per_address_are_limited(home: Home, office: PostOffice) -> None:
    running, admin = home.running, home.admin
    eve = await running.person("eve")
    for _ in range(14):
        answer = await running.visitor().post("/passwords/forgotten", {"email": admin.email})
        assert answer.status_code == 202
        assert (await eve.post("/me/verification")).status_code == 202
    invitation = await home.invite("grace@home.local")
    path = f"/invitations/{invitation['invitationId']}/resend"
    for _ in range(14):
        assert (await admin.post(path)).status_code == 200
    await wait_until_nothing_is_due(running.db)
    to = [mail.to[0] for mail in office.mails]
    assert to.count(admin.email) == 3
    assert to.count(eve.email) == 10
    assert to.count("grace@home.local") <= 5


async def test_mail_is_well_formed(home: Home, office: PostOffice) -> None:
    await home.invite("grace@home.local")
    mail = await office.mail()
    message = mail.message
    assert mail.sender == "shelf@example.org"
    assert mail.greeted_as == "shelf.example"
    assert str(message["from"]) == "Homeshelf <shelf@example.org>"
    assert str(message["to"]) == "grace@home.local"
    assert re.fullmatch(r"<[0-9a-f-]{36}@example\.org>", message["message-id"])
    assert message["auto-submitted"] == "auto-generated"
    assert message["date"].datetime is not None
    assert [part.get_content_type() for part in message.walk()] == [
        "multipart/alternative",
        "text/plain",
        "text/html",
    ]
    assert mail.link in mail.html
    assert all(len(line) <= 78 for line in mail.content.decode("ascii").split("\r\n"))
    for trick in ("<img", "<script", "style", "http-equiv", "utm_"):
        assert trick not in mail.html.lower()


async def test_names_in_a_mail_are_unchanged(running: RunningApp, office: PostOffice) -> None:
    name = "Ada\r\nBcc: eve\r\n\r\n<b>Zoë</b> 🍎"
    ada = await running.person("ada", verified=True)
    account = await running.db.get(Account.key(member_id=ada.member_id))
    assert account is not None
    await running.db.put(account.changed(name=name))
    await create_family(running.db, ada.account.own_key(), "Löwe\nSubject: x & y")
    asked = {"email": "grace@home.local", "role": "admin"}
    assert (await ada.post("/invitations", asked)).status_code == 201
    mail = await office.mail()
    plain = "Ada Bcc: eve <b>Zoë</b> 🍎"
    assert mail.message["subject"] == f"{plain} has invited you to Löwe Subject: x & y"
    assert mail.message["bcc"] is None
    assert mail.to == ["grace@home.local"]
    assert f"{plain} has invited you to Löwe Subject: x & y on Homeshelf." in mail.text
    assert "&lt;b&gt;Zoë&lt;/b&gt;" in mail.html
    assert "<b>" not in mail.html
    await running.visitor().post("/passwords/forgotten", {"email": ada.email})
    to = (await office.mail(2)).message["to"].addresses[0]
    assert (to.display_name, to.addr_spec) == (plain, "ada@home.local")


async def test_names_in_a_mail_are_no_links(running: RunningApp, office: PostOffice) -> None:
    evil = "Win at https://evil.test/x?y or www.evil.test, eve@evil.test"
    ada = await running.person("ada", verified=True)
    assert (await ada.patch("/me", {"name": evil})).status_code == 200
    assert (await ada.post("/families", {"name": "evil.test"})).status_code == 201
    asked = {"email": "grace@home.local", "role": "admin"}
    assert (await ada.post("/invitations", asked)).status_code == 201
    await running.visitor().post("/passwords/forgotten", {"email": ada.email})
    for number in (1, 2):
        mail = await office.mail(number)
        said = [*map(str, mail.message.values()), mail.text, html.unescape(mail.html)]
        for text in said:
            found = {linked.group() for linked in LOOKS_LINKED.finditer(text)}
            assert not {link for link in found if "evil" in link}
    invitation, reset = office.mails
    assert (
        invitation.message["subject"].replace(BREAK, "") == f"{evil} has invited you to evil.test"
    )
    assert f"Hello {evil}," in reset.text.replace(BREAK, "")


@pytest.mark.parametrize(
    ("address", "envelope"),
    [
        ("zoë@home.local", "zoë@home.local"),
        ("ada@bücher.example", "ada@xn--bcher-kva.example"),
        ("a,b;c@home.local", '"a,b;c"@home.local'),
        ("o'neil+shelf@home.local", "o'neil+shelf@home.local"),
    ],
)
async def test_every_valid_address_gets_mail(
    home: Home, office: PostOffice, address: str, envelope: str
) -> None:
    await home.invite(address)
    mail = await office.mail()
    assert mail.to == [envelope]
    assert mail.message["to"].addresses[0].addr_spec == envelope


@pytest.mark.parametrize("address", ["ada@home>,evil", "ada@-", "ada@a(b)", "ada@a,b"])
def test_invalid_host_gets_no_mail(address: str) -> None:
    assert address_of(Recipient(email=address)) is None


async def test_no_mail_is_sent_without_a_public_url(database: Database, office: PostOffice) -> None:
    for unset in ("smtp_url", "mail_from", "public_url"):
        async with running_app(database, **{**office.settings, unset: None}) as running:
            ada = await running.person(f"without-{unset}")
            assert problem_of(await ada.post("/me/verification")) == (404, "not_found")
            await running.visitor().post("/passwords/forgotten", {"email": ada.email})
            assert await outbox(database) == []
