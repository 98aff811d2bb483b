"""Test changing an address by a link that is sent to it."""

import asyncio

import pytest

from homeshelf.accounts import store, tokens
from homeshelf.accounts.addresses import AddressChange, FormerAddress
from homeshelf.accounts.model import Account, EmailClaim, digest_of_email
from homeshelf.config.values import Rate
from homeshelf.coordination.attempts import KnownAddress
from homeshelf.table import Database
from tests.home import Home, add_child, new_home, signed_in, token_in
from tests.live.hubs import wait_until
from tests.moment import Moment
from tests.outbox.post_office import HOME, PostOffice, outbox, wait_until_outbox_is_empty
from tests.pages import see, send
from tests.running import PASSWORD, Person, RunningApp, problem_of, running_app

NEW = "Countess@Example.org"
ASKED = {"email": NEW, "currentPassword": PASSWORD}
GONE = (404, "not_found")
TAKEN = (409, "duplicate")


@pytest.fixture
async def home(running: RunningApp) -> Home:
    return await new_home(running, "Lovelace", "ada")


async def wait_for_token(office: PostOffice, number: int = 1) -> str:
    def sent_links() -> list[str]:
        return [mail.link for mail in office.mails if mail.to == [NEW]]

    await wait_until(lambda: len(sent_links()) >= number, within=20)
    return sent_links()[number - 1].removeprefix(f"{HOME}/verify/")


async def verification_status(running: RunningApp, token: str) -> int:
    return (await running.visitor().post("/accounts/verify", {"token": token})).status_code


async def can_sign_in(running: RunningApp, email: str) -> bool:
    asked = {"email": email, "password": PASSWORD}
    return (await running.visitor().post("/tokens", asked)).status_code == 200


async def test_changing_the_address_requires_the_password(home: Home, office: PostOffice) -> None:
    running = home.running
    assert problem_of(await running.visitor().post("/me/email", ASKED))[0] == 401
    wrong = await home.admin.post("/me/email", ASKED | {"currentPassword": "a guess"})
    assert problem_of(wrong) == (400, "validation")
    assert [each["field"] for each in wrong.json()["errors"]] == ["currentPassword"]
    missing = await home.admin.post("/me/email", {})
    fields = [each["field"] for each in missing.json()["errors"]]
    assert fields == ["email", "currentPassword"]
    child = await signed_in(running, token_in(await add_child(home)))
    assert problem_of(await child.post("/me/email", ASKED)) == (403, "forbidden")
    account = await store.require_account(running.db, Account.key(member_id=home.admin.member_id))
    await running.db.put(account.changed(password_hash=None))
    assert problem_of(await home.admin.post("/me/email", ASKED)) == (403, "forbidden")
    assert await outbox(running.db) == []
    assert office.mails == []


async def test_wrong_passwords_count_as_failed_sign_ins(
    database: Database, closed_mail_server: PostOffice
) -> None:
    few = {"limit_signins": Rate(2, 900), **closed_mail_server.settings}
    async with running_app(database, **few) as running:
        ada = await running.person("ada")
        wrong = ASKED | {"currentPassword": "a guess"}
        answers = [(await ada.post("/me/email", wrong)).status_code for _ in range(3)]
        assert answers == [400, 400, 429]


async def test_address_cannot_be_changed_without_a_mail_server(database: Database) -> None:
    async with running_app(database) as running:
        ada = await running.person("ada")
        assert problem_of(await ada.post("/me/email", ASKED)) == GONE
        assert "/settings/email" not in await see(ada, "/settings")


async def test_link_sets_the_new_address(home: Home, office: PostOffice) -> None:
    running, ada = home.running, home.admin
    other = (await ada.post("/families", {"name": "Byron"})).json()
    assert (await ada.post("/me/email", ASKED)).status_code == 202
    mail = await office.mail()
    assert mail.to == [NEW]
    before = (await ada.get("/me")).json()
    assert (before["email"], before["emailVerified"]) == (ada.email, True)
    assert "<button" in await see(running.visitor(), mail.link.removeprefix(HOME))
    assert await can_sign_in(running, ada.email), "looking at the link does nothing"
    assert await verification_status(running, await wait_for_token(office)) == 204
    after = (await ada.get("/me")).json()
    assert (after["email"], after["emailVerified"]) == (NEW, True)
    for family_id in (home.family_id, other["familyId"]):
        headers = {"Homeshelf-Family": family_id}
        member = await ada.get(f"/members/{ada.member_id}", headers=headers)
        assert member.json()["email"] == NEW
    assert await can_sign_in(running, NEW.upper())
    assert not await can_sign_in(running, ada.email)
    assert await verification_status(running, await wait_for_token(office)) == 404, (
        "a link does this once"
    )
    assert await running.db.get(AddressChange.key(member_id=ada.member_id)) is None


async def test_old_address_is_released_and_notified(
    home: Home, office: PostOffice, moment: Moment
) -> None:
    running, ada = home.running, home.admin
    await store.set_preferences(
        running.db, Account.key(member_id=ada.member_id), {"time_zone": "Asia/Tokyo"}
    )
    moment.move("2026-01-15T16:05:00Z")
    await ada.post("/me/email", ASKED)
    assert await verification_status(running, await wait_for_token(office)) == 204
    told = await office.mail(2)
    assert (told.to, told.message["subject"]) == ([ada.email], "Your address was changed")
    assert "Since 16 January 2026" in " ".join(told.text.split())
    assert NEW.lower() not in told.content.decode().lower()
    new = {"email": ada.email, "password": PASSWORD, "name": "Eve"}
    assert (await running.visitor().post("/accounts", new)).status_code == 201
    await wait_until_outbox_is_empty(running.db)


