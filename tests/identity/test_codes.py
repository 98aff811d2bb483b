"""The exchange of a browser's code with the fake provider."""

import base64
from typing import Any
from urllib.parse import urlsplit

import pytest

from homeshelf.table import Database
from tests.identity.issuer import AUDIENCE, Issuer
from tests.identity.people import HTML, sign_in_with_browser
from tests.running import RunningApp, running_app


async def test_code_is_redeemed_only_with_its_verifier(running: RunningApp, issuer: Issuer) -> None:
    assert (await sign_in_with_browser(running, issuer)).status_code == 303
    ((header, form),) = issuer.redeemed
    assert header is None
    assert form["client_id"] == AUDIENCE
    assert "client_secret" not in form
    assert len(form["code_verifier"]) >= 43


async def test_client_secret_is_sent_by_the_method_of_the_issuer(
    database: Database, issuer: Issuer
) -> None:
    settings = {"oidc_client_id": "a client", "oidc_client_secret": "s:e%c ret"}
    async with running_app(database, **issuer.settings, **settings) as running:
        assert (await sign_in_with_browser(running, issuer)).status_code == 303
        header, form = issuer.redeemed[0]
        assert header is not None
        shown = base64.b64decode(header.removeprefix("Basic ")).decode()
        assert shown == "a+client:s%3Ae%25c+ret"
        assert "client_secret" not in form
    issuer.told = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    async with running_app(database, **issuer.settings, **settings) as running:
        assert (await sign_in_with_browser(running, issuer)).status_code == 303
        header, form = issuer.redeemed[1]
        assert (header, form["client_secret"]) == (None, "s:e%c ret")


@pytest.mark.parametrize(
    "wrong",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"aud": "another"},
        {"aud": [AUDIENCE, "another"]},
        {"aud": [AUDIENCE, "another"], "azp": "another"},
        {"azp": "another"},
        {"iss": "https://evil.test"},
        {"exp": 1_000_000_000},
        {"sub": None},
    ],
    ids=str,
)
async def test_id_token_with_one_invalid_claim_is_refused(
    running: RunningApp, issuer: Issuer, wrong: dict[str, Any]
) -> None:
    issuer.claims = wrong
    page = await sign_in_with_browser(running, issuer)
    assert page.status_code == 400
    assert "can’t be trusted" in page.text
    assert "homeshelf=" not in page.headers.get("set-cookie", "")


async def test_id_token_with_several_audiences_needs_our_azp(
    running: RunningApp, issuer: Issuer
) -> None:
    issuer.claims = {"aud": [AUDIENCE, "another"], "azp": AUDIENCE}
    assert (await sign_in_with_browser(running, issuer)).status_code == 303


async def test_callback_with_another_iss_is_refused(running: RunningApp, issuer: Issuer) -> None:
    sent = await sign_in_with_browser(running, issuer, "&iss=https://evil.test")
    assert sent.status_code == 400
    assert issuer.redeemed == []


async def test_failing_issuer_returns_503(running: RunningApp, issuer: Issuer) -> None:
    visitor = running.visitor()
    sent = await visitor.client.get("/sign-in", headers=HTML)
    back = urlsplit(issuer.sign_in_at(sent.headers["location"]))
    await issuer.close()
    page = await visitor.client.get(f"{back.path}?{back.query}", headers=HTML)
    assert page.status_code == 503
    assert "reach the sign-in provider" in page.text


async def test_issuer_without_authorization_endpoint_accepts_tokens_only(
    running: RunningApp, issuer: Issuer
) -> None:
    issuer.told = {"authorization_endpoint": None}
    assert (await running.visitor().client.get("/sign-in", headers=HTML)).status_code == 503
    visitor = running.visitor()
    visitor.bear(issuer.token())
    assert (await visitor.get("/me")).status_code == 200
