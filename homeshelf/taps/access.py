"""The access of an anonymous client that knows a tag's address."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Request

from homeshelf.errors import NotFound
from homeshelf.signing import digest
from homeshelf.taps.limits import TapLimits
from homeshelf.taps.model import ActiveTag, is_url_id
from homeshelf.taps.store import find_active_tag
from homeshelf.web.idempotency import IdempotentRequest, idempotent_request
from homeshelf.web.limits import address_of
from homeshelf.web.request_context import context_of
from homeshelf.web.services import services_of


@dataclass(frozen=True)
class TagRequest:
    active: ActiveTag
    request: IdempotentRequest


def tag_caller(url_id: str) -> str:
    return f"tag {digest(url_id)}"


async def _find_tag(request: Request, url_id: Annotated[str, Path(alias="urlId")]) -> ActiveTag:
    """Find a tag by its address; clients that try unknown addresses are rate limited."""
    services = services_of(request)
    found = await find_active_tag(services.db, url_id) if is_url_id(url_id) else None
    if found is None:
        context_of(request.scope).is_uniform = True
        services.limits.unknown.take(address_of(request))
        raise NotFound
    return found


async def _tag_request(
    request: Request, active: Annotated[ActiveTag, Depends(_find_tag)]
) -> TagRequest:
    idempotent = await idempotent_request(request, tag_caller(active.tag.url_id))
    if idempotent.stored is None:
        services_of(request).limits.of(TapLimits).take(active.tag.url_id)
    return TagRequest(active, idempotent)


FoundTag = Annotated[ActiveTag, Depends(_find_tag)]
TappedTag = Annotated[TagRequest, Depends(_tag_request)]