async def test_unverified_old_address_is_not_notified(
    running: RunningApp, office: PostOffice
) -> None:
    ada = await running.person("ada")
    await ada.post("/me/email", ASKED)
    assert await verification_status(running, await wait_for_token(office)) == 204
    await wait_until_outbox_is_empty(running.db)
    assert [mail.to for mail in office.mails] == [[NEW]]
    assert await running.db.all(FormerAddress.where(member_id=ada.member_id)) == []


async def test_address_of_another_account_is_refused(home: Home, kid: Person) -> None:
    for email in (kid.email.upper(), home.admin.email.upper()):
        assert problem_of(await home.admin.post("/me/email", ASKED | {"email": email})) == TAKEN
    assert "new_address" not in [each.kind for each in await outbox(home.running.db)]


async def test_one_of_two_accounts_gets_the_same_new_address(
    running: RunningApp, office: PostOffice
) -> None:
    ada, eve = await running.person("ada"), await running.person("eve")
    for who in (ada, eve):
        assert (await who.post("/me/email", ASKED)).status_code == 202
    links = [await wait_for_token(office, number) for number in (1, 2)]
    answers = await asyncio.gather(*(verification_status(running, link) for link in links))
    assert sorted(answers) == [204, 409]
    claim = await running.db.get(EmailClaim.key(email_digest=digest_of_email(NEW)))
    assert claim is not None
    loser = eve if claim.holder == ada.member_id else ada
    assert (await loser.get("/me")).json()["email"] == loser.email
    assert await can_sign_in(running, loser.email)


async def test_concurrent_uses_of_a_link_count_once(home: Home, office: PostOffice) -> None:
    await home.admin.post("/me/email", ASKED)
    token = await wait_for_token(office)
    answers = await asyncio.gather(*(verification_status(home.running, token) for _ in range(3)))
    assert sorted(answers) == [204, 404, 404]


async def test_only_the_last_link_is_valid_until_the_password_changes(
    home: Home, office: PostOffice
) -> None:
    running, ada = home.running, home.admin
    for _ in range(2):
        assert (await ada.post("/me/email", ASKED)).status_code == 202
        await wait_until_outbox_is_empty(running.db)
    first, second = [await wait_for_token(office, number) for number in (1, 2)]
    assert await verification_status(running, first) == 404
    await ada.patch("/me", {"password": "another horse", "currentPassword": PASSWORD})
    assert await verification_status(running, second) == 404
    assert (await ada.get("/me")).json()["email"] == ada.email


async def test_links_sent_to_the_old_address_are_void(home: Home, office: PostOffice) -> None:
    running, ada = home.running, home.admin
    reset = tokens.reset_token(running.signer, ada.account)
    await ada.post("/me/email", ASKED)
    assert await verification_status(running, await wait_for_token(office)) == 204
    asked = {"token": reset, "password": "another horse"}
    assert problem_of(await running.visitor().post("/passwords/reset", asked)) == GONE


async def test_repeated_idempotency_key_sends_one_mail(home: Home, office: PostOffice) -> None:
    for _ in range(3):
        answer = await home.admin.post("/me/email", ASKED, key="once")
        assert (answer.status_code, answer.content) == (202, b"")
    await wait_until_outbox_is_empty(home.running.db)
    assert len(office.mails) == 1
    other = await home.admin.post("/me/email", ASKED | {"email": "c@example.org"}, key="once")
    assert problem_of(other) == (409, "idempotency_mismatch")


async def test_known_devices_are_kept_for_the_new_address(home: Home, office: PostOffice) -> None:
    db, ada = home.running.db, home.admin
    assert await can_sign_in(home.running, ada.email)
    await ada.post("/me/email", ASKED)
    assert await verification_status(home.running, await wait_for_token(office)) == 204
    old, new = (KnownAddress.now("sign-in-email", e.lower(), "") for e in (ada.email, NEW))
    assert await db.all(KnownAddress.where(kind=old.kind, about=old.about)) == []
    assert len(await db.all(KnownAddress.where(kind=new.kind, about=new.about))) == 1


async def test_settings_page_changes_the_address(home: Home, office: PostOffice) -> None:
    ada = home.admin
    assert "/settings/email" in await see(ada, "/settings")
    wrong = await send(ada, "/settings/email", email=NEW, currentPassword="a guess")
    assert wrong.status_code == 400
    assert "That isn’t your password." in wrong.text
    own = await send(ada, "/settings/email", email=ada.email, currentPassword=PASSWORD)
    assert "This is already your address." in own.text
    nothing = await send(ada, "/settings/email", email="", currentPassword="")
    assert nothing.status_code == 400
    sent = await send(ada, "/settings/email", email=NEW, currentPassword=PASSWORD)
    assert "We’ve sent you a mail with a link." in await see(ada, sent.headers["location"])
    link = (await office.mail()).link.removeprefix(HOME)
    assert (await send(home.running.visitor(), link)).status_code == 303
    assert f"You sign in as {NEW}." in await see(ada, "/settings")


async def test_deleted_account_leaves_no_new_address(home: Home, office: PostOffice) -> None:
    running, ada = home.running, home.admin
    await ada.post("/me/email", ASKED)
    assert await verification_status(running, await wait_for_token(office)) == 204
    await ada.post("/me/email", ASKED | {"email": "third@example.org"})
    assert (await ada.delete("/me", {"password": PASSWORD})).status_code == 204
    db = running.db
    assert await store.get_account(db, ada.member_id) is None
    assert await db.get(AddressChange.key(member_id=ada.member_id)) is None
    assert await db.all(FormerAddress.where(member_id=ada.member_id)) == []
