"""Who is not signed in gets nothing: nobody, forged, expired, of another purpose, ended."""

import pytest

from homeshelf import clock
from homeshelf.accounts import tokens
from homeshelf.accounts.model import Session
from homeshelf.signing import Signer
from tests.house import OpenHouse, Person, problem_of
from tests.moment import Moment

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
async def test_nobody_is_asked_to_sign_in(house: OpenHouse, method: str, path: str) -> None:
    answer = await house.visitor().ask(method, path, {"nonsense": True})
    assert problem_of(answer) == SIGN_IN_FIRST
    assert answer.headers["www-authenticate"] == "Bearer"


async def test_nobody_is_asked_to_sign_in_before_their_body_is_looked_at(house: OpenHouse) -> None:
    headers = {"Content-Type": "application/json"}
    answer = await house.visitor().ask("PATCH", "/me", content=b"{", headers=headers)
    assert problem_of(answer) == SIGN_IN_FIRST


async def test_a_token_of_another_house_is_none(house: OpenHouse) -> None:
    ada = await house.person("ada")
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
async def test_what_is_no_token_is_refused_like_none(house: OpenHouse, header: str) -> None:
    headers = {b"authorization": header.encode("latin-1")}
    assert problem_of(await house.visitor().get("/me", headers=headers)) == SIGN_IN_FIRST


async def test_an_unsigned_copy_of_a_token_is_none(house: OpenHouse) -> None:
    ada = await house.person("ada")
    token = house.access_token(ada.member_id, ada.session_id)
    header, claims, signature = token.split(".")
    for forged in (f"eyJhbGciOiJub25lIn0.{claims}.", f"{header}.{claims}.{signature[::-1]}"):
        ada.bear(forged)
        assert problem_of(await ada.get("/me")) == SIGN_IN_FIRST


async def test_a_token_for_another_purpose_is_none(house: OpenHouse) -> None:
    ada = await house.person("ada")
    session = await session_of(house, ada)
    pair = tokens.pair(house.signer, session, None)
    for other in (
        str(pair["refreshToken"]),
        tokens.web_token(house.signer, session, None),
        tokens.verification_token(house.signer, ada.account),
        tokens.reset_token(house.signer, ada.account),
    ):
        ada.bear(other)
        assert problem_of(await ada.get("/me")) == SIGN_IN_FIRST


async def test_an_access_token_holds_for_fifteen_minutes(house: OpenHouse, moment: Moment) -> None:
    ada = await house.person("ada")
    moment.pass_by(15 * 60 - 1)
    assert (await ada.get("/me")).status_code == 200
    moment.pass_by(1)
    assert problem_of(await ada.get("/me")) == SIGN_IN_FIRST


async def test_a_token_ends_with_its_session(house: OpenHouse) -> None:
    ada = await house.person("ada")
    await house.db.write((await session_of(house, ada)).delete())
    assert problem_of(await ada.get("/me")) == SIGN_IN_FIRST


async def test_a_token_names_one_persons_session(house: OpenHouse) -> None:
    ada, eve = await house.person("ada"), await house.person("eve")
    eve.bear(house.access_token(ada.member_id, eve.session_id))
    assert problem_of(await eve.get("/me")) == SIGN_IN_FIRST


async def test_a_session_is_over_after_sixty_days(house: OpenHouse, moment: Moment) -> None:
    ada = await house.person("ada")
    moment.pass_by(60 * 24 * 3600 + 1)
    ada.bear(house.access_token(ada.member_id, ada.session_id))
    assert problem_of(await ada.get("/me")) == SIGN_IN_FIRST


async def test_a_cookie_counts_where_our_own_page_asks(house: OpenHouse) -> None:
    ada = await house.person("ada")
    browser = house.visitor()
    token = tokens.web_token(house.signer, await session_of(house, ada), None)
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
async def test_a_password_that_a_proxy_asks_for_leaves_the_cookie_as_it_is(
    house: OpenHouse, scheme: str
) -> None:
    ada = await house.person("ada")
    browser = house.visitor()
    token = tokens.web_token(house.signer, await session_of(house, ada), None)
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
async def test_a_bearer_that_is_malformed_is_not_who_the_cookie_says(
    house: OpenHouse, lines: list[str]
) -> None:
    ada = await house.person("ada")
    browser = house.visitor()
    token = tokens.web_token(house.signer, await session_of(house, ada), None)
    cookie = ("cookie", f"homeshelf={token}")
    sent = [cookie, *(("authorization", line) for line in lines)]
    answer = await browser.client.get("/api/v1/me", headers=sent)
    assert problem_of(answer) == SIGN_IN_FIRST
    page = await browser.client.get("/settings", headers=[*sent, ("accept", "text/html")])
    assert page.headers["location"] == "/sign-in?next=/settings"


async def test_an_access_token_is_no_cookie(house: OpenHouse) -> None:
    ada = await house.person("ada")
    browser = house.visitor()
    browser.client.cookies.set("homeshelf", house.access_token(ada.member_id, ada.session_id))
    assert problem_of(await browser.get("/me")) == SIGN_IN_FIRST


async def session_of(house: OpenHouse, person: Person) -> Session:
    key = Session.key(member_id=person.member_id, session_id=person.session_id)
    session = await house.db.get(key)
    assert session is not None
    assert session.ttl > clock.seconds()
    return session
