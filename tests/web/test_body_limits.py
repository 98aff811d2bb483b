"""Body size limits for anonymous and signed-in clients."""

import gc
import json
import time
import weakref
from collections.abc import AsyncIterator
from typing import Any

import pytest
from fastapi import Request
from starlette.types import Message

from homeshelf.web.body_limits import BodyLimits, body_limits
from tests.home import new_home
from tests.running import RunningApp, Visitor, problem_of

PIECE = 10_000
JSON = {"Content-Type": "application/json"}
UNAUTHENTICATED, TOO_LARGE = (401, "unauthenticated"), (413, "too_large")


class BodyInPieces:
    """A body that arrives in pieces and counts those that were read."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.taken = 0

    @property
    def length(self) -> dict[str, str]:
        return {"Content-Length": str(self.number * PIECE)}

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for _ in range(self.number):
            self.taken += 1
            yield b" " * PIECE


@pytest.mark.parametrize(
    ("method", "path", "refused"),
    [
        ("POST", "/accounts", TOO_LARGE),
        ("POST", "/tokens", TOO_LARGE),
        ("PATCH", "/me", UNAUTHENTICATED),
        ("POST", "/shopping-list", UNAUTHENTICATED),
    ],
)
async def test_long_body_of_an_anonymous_client_is_not_read(
    running: RunningApp, method: str, path: str, refused: tuple[int, str]
) -> None:
    stranger = running.visitor()
    said = BodyInPieces(7)
    answer = await stranger.ask(method, path, content=said, headers=JSON | said.length)
    assert (problem_of(answer), said.taken) == (refused, 0)
    silent = BodyInPieces(50)
    answer = await stranger.ask(method, path, content=silent, headers=JSON)
    assert (problem_of(answer), silent.taken) == (refused, 7)
    short = BodyInPieces(6)
    answer = await stranger.ask(method, path, content=short, headers=JSON | short.length)
    assert problem_of(answer) != TOO_LARGE
    assert short.taken == 6


async def test_client_with_an_invalid_token_counts_as_anonymous(running: RunningApp) -> None:
    ada, eve = await running.person("ada"), await running.person("eve")
    assert (await eve.delete("/tokens")).status_code == 204
    forged = running.visitor()
    forged.bear(ada.client.headers["authorization"].removeprefix("Bearer ")[:-4] + "AAAA")
    late = running.visitor()
    late.bear(running.signer.token("access", -1, sub=ada.member_id, sid=ada.session_id))
    for nobody in (eve, forged, late):
        said = BodyInPieces(10)
        answer = await nobody.ask("PATCH", "/me", content=said, headers=JSON | said.length)
        assert (problem_of(answer), said.taken) == (UNAUTHENTICATED, 0)


async def test_signed_in_caller_may_send_a_longer_body_up_to_a_limit(running: RunningApp) -> None:
    ada = await running.person("ada")
    for number, refused in ((149, (400, "validation")), (151, TOO_LARGE)):
        said = BodyInPieces(number)
        answer = await ada.ask("PATCH", "/me", content=said, headers=JSON | said.length)
        assert (problem_of(answer), said.taken) == (refused, number if number == 149 else 0)
        silent = BodyInPieces(number)
        answer = await ada.ask("PATCH", "/me", content=silent, headers=JSON)
        assert (problem_of(answer), silent.taken) == (refused, number)


async def test_long_body_counts_as_one_request(running: RunningApp) -> None:
    """The check of the caller before the long body must not count as a request."""
    ada = await running.person("ada")
    paced = running.services.limits.writes
    said = BodyInPieces(10)
    await ada.ask("PATCH", "/me", content=said, headers=JSON | said.length)
    assert len(paced._taken[ada.member_id]) == 1


async def test_long_cross_site_body_with_a_cookie_is_not_read(running: RunningApp) -> None:
    ada = await _in_browser(running)
    said = BodyInPieces(10)
    headers = {"Sec-Fetch-Site": "cross-site", **JSON, **said.length}
    answer = await ada.ask("PATCH", "/me", content=said, headers=headers)
    assert (problem_of(answer), said.taken) == ((403, "forbidden"), 0)
    again = BodyInPieces(10)
    headers = {"Sec-Fetch-Site": "same-origin", **JSON, **again.length}
    answer = await ada.ask("PATCH", "/me", content=again, headers=headers)
    assert (problem_of(answer), again.taken) == ((400, "validation"), 10)


async def test_forms_have_the_same_body_limits(running: RunningApp) -> None:
    form = {
        "Content-Type": "application/x-www-form-urlencoded",
        "Sec-Fetch-Site": "same-origin",
        "Accept": "text/html",
    }
    stranger = running.visitor()
    said = BodyInPieces(10)
    answer = await stranger.client.post("/sign-in", content=said, headers=form | said.length)
    assert (answer.status_code, said.taken) == (413, 0)
    assert "That’s too much at once" in answer.text
    said = BodyInPieces(10)
    answer = await stranger.client.post("/families/new", content=said, headers=form | said.length)
    assert (answer.status_code, answer.headers["location"], said.taken) == (303, "/sign-in", 0)


@pytest.mark.parametrize("text", [b"a=b&" * 5_000, b"&" * 30_000 + b"a=b", b"\xff=1"])
async def test_form_with_too_many_fields_is_refused_quickly(
    running: RunningApp, text: bytes
) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
    began = time.process_time()
    answer = await running.visitor().client.post("/sign-in", content=text, headers=form)
    assert time.process_time() - began < 0.3
    assert answer.status_code == 400


async def test_handler_may_raise_the_limit_of_anonymous_clients(running: RunningApp) -> None:
    @running.app.post("/api/v1/long")
    @body_limits(BodyLimits(nobody=200_000))
    async def long(request: Request) -> int:
        return len(await request.body())

    stranger = running.visitor()
    assert (await stranger.ask("POST", "/long", content=BodyInPieces(20))).json() == 200_000
    assert problem_of(await stranger.ask("POST", "/long", content=BodyInPieces(21))) == TOO_LARGE


@pytest.mark.parametrize("fields", [51, 99, 6_000, 130_000])
async def test_at_most_fifty_unknown_fields_are_reported(running: RunningApp, fields: int) -> None:
    home = await new_home(running, "Home", "ada")
    body = json.dumps({f"f{number}": 1 for number in range(fields)}).encode()[:1_500_000]
    body = body[: body.rindex(b",")] + b"}"
    began = time.process_time()
    answer = await home.admin.ask("POST", "/items", content=body, headers=JSON)
    assert time.process_time() - began < 0.6
    assert problem_of(answer) == (400, "validation")
    assert 1 <= len(answer.json()["errors"]) <= 50
    assert len(answer.content) < 10_000
    anonymous = await running.visitor().post("/accounts", content=body, headers=JSON)
    assert len(anonymous.content) < 10_000
    assert problem_of(anonymous) == ((400, "validation") if len(body) < 64_000 else TOO_LARGE)


@pytest.mark.parametrize(
    "body",
    [
        b'{"name": "x", "alternateStoreIds": [' + b"[]," * 20_000 + b"1]}",
        b'{"name": ' + b"[" * 30_000 + b"]" * 30_000 + b"}",
        b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
        b'{"quantity": 1e' + b"9" * 50_000 + b"}",
        b'{"quantity": ' + b"9" * 60_000 + b"}",
    ],
)
async def test_deeply_nested_or_long_json_is_refused_quickly(
    running: RunningApp, body: bytes
) -> None:
    home = await new_home(running, "Home", "ada")
    took = []
    for _ in range(3):  # a collection of other tests' garbage may disturb one of the runs
        began = time.process_time()
        answer = await home.admin.ask("POST", "/items", content=body, headers=JSON)
        took.append(time.process_time() - began)
        assert problem_of(answer) == (400, "validation")
        assert len(answer.json()["errors"]) <= 50
    assert min(took) < 0.3


async def _in_browser(running: RunningApp) -> Visitor:
    ada = await running.person("ada")
    visitor = running.visitor()
    token = running.signer.token("web", 900, sub=ada.member_id, sid=ada.session_id)
    visitor.client.cookies.set("homeshelf", token)
    return visitor


class Chunk:
    """A part of a body that a weak reference can watch, unlike bytes."""

    def __len__(self) -> int:
        return 1000


async def test_aborted_body_is_freed_without_garbage_collection(running: RunningApp) -> None:
    """An attacker can abort more bodies than fit in memory between collections."""
    ada = await running.person("ada")
    chunk = Chunk()
    watched = weakref.ref(chunk)
    coming: list[Message] = [
        {"type": "http.request", "body": chunk, "more_body": True},
        {"type": "http.disconnect"},
    ]
    sent: list[Message] = []

    async def receive() -> Message:
        return coming.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    del chunk
    gc.disable()
    try:
        await running.app(_patch(ada), receive, send)
        assert watched() is None
    finally:
        gc.enable()
    assert sent[0]["status"] == 400


def _patch(person: Visitor) -> dict[str, Any]:
    token = person.client.headers["authorization"].encode()
    return {
        "type": "http",
        "method": "PATCH",
        "scheme": "http",
        "path": "/api/v1/me",
        "raw_path": b"/api/v1/me",
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"home.test"), (b"authorization", token)],
        "client": ("203.0.113.7", 50000),
        "server": ("home.test", 80),
    }
