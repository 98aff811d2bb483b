"""Responses that OpenAPI does not describe: which error comes first, and its message.

`python -m tests.web.test_recorded_responses` records them again in `recorded_responses.json`.
"""

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, NamedTuple

import httpx
import pytest
from fastapi import Body, Depends, FastAPI, Header, Query, Request
from fastapi import Path as PathParameter
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict
from starlette.types import Receive, Scope, Send

from homeshelf.errors import Forbidden, NotFound
from homeshelf.table import Database
from homeshelf.table.sqlite.engine import Sqlite
from homeshelf.web import problems
from homeshelf.web.json import Json
from homeshelf.web.requests import api_router
from tests.home import NOBODYS, Home, new_home
from tests.running import running_app

RECORDED = Path(__file__).with_name("recorded_responses.json")
HEADERS = ("allow", "content-length", "content-type", "location", "retry-after", "www-authenticate")

JSON = {"content-type": "application/json"}
FORM = {"content-type": "application/x-www-form-urlencoded"}
HTML = {"accept": "text/html"}
OURS = {"sec-fetch-site": "same-origin"}


class Sent(NamedTuple):
    request: str
    body: Any = b""
    """Bytes, or a value to send as JSON."""
    headers: dict[str, str] = {}  # noqa: RUF012  # is never changed


