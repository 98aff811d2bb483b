"""What the tests of the server share."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from starlette.types import ASGIApp, Message

from homeshelf.serving.loop import new_loop
from homeshelf.serving.server import Server
from homeshelf.web.short_way import PlainRequest, Reply, ShortWay, header_lines
from tests.serving import inside


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """The loop that serves, and the one that does where there is no other."""
    return {"uvloop": new_loop, "asyncio": asyncio.new_event_loop}


@pytest.fixture(params=["the long way", "the short way"])
def however_they_are_run(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes the short way is answered alike; what would wait goes on to the long one."""
    if request.param == "the short way":
        monkeypatch.setattr(inside, "Server", _with_short_way)


def _with_short_way(app: ASGIApp, *arguments: Any, **options: Any) -> Server:
    options["short_way"] = shortened(app)
    return Server(app, *arguments, **options)


@dataclass(frozen=True)
class Shortened:
    reply: Callable[[PlainRequest], Reply | None]
    start: bytes = b"/"

    def replies(self, requests: Sequence[PlainRequest]) -> Sequence[Reply | None]:
        return [self.reply(each) for each in requests]


def shortened(app: ASGIApp) -> ShortWay:
    """A short way for any application: its answer, if that waits for nothing and is one piece."""

    def reply(request: PlainRequest) -> Reply | None:
        head, client, scheme = request
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        path, _, question = head.target.partition(b"?")
        scope = {
            "type": "http",
            "method": head.method,
            "path": path.decode(),
            "query_string": question,
            "headers": head.headers,
            "client": client,
            "scheme": scheme,
        }
        running = app(scope, receive, send).__await__()
        try:
            next(running)
        except StopIteration:
            return _reply(sent)
        except Exception:  # noqa: BLE001  # the long way says what it is
            return None
        running.close()
        return None

    return Shortened(reply)


def _reply(sent: list[Message]) -> Reply | None:
    if len(sent) != 2 or sent[0]["status"] in (204, 304) or sent[1].get("more_body"):
        return None
    headers = [each for each in sent[0]["headers"] if each[0] != b"content-length"]
    if len(headers) < len(sent[0]["headers"]) - 1 or any(b"\n" in value for _, value in headers):
        return None
    declared = dict(sent[0]["headers"]).get(b"content-length")
    body = sent[1].get("body", b"")
    if declared is not None and int(declared) != len(body):
        return None
    return Reply(sent[0]["status"], header_lines(headers)[0], body)
