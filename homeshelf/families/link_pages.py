"""The page that a child's link opens; its button signs the device in."""

from contextlib import suppress
from typing import cast

from fastapi import Response

from homeshelf.access import signed_in
from homeshelf.access.view import AnyView
from homeshelf.accounts.browsers import device_of, keep_signed_in
from homeshelf.accounts.callers import AccountHolder
from homeshelf.accounts.store import end_session
from homeshelf.errors import NotFound, Unauthenticated
from homeshelf.families import children
from homeshelf.web.limits import address_of
from homeshelf.web.pages import page_router, see_other

REFERRER = "strict-origin"
"""Hides the link. After `no-referrer` and plain HTTP no header says that the form is ours."""

router = page_router("/sign-in-link")


@router.get("/{token}")
async def link_page(view: AnyView, token: str) -> Response:
    """Change nothing: scanners and previews open the link too."""
    try:
        expected = await children.holder(view.services, token)
    except NotFound:
        return await _over(view)
    here = await _signed_in(view)
    shown = await view.page(
        "families/sign_in_link.html",
        child=expected.member,
        family=expected.family,
        here=here.account if here else None,
    )
    shown.headers["Referrer-Policy"] = REFERRER
    return shown


@router.post("/{token}")
async def sign_in(view: AnyView, token: str) -> Response:
    """Sign the child in, and end the session that this browser had."""
    before = await _signed_in(view)
    try:
        session = await children.sign_in(
            view.services, address_of(view.request), token, device_of(view.request)
        )
    except NotFound:
        return await _over(view)
    if before is not None and before.session.is_kept:
        with suppress(NotFound):
            await end_session(view.db, before.account, before.session.session_id)
    response = see_other("/")
    keep_signed_in(view.request, response, session)
    return response


async def _signed_in(view: AnyView) -> AccountHolder | None:
    try:
        return cast(AccountHolder, await signed_in(view.request))
    except Unauthenticated:
        return None


async def _over(view: AnyView) -> Response:
    shown = await view.page("families/link_over.html", 404)
    shown.headers["Referrer-Policy"] = REFERRER
    return shown
