"""`/t/{urlId}`, the page on a tag, as a bare ASGI endpoint: nothing is instant that goes through
more than it needs.

A GET never changes stock. What opens nothing answers the same bytes, whatever the reason.
"""

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any
from urllib.parse import parse_qsl

import structlog
from pydantic import ValidationError
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from homeshelf import clock
from homeshelf.errors import NotFound, RateLimited
from homeshelf.signing import digest
from homeshelf.table import TableError
from homeshelf.table.answers import AlreadyAnswered
from homeshelf.taps.access import caller_at, take_turn
from homeshelf.taps.counting import AccessCounts
from homeshelf.taps.fields import FormTap
from homeshelf.taps.model import OpenTag, is_url_id
from homeshelf.taps.rendering import Bodies, tap_bodies
from homeshelf.taps.tapping import open_tag, tap
from homeshelf.web.forwarding import Forwarding
from homeshelf.web.guard import HTTPS_HEADERS, SECURITY_HEADERS
from homeshelf.web.hosts import Hosts
from homeshelf.web.house import House
from homeshelf.web.limits import address_of
from homeshelf.web.once import Once

ROUTE = "/t/{urlId}"
START = "/t/"
METHODS = ("GET", "HEAD", "POST")
MOST_BYTES = 2000
PREPARING = (b"sec-purpose", b"purpose", b"x-purpose", b"x-moz")
PLAIN_HEADERS = SECURITY_HEADERS | {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex",
}

log = structlog.get_logger()

RawHeaders = list[tuple[bytes, bytes]]
Answer = tuple[int, bytes, RawHeaders]
Observe = Callable[[str, str, int, float], None]


class TapEndpoint:
    def __init__(self, forwarding: Forwarding, hosts: Hosts, observe: Observe | None) -> None:
        self._forwarding = forwarding
        self._hosts = hosts
        self._observe = observe

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = perf_counter()
        self._forwarding.believe(scope, Headers(scope=scope))
        url_id, bodies = scope["path"].removeprefix(START), tap_bodies()
        try:
            if self._hosts.serves(scope):
                status, body, more = await _answer(scope, receive, url_id, bodies)
            else:
                status, body, more = 421, bodies.nothing, []
        except RateLimited as refused:
            wait = str(refused.retry_after).encode()
            status, body, more = 429, bodies.too_often, [(b"retry-after", wait)]
        except TableError as error:
            log.warning("table_unavailable", error=str(error))
            status, body, more = 503, bodies.away, [(b"retry-after", b"2")]
        except Exception:  # whatever it was, somebody waits for an answer
            log.exception("unforeseen")
            status, body, more = 500, bodies.wrong, []
        await _send(scope, send, status, body, more)
        took = perf_counter() - began
        if self._observe:
            self._observe(scope["method"], ROUTE, status, took)
        log.info(
            "request",
            method=scope["method"],
            route=ROUTE,
            tag=digest(url_id)[:8],
            status=status,
            ms=round(took * 1000, 2),
        )


class Straight:
    """Leads what is hot past everything that it does not need."""

    def __init__(self, app: ASGIApp, start: str, endpoint: ASGIApp) -> None:
        self.app = app
        self.start = start
        self.endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_hot = scope["type"] == "http" and scope["path"].startswith(self.start)
        await (self.endpoint if is_hot else self.app)(scope, receive, send)


async def _answer(scope: Scope, receive: Receive, url_id: str, bodies: Bodies) -> Answer:
    if scope["method"] not in METHODS:
        return 405, bodies.nothing, [(b"allow", b"GET, HEAD, POST")]
    state = scope["app"].state
    house: House = state.house
    opened = await open_tag(house.db, url_id) if is_url_id(url_id) else None
    if opened is None:
        house.limits.unknown.take(address_of(Request(scope)))
        return 404, bodies.nothing, []
    if scope["method"] == "POST":
        return await _taken(house, opened, scope, receive, bodies)
    if scope["method"] == "GET" and not _is_prepared(scope["headers"]):
        counts: AccessCounts = state.access_counts
        counts.note(opened.tag)
    return 200, bodies.page(opened, clock.new_token()), []


async def _taken(
    house: House, opened: OpenTag, scope: Scope, receive: Receive, bodies: Bodies
) -> Answer:
    """The form of those without any script; sent again it takes nothing more."""
    try:
        form = FormTap.model_validate(await _typed(receive), strict=False)
    except (ValidationError, ValueError):
        return 400, bodies.wrong, []
    url_id, path = opened.tag.url_id, scope["path"]
    once = Once(caller_at(url_id), f"{form.key} {form.delta}", "POST", path, b"")
    back = 303, b"", [(b"location", path.encode())]
    try:
        await once.look(house.db)
        take_turn(house, url_id)
        await tap(house.db, opened, form.delta, also=once.keep(_nothing, 303))
    except AlreadyAnswered:
        return back
    except NotFound:
        return 404, bodies.nothing, []
    return back


async def _typed(receive: Receive) -> Mapping[str, str]:
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MOST_BYTES:
            raise ValueError("too long")
        if not message.get("more_body"):
            return dict(parse_qsl(body.decode(), max_num_fields=10))


def _nothing(_result: Any) -> None:
    return None


def _is_prepared(headers: RawHeaders) -> bool:
    """Whether a browser only gets ready for what somebody may open."""
    return any(name in PREPARING and b"pre" in value.lower() for name, value in headers)


async def _send(scope: Scope, send: Send, status: int, body: bytes, more: RawHeaders) -> None:
    headers = _HTTPS if scope["scheme"] == "https" else _HTTP
    length = (b"content-length", str(len(body)).encode())
    start = {"type": "http.response.start", "status": status, "headers": [*headers, length, *more]}
    await send(start)
    sent = b"" if scope["method"] == "HEAD" else body
    await send({"type": "http.response.body", "body": sent, "more_body": False})


def _raw(headers: dict[str, str]) -> RawHeaders:
    html = {"Content-Type": "text/html; charset=utf-8"}
    return [(name.lower().encode(), text.encode()) for name, text in (html | headers).items()]


_HTTP = _raw(PLAIN_HEADERS)
_HTTPS = _raw(PLAIN_HEADERS | HTTPS_HEADERS)
