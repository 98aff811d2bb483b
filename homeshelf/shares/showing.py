"""A list as clients see it, and the answers to making one that are kept for repetitions."""

from typing import Any

from fastapi import Request

from homeshelf.errors import or_not_found
from homeshelf.shares import store
from homeshelf.shares.access import SEE, Access, Held, access_to
from homeshelf.shares.keeping import MyList
from homeshelf.shares.model import ChecklistItem
from homeshelf.shares.opening import token_of
from homeshelf.web.json import encode, shown
from homeshelf.web.services import services_of

MOST_KEPT = 90_000
"""Bytes of an answer: of a longer one its id is kept, and the list is read again."""


def shown_list(found: store.OpenList, access: Access) -> dict[str, Any]:
    return shown(found.shared, access=access, items=[shown_item(item) for item in found.items])


def shown_item(item: ChecklistItem) -> dict[str, Any]:
    return shown(item, checked=bool(item.checked))


def shown_mine(mine: MyList) -> dict[str, Any]:
    return {
        "shortId": mine.shared.short_id,
        "name": mine.name,
        "entity": mine.shared.entity,
        "expiresAt": mine.shared.expires_at,
    }


def kept_list(found: store.OpenList, held: Held) -> dict[str, Any]:
    """The answer without its token, and what that was for: a passcode that was changed since then
    is not known to who repeats the request."""
    answer = shown_list(found, "admin")
    return {
        "list": answer if len(encode(answer)) <= MOST_KEPT else None,
        "shortId": found.shared.short_id,
        "role": held.role,
        "passcode": held.version,
    }


async def minted(request: Request, kept: dict[str, Any]) -> dict[str, Any]:
    """The answer that was kept, with a token of now."""
    services = services_of(request)
    answer: dict[str, Any] | None = kept["list"]
    held = Held(kept["role"], kept["passcode"])
    if answer is None:
        shared = or_not_found(await store.shareable(services.db, kept["shortId"]))
        access_to(shared, held, SEE)  # it may say more by now than what was answered
        answer = shown_list(await store.opened(services.db, shared), "admin")
    token = token_of(services.signer, kept["shortId"], held)
    return answer | ({"token": token} if token else {})
