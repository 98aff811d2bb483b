"""The account of a token: only issuer and `sub` together find it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from homeshelf.accounts import store
from homeshelf.accounts.model import (
    Account,
    EmailClaim,
    IdentityClaim,
    digest_of_email,
    member_id_of,
)
from homeshelf.errors import Duplicate
from homeshelf.identity.store import find_account, link_account
from homeshelf.table import Database
from tests.databases import Opener
from tests.home import Home, new_home
from tests.identity.issuer import SUBJECT, Issuer, open_issuer
from tests.identity.people import old_account, present_token, sign_in_with_browser
from tests.moment import Moment
from tests.running import RunningApp, Visitor, problem_of, running_app

REFUSED = (401, "unauthenticated")


@pytest.fixture
async def home(database: Database) -> AsyncIterator[Home]:
    """A family from before the provider was set."""
    async with running_app(database) as running:
        yield await new_home(running, "Lovelace", "ada")


@pytest.fixture
async def two_processes(
    open_another: Opener, issuer: Issuer
) -> AsyncIterator[tuple[RunningApp, RunningApp]]:
    """Two processes with one table and one issuer."""
    async with (
        running_app(open_another(), **issuer.settings) as one,
        running_app(open_another(), **issuer.settings) as two,
    ):
        yield one, two


async def assert_refused(running: RunningApp, issuer: Issuer, **claims: Any) -> None:
    """Check that both a token and a browser are refused."""
    eve = present_token(running, issuer, **claims)
    refused = await eve.get("/me")
    assert problem_of(refused) == REFUSED
    assert "to link the two" in refused.json()["detail"]
    issuer.claims = claims
    browser = running.visitor()
    page = await sign_in_with_browser(running, issuer, visitor=browser)
    issuer.claims = {}
    assert page.status_code == 401
    assert "to link the two" in page.text
    assert problem_of(await browser.get("/me")) == REFUSED


async def put_old_account(db: Database, **fields: Any) -> Account:
    """Put a provider account as versions without claims stored it."""
    account = old_account(**fields)
    await db.put(account)
    address = digest_of_email(account.email)
    await db.put(EmailClaim(email_digest=address, holder=account.member_id))
    return account


async def claim_of(db: Database, issuer: Issuer, subject: str = SUBJECT) -> str | None:
    claim = await db.get(IdentityClaim.key_of(issuer.url, subject))
    return claim.holder if claim else None


async def test_sub_equal_to_member_id_does_not_open_that_account(
    running: RunningApp, home: Home, issuer: Issuer
) -> None:
    ada = await store.get_account(running.db, home.admin.member_id)
    assert ada is not None
    for email in ("eve@home.local", ada.email):
        await assert_refused(running, issuer, sub=ada.member_id, email=email)
        await assert_refused(running, issuer, sub=ada.member_id.upper(), email=email)
    assert await store.get_account(running.db, ada.member_id) == ada
    assert await claim_of(running.db, issuer, ada.member_id) is None


async def test_sub_equal_to_id_of_provider_account_is_refused(
    running: RunningApp, issuer: Issuer
) -> None:
    grace = present_token(running, issuer, sub="auth0|7", email="grace@home.local")
    theirs = (await grace.get("/me")).json()["memberId"]
    for subject in (theirs, theirs.upper()):
        await assert_refused(running, issuer, sub=subject, email="eve@home.local")
        await assert_refused(running, issuer, sub=subject, email="grace@home.local")
    assert (await grace.get("/me")).json()["email"] == "grace@home.local"


async def test_same_sub_of_another_issuer_is_refused(
    running: RunningApp, database: Database, issuer: Issuer
) -> None:
    assert (await present_token(running, issuer).get("/me")).status_code == 200
    async with open_issuer() as another, running_app(database, **another.settings) as elsewhere:
        await assert_refused(elsewhere, another)
    assert (await present_token(running, issuer).get("/me")).status_code == 200


async def test_sub_without_uuid_gets_another_id_per_issuer(
    running: RunningApp, database: Database, issuer: Issuer
) -> None:
    one = (await present_token(running, issuer, sub="auth0|7").get("/me")).json()
    async with open_issuer() as another, running_app(database, **another.settings) as elsewhere:
        two = (await present_token(elsewhere, another, sub="auth0|7").get("/me")).json()
        assert two["memberId"] == member_id_of(another.url, "auth0|7")
    assert (await present_token(running, issuer, sub="auth0|7").get("/me")).json() == one


async def test_identity_claim_unknown_to_its_account_is_refused(
    running: RunningApp, home: Home, issuer: Issuer
) -> None:
    await running.db.put(IdentityClaim.of(issuer.url, SUBJECT, home.admin.member_id))
    await assert_refused(running, issuer)


async def test_sub_with_special_characters_names_one_account(
    running: RunningApp, issuer: Issuer
) -> None:
    names = ["a", "a#b", "a#", "#", "IDENTITY", " a", "a ", "Ä", "ä", "\u2028", "x" * 255]
    found = [
        (await present_token(running, issuer, sub=name, email=None).get("/me")).json()["memberId"]
        for name in names
    ]
    assert found == [member_id_of(issuer.url, name) for name in names]
    assert len(set(found)) == len(names)


async def test_new_provider_account_stores_its_origin(running: RunningApp, issuer: Issuer) -> None:
    await present_token(running, issuer).get("/me")
    account = await store.get_account(running.db, SUBJECT)
    assert account is not None
    assert (account.origin, account.issuer, account.subject) == ("provider", issuer.url, SUBJECT)
    assert await claim_of(running.db, issuer) == SUBJECT


async def test_new_password_account_stores_its_origin(database: Database) -> None:
    person = {"email": "ada@home.local", "password": "a horse of their own", "name": "Ada"}
    async with running_app(database) as running:
        made = await running.visitor().post("/accounts", person)
        account = await store.get_account(database, made.json()["memberId"])
    assert account is not None
    assert (account.origin, account.issuer, account.subject) == ("password", None, None)


async def test_concurrent_first_sign_ins_in_two_processes_create_one_account(
    two_processes: tuple[RunningApp, RunningApp], issuer: Issuer
) -> None:
    for number in range(5):
        person = {"sub": f"auth0|{number}", "email": f"person{number}@home.local"}
        visitors = [present_token(running, issuer, **person) for running in two_processes * 3]
        answers = await asyncio.gather(*(visitor.get("/me") for visitor in visitors))
        assert [answer.status_code for answer in answers] == [200] * 6
        assert len({answer.text for answer in answers}) == 1


async def test_concurrent_sign_ins_with_one_id_create_one_account(
    two_processes: tuple[RunningApp, RunningApp], issuer: Issuer
) -> None:
    one, two = two_processes
    for number in range(5):
        new = f"abcdefab-cdef-4abc-8def-00000000000{number}"
        doors = [(one, new), (two, new.upper())]
        answers = await asyncio.gather(
            *(present_token(running, issuer, sub=sub).get("/me") for running, sub in doors)
        )
        assert sorted(answer.status_code for answer in answers) == [200, 401]


@pytest.mark.parametrize(
    ("account", "claims"),
    [
        ({}, {"email": "eve@home.local"}),
        ({}, {"email_verified": False}),
        ({}, {"email": None}),
        ({"email_verified": False}, {}),
        ({"email": "", "email_verified": False}, {"email": None}),
        ({"email": "", "email_verified": False}, {}),
        ({"password_hash": "a hash"}, {}),
    ],
    ids=str,
)
async def test_old_account_is_not_linked_without_its_verified_address(
    running: RunningApp, issuer: Issuer, account: dict[str, Any], claims: dict[str, Any]
) -> None:
    old = await put_old_account(running.db, **account)
    await assert_refused(running, issuer, **claims)
    assert await store.get_account(running.db, SUBJECT) == old
    assert await claim_of(running.db, issuer) is None


async def test_old_account_is_linked_at_next_sign_in(running: RunningApp, issuer: Issuer) -> None:
    old = await put_old_account(running.db, families=("f",), name="Countess", theme="dark")
    ada = present_token(running, issuer, email="ADA@home.local")
    assert (await ada.get("/me")).json()["name"] == "Countess"
    new = await store.get_account(running.db, SUBJECT)
    assert new is not None
    assert (new.origin, new.issuer, new.subject) == ("provider", issuer.url, SUBJECT)
    assert (new.era, new.families, new.theme) == (old.era, ("f",), "dark")
    assert await claim_of(running.db, issuer) == SUBJECT
    later = present_token(running, issuer, email="another@home.local", email_verified=False)
    assert (await later.get("/me")).status_code == 200, "from now on the name is enough"


async def test_browser_links_old_account_although_sign_up_is_closed(
    database: Database, issuer: Issuer
) -> None:
    async with running_app(database, signup="closed", **issuer.settings) as running:
        await put_old_account(database)
        assert (await sign_in_with_browser(running, issuer)).status_code == 303
        assert await claim_of(database, issuer) == SUBJECT


async def test_missing_address_is_requested_from_user_info(
    running: RunningApp, issuer: Issuer
) -> None:
    await put_old_account(running.db)
    issuer.user_info = {"sub": SUBJECT, "email": "ada@home.local", "email_verified": True}
    bare: dict[str, Any] = {"email": None, "email_verified": None, "name": None}
    assert (await present_token(running, issuer, **bare).get("/me")).status_code == 200
    assert await claim_of(running.db, issuer) == SUBJECT


async def test_concurrent_sign_ins_link_old_account_once(
    two_processes: tuple[RunningApp, RunningApp], issuer: Issuer
) -> None:
    db = two_processes[0].db
    await put_old_account(db)
    visitors = [present_token(running, issuer) for running in two_processes * 3]
    answers = await asyncio.gather(*(visitor.get("/me") for visitor in visitors))
    assert [answer.status_code for answer in answers] == [200] * 6
    account = await store.get_account(db, SUBJECT)
    assert account is not None
    assert account.version == 2


async def test_account_deletion_releases_identity_claim(
    running: RunningApp, issuer: Issuer, moment: Moment
) -> None:
    ada = present_token(running, issuer)
    await ada.get("/me")
    assert (await ada.delete("/me")).status_code == 204
    assert await claim_of(running.db, issuer) is None
    assert problem_of(await ada.get("/me")) == REFUSED
    moment.pass_by(1)
    assert (await present_token(running, issuer).get("/me")).status_code == 200
    assert await claim_of(running.db, issuer) == SUBJECT


async def link_by_command(
    running: RunningApp, issuer: Issuer, who: str, subject: str = SUBJECT
) -> Account:
    """Link like `homeshelf user link`."""
    account = await find_account(running.db, who, issuer.url, subject)
    assert account is not None
    linked = await link_account(running.db, account, issuer.url, subject)
    assert linked is not None
    return linked


async def test_account_linked_by_command_opens_for_its_sub(
    running: RunningApp, home: Home, issuer: Issuer
) -> None:
    old = home.admin.account
    linked = await link_by_command(running, issuer, old.email)
    assert (linked.origin, linked.era) == ("password", old.era)
    ada = present_token(running, issuer, email="another@home.local")
    assert (await ada.get("/me")).json()["memberId"] == old.member_id
    assert (await ada.patch("/family", {"name": "Byron", "version": 1})).status_code == 200
    chosen = {"homeshelf-family": home.family_id}
    assert (await ada.get("/members", headers=chosen)).status_code == 200
    browser: Visitor = running.visitor()
    assert (await sign_in_with_browser(running, issuer, visitor=browser)).status_code == 303
    assert (await browser.get("/me")).json()["memberId"] == old.member_id
    await assert_refused(running, issuer, sub=old.member_id)
    gone = await ada.delete("/me", {"password": home.admin.password})
    assert gone.status_code == 204, gone.text
    assert problem_of(await ada.get("/me")) == REFUSED
    assert await store.get_account(running.db, SUBJECT) is None, "and the token begins no other one"


async def test_relinking_ends_sessions_once(running: RunningApp, issuer: Issuer) -> None:
    await put_old_account(running.db)
    first = await link_by_command(running, issuer, "ada@home.local", "first")
    assert await link_by_command(running, issuer, "ADA@home.local", "first") == first
    second = await link_by_command(running, issuer, SUBJECT.upper(), "second")
    assert (second.era, second.subject) == (first.era + 1, "second")
    assert await claim_of(running.db, issuer, "first") is None
    assert await claim_of(running.db, issuer, "second") == SUBJECT


async def test_find_account_prefers_the_account_made_for_the_sub(
    running: RunningApp, issuer: Issuer
) -> None:
    first = await running.person("ada")
    await running.db.put((await put_old_account(running.db)).changed(email="ADA@home.local"))
    claim = EmailClaim(email_digest=digest_of_email(first.email), holder=first.member_id)
    await running.db.put(claim)
    assert (await link_by_command(running, issuer, first.email)).member_id == SUBJECT
    assert (
        await link_by_command(running, issuer, first.email, "auth0|7")
    ).member_id == first.member_id


async def test_concurrent_link_and_first_sign_in_end_in_one_account(
    open_another: Opener, home: Home, issuer: Issuer
) -> None:
    db = open_another()
    async with running_app(open_another(), **issuer.settings) as running:
        for number in range(8):
            subject = f"auth0|{number}"
            meant = await store.get_account(db, home.admin.member_id)
            assert meant is not None
            linked, answer = await asyncio.gather(
                link_account(db, meant, issuer.url, subject),
                present_token(running, issuer, sub=subject, email=None).get("/me"),
                return_exceptions=True,
            )
            assert isinstance(answer, httpx.Response)
            assert answer.status_code == 200
            holder = await claim_of(db, issuer, subject)
            assert answer.json()["memberId"] == holder
            other = await store.get_account(db, member_id_of(issuer.url, subject))
            if isinstance(linked, Duplicate):
                assert other is not None
                assert holder == other.member_id
            else:
                assert (holder, other) == (home.admin.member_id, None)


async def test_concurrent_links_to_one_sub_link_one_account(
    open_another: Opener, issuer: Issuer
) -> None:
    one, two = open_another(), open_another()
    async with running_app(one) as running:
        people = [(await running.person(name)).account for name in ("ada", "grace")]
    for number in range(5):
        subject = f"auth0|{number}"
        found = await asyncio.gather(
            link_account(one, people[0], issuer.url, subject),
            link_account(two, people[1], issuer.url, subject),
            return_exceptions=True,
        )
        assert {type(each) for each in found} == {Account, Duplicate}
