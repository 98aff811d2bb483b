"""FastAPI, with ways past it for what is asked most."""

from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import Any

from fastapi import FastAPI
from fastapi.middleware.asyncexitstack import AsyncExitStackMiddleware
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from homeshelf.table.deadlines import REQUEST_SECONDS, given_up_after
from homeshelf.web.handlers import HandlerRoute
from homeshelf.web.openapi import document
from homeshelf.web.routing import Routes

HERE_AT_ONCE = 64 * 1024
"""Of a body with more bytes the rest comes while the application is at work."""


class Application(FastAPI):
    def openapi(self) -> dict[str, Any]:
        """The contract that is published, made once."""
        if self.openapi_schema is None:
            self.openapi_schema = document(self)
        return self.openapi_schema

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        scope["app"] = self
        with _given_up_in_time(scope):
            await self._layers(scope, receive, send)

    @cached_property
    def _layers(self) -> ASGIApp:
        """Ours alone around the routes, without those of the framework for what ours sees to."""
        layers: ASGIApp = self._route
        for layer, arguments, options in reversed(self.user_middleware):
            layers = layer(layers, *arguments, **options)
        return layers

    async def _route(self, scope: Scope, receive: Receive, send: Send) -> None:
        route = self._routes.find(scope)
        if isinstance(route, HandlerRoute):
            await route.app(scope, receive, send)
        else:
            await self._framework(scope, receive, send)

    @cached_property
    def _routes(self) -> Routes:
        return Routes(self.routes)

    @cached_property
    def _framework(self) -> ASGIApp:
        """For whatever leads nowhere, and for routes that are not ours."""
        router = AsyncExitStackMiddleware(self.router)
        return ExceptionMiddleware(router, handlers=self.exception_handlers)


def _given_up_in_time(scope: Scope) -> AbstractContextManager[object]:
    """Where all of it is here: what is still being sent may take its time."""
    for name, value in scope.get("headers", ()):
        if name == b"content-length" and value.isdigit() and int(value) > HERE_AT_ONCE:
            return nullcontext()
        if name == b"transfer-encoding":
            return nullcontext()
    return given_up_after(REQUEST_SECONDS)
