"""What a handler is called with: the same that FastAPI calls it with, which reads its signature."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Annotated, Any

import httpx
import pytest
from fastapi import BackgroundTasks, Body, Cookie, Depends, FastAPI, Header, Path, Query, Request
from fastapi.responses import Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict
from starlette.types import Message, Receive, Scope, Send

from homeshelf.app import create_app
from homeshelf.errors import Forbidden, NotFound
from homeshelf.web import problems
from homeshelf.web.handlers import HandlerRoute
from homeshelf.web.json import Json
from tests.running import SETTINGS


class Cake(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")
    name: str
    layers: int = 1


calls: list[str] = []


async def baker(request: Request, rank: Annotated[int, Query(ge=1)] = 1) -> str:
    calls.append("baker")
    if request.headers.get("who") == "nobody":
        raise Forbidden
    return f"baker {rank}"


async def kitchen(who: Annotated[str, Depends(baker)]) -> str:
    calls.append("kitchen")
    return f"kitchen of {who}"


async def bake(
    who: Annotated[str, Depends(baker)],
    where: Annotated[str, Depends(kitchen)],
    oven: Annotated[int, Path(le=9)],
    body: Cake,
    tags: Annotated[list[str], Query()] = [],  # noqa: B006  # each call has one of its own
    hot: Annotated[bool, Query(alias="isHot")] = False,
    since: Annotated[str | None, Header(alias="last-event-id")] = None,
) -> Response:
    tags.append("made")
    return Json([who, where, oven, body.model_dump(), tags, hot, since])


async def look(maybe: Annotated[Cake | None, Body()] = None) -> Response:
    return Json(maybe and maybe.model_dump())


async def forget() -> None:
    calls.append("forget")


async def lose(_where: Annotated[str, Depends(kitchen)]) -> None:
    raise NotFound


class LateRefusal(Response):
    """Finds out while it is sent that there is nothing to send."""

    def __init__(self, *messages: Message) -> None:
        super().__init__()
        self._messages = messages

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        for message in self._messages:
            await send(message)
        raise NotFound


async def refuse_late() -> Response:
    return LateRefusal()


async def refuse_too_late() -> Response:
    return LateRefusal({"type": "http.response.start", "status": 200, "headers": []})


def application(route_class: type[APIRoute]) -> FastAPI:
    app = FastAPI()
    problems.install(app)
    for method, path, handler, status in (
        ("POST", "/ovens/{oven}", bake, 201),
        ("POST", "/look", look, 200),
        ("DELETE", "/forget", forget, 204),
        ("POST", "/forget", forget, 202),
        ("GET", "/lose", lose, 200),
        ("GET", "/late", refuse_late, 200),
        ("GET", "/too-late", refuse_too_late, 200),
    ):
        app.router.routes.append(
            route_class(
                path, handler, methods=[method], status_code=status, response_class=Response
            )
        )
    return app


CAKE = {"name": "Sacher", "layers": 2}
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
ASKED: dict[str, tuple[str, str, Any, dict[str, str]]] = {
    "all of it": (
        "POST",
        "/ovens/3?rank=2&tags=a&tags=b&isHot=true",
        CAKE,
        {"Last-Event-ID": "7"},
    ),
    "as little as may be": ("POST", "/ovens/3", {"name": "Sacher"}, {}),
    "an empty question": ("POST", "/ovens/3?tags=&isHot=", CAKE, {}),
    "said twice": ("POST", "/ovens/3?rank=2&rank=3", CAKE, {}),
    "everything wrong": ("POST", "/ovens/10?rank=0&isHot=maybe", {"name": 1, "x": 2}, {}),
    "a word for a number": ("POST", "/ovens/x?rank=x", CAKE, {}),
    "of nobody": ("POST", "/ovens/10?isHot=maybe", {}, {"who": "nobody"}),
    "nothing sent": ("POST", "/ovens/3", b"", {"content-type": JSON}),
    "null": ("POST", "/ovens/3", b"null", {"content-type": JSON}),
    "a list": ("POST", "/ovens/3", [1], {}),
    "JSON of another name": (
        "POST",
        "/ovens/3",
        b'{"name":"a"}',
        {"content-type": "Application/merge-patch+JSON; charset=utf-8"},
    ),
    "a form": (
        "POST",
        "/ovens/3",
        b"name=a",
        {"content-type": FORM},
    ),
    "text": ("POST", "/ovens/3", b'{"name":"a"}', {"content-type": "text/json"}),
    "of no kind": ("POST", "/ovens/3", b'{"name":"a"}', {"content-type": ""}),
    "nothing, which may be": ("POST", "/look", b"", {}),
    "null, which may be": ("POST", "/look", b"null", {"content-type": JSON}),
    "something, which may be": ("POST", "/look", CAKE, {}),
    "an answer without a body": ("DELETE", "/forget", b"", {}),
    "an answer with an empty one": ("POST", "/forget", b"", {}),
    "what is not there": ("GET", "/lose", b"", {}),
    "what is not there after all": ("GET", "/late", b"", {}),
    "another method": ("PATCH", "/lose", b"", {}),
    "nowhere": ("GET", "/nowhere", b"", {}),
}


@pytest.mark.parametrize("what", ASKED)
async def test_it_is_called_as_fastapi_calls_it(what: str) -> None:
    method, path, body, headers = ASKED[what]
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = headers if isinstance(body, bytes) else {"content-type": JSON, **headers}
    answers = []
    for route_class in (APIRoute, HandlerRoute):
        calls.clear()
        transport = httpx.ASGITransport(application(route_class))
        async with httpx.AsyncClient(transport=transport, base_url="http://a.test") as client:
            answer = await client.request(method, path, content=content, headers=headers)
        answers.append((answer.status_code, answer.headers.raw, answer.content, [*calls]))
    assert answers[0] == answers[1]


async def test_what_two_need_is_found_out_once() -> None:
    transport = httpx.ASGITransport(application(HandlerRoute))
    async with httpx.AsyncClient(transport=transport, base_url="http://a.test") as client:
        for _ in range(2):
            calls.clear()
            answer = await client.post("/ovens/3?tags=a", json=CAKE)
            assert answer.json()[:2] == ["baker 1", "kitchen of baker 1"]
            assert calls == ["baker", "kitchen"]
            assert (await client.post("/ovens/3", json=CAKE)).json()[4] == ["made"]


async def test_what_is_refused_after_its_beginning_is_broken_off() -> None:
    transport = httpx.ASGITransport(application(HandlerRoute))
    async with httpx.AsyncClient(transport=transport, base_url="http://a.test") as client:
        with pytest.raises(RuntimeError, match="already started"):
            await client.get("/too-late")


def blocking() -> None: ...
def generated() -> Iterator[int]:
    yield 1


async def generated_later() -> AsyncIterator[int]:
    yield 1


async def with_cookie(a: Annotated[str, Cookie()] = "") -> None: ...
async def with_answer(a: Response) -> None: ...
async def with_work(a: BackgroundTasks) -> None: ...
async def with_two_bodies(a: Cake, b: Cake) -> None: ...
async def with_blocking(a: Annotated[None, Depends(blocking)]) -> None: ...
async def with_generated(a: Annotated[int, Depends(generated)]) -> None: ...
async def with_generated_later(a: Annotated[int, Depends(generated_later)]) -> None: ...
async def with_another_each_time(
    a: Annotated[str, Depends(baker, use_cache=False)],
) -> None: ...


@pytest.mark.parametrize(
    "handler",
    [
        blocking,
        with_cookie,
        with_answer,
        with_work,
        with_two_bodies,
        with_blocking,
        with_generated,
        with_generated_later,
        with_another_each_time,
    ],
)
def test_a_signature_that_asks_for_more_is_refused(handler: Callable[..., Any]) -> None:
    route = HandlerRoute("/", handler)
    for _ in range(2):
        with pytest.raises(TypeError, match="cannot be called"):
            _ = route.app


def test_every_signature_of_ours_can_be_called() -> None:
    """Which is worked out at the first request, and not when it starts."""
    ours = [route for route in create_app(SETTINGS).routes if isinstance(route, HandlerRoute)]
    assert len(ours) > 200
    assert all(callable(route.app) for route in ours)
