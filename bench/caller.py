"""A client without a socket: the application is called as a server calls it."""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI


class Caller:
    """Somebody who is signed in, by a token that is checked like any other."""

    def __init__(self, app: FastAPI, authorization: str) -> None:
        self._app = app
        self._headers = [
            (b"host", b"home.test"),
            (b"authorization", authorization.encode()),
            (b"content-type", b"application/json"),
        ]

    async def ask(self, method: str, path: str, body: bytes = b"") -> bytes:
        """The answer, which must be a success."""
        path, _, question = path.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": question.encode(),
            "root_path": "",
            "headers": list(self._headers),
            "client": ("203.0.113.7", 50000),
            "server": ("home.test", 80),
        }
        answered: list[Mapping[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            answered.append(message)

        await self._app(scope, receive, send)
        assert answered[0]["status"] < 300, answered
        return b"".join(message["body"] for message in answered[1:])
