"""Route classes: API routes read exact decimals, and page routes refuse cross-site requests."""

import json
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from starlette.types import Scope

from homeshelf.config.addresses import browser_origin
from homeshelf.errors import Forbidden
from homeshelf.sentences import _
from homeshelf.web.json import decode
from homeshelf.web.services import services_of
from homeshelf.web.spooling import drop_spooled

API = "/api/v1"
Handle = Callable[[Request], Coroutine[Any, Any, Response]]
NOT_JSON = _("This isn’t JSON.")
"""The body in place of malformed JSON: it fits no model, so authentication is checked first."""


def is_for_programs(scope: Scope) -> bool:
    path: str = scope["path"]
    return path.startswith("/api/")


class ExactRequest(Request):
    async def json(self) -> Any:
        body = await self.body()
        try:
            return decode(body)
        except msgspec.DecodeError:
            return _parse_with_surrogates(body)
        except (UnicodeDecodeError, RecursionError, ArithmeticError):
            return NOT_JSON


def _parse_with_surrogates(body: bytes) -> Any:
    """Parse JSON with a lone surrogate, so that the error names its field."""
    try:
        read = json.loads(
            body, parse_constant=_refuse_constant, object_pairs_hook=_require_valid_names
        )
    except (ValueError, RecursionError):
        return NOT_JSON
    return read if isinstance(read, dict) else NOT_JSON


def _refuse_constant(word: str) -> Any:
    raise ValueError(word)


def _require_valid_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    for name, _value in pairs:
        name.encode()
    return dict(pairs)


class PageRoute(APIRoute):
    """A route that refuses cross-site requests before it calls the handler."""

    def get_route_handler(self) -> Handle:
        handle = super().get_route_handler()

        async def handle_own(request: Request) -> Response:
            require_same_origin(request)
            return await handle(request)

        return handle_own


class ApiRoute(APIRoute):
    """A route that reads JSON exactly, and closes a spooled body that no handler took."""

    def get_route_handler(self) -> Handle:
        handle = super().get_route_handler()

        async def handle_exactly(request: Request) -> Response:
            exact = ExactRequest(request.scope, request.receive)
            try:
                return await handle(exact)
            finally:
                drop_spooled(exact)

        return handle_exactly


def api_router(
    route: type[ApiRoute] = ApiRoute, responses: dict[int | str, dict[str, Any]] | None = None
) -> APIRouter:
    return APIRouter(
        prefix=API, route_class=route, default_response_class=Response, responses=responses
    )


SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
CARRY_TEXT = frozenset({"POST", "PUT", "PATCH"})


async def body_size(request: Request) -> int:
    """Return the size of a body whose text may be stored."""
    return len(await request.body()) if request.method in CARRY_TEXT else 0


def require_same_origin(request: Request) -> None:
    """Require that a request with a cookie comes from our own pages.

    `same-site` is refused as well, because households run other programs on other ports.
    """
    if request.method in SAFE:
        return
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        if site in ("same-origin", "none"):
            return
    elif request.headers.get("origin") in _own_origins(request):
        return
    raise Forbidden(_("This came from another site. Open Homeshelf and try there."))


def _own_origins(request: Request) -> set[str]:
    """Return the requested origin and the public one, whose port a proxy may drop."""
    origins = {f"{request.url.scheme}://{request.url.netloc}"}
    public_url = services_of(request).settings.public_url
    if public_url is not None:
        origins.add(browser_origin(public_url))
    return origins
