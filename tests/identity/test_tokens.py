"""The validation of provider tokens."""

import base64
import hmac
import json
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256

from homeshelf.accounts.model import member_id_of
from homeshelf.identity import provider_http
from tests.identity.issuer import AUDIENCE, SUBJECT, Issuer, ec_key, rsa_key
from tests.moment import Moment
from tests.running import RunningApp, problem_of

REFUSED = (401, "unauthenticated")
AWAY = (503, "unavailable")


async def request_profile(running: RunningApp, token: str, path: str = "/me") -> httpx.Response:
    visitor = running.visitor()
    visitor.bear(token)
    return await visitor.get(path)


async def test_valid_token_of_issuer_is_accepted(running: RunningApp, issuer: Issuer) -> None:
    answer = await request_profile(running, issuer.token())
    assert answer.status_code == 200
    assert answer.json() == {
        "memberId": SUBJECT,
        "email": "ada@home.local",
        "emailVerified": True,
        "name": "Ada",
        "families": [],
    }


@pytest.mark.parametrize(
    "wrong",
    [
        {"iss": "https://evil.test"},
        {"iss": None},
        {"aud": "another program"},
        {"aud": ["another", "and another"]},
        {"aud": None},
        {"aud": None, "client_id": AUDIENCE},
        {"aud": None, "client_id": "another", "token_use": "access"},
        {"exp": 1_000_000_000},
        {"exp": None},
        {"exp": "tomorrow"},
        {"exp": True},
        {"nbf": 9_000_000_000},
        {"iat": 9_000_000_000},
        {"sub": None},
        {"sub": ""},
        {"sub": 7},
        {"sub": "x" * 256},
        {"events": {"http://schemas.openid.net/event/backchannel-logout": {}}},
    ],
    ids=str,
)
async def test_token_with_one_invalid_claim_is_refused(
    running: RunningApp, issuer: Issuer, wrong: dict[str, Any]
) -> None:
    answer = await request_profile(running, issuer.token(**wrong))
    assert problem_of(answer) == REFUSED
    assert answer.headers["www-authenticate"] == "Bearer"


async def test_token_with_our_audience_among_others_is_accepted(
    running: RunningApp, issuer: Issuer
) -> None:
    assert (
        await request_profile(running, issuer.token(aud=["another", AUDIENCE]))
    ).status_code == 200


async def test_cognito_access_token_is_checked_by_client_id(
    running: RunningApp, issuer: Issuer
) -> None:
    token = issuer.token(aud=None, client_id=AUDIENCE, token_use="access")
    assert (await request_profile(running, token)).status_code == 200


async def test_token_signed_with_another_key_is_refused(
    running: RunningApp, issuer: Issuer
) -> None:
    for key in (rsa_key("first", "another"), rsa_key("unknown"), rsa_key(None), ec_key("first")):
        assert problem_of(await request_profile(running, issuer.token(key))) == REFUSED


async def test_token_without_signature_is_refused(running: RunningApp, issuer: Issuer) -> None:
    _, payload, signature = issuer.token().split(".")
    for algorithm in ("none", "None", "NONE"):
        header = encode_json({"alg": algorithm, "typ": "JWT", "kid": "first"})
        for token in (f"{header}.{payload}.", f"{header}.{payload}.{signature}"):
            assert problem_of(await request_profile(running, token)) == REFUSED


async def test_public_key_is_refused_as_hmac_secret(running: RunningApp, issuer: Issuer) -> None:
    _, payload, _ = issuer.token().split(".")
    text = f"{encode_json({'alg': 'HS256', 'typ': 'JWT', 'kid': 'first'})}.{payload}"
    public = issuer.key.as_pem(private=False)
    for secret in (public, public.strip()):
        seal = hmac.digest(secret, text.encode(), "sha256")
        token = f"{text}.{base64.urlsafe_b64encode(seal).rstrip(b'=').decode()}"
        assert problem_of(await request_profile(running, token)) == REFUSED


async def test_modified_token_is_refused(running: RunningApp, issuer: Issuer) -> None:
    header, payload, signature = issuer.token().split(".")
    said = json.loads(base64.urlsafe_b64decode(payload + "=="))
    forged = encode_json(said | {"sub": "3c1d9a60-0000-4000-8000-000000000000"})
    for token in (
        f"{header}.{forged}.{signature}",
        f"{header}.{payload}.{signature[:-4]}AAAA",
        f"{header}.{payload}",
        f"{header}.{payload}.{signature}.x",
        "nonsense",
        "",
        "ey..",
    ):
        assert problem_of(await request_profile(running, token)) == REFUSED


@pytest.mark.parametrize(
    "header", [{"typ": "logout+jwt"}, {"typ": 7}, {"kid": 7}, {"crit": ["x"], "x": 1}], ids=str
)
async def test_token_of_another_type_is_refused(
    running: RunningApp, issuer: Issuer, header: dict[str, Any]
) -> None:
    _, payload, _ = issuer.token().split(".")
    said = json.loads(base64.urlsafe_b64decode(payload + "=="))
    first = encode_json({"alg": "RS256", "typ": "JWT", "kid": "first"} | header)
    token = sign_text(issuer, f"{first}.{encode_json(said)}")
    assert problem_of(await request_profile(running, token)) == REFUSED


