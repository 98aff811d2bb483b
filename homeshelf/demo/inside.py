"""Asks the application as its clients do, without a network between."""

from typing import Any

from fastapi import FastAPI

from homeshelf.web.json import decode, encode


class Person:
    """Somebody who uses the JSON API; signed in once they have a token."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self.token: str | None = None

    async def post(self, path: str, body: Any) -> dict[str, Any]:
        return await self.ask("POST", path, body)

    async def ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """The answer, which must be a success: the demo asks only for what is allowed."""
        status, content = await self._call(method, f"/api/v1{path}", encode(body or {}))
        if status >= 300:
            raise RuntimeError(f"{method} {path} was answered with {status}: {content.decode()}")
        answer: dict[str, Any] = decode(content or b"{}")
        return answer

    async def _call(self, method: str, path: str, body: bytes) -> tuple[int, bytes]:
        headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
        if self.token:
            headers.append((b"authorization", f"Bearer {self.token}".encode()))
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": headers,
            "client": ("127.0.0.1", 0),
            "server": ("localhost", 80),
        }
        sent: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        await self._app(scope, receive, send)
        content = b"".join(message.get("body", b"") for message in sent)
        return int(sent[0]["status"]), content
