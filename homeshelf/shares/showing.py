"""A list as clients see it, and the answers to making one that are kept for repetitions."""

from typing import Any

from fastapi import Request

from homeshelf.errors import NotFound
from homeshelf.shares import store
from homeshelf.shares.access import SEE, Access, Held, access_to
from homeshelf.shares.keeping import MyList
from homeshelf.shares.model import ChecklistItem
from homeshelf.shares.opening import token_of
from homeshelf.shares.store import OpenList
from homeshelf.web.json import encode, shown
from homeshelf.web.services import Services

MOST_KEPT = 90_000
"""Bytes of an answer: of a longer one its id is kept, and the list is read again."""


def shown_list(found: OpenList, access: Access) -> dict[str, Any]:
    return shown(found.shared, access=access, items=[shown_item(item) for item in found.items])


def shown_item(item: ChecklistItem) -> dict[str, Any]:
    return shown(item, checked=bool(item.checked))


def shown_mine(mine: MyList) -> dict[str, Any]:
    shared = mine.shared
    return {
        "shortId": shared.short_id,
        "name": mine.name,
        "entity": shared.entity,
        "expiresAt": shared.expires_at,
    }


def kept_list(found: OpenList, held: Held) -> dict[str, Any]:
    """The answer without its token, and what that was for: a passcode that was changed since then
    is not known to who repeats the request."""
    answer: dict[str, Any] | None = shown_list(found, "admin")
    if len(encode(answer)) > MOST_KEPT:
        answer = None
    shared = found.shared
    return {
        "list": answer,
        "shortId": shared.short_id,
        "role": held.role,
        "passcode": held.version,
    }


def kept_change(found: OpenList, held: Held, by: Held) -> dict[str, Any]:
    """The same for a change, and what they held who made it."""
    return kept_list(found, held) | {"by": [by.role, by.version]}


async def minted(request: Request, kept: dict[str, Any]) -> dict[str, Any]:
    """The answer that was kept, with a token of now."""
    services: Services = request.app.state.services
    answer: dict[str, Any] | None = kept["list"]
    held = Held(kept["role"], kept["passcode"])
    if answer is None:
        shared = await store.shareable(services.db, kept["shortId"])
        if shared is None:
            raise NotFound
        access_to(shared, held, SEE)  # it may say more by now than what was answered
        answer = shown_list(await store.opened(services.db, shared), "admin")
    token = token_of(services.signer, kept["shortId"], held)
    return answer | ({"token": token} if token else {})
