"""Test the note for people without a verified address."""

import pytest

from homeshelf.accounts import tokens
from homeshelf.table import Database
from tests.home import new_home
from tests.outbox.mail import set_preferences
from tests.outbox.post_office import HOME, PostOffice, wait_until_nothing_is_due
from tests.running import Person, RunningApp, running_app

PAGES = ("/", "/settings")
BUTTON = 'action="/settings/verification"'


async def unverified_member(running: RunningApp, role: str = "admin") -> Person:
    eve = await running.person("eve")
    await (await new_home(running, "Lovelace", "ada")).let_in(eve, role)
    return eve


@pytest.mark.parametrize("role", ["admin", "suggester"])
@pytest.mark.parametrize("page", PAGES)
async def test_unverified_member_sees_a_button_to_get_the_link(
    running: RunningApp, office: PostOffice, page: str, role: str
) -> None:
    eve = await unverified_member(running, role)
    shown = (await eve.client.get(page)).text
    assert "eve@home.local</strong> is yours" in shown
    assert BUTTON in shown
    headers = {"sec-fetch-site": "same-origin"}
    sent = await eve.client.post("/settings/verification", headers=headers)
    assert "sent you a mail" in (await eve.client.get(sent.headers["location"])).text
    await wait_until_nothing_is_due(running.db)
    (link,) = [
        mail.link for mail in office.mails if mail.to == [eve.email] and "/verify/" in mail.link
    ]
    verified = await eve.client.post(link.removeprefix(HOME), headers=headers)
    assert verified.status_code == 303
    assert BUTTON not in (await eve.client.get(page)).text


async def test_mail_preference_warns_about_an_unverified_address(
    running: RunningApp, closed_mail_server: PostOffice
) -> None:
    eve = await unverified_member(running)
    shown = (await eve.client.get("/settings")).text
    choice = shown.partition("Mail about the household")[2].partition("</fieldset>")[0]
    assert "Confirm that" in choice
    assert '<button class="button" form="say-so">' in choice
    assert f'id="say-so" method="post" {BUTTON}' in shown
    token = tokens.verification_token(running.signer, eve.account)
    assert (await eve.post("/accounts/verify", {"token": token})).status_code == 204
    assert "Confirm that" not in (await eve.client.get("/settings")).text
    assert closed_mail_server.mails == []


async def test_member_without_mail_is_not_reminded(
    running: RunningApp, closed_mail_server: PostOffice
) -> None:
    eve = await unverified_member(running)
    await set_preferences(eve, mail="off")
    assert BUTTON not in (await eve.client.get("/")).text
    assert BUTTON in (await eve.client.get("/settings")).text
    assert closed_mail_server.mails == []


async def test_no_reminder_without_a_mail_server(database: Database) -> None:
    async with running_app(database) as running:
        eve = await unverified_member(running)
        for page in PAGES:
            assert "verification" not in (await eve.client.get(page)).text
        made = await eve.post("/invitations", {"email": "grace@home.local", "role": "admin"})
        path = f"/family/invitations/{made.json()['invitationId']}"
        assert "We didn’t mail this" not in (await eve.client.get(path)).text


async def test_another_site_cannot_request_the_link(
    running: RunningApp, closed_mail_server: PostOffice
) -> None:
    eve = await unverified_member(running)
    for sites in ("cross-site", "same-site"):
        headers = {"sec-fetch-site": sites}
        refused = await eve.client.post("/settings/verification", headers=headers)
        assert refused.status_code == 403
    visitor = running.visitor()
    refused = await visitor.client.post(
        "/settings/verification", headers={"sec-fetch-site": "same-origin"}
    )
    assert refused.headers.get("location", "/sign-in").startswith("/sign-in")
    assert closed_mail_server.mails == []
