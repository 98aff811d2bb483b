"""The page of a tag, a plain ASGI endpoint because no other page is loaded as often."""

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
from homeshelf.background import run_in_background
from homeshelf.errors import NotFound, RateLimited
from homeshelf.inventory.adjustments import AdjustmentResult
from homeshelf.languages import reader_language
from homeshelf.signing import digest
from homeshelf.table import Database, TableError
from homeshelf.taps.access import tag_caller
from homeshelf.taps.fields import TapForm
from homeshelf.taps.limits import TapLimits
from homeshelf.taps.model import ActiveTag, is_url_id
from homeshelf.taps.page_lookup import PageLookup
from homeshelf.taps.rendering import Bodies, Body, tap_bodies, tap_policy
from homeshelf.taps.store import find_active_tag, tap
from homeshelf.taps.use_counts import AccessCounts
from homeshelf.web.body_limits import BodyLimits, body_limits
from homeshelf.web.idempotency import IdempotentRequest
from homeshelf.web.limits import address_of
from homeshelf.web.problems import WrappedError
from homeshelf.web.request_context import context_of
from homeshelf.web.services import Services, services_of

MOST_BYTES = 2000
PREFETCH_HEADERS = ("sec-purpose", "purpose", "x-purpose", "x-moz")

log = structlog.get_logger()

Header = tuple[bytes, bytes]


class Answer(NamedTuple):
    status: int
    body: Body | bytes
    headers: tuple[Header, ...] = ()


async def start_counting(services: Services, closing: AsyncExitStack) -> None:
    counts = AccessCounts(services.db)
    services.provide(AccessCounts, counts)
    services.provide(PageLookup, PageLookup(services.db))
    await closing.enter_async_context(run_in_background(counts.run))


class TapPage:
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        scope["route"] = TAP_PAGE  # FastAPI sets it only for its own routes
        url_id = scope["path_params"]["urlId"]
        # The address alone gives access to the tag, so the log gets only a digest of it.
        structlog.contextvars.bind_contextvars(tag=digest(url_id)[:8])
        context_of(scope).is_uniform = True
        language = reader_language().code
        bodies = tap_bodies(language)
        is_gzipped = "gzip" in request.headers.get("accept-encoding", "")
        try:
            status, body, extra_headers = await _answer(request, url_id, bodies, is_gzipped)
        except RateLimited as refused:
            status, body, extra_headers = (
                429,
                bodies.rate_limited,
                _retry_after(refused.retry_after),
            )
        except TableError as error:
            log.warning("table_unavailable", error=str(error))
            status, body, extra_headers = 503, bodies.unavailable, _retry_after(2)
        except Exception:
            log.exception("unforeseen")
            status, body, extra_headers = 500, bodies.failed, ()
        if isinstance(body, Body):
            body = body.gzipped if is_gzipped else body.plain
        length = (b"content-length", b"%d" % len(body))
        headers = [*_headers(language, is_gzipped and body != b""), length, *extra_headers]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})


TAP_PAGE = Route(
    "/t/{urlId}",
    body_limits(BodyLimits(MOST_BYTES, MOST_BYTES))(TapPage()),
    methods=["GET", "POST"],
)


async def _answer(request: Request, url_id: str, bodies: Bodies, is_gzipped: bool) -> Answer:
    services = services_of(request)
    if is_url_id(url_id):
        if request.method == "POST":
            active = await find_active_tag(services.db, url_id)
            if active is not None:
                return await _tap_from_form(request, active, bodies)
        else:
            content = await services.of(PageLookup).content(url_id)
            if content is not None:
                headers = (request.headers.get(name, "").lower() for name in PREFETCH_HEADERS)
                is_prefetch = any("pre" in text for text in headers)
                if not (context_of(request.scope).is_head or is_prefetch):
                    services.of(AccessCounts).count_use(content.tag)
                return Answer(200, bodies.page(content, clock.new_token(), gzipped=is_gzipped))
    services.limits.unknown.take(address_of(request))
    return Answer(404, bodies.not_found)


async def _tap_from_form(request: Request, active: ActiveTag, bodies: Bodies) -> Answer:
    """Apply a submitted form once, however often the browser sends it."""
    services = services_of(request)
    try:
        fields = dict(parse_qsl((await request.body()).decode(), max_num_fields=10))
        form = TapForm.model_validate(fields, strict=False)
    except (WrappedError, ValidationError, ValueError):
        return Answer(400, bodies.failed)
    url_id, path = active.tag.url_id, request.scope["path"]
    key = f"{form.key} {form.delta}"
    idempotent = IdempotentRequest(tag_caller(url_id), key, "POST", path, b"")

    async def take(unit: Database) -> AdjustmentResult:
        services.limits.of(TapLimits).take(url_id)
        return await tap(unit, active, form.delta)

    try:
        await idempotent.outcome(services.db, take, lambda _: None, 303)
    except NotFound:
        return Answer(404, bodies.not_found)
    return Answer(303, b"", ((b"location", path.encode()),))


def _retry_after(seconds: int) -> tuple[Header, ...]:
    return ((b"retry-after", str(seconds).encode()),)


@cache
def _headers(language: str, is_gzipped: bool) -> list[Header]:
    texts = {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "vary": "Accept-Encoding, Accept-Language",
        "x-robots-tag": "noindex",
        "content-security-policy": tap_policy(),
        "content-language": language,
        **({"content-encoding": "gzip"} if is_gzipped else {}),
    }
    return [(name.encode(), text.encode()) for name, text in texts.items()]
