"""The ASGI middleware around all routes."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from http import HTTPStatus
from time import perf_counter

import structlog
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from homeshelf import clock, security_log
from homeshelf.languages import (
    ENGLISH,
    Language,
    reader_language,
    requested_language,
    set_reader_language,
)
from homeshelf.table.deadlines import REQUEST_SECONDS, time_limit
from homeshelf.web.forwarding import Forwarding, Hosts
from homeshelf.web.limited_body import RequireSomebody, limit_body
from homeshelf.web.problems import unexpected_error_response
from homeshelf.web.request_context import context_of
from homeshelf.web.requests import SAFE, is_for_programs

SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Permissions-Policy": "camera=(self), microphone=(self), geolocation=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
HTTPS_HEADERS = {
    "Cross-Origin-Opener-Policy": "same-origin",  # browsers warn about it over HTTP
    "Strict-Transport-Security": "max-age=31536000",
}
READ_BEFORE = 64 * 1024
"""The longest body that has arrived before its request is handled."""

Observe = Callable[[str, str, int, float], None]
"""A function of the method, route, status and seconds of a request."""

log = structlog.get_logger()


class Middleware:
    """Sets request ids, forwarded addresses and headers, limits bodies, and logs each request."""

    def __init__(
        self,
        app: ASGIApp,
        require_somebody: RequireSomebody,
        forwarding: Forwarding,
        hosts: Hosts,
        language: Language = ENGLISH,
        observe: Observe | None = None,
    ) -> None:
        self.app = app
        self.require_somebody = require_somebody
        self.forwarding = forwarding
        self.hosts = hosts
        self.language = language
        self.observe = observe

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        method = scope["method"]
        if method == "HEAD":
            # A copy, because the server must still know that no body may follow.
            scope, send = {**scope, "method": "GET"}, _without_body(send)
            context_of(scope).is_head = True
        self.forwarding.believe(scope)
        security_log.set_address(scope["client"][0])
        request_id = clock.new_id()
        default = ENGLISH if is_for_programs(scope) else self.language
        set_reader_language(requested_language(scope["headers"]) or default)
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        began, status, begun = perf_counter(), 500, False

        async def answer(message: Message) -> None:
            nonlocal status, begun
            if message["type"] == "http.response.start":
                status, begun = message["status"], True
                message["headers"] = _add_headers(scope, message["headers"], request_id)
            await send(message)

        try:
            if self.hosts.serves(scope):
                with _request_timeout(scope):
                    await self.app(scope, limit_body(scope, receive, self.require_somebody), answer)
            else:
                await self.hosts.refusal(Request(scope))(scope, receive, answer)
        except Exception as error:
            unforeseen = unexpected_error_response(Request(scope), error)
            if begun:  # too late for another response, so the server aborts this one
                raise
            await unforeseen(scope, receive, answer)
        finally:
            took = perf_counter() - began
            # The path template, because parameters of the path may be secrets.
            route = getattr(scope.get("route"), "path", None) or "unknown"
            if status == HTTPStatus.TOO_MANY_REQUESTS:
                security_log.note(_limit_event(scope), route=route)
            if self.observe:
                self.observe(method, route, status, took)
            log.info("request", method=method, route=route, status=status, ms=round(took * 1000, 2))


def _request_timeout(scope: Scope) -> AbstractContextManager[object]:
    """Limit the time for the database, unless part of the body is still to arrive."""
    headers = dict(scope["headers"])
    length = headers.get(b"content-length", b"0")
    is_long = length.isdigit() and int(length) > READ_BEFORE
    if is_long or b"transfer-encoding" in headers:
        return nullcontext()
    return time_limit(REQUEST_SECONDS)


def _limit_event(scope: Scope) -> security_log.Failure:
    """Log visits as a separate event, because any web page can cause them with images.

    If the sender were blocked for them, that page could lock a household out.
    """
    is_visit = scope["method"] in SAFE or context_of(scope).is_uniform
    return "visit_limit_reached" if is_visit else "limit_reached"


def _without_body(send: Send) -> Send:
    """Return a `send` that ends a response after its headers, even a stream or a long file."""

    async def send_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            await send(message)
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    return send_headers


Header = tuple[bytes, bytes]


def _raw_headers(headers: Mapping[str, str]) -> list[Header]:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


_BY_SCHEME = {
    "http": _raw_headers(SECURITY_HEADERS),
    "https": _raw_headers(SECURITY_HEADERS | HTTPS_HEADERS),
}
_NO_SNIFFING = _raw_headers({"X-Content-Type-Options": "nosniff"})


def _add_headers(scope: Scope, headers: Iterable[Header], request_id: str) -> list[Header]:
    """Return the headers of a response, with the common ones that it does not set itself."""
    context = context_of(scope)
    common = [*_BY_SCHEME[scope["scheme"]]]
    if not context.is_uniform:
        common.append((b"x-request-id", request_id.encode()))
    if context.cookie:
        common.append((b"set-cookie", context.cookie.encode("latin-1")))
    if is_for_programs(scope):
        common += _api_headers(reader_language().code)
    if context.is_part:
        common = _NO_SNIFFING
    own = [*headers]
    names = {name for name, _ in own}
    return own + [header for header in common if header[0] not in names]


@cache
def _api_headers(code: str) -> list[Header]:
    return _raw_headers(
        {"Cache-Control": "no-store", "Content-Language": code, "Vary": "Accept-Language"}
    )
