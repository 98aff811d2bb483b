"""Test that invalid requests get a problem response, change nothing and reveal no secret."""

from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from homeshelf.signing import Signer
from homeshelf.table import HELPER
from tests.running import PASSWORD, RunningApp, problem_of

ENDPOINTS = [
    ("POST", "/accounts"),
    ("POST", "/accounts/verify"),
    ("POST", "/tokens"),
    ("POST", "/tokens/refresh"),
    ("POST", "/passwords/forgotten"),
    ("POST", "/passwords/reset"),
    ("PATCH", "/me"),
    ("PATCH", "/me/preferences"),
    ("DELETE", "/me"),
]
SECRET = "hunter2hunter2"
BROKEN = {
    "broken JSON": b'{"password": "hunter2hunter2"',
    "no JSON": b"password=hunter2hunter2",
    "invalid UTF-8": b'{"password": "hunter2hunter2\xff\xfe"}',
    "a lone surrogate": b'{"password": "hunter2hunter2\\ud800", "name": "\\ud800"}',
    "a list": b'["hunter2hunter2"]',
    "a text": b'"hunter2hunter2"',
    "a number": b"1.5",
    "a huge number": b"1e400",
    "null": b"null",
    "NaN": b'{"password": NaN}',
    "wrong types": (
        b'{"email": {"a": "hunter2hunter2"}, "password": ["hunter2hunter2"], "token": 7, '
        b'"refreshToken": 7, "name": false, "theme": ["hunter2hunter2"]}'
    ),
    "an unknown field": b'{"colour": "hunter2hunter2"}',
    "depth": b"[" * 100_000,
    "deep objects": b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    "a byte order mark": b"\xef\xbb\xbf{}{}",
    "a NUL": b'{"password": "hunter2hunter2"}\x00',
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
async def test_invalid_body_returns_problem(running: RunningApp, content: bytes) -> None:
    ada = await running.person("ada")
    before = await stored_records(running)
    for method, path in ENDPOINTS:
        answer = await send_request(ada.client, method, path, content)
        assert problem_of(answer) == (400, "validation"), (method, path)
        assert SECRET not in answer.text
    assert await stored_records(running) == before


async def test_body_above_limit_is_not_read(running: RunningApp) -> None:
    ada = await running.person("ada")
    before = await stored_records(running)
    large = b'{"name": "' + b"x" * 1_500_000 + b'"}'

    async def send_in_chunks() -> Any:
        for _ in range(16):
            yield b" " * 100_000

    for method, path in ENDPOINTS:
        for content in (large, send_in_chunks()):
            answer = await send_request(ada.client, method, path, content)
            assert problem_of(answer) == (413, "too_large")
    assert await stored_records(running) == before


async def test_form_body_is_refused_as_json(running: RunningApp) -> None:
    ada = await running.person("ada")
    for kind in ("application/x-www-form-urlencoded", "text/plain", ""):
        headers = {"Content-Type": kind}
        answer = await ada.ask("PATCH", "/me", content=b'{"name": "Eve"}', headers=headers)
        assert problem_of(answer) == (400, "validation")
    assert (await ada.get("/me")).json()["name"] == "ada"


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/accounts"), ("PUT", "/me"), ("GET", "/tokens"), ("DELETE", "/me/preferences")],
)
async def test_wrong_method_returns_problem(running: RunningApp, method: str, path: str) -> None:
    answer = await (await running.person("ada")).ask(method, path)
    assert problem_of(answer)[0] == 405
    assert answer.headers["allow"]


async def test_no_response_repeats_a_secret(running: RunningApp) -> None:
    ada = await running.person("ada")
    secret = {
        "password": SECRET,
        "refreshToken": SECRET,
        "token": SECRET,
        "currentPassword": SECRET,
    }
    for method, path in ENDPOINTS:
        for body in (secret, {name: [value] for name, value in secret.items()}):
            answer = await ada.ask(method, path, body)
            assert answer.status_code >= 400
            assert SECRET not in answer.text


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(["email", "password", "name", "token", "refreshToken", "theme", "mail"])


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(method_and_path=st.sampled_from(ENDPOINTS), body=st.dictionaries(FIELDS, JUNK, max_size=4))
async def test_random_json_never_causes_server_error(
    running: RunningApp, method_and_path: tuple[str, str], body: dict[str, Any]
) -> None:
    ada = await running.person("ada")
    answer = await ada.ask(*method_and_path, body | {"colour": "red"})
    assert problem_of(answer) == (400, "validation")


@given(st.text() | st.text("abc.=-_\x00é", max_size=40))
def test_any_text_as_token_is_refused_without_error(text: str) -> None:
    signer = Signer(b"a secret of some length, for tokens")
    assert signer.read("access", text) is None
    good = signer.token("access", 60, sub="ada")
    assert signer.read("access", good + text.strip("\x00") + "x") is None


async def send_request(
    client: httpx.AsyncClient, method: str, path: str, content: Any
) -> httpx.Response:
    headers = {"Content-Type": "application/json"}
    return await client.request(method, f"/api/v1{path}", content=content, headers=headers)


async def stored_records(running: RunningApp) -> set[str]:
    items = (await running.db.engine.scan(HELPER, 1000)).items
    passing = ("ATTEMPTS#", "LEASE#")
    return {
        str(sorted(item.items(), key=str))
        for item in items
        if not str(item["PK"]).startswith(passing)
    }


async def test_valid_bodies_are_accepted(running: RunningApp) -> None:
    ada = await running.person("ada")
    answer = await send_request(
        ada.client, "DELETE", "/me", f'{{"password": "{PASSWORD}"}}'.encode()
    )
    assert answer.status_code == 204


@pytest.mark.parametrize("path", ["/tokens", "/tokens/refresh"])
async def test_malformed_family_id_returns_error_for_field(running: RunningApp, path: str) -> None:
    ada = await running.person("ada")
    answer = await ada.post(path, {"familyId": "the Lovelaces"})
    errors = {error["field"]: error["message"] for error in answer.json()["errors"]}
    assert errors["familyId"] == "Invalid family ID format"
