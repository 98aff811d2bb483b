"""Accounts of people who sign in with an identity provider."""

import asyncio
from typing import Any

import pytest

from homeshelf import clock
from homeshelf.accounts import store
from homeshelf.accounts.model import EmailClaim, digest_of_email, member_id_of
from homeshelf.table import Database
from tests.identity.issuer import SUBJECT, Issuer
from tests.identity.people import present_token
from tests.moment import Moment
from tests.running import RunningApp, problem_of, running_app, under


async def test_provider_account_creates_and_uses_a_family(
    running: RunningApp, issuer: Issuer
) -> None:
    ada = present_token(running, issuer)
    made = await ada.post("/families", {"name": "Lovelace"})
    assert made.status_code == 201
    assert (await ada.get("/members")).json()["items"][0]["email"] == "ada@home.local"
    grace = present_token(running, issuer, sub="auth0|7", email="grace@home.local", name="Grace")
    asked = {"email": "grace@home.local", "role": "suggester"}
    invitation = (await ada.post("/invitations", asked)).json()
    (offered,) = (await grace.get("/invitations/mine")).json()["items"]
    assert offered["invitationId"] == invitation["invitationId"]
    answer = await grace.post("/invitations/accept", {"invitationId": offered["invitationId"]})
    assert answer.json()["memberId"] == member_id_of(issuer.url, "auth0|7")
    family = {"homeshelf-family": made.json()["familyId"]}
    assert (await grace.get("/family", headers=family)).status_code == 200
    assert problem_of(await grace.post("/invitations", asked)) == (403, "forbidden")


async def test_concurrent_first_requests_create_one_account(
    running: RunningApp, issuer: Issuer
) -> None:
    ada = present_token(running, issuer)
    answers = await asyncio.gather(*(ada.get("/me") for _ in range(8)))
    assert [answer.status_code for answer in answers] == [200] * 8
    assert len({answer.text for answer in answers}) == 1


async def test_unverified_address_finds_no_invitation(running: RunningApp, issuer: Issuer) -> None:
    ada = present_token(running, issuer)
    await ada.post("/families", {"name": "Lovelace"})
    await ada.post("/invitations", {"email": "grace@home.local", "role": "admin"})
    for verified in (False, None, "false", 1):
        eve = present_token(
            running, issuer, sub="eve", email="grace@home.local", email_verified=verified
        )
        assert (await eve.get("/invitations/mine")).json()["items"] == []
    grace = present_token(
        running, issuer, sub="eve", email="grace@home.local", email_verified="true"
    )
    assert len((await grace.get("/invitations/mine")).json()["items"]) == 1


async def test_address_stays_with_its_first_account(running: RunningApp, issuer: Issuer) -> None:
    first = await running.person("ada")
    ada = present_token(running, issuer, email="ADA@home.local")
    assert (await ada.get("/me")).json()["email"] == "ADA@home.local"
    claim = await running.db.get(EmailClaim.key(email_digest=digest_of_email("ada@home.local")))
    assert claim is not None
    assert claim.holder == first.member_id
    assert (await ada.delete("/me")).status_code == 204
    assert await running.db.get(claim.own_key()) == claim
    assert await store.get_account(running.db, first.member_id) == first.account


async def test_missing_name_and_address_come_from_user_info(
    running: RunningApp, issuer: Issuer
) -> None:
    bare: dict[str, Any] = {"email": None, "email_verified": None, "name": None}
    issuer.user_info = {"sub": SUBJECT, "email": "ada@home.local", "name": "Ada"}
    for _ in range(2):
        me = (await present_token(running, issuer, **bare).get("/me")).json()
        assert (me["email"], me["emailVerified"], me["name"]) == ("ada@home.local", False, "Ada")
    assert issuer.asked.count("user info") == 1
    issuer.user_info = {"sub": "somebody else", "email": "eve@home.local", "name": "Eve"}
    stranger = present_token(running, issuer, sub="stranger", **bare)
    me = (await stranger.get("/me")).json()
    assert (me["email"], me["name"]) == (None, "Somebody")
    unseen = present_token(running, issuer, sub="eve", email=None, name="\u200b", nickname=" Eve ")
    assert (await unseen.get("/me")).json()["name"] == "Eve"


async def test_account_without_address_works(running: RunningApp, issuer: Issuer) -> None:
    bare: dict[str, Any] = {"email": "not an address", "name": "  Ada  "}
    ada = present_token(running, issuer, **bare)
    assert (await ada.post("/families", {"name": "Lovelace"})).status_code == 201
    (member,) = (await ada.get("/members")).json()["items"]
    assert (member["email"], member["name"]) == (None, "Ada")
    later = present_token(running, issuer)
    me = (await later.get("/me")).json()
    assert (me["email"], me["emailVerified"]) == ("ada@home.local", True)
    claim = await running.db.get(EmailClaim.key(email_digest=digest_of_email("ada@home.local")))
    assert claim is not None
    assert claim.holder == SUBJECT
    assert (await later.delete("/me")).status_code == 204
    assert await running.db.get(claim.own_key()) is None


LOOKALIKE = "ada@\u212aitchen.local"


async def test_provider_brings_no_lookalike_address_and_no_control_characters(
    running: RunningApp, issuer: Issuer
) -> None:
    for _ in range(2):
        ada = present_token(running, issuer, email=LOOKALIKE, name="A\x1b[2Jda\u202e")
        me = (await ada.get("/me")).json()
        assert (me["email"], me["emailVerified"], me["name"]) == (None, False, "A[2Jda")


