"""FastAPI, with a way past it for what is asked most."""

from typing import Any

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from homeshelf.table import Engine
from homeshelf.web.openapi import document


class Application(FastAPI):
    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._start, self._target = "", b""
        self._endpoint: ASGIApp = super().__call__

    def lead_straight(self, start: str, endpoint: ASGIApp) -> None:
        """Requests for paths that begin so go to the endpoint, and through nothing else."""
        self._start, self._endpoint = start, endpoint
        self._target = start.encode()

    def answers_at_once(self, method: str, target: bytes) -> bool:
        """Whether the answer waits for nothing: a page that is read from the embedded database."""
        if method != "GET" or not target.startswith(self._target):
            return False
        engine: Engine = self.state.house.db.engine
        return engine.reads_at_once

    def openapi(self) -> dict[str, Any]:
        """The contract that is published, made once."""
        if self.openapi_schema is None:
            self.openapi_schema = document(self)
        return self.openapi_schema

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(self._start):
            scope["app"] = self
            await self._endpoint(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)
