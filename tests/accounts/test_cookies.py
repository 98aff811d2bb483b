import pytest
from fastapi import Request, Response

from homeshelf import clock
from homeshelf.accounts import browsers
from homeshelf.accounts.model import SESSION_SECONDS, Session
from homeshelf.accounts.tokens import web_token
from homeshelf.table.deadlines import CLOCKS_DIFFER_SECONDS
from tests.home import new_home
from tests.moment import DAY, HOUR, Moment
from tests.pages import OURS
from tests.running import HOST, PASSWORD, Person, RunningApp, problem_of


@pytest.mark.parametrize(
    ("scheme", "name", "secure"),
    [("http", "homeshelf", False), ("https", "__Host-homeshelf", True)],
)
async def test_session_cookie_is_http_only_and_persistent(
    running: RunningApp, scheme: str, name: str, secure: bool
) -> None:
    ada = await running.person("ada")
    response = Response()
    browsers.set_session_cookie(
        make_request(running, scheme), response, await session_of(running, ada)
    )
    cookie = response.headers["set-cookie"]
    assert cookie.startswith(f"{name}=")
    parts = set(cookie.split("; ")[1:])
    assert {"HttpOnly", "SameSite=lax", "Path=/", "Max-Age=5184000"} <= parts
    assert ("Secure" in parts) is secure
    assert not [part for part in parts if part.startswith("Domain")]
    browser = running.visitor(scheme=scheme)
    headers = {"Cookie": cookie.partition(";")[0]}
    assert (await browser.get("/me", headers=headers)).json()["memberId"] == ada.member_id


async def test_plain_http_cookie_is_ignored_on_https(running: RunningApp) -> None:
    ada = await running.person("ada")
    response = Response()
    browsers.set_session_cookie(
        make_request(running, "http"), response, await session_of(running, ada)
    )
    headers = {"Cookie": response.headers["set-cookie"].partition(";")[0]}
    assert (await running.visitor(scheme="https").get("/me", headers=headers)).status_code == 401


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_cookie_is_deleted_with_its_own_attributes(running: RunningApp, scheme: str) -> None:
    ada = await running.person("ada")
    given = Response()
    browsers.set_session_cookie(
        make_request(running, scheme), given, await session_of(running, ada)
    )
    taken = browsers.sign_out_response(make_request(running, scheme), ada.member_id)
    assert cookie_name(given) == cookie_name(taken)
    assert "Max-Age=0" in taken.headers["set-cookie"]
    assert ("Secure" in taken.headers["set-cookie"]) is (scheme == "https")


async def test_daily_use_prolongs_the_session_and_its_cookie(
    running: RunningApp, moment: Moment
) -> None:
    ada, browser = await running.person("ada"), running.visitor()
    session = await session_of(running, ada)
    browser.client.cookies.set("homeshelf", web_token(running.signer, session, None))
    assert "set-cookie" not in (await browser.get("/me")).headers
    for _ in range(4):
        moment.pass_by(40 * 24 * 3600)
        answer = await browser.get("/me")
        assert answer.status_code == 200
        assert "Max-Age=5184000" in answer.headers["set-cookie"]
        assert "set-cookie" not in (await browser.get("/me")).headers
        (seen,) = (await browser.get("/me/sessions")).json()["items"]
        assert seen["lastUsedAt"] == clock.timestamp()
    moment.pass_by(60 * 24 * 3600)
    assert (await browser.get("/me")).status_code == 401


