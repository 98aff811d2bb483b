"""Children who get an address and a password."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from homeshelf.accounts import store as accounts
from homeshelf.families import children
from homeshelf.families.messages import write_child_address
from homeshelf.identity.store import link_account
from homeshelf.outbox.model import Letter, letter
from homeshelf.table import Database
from tests.databases import Opener
from tests.home import (
    WISH,
    Home,
    account_of,
    add_child,
    ended_streams,
    new_home,
    new_link,
    signed_in,
    token_in,
    tried,
)
from tests.moment import Moment
from tests.outbox.post_office import PostOffice, outbox
from tests.outbox.smtp_server import SmtpServers
from tests.running import Person, RunningApp, Visitor, problem_of, running_app

EMAIL = "alva@home.local"
PASSWORD = "four words of hers"
GONE = (404, "not_found")
DAY = 24 * 3600


@pytest.fixture
async def alva(home: Home) -> dict[str, Any]:
    """A child of the home, who has no address yet."""
    return await add_child(home)


async def request_address_token(home: Home, alva: dict[str, Any], email: str = EMAIL) -> str:
    """Return the token of the shown link."""
    answer = await home.admin.post(f"/members/{alva['memberId']}/email", {"email": email})
    assert answer.status_code == 200, answer.text
    assert answer.json().keys() == {"link"}
    return token_in(answer.json())


async def use_link(running: RunningApp, token: str, password: str = PASSWORD) -> int:
    asked = {"token": token, "password": password}
    return (await running.visitor().post("/passwords/reset", asked)).status_code


async def can_sign_in(running: RunningApp, email: str = EMAIL) -> bool:
    asked = {"email": email, "password": PASSWORD}
    return (await running.visitor().post("/tokens", asked)).status_code == 200


async def test_strangers_cannot_set_child_address(
    home: Home, alva: dict[str, Any], kid: Person, neighbour: Person, gone: Person
) -> None:
    path, asked = f"/members/{alva['memberId']}/email", {"email": "eve@home.local"}
    phone = await signed_in(home.running, token_in(alva))
    for stranger, refusal in (
        (home.running.visitor(), (401, "unauthenticated")),
        (neighbour, GONE),
        (gone, (403, "no_family")),
        (kid, (403, "forbidden")),
        (phone, (403, "forbidden")),
    ):
        assert problem_of(await stranger.post(path, asked)) == refusal
    found = await children.get_pending_email(home.running.db, home.family_id, alva["memberId"])
    assert found is None


async def test_address_link_sets_password_of_the_same_member(
    home: Home, alva: dict[str, Any]
) -> None:
    running, path = home.running, f"/members/{alva['memberId']}"
    phone = await signed_in(running, token_in(alva))
    wish = (await phone.post("/suggestions", WISH)).json()
    sign_in_token = token_in(await new_link(home, alva))
    token = await request_address_token(home, alva)
    assert (await home.admin.get(path)).json()["email"] is None, "not theirs yet"
    assert not await can_sign_in(running)
    assert (await phone.get("/me")).status_code == 200
    assert await use_link(running, token) == 204
    assert await ended_streams(home, alva) == 1
    assert problem_of(await phone.get("/me")) == (401, "unauthenticated")
    assert await children.get_link(running.db, home.family_id, alva["memberId"]) is None
    assert problem_of(await tried(running, sign_in_token)) == GONE
    again = {"email": EMAIL, "password": PASSWORD}
    own = running.visitor()
    own.bear((await own.post("/tokens", again)).json()["accessToken"])
    me = (await own.get("/me")).json()
    assert (me["memberId"], me["email"], me["emailVerified"]) == (alva["memberId"], EMAIL, False)
    member = (await own.get(path)).json()
    assert (member["email"], member["role"], member["version"]) == (EMAIL, "suggester", 2)
    assert (await own.get(f"/suggestions/{wish['suggestionId']}")).json()["suggestedBy"] == (
        alva["memberId"]
    )


async def test_child_with_password_gets_the_usual_rights(home: Home, alva: dict[str, Any]) -> None:
    running, path = home.running, f"/members/{alva['memberId']}"
    await use_link(running, await request_address_token(home, alva))
    asked = {"email": EMAIL, "password": PASSWORD}
    own = running.visitor()
    own.bear((await own.post("/tokens", asked)).json()["accessToken"])
    assert problem_of(await home.admin.post(f"{path}/sign-in-link")) == (409, "in_use")
    refused = await home.admin.post(f"{path}/email", {"email": "other@home.local"})
    assert problem_of(refused) == (409, "in_use")
    made = await home.admin.patch(path, {"role": "admin", "version": 2})
    assert made.status_code == 200
    assert (await own.post("/families", {"name": "Alva's"})).status_code == 201
    assert (await own.delete("/me", {"password": PASSWORD})).status_code == 204


async def test_address_link_works_once_within_a_day(
    home: Home, alva: dict[str, Any], moment: Moment
) -> None:
    token = await request_address_token(home, alva)
    moment.pass_by(DAY)
    assert await use_link(home.running, token) == 404
    home.admin.bear(home.running.access_token(home.admin.member_id, home.admin.session_id))
    token = await request_address_token(home, alva)
    moment.pass_by(DAY - 1)
    assert await use_link(home.running, token) == 204
    assert await use_link(home.running, token, "other words of hers") == 404
    assert await can_sign_in(home.running)


@pytest.mark.usefixtures("usual_hashes")
async def test_concurrent_uses_of_address_link_set_one_password(
    home: Home, alva: dict[str, Any], open_another: Opener
) -> None:
    token = await request_address_token(home, alva)
    async with running_app(open_another()) as there:
        answers = await asyncio.gather(
            use_link(home.running, token), use_link(there, token, "other words of hers")
        )
    assert sorted(answers) == [204, 404]


async def test_second_address_replaces_the_first(home: Home, alva: dict[str, Any]) -> None:
    first = await request_address_token(home, alva, "typo@home.local")
    second = await request_address_token(home, alva)
    assert await use_link(home.running, first) == 404
    assert await use_link(home.running, second) == 204
    assert await accounts.get_account_by_email(home.running.db, "typo@home.local") is None


async def test_used_address_returns_conflict(
    home: Home, alva: dict[str, Any], neighbour: Person
) -> None:
    path = f"/members/{alva['memberId']}/email"
    taken = await home.admin.post(path, {"email": neighbour.email.upper()})
    assert problem_of(taken) == (409, "duplicate")
    token = await request_address_token(home, alva)
    person = {"email": EMAIL.upper(), "password": "another horse", "name": "Eve"}
    assert (await home.running.visitor().post("/accounts", person)).status_code == 201
    asked = {"token": token, "password": PASSWORD}
    late = await home.running.visitor().post("/passwords/reset", asked)
    assert problem_of(late) == (409, "duplicate")
    account = await account_of(home.running, alva)
    assert (account.is_child, account.email, account.password_hash) == (True, "", None)
    assert (
        await use_link(home.running, await request_address_token(home, alva, "alva@other.local"))
        == 204
    )


@pytest.mark.parametrize("how", ["child removed", "maker removed", "maker demoted", "returned"])
async def test_address_link_is_void_after_maker_or_child_is_removed(
    home: Home, alva: dict[str, Any], how: str
) -> None:
    bob = await home.with_member("bob", "admin")
    token = await request_address_token(Home(home.running, home.family, bob), alva)
    path = f"/members/{alva['memberId']}"
    if how in ("child removed", "returned"):
        await home.admin.delete(path)
    elif how == "maker removed":
        await home.remove_member(bob)
    else:
        change = {"role": "suggester", "version": (await home.member(bob))["version"]}
        await home.admin.patch(f"/members/{bob.member_id}", change)
    if how == "returned":
        await signed_in(home.running, token_in(await new_link(home, alva)))
    assert await use_link(home.running, token) == 404
    assert (await account_of(home.running, alva)).is_child
    if how == "child removed":
        asked = {"email": EMAIL}
        assert problem_of(await home.admin.post(f"{path}/email", asked)) == GONE


async def test_address_link_is_void_after_child_gets_another_sign_in(
    home: Home, alva: dict[str, Any]
) -> None:
    token = await request_address_token(home, alva)
    account = await account_of(home.running, alva)
    await link_account(home.running.db, account, "https://id.example", "alva")
    assert await use_link(home.running, token) == 404
    assert (await account_of(home.running, alva)).password_hash is None


async def test_address_link_refuses_personal_password(home: Home, alva: dict[str, Any]) -> None:
    token = await request_address_token(home, alva, "penelope@home.local")
    assert await use_link(home.running, token, "penelope123") == 400
    assert await use_link(home.running, token) == 204


async def test_repeated_address_request_returns_a_valid_link(
    home: Home, alva: dict[str, Any]
) -> None:
    path, asked = f"/members/{alva['memberId']}/email", {"email": EMAIL}
    first = await home.admin.post(path, asked, key="k")
    again = await home.admin.post(path, asked, key="k")
    assert (first.status_code, again.status_code) == (200, 200)
    assert await use_link(home.running, token_in(again.json())) == 204
    assert await use_link(home.running, token_in(first.json())) == 404


@pytest.fixture
async def mail_services(
    database: Database, tmp_path: Path, smtp_servers: SmtpServers
) -> AsyncIterator[tuple[PostOffice, Home]]:
    post = PostOffice(tmp_path / "post", smtp_servers)
    post.open()
    async with running_app(database, **post.settings) as running:
        yield post, await new_home(running, "Lovelace", "ada")
    post.close()


async def test_only_mailed_address_link_verifies_the_address(
    mail_services: tuple[PostOffice, Home],
) -> None:
    post, home = mail_services
    for name, is_mailed in (("alva", True), ("noah", False)):
        child = await add_child(home, name.title())
        email = f"{name}@home.local"
        shown = await request_address_token(home, child, email)
        mail = await post.mail(1 if is_mailed else 2)
        assert mail.to == [email]
        assert f"ada says this is {name.title()}’s address." in mail.text
        token = mail.link.rpartition("/")[2]
        assert token != shown
        assert await use_link(home.running, token if is_mailed else shown) == 204
        assert await use_link(home.running, shown if is_mailed else token) == 404
        account = await account_of(home.running, child)
        assert (account.email, account.email_verified) == (email, is_mailed)


async def test_unverified_admin_sends_no_address_mail(
    mail_services: tuple[PostOffice, Home],
) -> None:
    _post, home = mail_services
    eve = await home.running.person("eve", verified=False)
    await eve.post("/families", {"name": "Eve's"})
    child = (await eve.post("/members", {"name": "Alva"})).json()
    given = await eve.post(f"/members/{child['memberId']}/email", {"email": EMAIL})
    assert given.status_code == 200, "the link is shown all the same"
    assert [each for each in await outbox(home.running.db) if _is_for_child(each)] == []


def _is_for_child(letter: Letter) -> bool:
    return letter.kind == "child_address"


async def test_waiting_address_letter_is_dropped_if_void(home: Home, alva: dict[str, Any]) -> None:
    services = home.running.services
    await request_address_token(home, alva)
    pending = await children.get_pending_email(services.db, home.family_id, alva["memberId"])
    assert pending is not None
    about = {"familyId": home.family_id, "memberId": alva["memberId"], "link": pending.link_id}
    waiting = letter("child_address", by=home.admin.member_id, **about)
    message = await write_child_address(services, waiting)
    assert message is not None
    assert (message.to.email, message.to.name) == (EMAIL, "Alva")
    await request_address_token(home, alva, "other@home.local")
    assert await write_child_address(services, waiting) is None


async def test_opening_address_link_shows_form_and_changes_nothing(
    home: Home, alva: dict[str, Any]
) -> None:
    token = await request_address_token(home, alva)
    browser: Visitor = home.running.visitor()
    page = await browser.client.get(f"/reset/{token}", headers={"accept": "text/html"})
    assert page.status_code == 200
    same = {"sec-fetch-site": "same-origin"}
    sent = await browser.client.post(f"/reset/{token}", data={"password": PASSWORD}, headers=same)
    assert sent.status_code == 303
    assert await can_sign_in(home.running)
