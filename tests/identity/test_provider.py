"""Sign-in with a real OpenID provider."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from homeshelf import clock
from homeshelf.accounts.model import member_id_of
from homeshelf.table import Database
from tests.forked_processes import run
from tests.identity.provider import ADA, RealProvider, real_provider
from tests.moment import Moment
from tests.running import RunningApp, Visitor, problem_of, running_app

HTML = {"accept": "text/html"}


@pytest.fixture(scope="module")
def provider() -> Iterator[RealProvider]:
    with real_provider("--require-nonce") as provider:
        yield provider


@pytest.fixture
async def running(database: Database, provider: RealProvider) -> AsyncIterator[RunningApp]:
    async with running_app(database, **provider.settings) as running:
        yield running


def local_path(address: str) -> str:
    url = urlsplit(address)
    assert url.netloc == "home.test", address
    return f"{url.path}?{url.query}"


async def sign_in_with_provider(
    visitor: Visitor, provider: RealProvider, way_on: str = "/", subject: str = str(ADA["sub"])
) -> httpx.Response:
    """Go to the provider and back; return the last response."""
    sent = await visitor.client.get("/sign-in", params={"next": way_on}, headers=HTML)
    assert sent.status_code == 303
    back = await provider.sign_in_at(sent.headers["location"], subject)
    return await visitor.client.get(local_path(back), headers=HTML)


async def test_token_of_the_provider_is_accepted(
    running: RunningApp, provider: RealProvider
) -> None:
    visitor = running.visitor()
    visitor.bear(await provider.id_token())
    assert (await visitor.get("/me")).json() == {
        "memberId": member_id_of(provider.url, str(ADA["sub"])),
        "email": "ada@home.local",
        "emailVerified": True,
        "name": "Ada Lovelace",
        "families": [],
    }
    assert (await visitor.post("/families", {"name": "Lovelace"})).status_code == 201


async def test_token_for_another_client_is_refused(
    running: RunningApp, provider: RealProvider
) -> None:
    visitor = running.visitor()
    visitor.bear(await provider.id_token(client="another-program"))
    assert problem_of(await visitor.get("/me")) == (401, "unauthenticated")


async def test_token_of_another_provider_is_refused(running: RunningApp) -> None:
    with real_provider() as another:
        visitor = running.visitor()
        visitor.bear(await another.id_token())
        assert problem_of(await visitor.get("/me")) == (401, "unauthenticated")


async def test_expired_token_is_refused(
    running: RunningApp, provider: RealProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = running.visitor()
    visitor.bear(await provider.id_token())
    assert (await visitor.get("/me")).status_code == 200
    moment = Moment(clock.timestamp())
    moment.pass_by(3700)
    monkeypatch.setattr(clock, "nanoseconds", moment.nanoseconds)
    assert problem_of(await visitor.get("/me")) == (401, "unauthenticated")


async def test_browser_signs_in_with_the_provider(
    running: RunningApp, provider: RealProvider
) -> None:
    ada = running.visitor()
    page = await sign_in_with_provider(ada, provider, "/settings")
    assert (page.status_code, page.headers["location"]) == (303, "/settings")
    settings = await ada.client.get("/settings", headers=HTML)
    assert "You sign in as ada@home.local." in settings.text
    assert "The one you have" not in settings.text, "there is no password to change"
    (session,) = (await ada.get("/me/sessions")).json()["items"]
    assert session["current"] is True
    headers = {"sec-fetch-site": "same-origin"}
    assert (await ada.client.post("/sign-out", headers=headers)).status_code == 303
    asked = await ada.client.get("/settings", headers=HTML)
    assert asked.headers["location"] == "/sign-in?next=/settings"


async def test_form_of_signed_out_browser_shows_sign_in_page(running: RunningApp) -> None:
    headers = {**HTML, "sec-fetch-site": "same-origin"}
    page = await running.visitor().client.post("/settings/name", headers=headers)
    assert page.status_code == 401
    assert 'href="/sign-in"' in page.text


async def test_authorization_request_has_the_required_parameters(
    running: RunningApp, provider: RealProvider
) -> None:
    sent = await running.visitor(scheme="https").client.get("/sign-in", headers=HTML)
    address = urlsplit(sent.headers["location"])
    assert (
        f"{address.scheme}://{address.netloc}{address.path}" == f"{provider.url}/oauth2/authorize"
    )
    asked = {name: values[0] for name, values in parse_qs(address.query).items()}
    secrets = {name: asked.pop(name) for name in ("state", "nonce", "code_challenge")}
    assert asked == {
        "response_type": "code",
        "client_id": "homeshelf",
        "redirect_uri": "https://home.test/sign-in/callback",
        "scope": "openid email profile",
        "code_challenge_method": "S256",
    }
    assert all(len(secret) >= 43 for secret in secrets.values())
    cookie = sent.headers["set-cookie"]
    assert cookie.startswith("__Host-homeshelf-sign-in=")
    for part in ("HttpOnly", "Secure", "SameSite=lax", "Max-Age=600", "Path=/"):
        assert part in cookie


async def test_callback_of_another_browser_is_refused(
    running: RunningApp, provider: RealProvider
) -> None:
    eve, ada = running.visitor(), running.visitor()
    sent = await eve.client.get("/sign-in", headers=HTML)
    back = local_path(await provider.sign_in_at(sent.headers["location"]))
    refused = await ada.client.get(back, headers=HTML)
    assert refused.status_code == 400
    assert "started in another browser" in refused.text
    await ada.client.get("/sign-in", headers=HTML)
    assert (await ada.client.get(back, headers=HTML)).status_code == 400
    assert problem_of(await ada.get("/me")) == (401, "unauthenticated")


async def test_callback_works_once_within_ten_minutes(
    running: RunningApp, provider: RealProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = running.visitor()
    sent = await ada.client.get("/sign-in", headers=HTML)
    cookie = sent.headers["set-cookie"].partition(";")[0]
    back = local_path(await provider.sign_in_at(sent.headers["location"]))
    assert (await ada.client.get(back, headers=HTML)).status_code == 303
    again = await ada.client.get(back, headers={**HTML, "cookie": cookie})
    assert again.status_code == 400
    sent = await ada.client.get("/sign-in", headers=HTML)
    back = local_path(await provider.sign_in_at(sent.headers["location"]))
    moment = Moment(clock.timestamp())
    moment.pass_by(601)
    monkeypatch.setattr(clock, "nanoseconds", moment.nanoseconds)
    late = await ada.client.get(back, headers=HTML)
    assert "took too long" in late.text


async def test_denied_consent_does_not_sign_in(running: RunningApp) -> None:
    ada = running.visitor()
    sent = await ada.client.get("/sign-in", headers=HTML)
    state = parse_qs(urlsplit(sent.headers["location"]).query)["state"][0]
    back = await ada.client.get(
        "/sign-in/callback", params={"error": "access_denied", "state": state}, headers=HTML
    )
    assert back.status_code == 400
    assert 'href="/sign-in"' in back.text


async def test_code_with_another_nonce_is_refused(
    running: RunningApp, provider: RealProvider
) -> None:
    eve, ada = running.visitor(), running.visitor()
    theirs = await eve.client.get("/sign-in", headers=HTML)
    stolen = parse_qs(urlsplit(await provider.sign_in_at(theirs.headers["location"])).query)["code"]
    ours = await ada.client.get("/sign-in", headers=HTML)
    state = parse_qs(urlsplit(ours.headers["location"]).query)["state"][0]
    back = await ada.client.get(
        "/sign-in/callback", params={"code": stolen[0], "state": state}, headers=HTML
    )
    assert back.status_code == 400
    assert "can’t be trusted" in back.text


async def test_next_path_stays_on_this_site(running: RunningApp, provider: RealProvider) -> None:
    page = await sign_in_with_provider(running.visitor(), provider, "//evil.test/")
    assert page.headers["location"] == "/"


async def test_invitation_link_allows_sign_up(database: Database, provider: RealProvider) -> None:
    async with running_app(database, **provider.settings) as running:
        ada = running.visitor()
        await sign_in_with_provider(ada, provider)
        headers = {"sec-fetch-site": "same-origin"}
        made = await ada.post("/families", {"name": "Lovelace"}, headers=headers)
        assert made.status_code == 201
        asked = {"email": "kid@home.local", "role": "suggester"}
        link = (await ada.post("/invitations", asked, headers=headers)).json()["link"]
    async with running_app(database, signup="invited", **provider.settings) as running:
        refused = await sign_in_with_provider(running.visitor(), provider, "/", "stranger")
        assert refused.status_code == 403
        kid = running.visitor()
        way_on = urlsplit(link).path
        assert (await sign_in_with_provider(kid, provider, way_on, "kid")).headers[
            "location"
        ] == way_on
        assert "Join" in (await kid.client.get(way_on, headers=HTML)).text


async def test_password_pages_return_404(running: RunningApp) -> None:
    visitor, headers = running.visitor(), {**HTML, "sec-fetch-site": "same-origin"}
    sign_up = await visitor.client.get("/sign-up", headers=headers)
    assert "/oauth2/authorize?" in sign_up.headers["location"]
    for path in ("/forgotten", "/reset/x"):
        assert (await visitor.client.get(path, headers=headers)).status_code == 404
    for path in ("/sign-in", "/sign-up", "/forgotten", "/reset/x"):
        assert (await visitor.client.post(path, headers=headers)).status_code == 404


async def test_account_is_deleted_after_typing_the_address(
    running: RunningApp, provider: RealProvider
) -> None:
    ada = running.visitor()
    await sign_in_with_provider(ada, provider)
    headers = {**HTML, "sec-fetch-site": "same-origin"}
    page = await ada.client.get("/settings", headers=HTML)
    assert "Enter your password" not in page.text
    wrong = await ada.client.post("/settings/leave", data={"confirm": "eve"}, headers=headers)
    assert wrong.status_code == 400
    gone = await ada.client.post("/settings/leave", data={"confirm": ADA["email"]}, headers=headers)
    assert gone.status_code == 303
    assert (await ada.get("/me")).status_code == 401


async def test_sign_in_page_reports_unreachable_provider(
    database: Database, provider: RealProvider
) -> None:
    with real_provider() as away:
        pass
    async with running_app(database, **away.settings) as running:
        page = await running.visitor().client.get("/sign-in", headers=HTML)
        assert page.status_code == 503
        assert "We can’t reach the sign-in provider right now." in page.text
        visitor = running.visitor()
        visitor.bear(await provider.id_token())
        assert problem_of(await visitor.get("/me")) == (503, "unavailable")


def test_doctor_command_checks_the_provider(tmp_path: Path, provider: RealProvider) -> None:
    well = run(tmp_path, "doctor", **provider.variables)
    assert f"ok    identity: {provider.url} manages sign-in." in well.stdout
    away = provider.variables | {"HOMESHELF_OIDC_ISSUER": "http://127.0.0.1:9"}
    assert "WRONG identity: Can’t reach the sign-in provider http://127.0.0.1:9" in (
        run(tmp_path, "doctor", **away).stdout
    )
    alone = {"HOMESHELF_OIDC_ISSUER": provider.url}
    assert "HOMESHELF_OIDC_ISSUER needs HOMESHELF_OIDC_AUDIENCE as well." in (
        run(tmp_path, "doctor", **alone).stdout
    )
