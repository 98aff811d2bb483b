"""Requests without a valid token or cookie get 401."""

import pytest

from homeshelf import clock
from homeshelf.accounts import tokens
from homeshelf.accounts.model import Session
from homeshelf.signing import Signer
from tests.moment import Moment
from tests.running import Person, RunningApp, problem_of

THEIR_OWN = [
    ("GET", "/me"),
    ("PATCH", "/me"),
    ("DELETE", "/me"),
    ("GET", "/me/sessions"),
    ("DELETE", "/me/sessions/0b6a2c5e-6f0c-4d0e-9f43-0a4c6f6f0f00"),
    ("GET", "/me/preferences"),
    ("PATCH", "/me/preferences"),
    ("POST", "/me/verification"),
    ("DELETE", "/tokens"),
]
SIGN_IN_FIRST = (401, "unauthenticated")


@pytest.mark.parametrize(("method", "path"), THEIR_OWN)
async def test_anonymous_request_returns_401(running: RunningApp, method: str, path: str) -> None:
    answer = await running.visitor().ask(method, path, {"nonsense": True})
    assert problem_of(answer) == SIGN_IN_FIRST
    assert answer.headers["www-authenticate"] == "Bearer"


async def test_authentication_precedes_body_validation(
    running: RunningApp,
) -> None:
    headers = {"Content-Type": "application/json"}
    answer = await running.visitor().ask("PATCH", "/me", content=b"{", headers=headers)
    assert problem_of(answer) == SIGN_IN_FIRST


async def test_token_of_another_installation_is_refused(running: RunningApp) -> None:
    ada = await running.person("ada")
    elsewhere = Signer(b"another secret of another house, also long")
    ada.bear(elsewhere.token("access", 900, sub=ada.member_id, sid=ada.session_id))
    assert problem_of(await ada.get("/me")) == SIGN_IN_FIRST


@pytest.mark.parametrize(
    "header",
    [
        "Bearer",
        "Bearer ",
        "Bearer a.b.c",
        "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.",
        "Bearer bnVsbA.bnVsbA.bnVsbA",
        "Bearer W10.W10.W10",
        "Bearer " + "x" * 5000,
        "Bearer \xe4\xf6\xfc",
        "Basic YWRhOmxvdmVsYWNl",
        "bearer",
        "nonsense",
    ],
)
async def test_malformed_token_is_refused_like_a_missing_one(
    running: RunningApp, header: str
) -> None:
    headers = {b"authorization": header.encode("latin-1")}
    assert problem_of(await running.visitor().get("/me", headers=headers)) == SIGN_IN_FIRST


async def test_unsigned_token_is_refused(running: RunningApp) -> None:
    ada = await running.person("ada")
    token = running.access_token(ada.member_id, ada.session_id)
    header, claims, signature = token.split(".")
    for forged in (f"eyJhbGciOiJub25lIn0.{claims}.", f"{header}.{claims}.{signature[::-1]}"):
        ada.bear(forged)
        assert problem_of(await ada.get("/me")) == SIGN_IN_FIRST


async def test_token_of_another_purpose_is_refused(running: RunningApp) -> None:
    ada = await running.person("ada")
    session = await session_of(running, ada)
    pair = tokens.token_pair(running.signer, session, None)
    for other in (
        str(pair["refreshToken"]),
        tokens.web_token(running.signer, session, None),
        tokens.verification_token(running.signer, ada.account),
        tokens.reset_token(running.signer, ada.account),
    ):
        ada.bear(other)
        assert problem_of(await ada.get("/me")) == SIGN_IN_FIRST


async def test_access_token_expires_after_fifteen_minutes(
    running: RunningApp, moment: Moment
) -> None:
    ada = await running.person("ada")
    moment.pass_by(15 * 60 - 1)
    assert (await ada.get("/me")).status_code == 200
    moment.pass_by(1)
    assert problem_of(await ada.get("/me")) == SIGN_IN_FIRST


async def test_access_token_ends_with_its_session(running: RunningApp) -> None:
    ada = await running.person("ada")
    await running.db.write((await session_of(running, ada)).delete())
    assert problem_of(await ada.get("/me")) == SIGN_IN_FIRST


