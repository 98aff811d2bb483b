import asyncio

import pytest

from homeshelf.accounts import store, tokens
from tests.moment import Moment
from tests.running import PASSWORD, Person, RunningApp, problem_of

NEW = "a new password"
DAY = 24 * 3600
GONE = (404, "not_found")


async def test_link_verifies_address_once(running: RunningApp) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    link = {"token": tokens.verification_token(running.signer, ada.account)}
    assert (await visitor.post("/accounts/verify", link)).status_code == 204
    assert (await ada.get("/me")).json()["emailVerified"] is True
    assert problem_of(await visitor.post("/accounts/verify", link)) == GONE


async def test_verification_link_expires_after_a_day(running: RunningApp, moment: Moment) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    link = {"token": tokens.verification_token(running.signer, ada.account)}
    moment.pass_by(DAY)
    assert problem_of(await visitor.post("/accounts/verify", link)) == GONE
    assert (await store.get_account(running.db, ada.member_id)) == ada.account


@pytest.mark.usefixtures("usual_hashes")
async def test_concurrent_uses_of_verification_link_succeed_once(running: RunningApp) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    link = {"token": tokens.verification_token(running.signer, ada.account)}
    answers = await asyncio.gather(*(visitor.post("/accounts/verify", link) for _ in range(2)))
    assert sorted(answer.status_code for answer in answers) == [204, 404]


async def test_link_of_one_purpose_is_refused_for_another(running: RunningApp) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    access = running.access_token(ada.member_id, ada.session_id)
    for token in (access, tokens.reset_token(running.signer, ada.account), "nonsense"):
        assert problem_of(await visitor.post("/accounts/verify", {"token": token})) == GONE
    for token in (access, tokens.verification_token(running.signer, ada.account), "nonsense"):
        asked = {"token": token, "password": NEW}
        assert problem_of(await visitor.post("/passwords/reset", asked)) == GONE
    assert (await store.get_account(running.db, ada.member_id)) == ada.account


async def test_reset_link_sets_password_once_and_ends_sessions(running: RunningApp) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    link = {"token": tokens.reset_token(running.signer, ada.account), "password": NEW}
    assert (await visitor.post("/passwords/reset", link)).status_code == 204
    assert problem_of(await ada.get("/me")) == (401, "unauthenticated")
    assert await can_sign_in(running, ada, NEW)
    assert not await can_sign_in(running, ada, PASSWORD)
    assert problem_of(await visitor.post("/passwords/reset", link)) == GONE
    changed = await store.get_account(running.db, ada.member_id)
    assert changed is not None
    assert changed.email_verified, "the mail reached them"


@pytest.mark.usefixtures("usual_hashes")
async def test_concurrent_password_resets_succeed_once(running: RunningApp) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    token = tokens.reset_token(running.signer, ada.account)
    answers = await asyncio.gather(
        *(visitor.post("/passwords/reset", {"token": token, "password": NEW}) for _ in range(3))
    )
    assert sorted(answer.status_code for answer in answers) == [204, 404, 404]


async def test_password_change_voids_older_links(running: RunningApp) -> None:
    ada = await running.person("ada")
    link = {
        "token": tokens.reset_token(running.signer, ada.account),
        "password": "some other password",
    }
    await ada.patch("/me", {"password": NEW, "currentPassword": PASSWORD})
    assert problem_of(await ada.post("/passwords/reset", link)) == GONE
    assert await can_sign_in(running, ada, NEW)


async def test_reset_link_expires_after_an_hour(running: RunningApp, moment: Moment) -> None:
    ada = await running.person("ada")
    link = {"token": tokens.reset_token(running.signer, ada.account), "password": NEW}
    moment.pass_by(3600)
    assert problem_of(await running.visitor().post("/passwords/reset", link)) == GONE


async def test_links_of_deleted_account_are_void(running: RunningApp) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    verify = {"token": tokens.verification_token(running.signer, ada.account)}
    reset = {"token": tokens.reset_token(running.signer, ada.account), "password": NEW}
    await running.db.write(ada.account.delete())
    assert problem_of(await visitor.post("/accounts/verify", verify)) == GONE
    assert problem_of(await visitor.post("/passwords/reset", reset)) == GONE


async def test_short_password_does_not_use_up_reset_link(running: RunningApp) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    link = {"token": tokens.reset_token(running.signer, ada.account)}
    answer = await visitor.post("/passwords/reset", link | {"password": "short"})
    assert problem_of(answer) == (400, "validation")
    assert (await visitor.post("/passwords/reset", link | {"password": NEW})).status_code == 204


@pytest.mark.parametrize("email", ["ada@home.local", "nobody@home.local"])
async def test_reset_request_has_the_same_response_for_unknown_address(
    running: RunningApp, email: str
) -> None:
    await running.person("ada")
    answer = await running.visitor().post("/passwords/forgotten", {"email": email})
    assert (answer.status_code, answer.content) == (202, b"")


async def test_verification_mail_returns_404_without_mail_server(running: RunningApp) -> None:
    ada = await running.person("ada")
    assert problem_of(await ada.post("/me/verification")) == GONE
    assert problem_of(await ada.post("/me/verification", {})) == GONE


async def can_sign_in(running: RunningApp, person: Person, password: str) -> bool:
    asked = {"email": person.email, "password": password}
    return (await running.visitor().post("/tokens", asked)).status_code == 200