async def test_account_with_lookalike_address_still_signs_in(
    running: RunningApp, issuer: Issuer
) -> None:
    ada = present_token(running, issuer)
    member_id = (await ada.get("/me")).json()["memberId"]
    account = await store.get_account(running.db, member_id)
    assert account is not None
    await running.db.put(account.changed(email=LOOKALIKE, email_verified=False))
    me = (await present_token(running, issuer, email=LOOKALIKE).get("/me")).json()
    assert (me["email"], me["emailVerified"]) == (LOOKALIKE, True)


async def test_verified_lookalike_does_not_vouch_for_the_address_it_looks_like(
    running: RunningApp, issuer: Issuer
) -> None:
    bare = {"email": LOOKALIKE.replace("\u212a", "k"), "email_verified": False}
    assert (await present_token(running, issuer, **bare).get("/me")).status_code == 200
    me = (await present_token(running, issuer, email=LOOKALIKE).get("/me")).json()
    assert (me["email"], me["emailVerified"]) == (bare["email"], False)


async def test_local_name_change_is_kept_at_next_sign_in(
    running: RunningApp, issuer: Issuer
) -> None:
    ada = present_token(running, issuer)
    await ada.post("/families", {"name": "Lovelace"})
    changed = await ada.patch("/me", {"name": "Countess"}, key="k")
    assert changed.json()["name"] == "Countess"
    assert (await ada.get("/me")).json()["name"] == "Countess"
    assert (await ada.get("/members")).json()["items"][0]["name"] == "Countess"


async def test_provider_account_gets_no_local_password(running: RunningApp, issuer: Issuer) -> None:
    ada = present_token(running, issuer)
    asked = {"password": "a new password", "currentPassword": "whatever it is"}
    assert problem_of(await ada.patch("/me", asked)) == (400, "validation")
    account = await store.get_account(running.db, SUBJECT)
    assert account is not None
    assert account.password_hash is None


async def test_password_endpoints_return_404(running: RunningApp, issuer: Issuer) -> None:
    person = {"email": "ada@home.local", "password": "correct horse", "name": "Ada"}
    for path, body in (
        ("/accounts", person),
        ("/accounts", None),
        ("/tokens", {"email": person["email"], "password": person["password"]}),
        ("/tokens/refresh", {"refreshToken": "x"}),
        ("/passwords/forgotten", {"email": person["email"]}),
        ("/passwords/reset", {"token": "x", "password": "correct horse"}),
    ):
        assert problem_of(await running.visitor().post(path, body)) == (404, "not_found"), path
    assert problem_of(await present_token(running, issuer).delete("/tokens")) == (404, "not_found")


async def test_session_list_contains_browser_sessions_only(
    running: RunningApp, issuer: Issuer
) -> None:
    ada = present_token(running, issuer)
    assert (await ada.get("/me/sessions")).json() == {"items": []}
    account = await store.get_account(running.db, SUBJECT)
    assert account is not None
    session = await store.start_session(
        under(running.db, limit_sessions=100), account, "Firefox on Linux"
    )
    (shown,) = (await ada.get("/me/sessions")).json()["items"]
    assert (shown["device"], shown["current"]) == ("Firefox on Linux", False)
    assert (await ada.delete(f"/me/sessions/{session.session_id}")).status_code == 204


async def test_old_token_does_not_recreate_deleted_account(
    running: RunningApp, issuer: Issuer, moment: Moment
) -> None:
    ada = present_token(running, issuer)
    await ada.get("/me")
    moment.pass_by(1)
    assert (await ada.delete("/me")).status_code == 204
    assert problem_of(await ada.get("/me")) == (401, "unauthenticated")
    assert await store.get_account(running.db, SUBJECT) is None
    moment.pass_by(1)
    again = present_token(running, issuer)
    assert (await again.get("/me")).json()["families"] == []


@pytest.mark.parametrize(("signup", "status"), [("open", 200), ("invited", 403), ("closed", 403)])
async def test_sign_up_setting_applies_to_provider_accounts(
    database: Database, issuer: Issuer, signup: str, status: int
) -> None:
    async with running_app(database, **issuer.settings) as running:
        host = present_token(running, issuer, sub="host", email="host@home.local")
        await host.post("/families", {"name": "Lovelace"})
        await host.post("/invitations", {"email": "grace@home.local", "role": "admin"})
    async with running_app(database, signup=signup, **issuer.settings) as running:
        host = present_token(running, issuer, sub="host", email="host@home.local")
        assert (await host.get("/me")).status_code == 200, "who is here already stays"
        assert (await present_token(running, issuer).get("/me")).status_code == status
        grace = {"sub": "grace", "email": "grace@home.local"}
        unsure = present_token(running, issuer, **grace, email_verified=False)
        assert (await unsure.get("/me")).status_code == status
        invited = present_token(running, issuer, **grace)
        assert (await invited.get("/me")).status_code == (403 if signup == "closed" else 200)


async def test_event_stream_ends_with_provider_token(running: RunningApp, issuer: Issuer) -> None:
    ada = present_token(running, issuer)
    await ada.post("/families", {"name": "Lovelace"})
    ada.bear(issuer.token(exp=clock.seconds() + 2))
    async with asyncio.timeout(10):
        answer = await ada.get("/events")
    assert answer.status_code == 200
    assert answer.text.startswith(": homeshelf")
