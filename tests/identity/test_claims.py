"""Whose account it is: of whom the issuer calls by a name, and of nobody who chose that name."""

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
from tests.identity.people import account_from_before, present_token, sign_in_with_browser
from tests.moment import Moment
from tests.running import RunningApp, Visitor, problem_of, running_app

REFUSED = (401, "unauthenticated")


@pytest.fixture
async def home(database: Database) -> AsyncIterator[Home]:
    """A family from when people had passwords here."""
    async with running_app(database) as running:
        yield await new_home(running, "Lovelace", "ada")


@pytest.fixture
async def two_houses(
    open_another: Opener, issuer: Issuer
) -> AsyncIterator[tuple[RunningApp, RunningApp]]:
    """Two processes of one household, which both believe the issuer."""
    async with (
        running_app(open_another(), **issuer.settings) as one,
        running_app(open_another(), **issuer.settings) as two,
    ):
        yield one, two


async def is_refused(running: RunningApp, issuer: Issuer, **claims: Any) -> None:
    """At both doors: with a token, and with a browser."""
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


async def put_as_before(db: Database, **fields: Any) -> Account:
    """An account as a provider made them before they were linked to anything."""
    account = account_from_before(**fields)
    await db.put(account)
    address = digest_of_email(account.email)
    await db.put(EmailClaim(email_digest=address, holder=account.member_id))
    return account


async def claim_of(db: Database, issuer: Issuer, subject: str = SUBJECT) -> str | None:
    claim = await db.get(IdentityClaim.key_of(issuer.url, subject))
    return claim.holder if claim else None


async def test_a_sub_that_is_somebodys_id_lets_nobody_in(
    running: RunningApp, home: Home, issuer: Issuer
) -> None:
    ada = await store.get_account(running.db, home.admin.member_id)
    assert ada is not None
    for email in ("eve@home.local", ada.email):
        await is_refused(running, issuer, sub=ada.member_id, email=email)
        await is_refused(running, issuer, sub=ada.member_id.upper(), email=email)
    assert await store.get_account(running.db, ada.member_id) == ada
    assert await claim_of(running.db, issuer, ada.member_id) is None


async def test_the_id_of_somebody_whom_the_issuer_vouches_for_lets_nobody_in(
    running: RunningApp, issuer: Issuer
) -> None:
    grace = present_token(running, issuer, sub="auth0|7", email="grace@home.local")
    theirs = (await grace.get("/me")).json()["memberId"]
    for subject in (theirs, theirs.upper()):
        await is_refused(running, issuer, sub=subject, email="eve@home.local")
        await is_refused(running, issuer, sub=subject, email="grace@home.local")
    assert (await grace.get("/me")).json()["email"] == "grace@home.local"


async def test_the_same_sub_of_another_issuer_lets_nobody_in(
    running: RunningApp, database: Database, issuer: Issuer
) -> None:
    assert (await present_token(running, issuer).get("/me")).status_code == 200
    async with open_issuer() as another, running_app(database, **another.settings) as elsewhere:
        await is_refused(elsewhere, another)
    assert (await present_token(running, issuer).get("/me")).status_code == 200


async def test_a_name_that_is_no_id_is_somebody_else_with_another_issuer(
    running: RunningApp, database: Database, issuer: Issuer
) -> None:
    one = (await present_token(running, issuer, sub="auth0|7").get("/me")).json()
    async with open_issuer() as another, running_app(database, **another.settings) as elsewhere:
        two = (await present_token(elsewhere, another, sub="auth0|7").get("/me")).json()
        assert two["memberId"] == member_id_of(another.url, "auth0|7")
    assert (await present_token(running, issuer, sub="auth0|7").get("/me")).json() == one


async def test_a_claim_that_the_account_knows_nothing_of_is_none(
    running: RunningApp, home: Home, issuer: Issuer
) -> None:
    await running.db.put(IdentityClaim.of(issuer.url, SUBJECT, home.admin.member_id))
    await is_refused(running, issuer)


async def test_a_name_with_anything_in_it_is_one_persons(
    running: RunningApp, issuer: Issuer
) -> None:
    names = ["a", "a#b", "a#", "#", "IDENTITY", " a", "a ", "Ä", "ä", "\u2028", "x" * 255]
    found = [
        (await present_token(running, issuer, sub=name, email=None).get("/me")).json()["memberId"]
        for name in names
    ]
    assert found == [member_id_of(issuer.url, name) for name in names]
    assert len(set(found)) == len(names)


async def test_a_new_account_says_where_it_comes_from(running: RunningApp, issuer: Issuer) -> None:
    await present_token(running, issuer).get("/me")
    account = await store.get_account(running.db, SUBJECT)
    assert account is not None
    assert (account.origin, account.issuer, account.subject) == ("provider", issuer.url, SUBJECT)
    assert await claim_of(running.db, issuer) == SUBJECT


async def test_so_does_one_with_a_password(database: Database) -> None:
    person = {"email": "ada@home.local", "password": "a horse of their own", "name": "Ada"}
    async with running_app(database) as running:
        made = await running.visitor().post("/accounts", person)
        account = await store.get_account(database, made.json()["memberId"])
    assert account is not None
    assert (account.origin, account.issuer, account.subject) == ("password", None, None)


async def test_of_many_first_sign_ins_in_several_processes_all_find_one_account(
    two_houses: tuple[RunningApp, RunningApp], issuer: Issuer
) -> None:
    for number in range(5):
        person = {"sub": f"auth0|{number}", "email": f"person{number}@home.local"}
        visitors = [present_token(running, issuer, **person) for running in two_houses * 3]
        answers = await asyncio.gather(*(visitor.get("/me") for visitor in visitors))
        assert [answer.status_code for answer in answers] == [200] * 6
        assert len({answer.text for answer in answers}) == 1


