"""The holder of a tag's address, as a type in the signature."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Request

from homeshelf.errors import NotFound
from homeshelf.signing import digest
from homeshelf.taps.limits import TapLimits
from homeshelf.taps.model import OpenTag, is_url_id
from homeshelf.taps.store import open_tag
from homeshelf.web.idempotency import IdempotentRequest, idempotent_request
from homeshelf.web.limits import address_of
from homeshelf.web.request_context import context_of
from homeshelf.web.services import services_of


@dataclass(frozen=True)
class AtTag:
    opened: OpenTag
    request: IdempotentRequest


def caller_at(url_id: str) -> str:
    """Return the owner of the idempotency keys."""
    return f"tag {digest(url_id)}"


async def _tag(request: Request, url_id: Annotated[str, Path(alias="urlId")]) -> OpenTag:
    """Return the tag at an address. A caller who tries many unknown ones is limited."""
    services = services_of(request)
    found = await open_tag(services.db, url_id) if is_url_id(url_id) else None
    if found is None:
        context_of(request.scope).is_uniform = True
        services.limits.unknown.take(address_of(request))
        raise NotFound
    return found


async def _at_tag(request: Request, opened: Annotated[OpenTag, Depends(_tag)]) -> AtTag:
    asked = await idempotent_request(request, caller_at(opened.tag.url_id))
    if asked.stored is None:
        services_of(request).limits.of(TapLimits).take(opened.tag.url_id)
    return AtTag(opened, asked)


Seen = Annotated[OpenTag, Depends(_tag)]
Tapped = Annotated[AtTag, Depends(_at_tag)]
