"""Requests spoken to the application itself, without a client that waits for their end."""

import asyncio
import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI

STREAMS_FOR = 0.3


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def code(self) -> str | None:
        is_problem = self.headers.get("content-type") == "application/problem+json"
        return json.loads(self.text)["code"] if is_problem else None


async def call(
    app: FastAPI, method: str, url: str, headers: Mapping[str, str], content: bytes
) -> Answer:
    """One request; what streams is cut off after a moment."""
    path, _, question = url.partition("?")
    scope = {
        "type": "http",
        "http_version": "1.1",
        "asgi": {"version": "3.0"},
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": question.encode(),
        "root_path": "",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers.items()],
        "client": ("203.0.113.9", 50000),
        "server": ("home.test", 80),
    }
    status, answered, text = 0, {}, b""
    sent = False

    async def receive() -> dict[str, Any]:
        nonlocal sent
        if sent:
            await asyncio.Event().wait()
        sent = True
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message: Any) -> None:
        nonlocal status, answered, text
        if message["type"] == "http.response.start":
            status = message["status"]
            answered = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            text += message.get("body", b"")

    try:
        async with asyncio.timeout(STREAMS_FOR if path.endswith("/events") else 10):
            await app(scope, receive, send)
    except TimeoutError:
        assert answered.get("content-type", "").startswith("text/event-stream")
    if answered.get("content-encoding") == "gzip":
        text = gzip.decompress(text)
    return Answer(status, answered, text.decode())
