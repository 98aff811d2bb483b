"""`/t/{urlId}`, the page on a tag, as a bare ASGI endpoint: nothing is instant that goes through
more than it needs.

A GET never changes stock. What opens nothing answers the same bytes, whatever the reason.
"""

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple
from urllib.parse import parse_qsl

import structlog
from fastapi import FastAPI
from pydantic import ValidationError
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from homeshelf import clock, security_log
from homeshelf.background import in_background
from homeshelf.coordination.idempotency import AlreadyAnswered
from homeshelf.errors import NotFound, RateLimited
from homeshelf.languages import LANGUAGES, Language
from homeshelf.languages.negotiation import asked_for
from homeshelf.signing import digest
from homeshelf.table import TableError
from homeshelf.taps.access import caller_at, take_turn
from homeshelf.taps.bodies import TapForm
from homeshelf.taps.model import OpenTag, is_url_id
from homeshelf.taps.page_lookup import PageLookup
from homeshelf.taps.rendering import Bodies, Body, tap_bodies, tap_policy
from homeshelf.taps.store import open_tag, tap
from homeshelf.taps.uses import AccessCounts
from homeshelf.web.application import Application
from homeshelf.web.idempotency import Once
from homeshelf.web.limits import address_of
from homeshelf.web.middleware import HTTPS_HEADERS, SECURITY_HEADERS
from homeshelf.web.services import Services, Surroundings
from homeshelf.web.short_way import PlainRequest, Reply, ShortWay, header_lines

START = "/t/"
ROUTE = "/t/{urlId}"
METHODS = ("GET", "HEAD", "POST")
MOST_BYTES = 2000
PREPARING = (b"sec-purpose", b"purpose", b"x-purpose", b"x-moz")
OWN_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "Vary": "Accept-Encoding, Accept-Language",
    "X-Robots-Tag": "noindex",
}

log = structlog.get_logger()

RawHeaders = list[tuple[bytes, bytes]]
Answer = tuple[int, Body | bytes, RawHeaders]
"""Of a body by itself it is known already whether to pack it."""


class Wishes(NamedTuple):
    packed: bool
    prepared: bool
    """Whether a browser only gets ready for what somebody may open."""
    language: Language | None


def wishes_in(headers: RawHeaders) -> Wishes:
    packed = prepared = False
    language = None
    for name, value in headers:
        if name == b"accept-encoding":
            packed = packed or b"gzip" in value
        elif name in PREPARING:
            prepared = prepared or b"pre" in value.lower()
        elif name == b"accept-language":
            language = language or asked_for([(name, value)])
    return Wishes(packed, prepared, language)


Wanted = tuple[int, str, str, Wishes]
"""The number among those who ask together, the tag, the scheme, and what the headers say."""


def install(app: Application, around: Surroundings) -> None:
    endpoint = TapEndpoint(around)
    app.router.routes.append(Route(ROUTE, endpoint, methods=METHODS))
    app.lead_straight(START, endpoint, endpoint.short_way)


async def start(app: Application, services: Services, closing: AsyncExitStack) -> None:
    counts = app.state.access_counts = AccessCounts(services.db)
    app.state.page_lookup = PageLookup(services.db)
    await closing.enter_async_context(in_background(counts.keep))