async def test_of_two_who_would_have_one_id_at_once_one_gets_it(
    two_houses: tuple[RunningApp, RunningApp], issuer: Issuer
) -> None:
    one, two = two_houses
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
async def test_an_account_from_before_is_not_for_who_cannot_show_its_address(
    running: RunningApp, issuer: Issuer, account: dict[str, Any], claims: dict[str, Any]
) -> None:
    old = await put_as_before(running.db, **account)
    await is_refused(running, issuer, **claims)
    assert await store.get_account(running.db, SUBJECT) == old
    assert await claim_of(running.db, issuer) is None


async def test_an_account_from_before_is_linked_at_the_next_sign_in(
    running: RunningApp, issuer: Issuer
) -> None:
    old = await put_as_before(running.db, families=("f",), name="Countess", theme="dark")
    ada = present_token(running, issuer, email="ADA@home.local")
    assert (await ada.get("/me")).json()["name"] == "Countess"
    new = await store.get_account(running.db, SUBJECT)
    assert new is not None
    assert (new.origin, new.issuer, new.subject) == ("provider", issuer.url, SUBJECT)
    assert (new.era, new.families, new.theme) == (old.era, ("f",), "dark")
    assert await claim_of(running.db, issuer) == SUBJECT
    later = present_token(running, issuer, email="another@home.local", email_verified=False)
    assert (await later.get("/me")).status_code == 200, "from now on the name is enough"


async def test_it_is_linked_by_the_browser_too_and_closed_doors_keep_nobody_out(
    database: Database, issuer: Issuer
) -> None:
    async with running_app(database, signup="closed", **issuer.settings) as running:
        await put_as_before(database)
        assert (await sign_in_with_browser(running, issuer)).status_code == 303
        assert await claim_of(database, issuer) == SUBJECT


async def test_the_issuer_is_asked_for_an_address_that_the_token_leaves_out(
    running: RunningApp, issuer: Issuer
) -> None:
    await put_as_before(running.db)
    issuer.user_info = {"sub": SUBJECT, "email": "ada@home.local", "email_verified": True}
    bare: dict[str, Any] = {"email": None, "email_verified": None, "name": None}
    assert (await present_token(running, issuer, **bare).get("/me")).status_code == 200
    assert await claim_of(running.db, issuer) == SUBJECT


async def test_many_at_once_link_an_account_from_before_once(
    two_houses: tuple[RunningApp, RunningApp], issuer: Issuer
) -> None:
    db = two_houses[0].db
    await put_as_before(db)
    visitors = [present_token(running, issuer) for running in two_houses * 3]
    answers = await asyncio.gather(*(visitor.get("/me") for visitor in visitors))
    assert [answer.status_code for answer in answers] == [200] * 6
    account = await store.get_account(db, SUBJECT)
    assert account is not None
    assert account.version == 2


async def test_the_claim_leaves_with_the_account(
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


async def links(running: RunningApp, issuer: Issuer, who: str, subject: str = SUBJECT) -> Account:
    """As `homeshelf user link` does."""
    account = await find_account(running.db, who, issuer.url, subject)
    assert account is not None
    linked = await link_account(running.db, account, issuer.url, subject)
    assert linked is not None
    return linked


async def test_an_account_that_was_linked_by_hand_is_theirs(
    running: RunningApp, home: Home, issuer: Issuer
) -> None:
    """Ada had a password, and what the provider calls her is not the id that she had."""
    old = home.admin.account
    linked = await links(running, issuer, old.email)
    assert (linked.origin, linked.era) == ("password", old.era)
    ada = present_token(running, issuer, email="another@home.local")
    assert (await ada.get("/me")).json()["memberId"] == old.member_id
    assert (await ada.patch("/family", {"name": "Byron", "version": 1})).status_code == 200
    chosen = {"homeshelf-family": home.family_id}
    assert (await ada.get("/members", headers=chosen)).status_code == 200
    browser: Visitor = running.visitor()
    assert (await sign_in_with_browser(running, issuer, visitor=browser)).status_code == 303
    assert (await browser.get("/me")).json()["memberId"] == old.member_id
    await is_refused(running, issuer, sub=old.member_id)
    gone = await ada.delete("/me", {"password": home.admin.password})
    assert gone.status_code == 204, gone.text
    assert problem_of(await ada.get("/me")) == REFUSED
    assert await store.get_account(running.db, SUBJECT) is None, "and the token begins no other one"


async def test_linking_to_another_name_signs_out_and_is_done_once(
    running: RunningApp, issuer: Issuer
) -> None:
    await put_as_before(running.db)
    first = await links(running, issuer, "ada@home.local", "first")
    assert await links(running, issuer, "ADA@home.local", "first") == first
    second = await links(running, issuer, SUBJECT.upper(), "second")
    assert (second.era, second.subject) == (first.era + 1, "second")
    assert await claim_of(running.db, issuer, "first") is None
    assert await claim_of(running.db, issuer, "second") == SUBJECT


async def test_of_two_accounts_with_one_address_the_one_made_for_the_name_is_meant(
    running: RunningApp, issuer: Issuer
) -> None:
    first = await running.person("ada")
    await running.db.put((await put_as_before(running.db)).changed(email="ADA@home.local"))
    claim = EmailClaim(email_digest=digest_of_email(first.email), holder=first.member_id)
    await running.db.put(claim)
    assert (await links(running, issuer, first.email)).member_id == SUBJECT
    assert (await links(running, issuer, first.email, "auth0|7")).member_id == first.member_id


async def test_linking_by_hand_and_a_first_sign_in_at_once_end_in_one_account(
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


async def test_of_two_accounts_linked_to_one_name_at_once_one_is(
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
