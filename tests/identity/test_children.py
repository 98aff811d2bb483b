"""Sign-in links of children where an identity provider is set."""

from typing import Any

from homeshelf.accounts import store, tokens
from homeshelf.families.links import SignInLink
from homeshelf.identity.store import link_account
from tests.home import account_of, signed_in, token_in, tried
from tests.identity.issuer import Issuer
from tests.identity.people import found_family, present_token
from tests.moment import Moment
from tests.running import RunningApp, problem_of

DAY = 24 * 3600
GONE = (404, "not_found")


async def test_child_link_signs_in_although_a_provider_is_set(
    running: RunningApp, issuer: Issuer
) -> None:
    ada, family_id = await found_family(running, issuer)
    alva = (await ada.post("/members", {"name": "Alva"})).json()
    answer = await tried(running, token_in(alva))
    assert answer.status_code == 200, answer.text
    phone = running.visitor()
    phone.bear(answer.json()["accessToken"])
    (family,) = (await phone.get("/me")).json()["families"]
    assert family["familyId"] == family_id
    assert problem_of(await tried(running, token_in(alva))) == GONE
    refreshed = await running.visitor().post(
        "/tokens/refresh", {"refreshToken": answer.json()["refreshToken"]}
    )
    assert refreshed.status_code == 200
    phone.bear(refreshed.json()["accessToken"])
    assert (await phone.delete("/tokens")).status_code == 204
    assert problem_of(await phone.get("/me")) == (401, "unauthenticated")
    again = {"refreshToken": refreshed.json()["refreshToken"]}
    answer = await running.visitor().post("/tokens/refresh", again)
    assert problem_of(answer) == (401, "unauthenticated")


async def test_child_session_outlasts_provider_sessions(
    running: RunningApp, issuer: Issuer, moment: Moment
) -> None:
    ada, _ = await found_family(running, issuer)
    alva = (await ada.post("/members", {"name": "Alva"})).json()
    pair = (await tried(running, token_in(alva))).json()
    moment.pass_by(30 * DAY)
    answer = await running.visitor().post("/tokens/refresh", {"refreshToken": pair["refreshToken"]})
    assert answer.status_code == 200
    phone = running.visitor()
    phone.bear(answer.json()["accessToken"])
    assert (await phone.get("/items")).status_code == 200


async def test_own_tokens_of_password_sessions_are_refused(running: RunningApp) -> None:
    ada = await running.person("ada")
    session = await running.session_of(ada.member_id)
    pair: dict[str, Any] = tokens.token_pair(running.signer, session, None)
    asked = {"refreshToken": pair["refreshToken"]}
    assert problem_of(await running.visitor().post("/tokens/refresh", asked)) == GONE
    visitor = running.visitor()
    visitor.bear(pair["accessToken"])
    assert problem_of(await visitor.get("/me")) == (401, "unauthenticated")


async def test_child_gets_no_local_password(running: RunningApp, issuer: Issuer) -> None:
    ada, _ = await found_family(running, issuer)
    alva = (await ada.post("/members", {"name": "Alva"})).json()
    asked = {"email": "alva@home.local"}
    assert problem_of(await ada.post(f"/members/{alva['memberId']}/email", asked)) == GONE


async def test_sub_equal_to_child_id_does_not_open_child_account(
    running: RunningApp, issuer: Issuer
) -> None:
    ada, _ = await found_family(running, issuer)
    alva = (await ada.post("/members", {"name": "Alva"})).json()
    before = await account_of(running, alva)
    stranger = present_token(running, issuer, sub=alva["memberId"])
    assert problem_of(await stranger.get("/me")) == (401, "unauthenticated")
    assert await account_of(running, alva) == before


async def test_sign_in_link_is_refused_for_provider_account(
    running: RunningApp, issuer: Issuer
) -> None:
    ada, _ = await found_family(running, issuer)
    me = (await ada.get("/me")).json()["memberId"]
    assert problem_of(await ada.post(f"/members/{me}/sign-in-link")) == (409, "in_use")


async def test_linking_a_child_to_the_provider_ends_its_sessions_and_links(
    running: RunningApp, issuer: Issuer
) -> None:
    ada, _ = await found_family(running, issuer)
    alva = (await ada.post("/members", {"name": "Alva"})).json()
    phone = await signed_in(running, token_in(alva))
    path = f"/members/{alva['memberId']}/sign-in-link"
    token = token_in((await ada.post(path)).json())
    await link_account(running.db, await account_of(running, alva), issuer.url, "alva")
    assert problem_of(await phone.get("/me")) == (401, "unauthenticated")
    assert problem_of(await tried(running, token)) == GONE
    assert problem_of(await ada.post(path)) == (409, "in_use")
    own = present_token(running, issuer, sub="alva")
    assert (await own.get("/me")).json()["memberId"] == alva["memberId"]
    change = {"role": "admin", "version": 1}
    assert (await ada.patch(f"/members/{alva['memberId']}", change)).status_code == 200
    account = await store.get_account(running.db, alva["memberId"])
    assert account is not None
    assert account.needs_provider
    key = SignInLink.key(member_id=alva["memberId"])
    assert await running.db.get(key) is not None
    assert (await own.delete("/me")).status_code == 204
    assert await running.db.get(key) is None, "nothing is left of who goes"
