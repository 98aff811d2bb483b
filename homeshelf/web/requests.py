"""How a body is read: exact decimals, and nothing that is not JSON."""

from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute

from homeshelf.web.json import decode

NOT_JSON = "This is not JSON."
"""Fits no model, so that it is refused like other bodies: after who is asking is known."""


class ExactRequest(Request):
    async def json(self) -> Any:
        body = await self.body()
        try:
            return decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return NOT_JSON


class ApiRoute(APIRoute):
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def exact(request: Request) -> Response:
            return await handle(ExactRequest(request.scope, request.receive))

        return exact


def api_router() -> APIRouter:
    """A slice's part of the JSON API."""
    return APIRouter(route_class=ApiRoute)
