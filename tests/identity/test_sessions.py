"""The lifetime of sessions that an identity provider signed in."""

import asyncio
from datetime import timedelta

import httpx
import pytest

from homeshelf import clock
from homeshelf.accounts import passwords, store, tokens
from homeshelf.accounts.model import SESSION_SECONDS, Account, Session
from homeshelf.identity.store import link_account
from homeshelf.live.hub import Hub
from homeshelf.table import Database
from tests.identity.issuer import SUBJECT, Issuer, open_issuer
from tests.identity.people import (
    HTML,
    old_account,
    old_session,
    sign_in_with_browser,
)
from tests.moment import Moment
from tests.running import RunningApp, Visitor, problem_of, running_app

REFUSED = (401, "unauthenticated")
DAY = 24 * 3600


@pytest.fixture
async def ada(running: RunningApp, issuer: Issuer, moment: Moment) -> Visitor:
    """A browser in which Ada has just signed in."""
    del moment  # the fixtures use its clock
    browser = running.visitor()
    assert (await sign_in_with_browser(running, issuer, visitor=browser)).status_code == 303
    return browser


async def stored_session(db: Database, member_id: str = SUBJECT) -> Session:
    (session,) = await db.all(store.sessions_of(member_id, 1))
    return session


def copy_browser(running: RunningApp, browser: Visitor) -> Visitor:
    """Return the same browser for an app with other settings."""
    same = running.visitor()
    same.client.cookies.update(browser.client.cookies)
    return same


async def assert_signed_out(browser: Visitor) -> None:
    assert problem_of(await browser.get("/me")) == REFUSED
    page = await browser.client.get("/settings", headers=HTML)
    assert page.headers["location"] == "/sign-in?next=/settings"


async def test_provider_session_ends_after_seven_days_of_use(
    running: RunningApp, ada: Visitor, moment: Moment
) -> None:
    begun = await stored_session(running.db)
    end = clock.seconds() + 7 * DAY
    assert begun.ttl == end
    for day in range(1, 7):
        moment.pass_by(DAY)
        answer = await ada.get("/me")
        assert answer.status_code == 200
        assert f"Max-Age={(7 - day) * DAY};" in answer.headers["set-cookie"]
        assert (await stored_session(running.db)).ttl == end
    moment.pass_by(DAY - 1)
    assert (await ada.get("/me")).status_code == 200
    moment.pass_by(1)
    await assert_signed_out(ada)


async def test_cookie_expires_with_the_session(
    running: RunningApp, issuer: Issuer, moment: Moment
) -> None:
    browser = running.visitor()
    came = await sign_in_with_browser(running, issuer, visitor=browser)
    cookies = came.headers.get_list("set-cookie")
    assert any(f"Max-Age={7 * DAY};" in cookie for cookie in cookies)
    moment.pass_by(3600)
    ours = {**HTML, "sec-fetch-site": "same-origin"}
    form = {"name": "Lovelace"}
    made = await browser.client.post("/families/new", data=form, headers=ours)
    assert f"Max-Age={7 * DAY - 3600};" in made.headers["set-cookie"]


async def test_session_length_setting_applies_to_existing_sessions(
    database: Database, issuer: Issuer, ada: Visitor, moment: Moment
) -> None:
    moment.pass_by(DAY)
    async with running_app(database, oidc_session_days=2, **issuer.settings) as running:
        assert (await copy_browser(running, ada).get("/me")).status_code == 200
    async with running_app(database, oidc_session_days=1, **issuer.settings) as running:
        await assert_signed_out(copy_browser(running, ada))


async def test_changing_the_issuer_ends_sessions(database: Database, ada: Visitor) -> None:
    async with open_issuer() as another, running_app(database, **another.settings) as running:
        await assert_signed_out(copy_browser(running, ada))


async def test_removing_the_issuer_ends_provider_sessions(database: Database, ada: Visitor) -> None:
    async with running_app(database) as running:
        await assert_signed_out(copy_browser(running, ada))
        session = await stored_session(database)
        pair = tokens.token_pair(running.signer, session, None)
        bearer = running.visitor()
        bearer.bear(str(pair["accessToken"]))
        assert problem_of(await bearer.get("/me")) == REFUSED
        asked = {"refreshToken": pair["refreshToken"]}
        assert problem_of(await bearer.post("/tokens/refresh", asked)) == REFUSED
        assert await stored_session(database) == session


async def test_password_session_survives_setting_an_issuer(
    database: Database, running: RunningApp, moment: Moment
) -> None:
    async with running_app(database) as before:
        grace = await before.person("grace")
    browser = running.visitor()
    session = await stored_session(database, grace.member_id)
    browser.client.cookies.set("homeshelf", tokens.web_token(running.signer, session, None))
    for _ in range(3):
        moment.pass_by(50 * DAY)
        answer = await browser.get("/me")
        assert answer.status_code == 200
        assert f"Max-Age={SESSION_SECONDS};" in answer.headers["set-cookie"]


