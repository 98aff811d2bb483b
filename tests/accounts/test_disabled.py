"""A disabled account has no access from the next request on."""

import pytest
from structlog.testing import capture_logs

from homeshelf.accounts import store, tokens
from homeshelf.accounts.messages import recipient_of
from homeshelf.accounts.model import Account
from homeshelf.errors import Disabled
from homeshelf.table import Database
from tests.databases import Opener
from tests.home import (
    Home,
    add_child,
    ended_streams,
    new_home,
    new_link,
    signed_in,
    token_in,
    tried,
)
from tests.pages import see, send
from tests.running import PASSWORD, Person, problem_of, running_app

SIGNED_OUT = (401, "unauthenticated")
GONE = (404, "not_found")


async def sign_in(home: Home, password: str = PASSWORD) -> tuple[int, str, str]:
    asked = {"email": home.admin.email, "password": password}
    answer = await home.running.visitor().post("/tokens", asked)
    return (200, "", "") if answer.is_success else (*problem_of(answer), answer.json()["detail"])


async def test_disabling_an_account_in_another_process_voids_its_tokens_at_once(
    open_another: Opener,
) -> None:
    async with running_app(open_another()) as running:
        home = await new_home(running, "Lovelace", "ada")
        asked = {"email": home.admin.email, "password": PASSWORD}
        pair = (await running.visitor().post("/tokens", asked)).json()
        browser = running.visitor()
        await send(browser, "/sign-in", **asked)
        await see(browser, "/settings")
        await store.disable(open_another(), Account.key(member_id=home.admin.member_id))
        program = running.visitor()
        program.bear(pair["accessToken"])
        assert problem_of(await program.get("/me")) == SIGNED_OUT
        refresh = {"refreshToken": pair["refreshToken"]}
        assert problem_of(await program.post("/tokens/refresh", refresh)) == SIGNED_OUT
        assert problem_of(await home.admin.get("/family")) == SIGNED_OUT
        await see(browser, "/settings", 303)


async def test_disabled_account_loses_every_kind_of_session(home: Home) -> None:
    running, ada = home.running, home.admin
    account = await store.disable(running.db, Account.key(member_id=ada.member_id))
    session = (await running.session_of(ada.member_id)).changed(era=account.era)
    await running.db.put(session)
    ada.bear(running.access_token(ada.member_id, session.session_id))
    assert problem_of(await ada.get("/me")) == SIGNED_OUT
    await store.enable(running.db, Account.key(member_id=ada.member_id))
    assert (await ada.get("/me")).status_code == 200


async def test_only_the_right_password_learns_that_the_account_is_disabled(home: Home) -> None:
    await store.disable(home.running.db, Account.key(member_id=home.admin.member_id))
    with capture_logs() as logged:
        assert await sign_in(home) == (*SIGNED_OUT, Disabled.sentence)
    assert logged[0]["event"] == "sign_in_refused"
    assert logged[0]["member_id"] == home.admin.member_id
    wrong = await sign_in(home, "a guess")
    assert wrong == (*SIGNED_OUT, "The e-mail address or the password is wrong.")


async def test_sign_in_page_says_that_the_account_is_disabled(home: Home) -> None:
    await store.disable(home.running.db, Account.key(member_id=home.admin.member_id))
    known = {"email": home.admin.email, "password": PASSWORD}
    answer = await send(home.running.visitor(), "/sign-in", **known)
    assert answer.status_code == 400
    assert Disabled.sentence in answer.text


async def test_mailed_links_of_disabled_account_are_void(home: Home) -> None:
    running, ada = home.running, home.admin
    before = tokens.reset_token(running.signer, ada.account)
    account = await store.disable(running.db, Account.key(member_id=ada.member_id))
    for token in (before, tokens.reset_token(running.signer, account)):
        asked = {"token": token, "password": "another horse battery"}
        assert problem_of(await running.visitor().post("/passwords/reset", asked)) == GONE


async def test_sign_in_link_of_disabled_child_is_void(home: Home) -> None:
    child = await add_child(home)
    phone = await signed_in(home.running, token_in(child))
    link = await new_link(home, child)
    await store.disable(home.running.db, Account.key(member_id=child["memberId"]))
    assert problem_of(await phone.get("/me")) == SIGNED_OUT
    assert problem_of(await tried(home.running, token_in(link))) == GONE
    await store.enable(home.running.db, Account.key(member_id=child["memberId"]))
    assert (await tried(home.running, token_in(link))).status_code == 200


async def test_disabling_ends_event_streams(home: Home, kid: Person) -> None:
    before = await ended_streams(home, {"memberId": kid.member_id})
    await store.disable(home.running.db, Account.key(member_id=kid.member_id))
    assert await ended_streams(home, {"memberId": kid.member_id}) == before + 1


async def test_disabled_account_gets_no_household_mail(home: Home) -> None:
    services = home.running.services
    account = await store.disable(home.running.db, Account.key(member_id=home.admin.member_id))
    assert recipient_of(services, account).email == ""
    account = await store.enable(home.running.db, Account.key(member_id=home.admin.member_id))
    assert recipient_of(services, account).email == home.admin.email


@pytest.mark.parametrize("twice", [False, True])
async def test_enabled_account_signs_in_with_a_new_session(home: Home, twice: bool) -> None:
    for _ in range(2 if twice else 1):
        await store.disable(home.running.db, Account.key(member_id=home.admin.member_id))
    for _ in range(2 if twice else 1):
        await store.enable(home.running.db, Account.key(member_id=home.admin.member_id))
    assert problem_of(await home.admin.get("/me")) == SIGNED_OUT
    assert (await sign_in(home))[0] == 200


async def test_signing_out_everywhere_allows_a_new_sign_in(home: Home, database: Database) -> None:
    await store.sign_out_everywhere(database, Account.key(member_id=home.admin.member_id))
    assert problem_of(await home.admin.get("/me")) == SIGNED_OUT
    assert (await sign_in(home))[0] == 200
