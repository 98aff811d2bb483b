"""Limits on writes to shared lists, for every caller alike."""

from dataclasses import replace
from functools import partial

from fastapi import Request

from homeshelf.shares.limits import ShareLimits
from homeshelf.shares.model import Shareable
from homeshelf.web.idempotency import IdempotentRequest
from homeshelf.web.limits import address_of
from homeshelf.web.requests import sent_bytes
from homeshelf.web.services import services_of

WRITE_BYTES = 200
"""Counted for each write beside its body: a form sends the ticking person's name as a cookie."""


def count_write(request: Request, shared: Shareable) -> None:
    limits = services_of(request).limits.of(ShareLimits)
    limits.writes.take(address_of(request))
    limits.writes_to_list.take(shared.bare_id)


async def count_text(request: Request) -> None:
    """Count the whole body: it is never smaller than the text in it."""
    size = WRITE_BYTES + await sent_bytes(request)
    services_of(request).limits.of(ShareLimits).take_text(address_of(request), size)


def with_stored_counted(request: Request, asked: IdempotentRequest) -> IdempotentRequest:
    """Count the response too, if it is stored for an idempotency key."""
    count = services_of(request).limits.of(ShareLimits).take_text
    return replace(asked, count_stored=partial(count, address_of(request)))
