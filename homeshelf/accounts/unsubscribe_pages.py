"""No more mail: for whoever has the link under one, signed in or not."""

from contextlib import suppress

from fastapi import Request, Response

from homeshelf.accounts.store import set_preferences
from homeshelf.accounts.unsubscribing import unsubscribed
from homeshelf.errors import NotFound, Unauthenticated
from homeshelf.web.pages import page
from homeshelf.web.requests import from_anywhere, page_router
from homeshelf.web.services import Services, TheServices

router = page_router()


@router.get("/unsubscribe/{token}")
async def unsubscribe_page(request: Request, token: str, services: TheServices) -> Response:
    """A mail scanner opens every link, so opening one does nothing: the button does."""
    _member(services, token)
    return page(request, "accounts/unsubscribe.html", done=False)


@router.post("/unsubscribe/{token}")
@from_anywhere
@from_anywhere
async def unsubscribe(request: Request, token: str, services: TheServices) -> Response:
    """By the button, or by the mail program itself with one click (RFC 8058): it sends no cookie,
    comes from anywhere and follows no redirection, so the token alone decides."""
    member_id = _member(services, token)
    with suppress(Unauthenticated):  # who is gone gets no mail anyway
        await set_preferences(services.db, member_id, {"mail": "off"})
    return page(request, "accounts/unsubscribe.html", done=True)


def _member(services: Services, token: str) -> str:
    member_id = unsubscribed(services.signer, token)
    if member_id is None:
        raise NotFound("This link is not whole. Copy all of it from the mail.")
    return member_id
