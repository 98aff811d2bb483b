"""The page of a tag: a plain ASGI endpoint, because it is loaded more often than anything else."""

from contextlib import AsyncExitStack
from functools import cache
from typing import NamedTuple
from urllib.parse import parse_qsl

import structlog
from fastapi import Request
from pydantic import ValidationError
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from homeshelf import clock
from homeshelf.background import in_background
from homeshelf.errors import NotFound, RateLimited
from homeshelf.inventory.adjustments import Adjusted
from homeshelf.languages import reader_language
from homeshelf.signing import digest
from homeshelf.table import Database, TableError
from homeshelf.taps.access import caller_at
from homeshelf.taps.fields import TapForm
from homeshelf.taps.limits import TapLimits
from homeshelf.taps.model import OpenTag, is_url_id
from homeshelf.taps.page_lookup import PageLookup
from homeshelf.taps.rendering import Bodies, Body, tap_bodies, tap_policy
from homeshelf.taps.store import open_tag, tap
from homeshelf.taps.uses import AccessCounts
from homeshelf.web.body_limits import BodyLimits, body_limits
from homeshelf.web.idempotency import IdempotentRequest
from homeshelf.web.limits import address_of
from homeshelf.web.problems import WrappedError
from homeshelf.web.request_context import context_of
from homeshelf.web.services import Services, services_of

MOST_BYTES = 2000
PREPARING = ("sec-purpose", "purpose", "x-purpose", "x-moz")

log = structlog.get_logger()

Header = tuple[bytes, bytes]


class Answer(NamedTuple):
    status: int
    body: Body | bytes
    headers: tuple[Header, ...] = ()


async def start(services: Services, closing: AsyncExitStack) -> None:
    counts = AccessCounts(services.db)
    services.provide(AccessCounts, counts)
    services.provide(PageLookup, PageLookup(services.db))
    await closing.enter_async_context(in_background(counts.keep))


class TapPage:
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        scope["route"] = TAP_PAGE  # FastAPI does so for its own routes only
        url_id = scope["path_params"]["urlId"]
        # The address alone lets anybody use the tag, so the log gets a digest of it.
        structlog.contextvars.bind_contextvars(tag=digest(url_id)[:8])
        context_of(scope).is_uniform = True
        language = reader_language().code
        bodies = tap_bodies(language)
        is_packed = "gzip" in request.headers.get("accept-encoding", "")
        try:
            status, body, more = await _answer(request, url_id, bodies, is_packed)
        except RateLimited as refused:
            status, body, more = 429, bodies.too_often, _retry_after(refused.retry_after)
        except TableError as error:
            log.warning("table_unavailable", error=str(error))
            status, body, more = 503, bodies.away, _retry_after(2)
        except Exception:
            log.exception("unforeseen")
            status, body, more = 500, bodies.wrong, ()
        if isinstance(body, Body):
            body = body.packed if is_packed else body.plain
        length = (b"content-length", b"%d" % len(body))
        headers = [*_headers(language, is_packed and body != b""), length, *more]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})


TAP_PAGE = Route(
    "/t/{urlId}",
    body_limits(BodyLimits(MOST_BYTES, MOST_BYTES))(TapPage()),
    methods=["GET", "POST"],
)


async def _answer(request: Request, url_id: str, bodies: Bodies, is_packed: bool) -> Answer:
    services = services_of(request)
    if is_url_id(url_id):
        if request.method == "POST":
            opened = await open_tag(services.db, url_id)
            if opened is not None:
                return await _take(request, opened, bodies)
        else:
            content = await services.of(PageLookup).content(url_id)
            if content is not None:
                if not (context_of(request.scope).is_head or _is_prefetch(request)):
                    services.of(AccessCounts).note(content.tag)
                return Answer(200, bodies.page(content, clock.new_token(), packed=is_packed))
    services.limits.unknown.take(address_of(request))
    return Answer(404, bodies.nothing)


async def _take(request: Request, opened: OpenTag, bodies: Bodies) -> Answer:
    """Carry out the form's tap once, however often it is sent."""
    services = services_of(request)
    try:
        fields = dict(parse_qsl((await request.body()).decode(), max_num_fields=10))
        form = TapForm.model_validate(fields, strict=False)
    except (WrappedError, ValidationError, ValueError):
        return Answer(400, bodies.wrong)
    url_id, path = opened.tag.url_id, request.scope["path"]
    key = f"{form.key} {form.delta}"
    asked = IdempotentRequest(caller_at(url_id), key, "POST", path, b"")

    async def take(unit: Database) -> Adjusted:
        services.limits.of(TapLimits).take(url_id)
        return await tap(unit, opened, form.delta)

    try:
        await asked.outcome(services.db, take, lambda _: None, 303)
    except NotFound:
        return Answer(404, bodies.nothing)
    return Answer(303, b"", ((b"location", path.encode()),))


def _is_prefetch(request: Request) -> bool:
    """Whether a browser prepares a page that nobody may open."""
    return any("pre" in request.headers.get(name, "").lower() for name in PREPARING)


def _retry_after(seconds: int) -> tuple[Header, ...]:
    return ((b"retry-after", str(seconds).encode()),)


@cache
def _headers(language: str, is_packed: bool) -> list[Header]:
    texts = {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "vary": "Accept-Encoding, Accept-Language",
        "x-robots-tag": "noindex",
        "content-security-policy": tap_policy(),
        "content-language": language,
        **({"content-encoding": "gzip"} if is_packed else {}),
    }
    return [(name.encode(), text.encode()) for name, text in texts.items()]
