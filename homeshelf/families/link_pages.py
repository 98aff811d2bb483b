"""What a child's link opens: a page with one button, which signs the device in."""

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
"""The link goes nowhere with it. Under `no-referrer` browsers would not say either that the form is
from a page of ours, and without HTTPS nothing else does."""

router = page_router("/sign-in-link")


@router.get("/{token}")
async def link_page(view: AnyView, token: str) -> Response:
    """Opening the link changes nothing: scanners and previews open it too."""
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
    """Who was signed in here before is not any more, also as far as their other devices see."""
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
    """Whatever is wrong with it, the same is said."""
    shown = await view.page("families/link_over.html", 404)
    shown.headers["Referrer-Policy"] = REFERRER
    return shown
