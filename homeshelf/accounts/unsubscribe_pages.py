"""No more mail: for anybody with the link under one, signed in or not."""

from contextlib import suppress

from fastapi import Response

from homeshelf.access.view import AnyView
from homeshelf.accounts.store import set_preferences
from homeshelf.accounts.tokens import unsubscribed
from homeshelf.errors import Unauthenticated, or_not_found
from homeshelf.sentences import _
from homeshelf.web.requests import from_anywhere, page_router

router = page_router()


@router.get("/unsubscribe/{token}")
async def unsubscribe_page(view: AnyView, token: str) -> Response:
    """A mail scanner opens every link, so opening one does nothing: the button does."""
    _member(view, token)
    return await view.page("accounts/unsubscribe.html", done=False)


@router.post("/unsubscribe/{token}")
@from_anywhere
@from_anywhere
async def unsubscribe(view: AnyView, token: str) -> Response:
    """By the button, or by the mail program itself with one click (RFC 8058): it sends no cookie,
    comes from anywhere and follows no redirection, so the token alone decides."""
    member_id = _member(view, token)
    with suppress(Unauthenticated):  # who is gone gets no mail anyway
        await set_preferences(view.db, member_id, {"mail": "off"})
    return await view.page("accounts/unsubscribe.html", done=True)


def _member(view: AnyView, token: str) -> str:
    return or_not_found(
        unsubscribed(view.services.signer, token),
        _("This link is not whole. Copy all of it from the mail."),
    )