@pytest.fixture
async def old_browser(running: RunningApp, moment: Moment) -> Visitor:
    del moment
    session = old_session()
    await running.db.batch([old_account().put(), session.put()])
    browser = running.visitor()
    browser.client.cookies.set("homeshelf", tokens.web_token(running.signer, session, None))
    return browser


async def test_old_session_lasts_until_the_session_limit(
    running: RunningApp, old_browser: Visitor, moment: Moment
) -> None:
    for day in range(1, 7):
        moment.pass_by(DAY)
        answer = await old_browser.get("/me")
        assert answer.status_code == 200
        assert f"Max-Age={(7 - day) * DAY};" in answer.headers["set-cookie"]
    assert (await stored_session(running.db)).ttl == clock.seconds() + DAY
    moment.pass_by(DAY)
    await assert_signed_out(old_browser)


async def test_unused_old_session_ends_too(old_browser: Visitor, moment: Moment) -> None:
    moment.pass_by(7 * DAY)
    await assert_signed_out(old_browser)


async def test_old_session_ends_without_an_issuer(database: Database, old_browser: Visitor) -> None:
    async with running_app(database) as running:
        await assert_signed_out(copy_browser(running, old_browser))


async def test_old_session_belongs_to_the_issuer_of_its_account(
    database: Database, running: RunningApp, issuer: Issuer, old_browser: Visitor
) -> None:
    assert (await sign_in_with_browser(running, issuer)).status_code == 303
    assert (await old_browser.get("/me")).status_code == 200
    async with open_issuer() as another, running_app(database, **another.settings) as elsewhere:
        await assert_signed_out(copy_browser(elsewhere, old_browser))


async def test_event_stream_ends_with_the_session(
    running: RunningApp, old_browser: Visitor, moment: Moment
) -> None:
    listening = await open_stream(running, old_browser)
    async with asyncio.timeout(5):
        moment.pass_by(7 * DAY)
        assert (await listening).status_code == 200


@pytest.mark.usefixtures("moment")
async def test_event_stream_ends_when_account_is_relinked(
    running: RunningApp, issuer: Issuer, old_browser: Visitor
) -> None:
    account = await store.get_account(running.db, SUBJECT)
    assert account is not None
    account = await link_account(running.db, account, issuer.url, "ada")
    assert account is not None
    listening = await open_stream(running, old_browser)
    async with asyncio.timeout(5):
        await link_account(running.db, account, issuer.url, "another ada")
        assert (await listening).status_code == 200


async def open_stream(running: RunningApp, browser: Visitor) -> "asyncio.Task[httpx.Response]":
    """Open a stream; the task returns its response when it ends."""
    headers = {"sec-fetch-site": "same-origin"}
    made = await browser.post("/families", {"name": "Lovelace"}, headers=headers)
    assert made.status_code == 201
    listening = asyncio.create_task(browser.get("/events"))
    async with asyncio.timeout(5):
        while not running.services.of(Hub)._listeners:  # noqa: ASYNC110  # nothing tells a test
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.3)
    assert not listening.done()
    return listening


async def test_provider_account_with_new_password_signs_in_locally(
    database: Database, ada: Visitor, moment: Moment
) -> None:
    del ada
    password = "a horse of her own"
    hash_password = passwords.hash_password_blocking(password)
    async with running_app(database) as running:
        await database.change(
            Account.key(member_id=SUBJECT), lambda old: old.with_password(hash_password)
        )
        known = {"email": "ada@home.local", "password": password}
        pair = (await running.visitor().post("/tokens", known)).json()
        moment.pass_by(59 * DAY)
        asked = {"refreshToken": pair["refreshToken"]}
        assert (await running.visitor().post("/tokens/refresh", asked)).status_code == 200


async def test_ended_provider_sessions_are_not_listed(running: RunningApp, ada: Visitor) -> None:
    here = await stored_session(running.db)
    long_ago = clock.timestamp(clock.now() - timedelta(days=8))
    over = [
        here.changed(session_id=clock.ordered_id(), device="Elsewhere", issuer="https://b.example"),
        here.changed(session_id=clock.ordered_id(), device="Long ago", created_at=long_ago),
    ]
    await running.db.batch([each.put() for each in over])
    listed = (await ada.get("/me/sessions")).json()["items"]
    assert [each["sessionId"] for each in listed] == [here.session_id]
    page = await ada.client.get("/settings", headers=HTML)
    assert "Elsewhere" not in page.text
    assert "Long ago" not in page.text
