"""`/t/{urlId}`, the page on a tag, as a bare ASGI endpoint: nothing is instant that goes through
more than it needs.

A GET never changes stock. What opens nothing answers the same bytes, whatever the reason.
"""

from collections.abc import Mapping
from contextlib import AsyncExitStack
from time import perf_counter
from typing import Any
from urllib.parse import parse_qsl

import structlog
from fastapi import FastAPI
from pydantic import ValidationError
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from homeshelf import clock
from homeshelf.background import in_background
from homeshelf.coordination.idempotency import AlreadyAnswered
from homeshelf.errors import NotFound, RateLimited
from homeshelf.table import TableError
from homeshelf.taps.access import caller_at, take_turn
from homeshelf.taps.bodies import TapForm
from homeshelf.taps.counting import AccessCounts
from homeshelf.taps.model import OpenTag, is_url_id
from homeshelf.taps.page_lookup import PageLookup
from homeshelf.taps.quick_pages import QuickPages
from homeshelf.taps.rendering import Body, tap_bodies
from homeshelf.taps.request_headers import RawHeaders, Wishes, wishes_in
from homeshelf.taps.request_lines import ROUTE, RequestLines
from homeshelf.taps.tapping import open_tag, tap
from homeshelf.web.application import Application
from homeshelf.web.forwarding import Forwarding
from homeshelf.web.hosts import Hosts
from homeshelf.web.idempotency import Once
from homeshelf.web.limits import address_of
from homeshelf.web.middleware import HTTPS_HEADERS, SECURITY_HEADERS
from homeshelf.web.services import Services
from homeshelf.web.short_way import ShortWay, header_lines
from homeshelf.web.slice import Surroundings

START = "/t/"
METHODS = ("GET", "HEAD", "POST")
MOST_BYTES = 2000
OWN_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "Vary": "Accept-Encoding",
    "X-Robots-Tag": "noindex",
}

log = structlog.get_logger()

Answer = tuple[int, Body | bytes, RawHeaders]
"""Of a body by itself it is known already whether to pack it."""


def install(app: Application, around: Surroundings) -> None:
    lines = app.state.tap_lines = RequestLines(around.observe)
    endpoint = TapEndpoint(around.forwarding, around.hosts, lines)
    app.router.routes.append(Route(ROUTE, endpoint, methods=METHODS))
    app.lead_straight(START, endpoint)


async def start(app: Application, services: Services, closing: AsyncExitStack) -> None:
    closing.callback(app.state.tap_lines.write)
    counts = app.state.access_counts = AccessCounts(services.db)
    app.state.page_lookup = PageLookup(services.db)
    await closing.enter_async_context(in_background(counts.keep))


class TapEndpoint:
    def __init__(self, forwarding: Forwarding, hosts: Hosts, lines: RequestLines) -> None:
        self._forwarding = forwarding
        self._hosts = hosts
        self._lines = lines
        self._bodies = bodies = tap_bodies()
        plain = SECURITY_HEADERS | OWN_HEADERS | {"Content-Security-Policy": bodies.policy}
        self._headers = {
            (scheme, packed): _raw(plain | more | ({"Content-Encoding": "gzip"} if packed else {}))
            for scheme, more in (("http", {}), ("https", HTTPS_HEADERS))
            for packed in (False, True)
        }

    def short_way(self, app: FastAPI) -> ShortWay:
        return QuickPages(
            app=app,
            start=START.encode(),
            forwarding=self._forwarding,
            hosts=self._hosts,
            lines=self._lines,
            lookup=app.state.page_lookup,
            counts=app.state.access_counts,
            bodies=self._bodies,
            headers={kind: header_lines(each)[0] for kind, each in self._headers.items()},
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = perf_counter()
        self._forwarding.believe(scope)
        url_id, bodies = scope["path"].removeprefix(START), self._bodies
        wishes = wishes_in(scope["headers"])
        packed = wishes.packed
        try:
            if self._hosts.serves(scope):
                status, body, more = await self._answer(scope, receive, url_id, wishes)
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
        if isinstance(body, Body):
            body = body.packed if packed else body.plain
        headers = self._headers[scope["scheme"], packed and body != b""]
        length = (b"content-length", b"%d" % len(body))
        await send(
            {
                "type": "http.response.start",
                "status": status,
                "headers": [*headers, length, *more],
            }
        )
        sent = b"" if scope["method"] == "HEAD" else body
        await send({"type": "http.response.body", "body": sent, "more_body": False})
        self._lines.note(scope["method"], url_id, status, perf_counter() - began)

    async def _answer(self, scope: Scope, receive: Receive, url_id: str, wishes: Wishes) -> Answer:
        method, bodies = scope["method"], self._bodies
        if method not in METHODS:
            return 405, bodies.nothing, [(b"allow", b"GET, HEAD, POST")]
        state = scope["app"].state
        if is_url_id(url_id):
            if method == "POST":
                opened = await open_tag(state.services.db, url_id)
                if opened is not None:
                    return await self._taken(state.services, opened, scope, receive)
            else:
                lookup: PageLookup = state.page_lookup
                content = await lookup.content(url_id)
                if content is not None:
                    if method == "GET" and not wishes.prepared:
                        counts: AccessCounts = state.access_counts
                        counts.note(content.tag)
                    body = bodies.page(content, clock.new_token(), packed=wishes.packed)
                    return 200, body, []
        state.services.limits.unknown.take(address_of(Request(scope)))
        return 404, bodies.nothing, []

    async def _taken(
        self, services: Services, opened: OpenTag, scope: Scope, receive: Receive
    ) -> Answer:
        """The form of those without any script; sent again it takes nothing more."""
        try:
            form = TapForm.model_validate(await _typed(receive), strict=False)
        except (ValidationError, ValueError):
            return 400, self._bodies.wrong, []
        url_id, path = opened.tag.url_id, scope["path"]
        once = Once(caller_at(url_id), f"{form.key} {form.delta}", "POST", path, b"")
        back = 303, b"", [(b"location", path.encode())]
        try:
            await once.look(services.db)
            take_turn(services, url_id)
            await tap(once.unit(services.db, _nothing, 303), opened, form.delta)
        except AlreadyAnswered:
            return back
        except NotFound:
            return 404, self._bodies.nothing, []
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


def _raw(headers: Mapping[str, str]) -> RawHeaders:
    return [(name.lower().encode(), text.encode()) for name, text in headers.items()]
