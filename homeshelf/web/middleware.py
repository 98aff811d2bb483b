"""The outermost layer: what every request and every answer has, whatever handles it."""

from time import perf_counter

import structlog
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from homeshelf import clock
from homeshelf.languages import ENGLISH, Language, answer_in, reader_language
from homeshelf.languages.negotiation import asked_for
from homeshelf.web.body_limits import RequireSomebody, limited
from homeshelf.web.problems import unforeseen_answer
from homeshelf.web.requests import is_for_programs
from homeshelf.web.services import Surroundings

log = structlog.get_logger()

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
    "Cross-Origin-Opener-Policy": "same-origin",  # over plain HTTP browsers only complain about it
    "Strict-Transport-Security": "max-age=31536000",
}
_BY_SCHEME = {"http": SECURITY_HEADERS, "https": SECURITY_HEADERS | HTTPS_HEADERS}


class Middleware:
    """Request ids, forwarded addresses, names, body limits, security headers, one log line."""

    def __init__(
        self,
        app: ASGIApp,
        require_somebody: RequireSomebody,
        around: Surroundings,
    ) -> None:
        self.app = app
        self.require_somebody = require_somebody
        self.around = around

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        scope["state"] = {}  # a request's own, whatever the server shares between them
        self.around.forwarding.believe(scope)
        request_id = clock.new_id()
        answer_in(self._language(scope))
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        began, status, begun = perf_counter(), 500, False

        async def answer(message: Message) -> None:
            nonlocal status, begun
            if message["type"] == "http.response.start":
                status, begun = message["status"], True
                _dress(scope, MutableHeaders(scope=message), request_id)
            await send(message)

        try:
            if self.around.hosts.serves(scope):
                await self.app(scope, limited(scope, receive, self.require_somebody), answer)
            else:
                await self.around.hosts.refusal(Request(scope))(scope, receive, answer)
        except Exception as error:
            unforeseen = unforeseen_answer(Request(scope), error)
            if begun:  # too late for another answer: the server breaks this one off
                raise
            await unforeseen(scope, receive, answer)
        finally:
            took = perf_counter() - began
            # The path as a template: what was in it may be a secret.
            route = getattr(scope.get("route"), "path", None) or "unknown"
            if self.around.observe:
                self.around.observe(scope["method"], route, status, took)
            log.info(
                "request",
                method=scope["method"],
                route=route,
                status=status,
                ms=round(took * 1000, 2),
            )

    def _language(self, scope: Scope) -> Language:
        """Until it is known who asks; programs hear English unless they ask for another."""
        otherwise = ENGLISH if is_for_programs(scope) else self.around.language
        return asked_for(scope["headers"]) or otherwise


def _dress(scope: Scope, headers: MutableHeaders, request_id: str) -> None:
    if scope["state"].get("is_part"):
        headers.setdefault("X-Content-Type-Options", "nosniff")
        return
    for name, value in _BY_SCHEME[scope["scheme"]].items():
        headers.setdefault(name, value)
    if not scope["state"].get("same_for_all"):
        headers.setdefault("X-Request-Id", request_id)
    if cookie := scope["state"].get("cookie"):
        headers.setdefault("Set-Cookie", cookie)
    if is_for_programs(scope):
        headers.setdefault("Cache-Control", "no-store")
        headers.setdefault("Content-Language", reader_language().code)
        headers.setdefault("Vary", "Accept-Language")
