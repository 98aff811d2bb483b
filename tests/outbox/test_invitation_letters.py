"""Test invitations by mail."""

from homeshelf.accounts import store, tokens
from homeshelf.families.messages import write_invitation
from tests.home import Home, new_home
from tests.moment import Moment
from tests.outbox.post_office import (
    LONGEST_PAUSE_SECONDS,
    PostOffice,
    outbox,
    send_without_success,
    wait_until_outbox_is_empty,
)
from tests.running import PASSWORD, RunningApp


async def test_invitation_mail_has_the_link_shown_to_the_admin(
    home: Home, office: PostOffice
) -> None:
    invitation = await home.invite("grace@home.local")
    mail = await office.mail()
    assert mail.to == ["grace@home.local"]
    assert mail.link == invitation["link"]
    assert mail.message["subject"] == "ada has invited you to Lovelace"
    grace = await home.running.person("grace")
    token = mail.link.rpartition("/")[2]
    assert (await grace.post("/invitations/accept", {"token": token})).status_code == 200


async def test_resent_invitation_is_mailed_again(home: Home, office: PostOffice) -> None:
    first = await home.invite("grace@home.local")
    await office.mail()
    again = await home.admin.post(f"/invitations/{first['invitationId']}/resend")
    assert (await office.mail(2)).link == again.json()["link"] != first["link"]


async def test_invitation_on_the_page_is_mailed(home: Home, office: PostOffice) -> None:
    admin = home.admin
    form = {"email": "grace@home.local", "role": "admin"}
    headers = {"sec-fetch-site": "same-origin"}
    made = await admin.client.post("/family/invite", data=form, headers=headers)
    page = await admin.client.get(made.headers["location"])
    assert "we’ve sent the link there too" in page.text
    assert (await office.mail()).link in page.text
    await admin.client.post(f"{made.headers['location']}/resend", headers=headers)
    assert (await office.mail(2)).to == ["grace@home.local"]


async def test_unverified_inviter_mails_nothing_and_sees_why(
    running: RunningApp, office: PostOffice
) -> None:
    eve = await running.person("eve")
    assert (await eve.post("/families", {"name": "Eve's"})).status_code == 201
    made = await eve.post("/invitations", {"email": "grace@home.local", "role": "admin"})
    invitation = made.json()
    path = f"/invitations/{invitation['invitationId']}"
    assert (await eve.post(f"{path}/resend")).status_code == 200
    headers = {"sec-fetch-site": "same-origin"}
    assert (await eve.client.post(f"/family{path}/resend", headers=headers)).status_code == 303
    form = {"email": "hans@home.local", "role": "admin"}
    assert (await eve.client.post("/family/invite", data=form, headers=headers)).status_code == 303
    assert await outbox(running.db) == []
    page = (await eve.client.get(f"/family{path}")).text
    assert "/join/" in page
    assert 'class="qr"' in page
    assert "We didn’t mail this" in page
    assert "eve@home.local</strong> is yours" in page
    assert 'action="/settings/verification"' in page

    token = tokens.verification_token(running.signer, eve.account)
    assert (await eve.post("/accounts/verify", {"token": token})).status_code == 204
    assert "we’ll mail that one too" in (await eve.client.get(f"/family{path}")).text
    again = (await eve.post(f"{path}/resend")).json()
    assert (await office.mail()).link == again["link"]
    page = (await eve.client.get(f"/family{path}")).text
    assert "we’ve sent the link there too" in page
    assert "We didn’t mail this" not in page


async def test_waiting_invitation_of_an_unverified_inviter_is_not_mailed(
    home: Home, closed_mail_server: PostOffice
) -> None:
    running = home.running.services
    await home.invite("grace@home.local")
    (waiting,) = await outbox(running.db)
    assert waiting.about["by"] == home.admin.member_id
    former = waiting.changed(about={k: v for k, v in waiting.about.items() if k != "by"})
    assert all([await write_invitation(running, each) for each in (waiting, former)])
    account = await store.get_account(running.db, home.admin.member_id)
    assert account is not None
    await running.db.put(account.changed(email_verified=False))
    assert not any([await write_invitation(running, each) for each in (waiting, former)])
    assert closed_mail_server.mails == []


async def test_repeated_request_mails_one_invitation(home: Home, office: PostOffice) -> None:
    asked = {"email": "grace@home.local", "role": "admin"}
    for _ in range(2):
        assert (await home.admin.post("/invitations", asked, key="k")).status_code == 201
    assert (await home.admin.post("/invitations", asked)).status_code == 409
    await wait_until_outbox_is_empty(home.running.db)
    assert len(office.mails) == 1


async def test_deleted_family_mails_no_invitation(
    running: RunningApp, closed_mail_server: PostOffice, moment: Moment
) -> None:
    home = await new_home(running, "Lovelace", "ada")
    async with send_without_success(moment):
        await home.invite("grace@home.local")
    await home.admin.delete("/me", {"password": PASSWORD})
    await closed_mail_server.open_in_thread()
    moment.pass_by(LONGEST_PAUSE_SECONDS)
    await wait_until_outbox_is_empty(running.db)
    assert closed_mail_server.mails == []