async def test_token_with_session_of_another_person_is_refused(running: RunningApp) -> None:
    ada, eve = await running.person("ada"), await running.person("eve")
    eve.bear(running.access_token(ada.member_id, eve.session_id))
    assert problem_of(await eve.get("/me")) == SIGN_IN_FIRST


async def test_session_expires_after_sixty_days(running: RunningApp, moment: Moment) -> None:
    ada = await running.person("ada")
    moment.pass_by(60 * 24 * 3600 + 1)
    ada.bear(running.access_token(ada.member_id, ada.session_id))
    assert problem_of(await ada.get("/me")) == SIGN_IN_FIRST


async def test_cookie_authenticates_only_same_origin_requests(running: RunningApp) -> None:
    ada = await running.person("ada")
    browser = running.visitor()
    token = tokens.web_token(running.signer, await session_of(running, ada), None)
    browser.client.cookies.set("homeshelf", token)
    assert (await browser.get("/me")).json()["memberId"] == ada.member_id
    ours = {"Sec-Fetch-Site": "same-origin"}
    assert (await browser.patch("/me", {"name": "A"}, headers=ours)).status_code == 200
    for theirs in (
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://home.test"},
        {"Origin": "http://home.test:8080"},
        {"Origin": "null"},
        {},
    ):
        answer = await browser.patch("/me", {"name": "B"}, headers=theirs)
        assert problem_of(answer) == (403, "forbidden")
    assert (await browser.get("/me")).json()["name"] == "A"


@pytest.mark.parametrize("scheme", ["Basic", "basic", "Digest", "Negotiate"])
async def test_basic_auth_of_a_proxy_does_not_disable_the_cookie(
    running: RunningApp, scheme: str
) -> None:
    ada = await running.person("ada")
    browser = running.visitor()
    token = tokens.web_token(running.signer, await session_of(running, ada), None)
    browser.client.cookies.set("homeshelf", token)
    browser.client.headers["Authorization"] = f"{scheme} YWRhOmxvdmVsYWNl"
    assert (await browser.get("/me")).json()["memberId"] == ada.member_id
    page = await browser.client.get("/settings", headers={"accept": "text/html"})
    assert "ada@home.local" in page.text
    ours, theirs = {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "cross-site"}
    assert (await browser.patch("/me", {"name": "A"}, headers=ours)).status_code == 200
    for others in (theirs, {}):
        refused = await browser.patch("/me", {"name": "B"}, headers=others)
        assert problem_of(refused) == (403, "forbidden")
        assert (await browser.client.post("/sign-out", headers=others)).status_code == 403


@pytest.mark.parametrize(
    "lines",
    [
        ["Bearer"],
        ["Bearer "],
        ["bearer nonsense"],
        ["Bearer\tnonsense"],
        ["Bearer, nonsense"],
        ["BEARER a.b.c"],
        ["Basic YWRhOmxvdmVsYWNl", "Bearer nonsense"],
    ],
    ids=str,
)
async def test_malformed_bearer_token_does_not_fall_back_to_cookie(
    running: RunningApp, lines: list[str]
) -> None:
    ada = await running.person("ada")
    browser = running.visitor()
    token = tokens.web_token(running.signer, await session_of(running, ada), None)
    cookie = ("cookie", f"homeshelf={token}")
    sent = [cookie, *(("authorization", line) for line in lines)]
    answer = await browser.client.get("/api/v1/me", headers=sent)
    assert problem_of(answer) == SIGN_IN_FIRST
    page = await browser.client.get("/settings", headers=[*sent, ("accept", "text/html")])
    assert page.headers["location"] == "/sign-in?next=/settings"


async def test_access_token_is_refused_as_cookie(running: RunningApp) -> None:
    ada = await running.person("ada")
    browser = running.visitor()
    browser.client.cookies.set("homeshelf", running.access_token(ada.member_id, ada.session_id))
    assert problem_of(await browser.get("/me")) == SIGN_IN_FIRST


async def session_of(running: RunningApp, person: Person) -> Session:
    key = Session.key(member_id=person.member_id, session_id=person.session_id)
    session = await running.db.get(key)
    assert session is not None
    assert session.ttl > clock.seconds()
    return session