async def test_own_access_token_is_refused(running: RunningApp) -> None:
    ada = await running.person("ada")
    token = running.access_token(ada.member_id, ada.session_id)
    assert problem_of(await request_profile(running, token)) == REFUSED


async def test_token_expires_thirty_seconds_after_its_exp(
    running: RunningApp, issuer: Issuer, moment: Moment
) -> None:
    token = issuer.token()
    moment.pass_by(600 + 29)
    assert (await request_profile(running, token)).status_code == 200, "clocks differ a little"
    moment.pass_by(1)
    assert problem_of(await request_profile(running, token)) == REFUSED


async def test_elliptic_curve_keys_are_accepted(running: RunningApp, issuer: Issuer) -> None:
    issuer.key = ec_key("round")
    issuer.published.append(issuer.key)
    assert (await request_profile(running, issuer.token())).status_code == 200


async def test_token_without_key_id_is_tried_with_all_keys(
    running: RunningApp, issuer: Issuer
) -> None:
    issuer.key = rsa_key(None)
    issuer.published.append(issuer.key)
    assert (await request_profile(running, issuer.token())).status_code == 200


async def test_keys_are_cached_and_fetched_again_after_rotation(
    running: RunningApp, issuer: Issuer, moment: Moment
) -> None:
    for _ in range(3):
        assert (await request_profile(running, issuer.token())).status_code == 200
    assert issuer.asked == ["description", "keys"]
    issuer.key = rsa_key("second")
    issuer.published = [issuer.key]
    moment.pass_by(30)
    assert (await request_profile(running, issuer.token())).status_code == 200
    assert issuer.asked.count("keys") == 2


async def test_invented_key_ids_do_not_cause_repeated_fetches(
    running: RunningApp, issuer: Issuer, moment: Moment
) -> None:
    made_up = rsa_key("made up")
    await request_profile(running, issuer.token())
    for _ in range(5):
        assert problem_of(await request_profile(running, issuer.token(made_up))) == REFUSED
    assert issuer.asked.count("keys") == 1
    moment.pass_by(30)
    for _ in range(5):
        assert problem_of(await request_profile(running, issuer.token(made_up))) == REFUSED
    assert issuer.asked.count("keys") == 2


async def test_revoked_key_is_dropped_within_an_hour(
    running: RunningApp, issuer: Issuer, moment: Moment
) -> None:
    stolen = issuer.key
    assert (await request_profile(running, issuer.token())).status_code == 200
    issuer.published = [rsa_key("second")]
    moment.pass_by(3600)
    assert problem_of(await request_profile(running, issuer.token(stolen))) == REFUSED


async def test_unreachable_issuer_serves_cached_keys_only(
    running: RunningApp, issuer: Issuer, moment: Moment
) -> None:
    assert (await request_profile(running, issuer.token())).status_code == 200
    await issuer.close()
    moment.pass_by(2 * 3600)
    assert (await request_profile(running, issuer.token())).status_code == 200
    another = rsa_key("second")
    answer = await request_profile(running, issuer.token(another))
    assert problem_of(answer) == AWAY
    assert int(answer.headers["retry-after"]) > 0
    assert "sign-in provider" in answer.json()["detail"]
    issuer.published.append(another)
    await issuer.open_again()
    moment.pass_by(30)
    assert (await request_profile(running, issuer.token(another))).status_code == 200
    await issuer.close()
    moment.pass_by(25 * 3600)
    assert problem_of(await request_profile(running, issuer.token())) == AWAY


async def test_slow_or_invalid_issuer_counts_as_unreachable(
    running: RunningApp, issuer: Issuer, moment: Moment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider_http, "TIMEOUT_SECONDS", 0.2)
    issuer.slow = 1
    assert problem_of(await request_profile(running, issuer.token())) == AWAY
    issuer.slow = 0
    for odd in ({"issuer": "https://evil.test"}, {"jwks_uri": None}, {"jwks_uri": "ftp://x/y"}):
        issuer.told = odd
        moment.pass_by(30)
        assert problem_of(await request_profile(running, issuer.token())) == AWAY
    issuer.told = {}
    moment.pass_by(30)
    assert (await request_profile(running, issuer.token())).status_code == 200


async def test_issuer_claim_may_end_with_slash(running: RunningApp, issuer: Issuer) -> None:
    issuer.told = {"issuer": f"{issuer.url}/"}
    assert (await request_profile(running, issuer.token(iss=f"{issuer.url}/"))).status_code == 200
    assert problem_of(await request_profile(running, issuer.token())) == REFUSED


def test_member_id_is_the_sub_or_a_uuid_derived_from_it() -> None:
    upper = SUBJECT.upper()
    assert member_id_of("https://id.example", upper) == SUBJECT
    assert member_id_of("https://id.example", "auth0|7") == "706b265b-c56f-5311-a011-72c9e248c2f4"
    assert member_id_of("https://id.example", "auth0|8") != member_id_of("https://x", "auth0|8")


def encode_json(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def sign_text(issuer: Issuer, text: str) -> str:
    """Sign any text with the key of the issuer."""
    key = issuer.key.private_key
    assert isinstance(key, RSAPrivateKey)
    signature = key.sign(text.encode(), PKCS1v15(), SHA256())
    return f"{text}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"
