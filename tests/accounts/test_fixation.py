"""Session fixation: a planted cookie never becomes the session of a later sign-in."""

from collections.abc import Awaitable, Callable

import httpx
import pytest

from homeshelf.accounts.tokens import RESET_SECONDS
from tests.home import Home, new_home, token_in
from tests.pages import OURS
from tests.running import HOST, PASSWORD, Person, RunningApp

COOKIE = "homeshelf"
Entering = Callable[[httpx.AsyncClient, RunningApp, Home], Awaitable[httpx.Response]]


async def sign_in_by_password(
    browser: httpx.AsyncClient, _running: RunningApp, home: Home
) -> httpx.Response:
    known = {"email": home.admin.email, "password": PASSWORD}
    return await browser.post("/sign-in", data=known, headers=OURS)


async def sign_up_with_browser(
    browser: httpx.AsyncClient, _running: RunningApp, _home: Home
) -> httpx.Response:
    new = {"email": "new@home.local", "password": PASSWORD, "name": "New"}
    return await browser.post("/sign-up", data=new, headers=OURS)


async def sign_in_by_link(
    browser: httpx.AsyncClient, _running: RunningApp, home: Home
) -> httpx.Response:
    child = (await home.admin.post("/members", {"name": "Nils"})).json()
    return await browser.post(f"/sign-in-link/{token_in(child)}", headers=OURS)


WAYS: dict[str, Entering] = {
    "password": sign_in_by_password,
    "signing up": sign_up_with_browser,
    "link": sign_in_by_link,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("planted", ["nonsense", "of somebody else", "of their own, signed out"])
async def test_sign_in_replaces_planted_cookie(running: RunningApp, way: str, planted: str) -> None:
    home = await new_home(running, "Home", "ada")
    eve = (await new_home(running, "Evil", "eve")).admin
    before = await _plant_cookie(running, home, eve, planted)
    browser = running.visitor().client
    browser.cookies.set(COOKIE, before, domain=HOST, path="/")
    answer = await WAYS[way](browser, running, home)
    assert answer.status_code == 303, answer.text
    after = browser.cookies.get(COOKIE, domain=HOST)
    assert after not in (None, before)
    is_still_eve = planted == "of somebody else" and way != "link"  # which ends the former session
    assert await _name_behind_cookie(running, before) == ("eve" if is_still_eve else None)
    assert await _name_behind_cookie(running, after or "") not in (None, "eve")


async def test_each_sign_in_creates_a_separate_session(running: RunningApp) -> None:
    home = await new_home(running, "Home", "ada")
    browser = running.visitor().client
    await sign_in_by_password(browser, running, home)
    first = browser.cookies.get(COOKIE, domain=HOST) or ""
    await browser.post("/sign-out", headers=OURS)
    assert await _name_behind_cookie(running, first) is None
    await sign_in_by_password(browser, running, home)
    second = browser.cookies.get(COOKIE, domain=HOST) or ""
    assert first != second
    assert (
        await _name_behind_cookie(running, first),
        await _name_behind_cookie(running, second),
    ) == (
        None,
        "ada",
    )


async def test_password_change_ends_planted_session(running: RunningApp) -> None:
    home = await new_home(running, "Home", "ada")
    before = await _session_cookie(running, home.admin)
    token = running.signer.token("mail", RESET_SECONDS, to="reset", era=1, sub=home.admin.member_id)
    assert await _name_behind_cookie(running, before) == "ada"
    sent = {"password": "another horse battery"}
    answer = await running.visitor().client.post(f"/reset/{token}", data=sent, headers=OURS)
    assert answer.status_code == 303, answer.text
    assert "set-cookie" not in answer.headers
    assert await _name_behind_cookie(running, before) is None


async def _plant_cookie(running: RunningApp, home: Home, eve: Person, kind: str) -> str:
    if kind == "nonsense":
        return "a.b.c"
    if kind == "of somebody else":
        return await _session_cookie(running, eve)
    browser = running.visitor().client
    await sign_in_by_password(browser, running, home)
    kept = browser.cookies.get(COOKIE, domain=HOST) or ""
    await browser.post("/sign-out", headers=OURS)
    return kept


async def _session_cookie(running: RunningApp, person: Person) -> str:
    session = await running.session_of(person.member_id)
    return running.signer.token("web", 900, sub=person.member_id, sid=session.session_id)


async def _name_behind_cookie(running: RunningApp, cookie: str) -> str | None:
    """Return the name of the person that a cookie signs in, if any."""
    headers = {"Cookie": f"{COOKIE}={cookie}", "Sec-Fetch-Site": "same-origin"}
    answer = await running.visitor().get("/me", headers=headers)
    return str(answer.json()["name"]) if answer.status_code == 200 else None
