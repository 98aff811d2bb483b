"""FastAPI, with a way past it for what is asked most."""

from typing import Any, Protocol

from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from homeshelf.table import Engine
from homeshelf.web.openapi import document
from homeshelf.web.short_way import ShortWay


class Straight(Protocol):
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...
    def short_way(self, app: FastAPI) -> ShortWay:
        """To what it answers without waiting, on an engine that reads at once."""


class Application(FastAPI):
    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._straight: tuple[str, Straight] | None = None

    def lead_straight(self, start: str, endpoint: Straight) -> None:
        """Requests for paths that begin so go to the endpoint, and through nothing else."""
        self._straight = start, endpoint

    @property
    def short_way(self) -> ShortWay | None:
        engine: Engine = self.state.services.db.engine
        if self._straight is None or not engine.reads_at_once:
            return None
        return self._straight[1].short_way(self)

    def openapi(self) -> dict[str, Any]:
        """The contract that is published, made once."""
        if self.openapi_schema is None:
            self.openapi_schema = document(self)
        return self.openapi_schema

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start, endpoint = self._straight or ("", None)
        if endpoint is not None and scope["type"] == "http" and scope["path"].startswith(start):
            scope["app"] = self
            await endpoint(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)