class TapEndpoint:
    def __init__(self, around: Surroundings) -> None:
        self.forwarding = around.forwarding
        self.hosts = around.hosts
        self.language = around.language
        self._lines = around.lines
        plain = SECURITY_HEADERS | OWN_HEADERS | {"Content-Security-Policy": tap_policy()}
        self._headers = {
            (scheme, packed, code): [
                (name.lower().encode(), text.encode())
                for name, text in (plain | more | packing | {"Content-Language": code}).items()
            ]
            for scheme, more in (("http", {}), ("https", HTTPS_HEADERS))
            for packed, packing in ((False, {}), (True, {"Content-Encoding": "gzip"}))
            for code in LANGUAGES
        }

    def short_way(self, app: FastAPI) -> ShortWay:
        return QuickPages(
            app=app,
            start=START.encode(),
            endpoint=self,
            lookup=app.state.page_lookup,
            counts=app.state.access_counts,
            headers={kind: header_lines(each)[0] for kind, each in self._headers.items()},
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = perf_counter()
        self.forwarding.believe(scope)
        url_id = scope["path"].removeprefix(START)
        wishes = wishes_in(scope["headers"])
        language = wishes.language or self.language
        bodies = tap_bodies(language.code)
        try:
            if self.hosts.serves(scope):
                status, body, more = await self._answer(scope, receive, url_id, wishes, bodies)
            else:
                status, body, more = 421, bodies.nothing, []
        except RateLimited as refused:
            security_log.arrive(scope["client"][0])
            security_log.note("visit_limit_reached", route=ROUTE)
            wait = str(refused.retry_after).encode()
            status, body, more = 429, bodies.too_often, [(b"retry-after", wait)]
        except TableError as error:
            log.warning("table_unavailable", error=str(error))
            status, body, more = 503, bodies.away, [(b"retry-after", b"2")]
        except Exception:  # whatever it was, somebody waits for an answer
            log.exception("unforeseen")
            status, body, more = 500, bodies.wrong, []
        if isinstance(body, Body):
            body = body.packed if wishes.packed else body.plain
        headers = self._headers[scope["scheme"], wishes.packed and body != b"", language.code]
        headers = [*headers, (b"content-length", b"%d" % len(body)), *more]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        sent = b"" if scope["method"] == "HEAD" else body
        await send({"type": "http.response.body", "body": sent, "more_body": False})
        self.note(scope["method"], url_id, status, perf_counter() - began)

    def note(self, method: str, url_id: str, status: int, seconds: float) -> None:
        """Who knows the address of a tag may use it: the log has a digest of it."""
        self._lines.note(method, ROUTE, status, seconds, lambda: {"tag": digest(url_id)[:8]})

    async def _answer(
        self, scope: Scope, receive: Receive, url_id: str, wishes: Wishes, bodies: Bodies
    ) -> Answer:
        method = scope["method"]
        if method not in METHODS:
            return 405, bodies.nothing, [(b"allow", b"GET, HEAD, POST")]
        state = scope["app"].state
        if is_url_id(url_id):
            if method == "POST":
                opened = await open_tag(state.services.db, url_id)
                if opened is not None:
                    return await self._taken(state.services, opened, scope, receive, bodies)
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
        self,
        services: Services,
        opened: OpenTag,
        scope: Scope,
        receive: Receive,
        bodies: Bodies,
    ) -> Answer:
        """The form of those without any script; sent again it takes nothing more."""
        try:
            form = TapForm.model_validate(await _typed(receive), strict=False)
        except (ValidationError, ValueError):
            return 400, bodies.wrong, []
        url_id, path = opened.tag.url_id, scope["path"]
        once = Once(caller_at(url_id), f"{form.key} {form.delta}", "POST", path, b"")
        try:
            with suppress(AlreadyAnswered):
                await once.look(services.db)
                take_turn(services, url_id)
                await tap(once.unit(services.db, lambda _: None, 303), opened, form.delta)
        except NotFound:
            return 404, bodies.nothing, []
        return 303, b"", [(b"location", path.encode())]


@dataclass(frozen=True)
class QuickPages:
    """The pages of tags in use, on the server's short way; whatever else there is to say of a tag
    is said on the long one, by the endpoint."""

    app: FastAPI
    start: bytes
    endpoint: TapEndpoint
    lookup: PageLookup
    counts: AccessCounts
    headers: Mapping[tuple[str, bool, str], bytes]
    """By scheme, for those who unpack, and by language."""

    def replies(self, requests: Sequence[PlainRequest]) -> Sequence[Reply | None]:
        began = perf_counter()
        replies: list[Reply | None] = [None] * len(requests)
        with suppress(Exception):  # the long way says what is wrong
            all_wanted = [
                wanted
                for number, each in enumerate(requests)
                if (wanted := self._wanted(number, each))
            ]
            contents = self.lookup.contents_at_once([url_id for _, url_id, _, _ in all_wanted])
            for (number, url_id, scheme, wishes), content in zip(all_wanted, contents, strict=True):
                if content is not None:
                    code = (wishes.language or self.endpoint.language).code
                    bodies, key = tap_bodies(code), clock.new_token()
                    body = bodies.page(content, key, packed=wishes.packed)
                    replies[number] = Reply(200, self.headers[scheme, wishes.packed, code], body)
                    if not wishes.prepared:
                        self.counts.note(content.tag)
                    self.endpoint.note("GET", url_id, 200, perf_counter() - began)
        return replies

    def _wanted(self, number: int, request: PlainRequest) -> Wanted | None:
        head, client, scheme = request
        path = head.target.decode("ascii")
        url_id = path[len(self.start) :]
        if not is_url_id(url_id):
            return None
        scope: Scope = {
            "app": self.app,
            "client": client,
            "headers": head.headers,
            "path": path,
            "scheme": scheme,
        }
        self.endpoint.forwarding.believe(scope)
        if not self.endpoint.hosts.serves(scope):
            return None
        return number, url_id, scope["scheme"], wishes_in(head.headers)


async def _typed(receive: Receive) -> Mapping[str, str]:
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MOST_BYTES:
            raise ValueError("too long")
        if not message.get("more_body"):
            return dict(parse_qsl(body.decode(), max_num_fields=10))