@pytest.mark.parametrize("seconds", [HOUR, DAY])
async def test_session_used_while_the_clock_was_ahead_lasts_no_longer_than_usual(
    running: RunningApp, moment: Moment, seconds: int
) -> None:
    ada, browser = await running.person("ada"), running.visitor()
    moment.pass_by(2 * DAY)
    session = await session_of(running, ada)
    browser.client.cookies.set("homeshelf", web_token(running.signer, session, None))
    assert "set-cookie" in (await browser.get("/me")).headers
    moment.pass_by(-seconds)
    assert "set-cookie" in (await browser.get("/me")).headers
    session = await session_of(running, ada)
    assert session.last_used_at == clock.timestamp()
    assert session.ttl == clock.seconds() + SESSION_SECONDS
    moment.pass_by(-CLOCKS_DIFFER_SECONDS)
    assert "set-cookie" not in (await browser.get("/me")).headers


async def test_bearer_token_request_sets_no_cookie(running: RunningApp, moment: Moment) -> None:
    ada = await running.person("ada")
    moment.pass_by(10 * 24 * 3600)
    ada.bear(running.access_token(ada.member_id, ada.session_id))
    assert "set-cookie" not in (await ada.get("/me")).headers


async def test_browser_switches_to_other_family_after_membership_ends(running: RunningApp) -> None:
    home, other = await new_home(running, "Home", "ada"), await new_home(running, "Den", "eve")
    await other.let_in(home.admin, "suggester")
    session = await session_of(running, home.admin)
    browser = running.visitor()
    browser.client.cookies.set("homeshelf", web_token(running.signer, session, other.family_id))
    assert (await browser.get("/family")).json()["name"] == "Den"
    await other.remove_member(home.admin)
    assert (await browser.get("/family")).json()["name"] == "Home"
    named = {"Homeshelf-Family": other.family_id}
    assert problem_of(await browser.get("/family", headers=named)) == (404, "not_found")


def make_request(running: RunningApp, scheme: str) -> Request:
    return Request(
        {
            "type": "http",
            "method": "GET",
            "scheme": scheme,
            "server": ("home.test", 443),
            "path": "/",
            "headers": [(b"host", b"home.test")],
            "query_string": b"",
            "app": running.app,
        }
    )


def cookie_name(response: Response) -> str:
    return response.headers["set-cookie"].partition("=")[0]


async def session_of(running: RunningApp, person: Person) -> Session:
    key = Session.key(member_id=person.member_id, session_id=person.session_id)
    session = await running.db.get(key)
    assert session is not None
    return session


@pytest.mark.parametrize("way", ["/sign-out", "/settings/leave"])
async def test_sign_out_cookie_names_people_to_forget(running: RunningApp, way: str) -> None:
    ada, bob = await running.person("ada"), await running.person("bob")
    tablet = running.visitor().client
    tablet.cookies.set("homeshelf-signed-out", "x.<script>", domain=HOST, path="/")
    cookies: list[str] = []
    for person in (ada, bob):
        await tablet.post("/sign-in", data=credentials_of(person), headers=OURS)
        goodbye = {"confirm": person.email, "password": PASSWORD}
        answer = await tablet.post(way, data=goodbye, headers=OURS)
        assert answer.headers["clear-site-data"] == '"cache"', "the rest is other people's too"
        cookies = answer.headers.get_list("set-cookie")
    (told,) = (each for each in cookies if "signed-out" in each)
    assert told.startswith(f"homeshelf-signed-out={ada.member_id}.{bob.member_id};")
    assert "HttpOnly" not in told


async def test_new_sign_in_removes_person_from_sign_out_cookie(running: RunningApp) -> None:
    ada, bob = await running.person("ada"), await running.person("bob")
    tablet = running.visitor().client
    for person in (ada, bob):
        await tablet.post("/sign-in", data=credentials_of(person), headers=OURS)
        await tablet.post("/sign-out", headers=OURS)
    await tablet.post("/sign-in", data=credentials_of(ada), headers=OURS)
    assert tablet.cookies["homeshelf-signed-out"] == bob.member_id
    await tablet.post("/sign-in", data=credentials_of(bob), headers=OURS)
    assert "homeshelf-signed-out" not in tablet.cookies


def credentials_of(person: Person) -> dict[str, str]:
    return {"email": person.email, "password": PASSWORD}