class Cake(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")
    name: str
    layers: int = 1


async def baker(request: Request, rank: Annotated[int, Query(ge=1)] = 1) -> str:
    request.state.calls += ["baker"]
    if request.headers.get("who") == "nobody":
        raise Forbidden
    return f"baker {rank}"


async def kitchen(request: Request, who: Annotated[str, Depends(baker)]) -> str:
    request.state.calls += ["kitchen"]
    return f"kitchen of {who}"


async def bake(
    request: Request,
    who: Annotated[str, Depends(baker)],
    where: Annotated[str, Depends(kitchen)],
    oven: Annotated[int, PathParameter(le=9)],
    body: Cake,
    tags: Annotated[list[str], Query()] = [],  # noqa: B006  # each call gets one of its own
    hot: Annotated[bool, Query(alias="isHot")] = False,
    since: Annotated[str | None, Header(alias="last-event-id")] = None,
) -> Response:
    tags.append("made")
    return Json([request.state.calls, who, where, oven, body.model_dump(), tags, hot, since])


async def look(maybe: Annotated[Cake | None, Body()] = None) -> Response:
    return Json(maybe and maybe.model_dump())


async def echo(body: Annotated[Any, Body()]) -> Response:
    return Json({"received": body})


async def forget() -> None:
    pass


async def lose(_who: Annotated[str, Depends(baker)]) -> None:
    raise NotFound


class LateRefusal(Response):
    """A response that fails while it is sent."""

    async def __call__(self, *_: Any) -> None:
        raise NotFound


async def refuse_late() -> Response:
    return LateRefusal()


class TooLateRefusal(LateRefusal):
    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise NotFound


async def refuse_too_late() -> Response:
    return TooLateRefusal()


def sample_app() -> FastAPI:
    """Return a small application whose signatures use every feature that ours use."""
    app = FastAPI(openapi_url=None)
    problems.install(app)
    router = api_router()
    for method, path, handler, status in (
        ("POST", "/ovens/{oven}", bake, 201),
        ("POST", "/look", look, 200),
        ("POST", "/echo", echo, 200),
        ("DELETE", "/forget", forget, 204),
        ("POST", "/forget", forget, 202),
        ("GET", "/lose", lose, 200),
        ("GET", "/late", refuse_late, 200),
        ("GET", "/too-late", refuse_too_late, 200),
    ):
        router.add_api_route(path, handler, methods=[method], status_code=status)
    app.router.routes.extend(router.routes)

    async def with_calls(scope: Any, receive: Any, send: Any) -> None:
        scope["state"] = {"calls": []}
        await app(scope, receive, send)

    return with_calls  # type: ignore[return-value]  # an ASGI application


CAKE = {"name": "Sacher", "layers": 2}
OVEN = "POST /api/v1/ovens/3"
BAKERY = {
    "everything": Sent(f"{OVEN}?rank=2&tags=a&tags=b&isHot=true", CAKE, {"last-event-id": "7"}),
    "only what is required": Sent(OVEN, {"name": "Sacher"}),
    "empty query parameters": Sent(f"{OVEN}?tags=&isHot=", CAKE),
    "query parameter twice": Sent(f"{OVEN}?rank=2&rank=3", CAKE),
    "all errors at once": Sent(
        "POST /api/v1/ovens/10?rank=0&isHot=maybe", {"name": 1, "x": 2, "layers": "3"}
    ),
    "words for numbers": Sent("POST /api/v1/ovens/x?rank=x", CAKE),
    "caller is refused before the rest is looked at": Sent(
        "POST /api/v1/ovens/10?isHot=maybe", {}, {"who": "nobody"}
    ),
    "caller cannot be asked because of a wrong parameter": Sent(
        "POST /api/v1/ovens/10?rank=0", {}, {"who": "nobody"}
    ),
    "no body": Sent(OVEN, b"", JSON),
    "null": Sent(OVEN, b"null", JSON),
    "a list": Sent(OVEN, [1]),
    "broken JSON": Sent(OVEN, b'{"name": "Sacher"', JSON),
    "broken JSON of a refused caller": Sent(OVEN, b'{"name"', {**JSON, "who": "nobody"}),
    "not a number": Sent(OVEN, b'{"name": "a", "layers": NaN}', JSON),
    "not Unicode": Sent(OVEN, b'{"name": "\xff"}', JSON),
    "a key twice": Sent(OVEN, b'{"name": "a", "name": "b"}', JSON),
    "too deep": Sent(OVEN, b"[" * 2000, JSON),
    "whole numbers": Sent(
        "POST /api/v1/echo", b"[9007199254740993, 123456789012345678901234567890, -0, 1e2]", JSON
    ),
    "fractions": Sent("POST /api/v1/echo", b"[0.1, 1.10, 3.0, 1e-7, 1.0000000000000000001]", JSON),
    "a number without end": Sent("POST /api/v1/echo", b"[1e999999999]", JSON),
    "a fraction for a whole number": Sent(OVEN, b'{"name": "a", "layers": 1.0}', JSON),
    "JSON by another name": Sent(
        OVEN, b'{"name":"a"}', {"content-type": "Application/merge-patch+JSON; charset=utf-8"}
    ),
    "a form": Sent(OVEN, b"name=a", FORM),
    "text": Sent(OVEN, b'{"name":"a"}', {"content-type": "text/json"}),
    "no content type": Sent(OVEN, b'{"name":"a"}', {"content-type": ""}),
    "no optional body": Sent("POST /api/v1/look"),
    "null for an optional body": Sent("POST /api/v1/look", b"null", JSON),
    "an optional body": Sent("POST /api/v1/look", CAKE),
    "204": Sent("DELETE /api/v1/forget"),
    "202 without a body": Sent("POST /api/v1/forget"),
    "refused by the handler": Sent("GET /api/v1/lose"),
    "refused while it is sent": Sent("GET /api/v1/late"),
    "another method": Sent("PATCH /api/v1/forget"),
    "unknown path": Sent("GET /api/v1/nowhere"),
}

ITEMS = "POST /api/v1/items"
STRANGERS = {
    "unknown path": Sent("GET /api/v1/nowhere"),
    "unknown page": Sent("GET /nowhere", headers=HTML),
    "unknown page for a program": Sent("GET /nowhere"),
    "unknown method": Sent("PUT /api/v1/items"),
    "unknown method of a page": Sent("DELETE /list", headers=HTML),
    "unknown method of a health check": Sent("POST /healthz"),
    "OPTIONS": Sent("OPTIONS /api/v1/items"),
    "HEAD": Sent("HEAD /healthz"),
    "HEAD of an unknown path": Sent("HEAD /api/v1/nowhere"),
    "HEAD of what needs a caller": Sent("HEAD /api/v1/items"),
    "trailing slash": Sent("GET /api/v1/items/"),
    "trailing slash of a page": Sent("GET /list/", headers=HTML),
    "an encoded slash": Sent("GET /api/v1/items/%2F"),
    "nobody asks": Sent("GET /api/v1/items"),
    "nobody asks with a wrong limit": Sent("GET /api/v1/items?limit=0"),
    "nobody sends broken JSON": Sent(ITEMS, b"{", JSON),
    "nobody sends a long body": Sent(ITEMS, b"x" * 70_000, JSON),
    "nobody sends a long body to a public path": Sent("POST /api/v1/tokens", b"x" * 70_000, JSON),
    "a malformed token": Sent("GET /api/v1/me", headers={"authorization": "Bearer"}),
    "a wrong token": Sent("GET /api/v1/me", headers={"authorization": "Bearer a.b.c"}),
    "nobody opens a page": Sent("GET /list?all=1", headers=HTML),
    "nobody sends a form": Sent("POST /stock/new", b"name=Milk", {**FORM, **HTML, **OURS}),
    "another site sends a form": Sent(
        "POST /stock/new", b"name=Milk", {**FORM, **HTML, "sec-fetch-site": "cross-site"}
    ),
    "a static file that is not there": Sent("GET /static/x/y"),
}
ADMIN = {
    "all errors at once": Sent(
        ITEMS, {"name": "", "quantity": -1, "unit": 3, "threshold": "x", "unknown": 1}
    ),
    "no body": Sent(ITEMS, b"", JSON),
    "broken JSON": Sent(ITEMS, b'{"name": "Milk"', JSON),
    "a form": Sent(ITEMS, b"name=Milk", FORM),
    "a list": Sent(ITEMS, []),
    "quantity with a fraction": Sent(ITEMS, b'{"name": "Milk", "quantity": 1.5}', JSON),
    "quantity as 2.0": Sent(ITEMS, b'{"name": "Milk", "quantity": 2.0}', JSON),
    "quantity past what is exact elsewhere": Sent(
        ITEMS, b'{"name": "Milk", "quantity": 9007199254740993}', JSON
    ),
    "half a surrogate pair": Sent(ITEMS, b'{"name": "\\ud83d", "quantity": 1}', JSON),
    "errors in a list": Sent("POST /api/v1/items/batch", {"items": [{"name": ""}, {"x": 1}, 3]}),
    "wrong query parameters": Sent("GET /api/v1/items?limit=x&nextToken=nonsense"),
    "limit twice": Sent("GET /api/v1/items?limit=0&limit=1"),
    "unknown query parameter": Sent("GET /api/v1/items?nonsense=1"),
    "a token of another list": Sent("GET /api/v1/items?nextToken=nonsense"),
    "HEAD": Sent("HEAD /api/v1/items"),
    "an id of nothing": Sent(f"GET /api/v1/items/{NOBODYS}"),
    "a malformed id": Sent("GET /api/v1/items/nonsense"),
    "a malformed id and a malformed body": Sent("POST /api/v1/items/nonsense/adjust", {"x": 1}),
    "a malformed idempotency key": Sent(ITEMS, {"name": ""}, {"idempotency-key": "two words"}),
    "a long body": Sent(ITEMS, b"x" * 1_500_001, JSON),
}


@pytest.fixture
async def home() -> AsyncIterator[Home]:
    with TemporaryDirectory() as folder:
        database = Database(Sqlite(Path(folder) / "homeshelf.db"))
        async with running_app(database) as running:
            yield await new_home(running, "Lovelace", "ada")
        await database.close()


async def test_responses_of_the_sample_app_equal_the_recorded_ones() -> None:
    assert await answers_of_bakery() == recorded("bakery")


async def test_responses_to_anonymous_clients_equal_the_recorded_ones(home: Home) -> None:
    assert await answers_of(home.running.visitor().client, STRANGERS) == recorded("strangers")


async def test_responses_to_an_admin_equal_the_recorded_ones(home: Home) -> None:
    assert await answers_of(home.admin.client, ADMIN) == recorded("admin")


async def test_response_that_fails_after_its_start_is_aborted() -> None:
    transport = httpx.ASGITransport(sample_app())
    async with httpx.AsyncClient(transport=transport, base_url="http://home.test") as client:
        with pytest.raises(RuntimeError, match="already started"):
            await client.get("/api/v1/too-late")


async def answers_of_bakery() -> dict[str, Any]:
    transport = httpx.ASGITransport(sample_app())
    async with httpx.AsyncClient(transport=transport, base_url="http://home.test") as client:
        return await answers_of(client, BAKERY)


async def answers_of(client: httpx.AsyncClient, requests: dict[str, Sent]) -> dict[str, Any]:
    return {name: await answer_of(client, *sent) for name, sent in requests.items()}


async def answer_of(
    client: httpx.AsyncClient, request: str, body: Any, headers: dict[str, str]
) -> list[Any]:
    method, url = request.split(" ")
    if not isinstance(body, bytes):
        body, headers = json.dumps(body).encode(), JSON | headers
    answer = await client.request(method, url, content=body, headers=headers)
    kind = answer.headers.get("content-type", "")
    said = {name: answer.headers[name] for name in HEADERS if name in answer.headers}
    if method != "HEAD":
        said.pop("content-length", None)
    if not answer.content:
        content: Any = None
    elif kind == "application/problem+json":
        content = answer.json()
    elif kind.startswith("text/html"):
        content = re.findall("<h1[^>]*>([^<]*)<", answer.text)
    else:
        content = answer.text  # text, so that numbers stay as they were sent
    return [request, answer.status_code, said, content]


def recorded(part: str) -> Any:
    return json.loads(RECORDED.read_text())[part]


async def record() -> None:
    with TemporaryDirectory() as folder:
        database = Database(Sqlite(Path(folder) / "homeshelf.db"))
        async with running_app(database) as running:
            ada = (await new_home(running, "Lovelace", "ada")).admin
            parts = {
                "bakery": await answers_of_bakery(),
                "strangers": await answers_of(running.visitor().client, STRANGERS),
                "admin": await answers_of(ada.client, ADMIN),
            }
        await database.close()
    RECORDED.write_text(
        "{"
        + ",".join(
            f"\n {json.dumps(part)}: {{"
            + ",".join(f"\n  {json.dumps(name)}: {json.dumps(it)}" for name, it in answers.items())
            + "\n }"
            for part, answers in parts.items()
        )
        + "\n}\n"
    )


if __name__ == "__main__":
    sys.exit(asyncio.run(record()))
