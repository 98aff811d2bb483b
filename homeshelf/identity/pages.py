"""Pages that send a browser to the identity provider and start a session when it returns."""

from typing import Annotated

from fastapi import Query, Response

from homeshelf import security_log
from homeshelf.access.families import families_of
from homeshelf.access.view import AnyView
from homeshelf.accounts.browsers import Next, within
from homeshelf.accounts.new_session import let_in
from homeshelf.errors import NotFound, Unauthenticated
from homeshelf.identity.authorization import (
    address_to_go_to,
    forget,
    keep,
    new_authorization,
    redeem,
    under_way,
)
from homeshelf.identity.fetching import in_reach
from homeshelf.identity.provider import Provider
from homeshelf.identity.store import account_of
from homeshelf.sentences import _
from homeshelf.signing import same
from homeshelf.web.pages import page_router, see_other
from homeshelf.web.services import base_url

BACK = "/sign-in/callback"

Given = Annotated[str, Query(max_length=4000)]

router = page_router()


@router.get("/sign-in")
@router.get("/sign-up")
async def go(view: AnyView, way_on: Next = "/") -> Response:
    authorization = new_authorization(f"{base_url(view.request)}{BACK}", within(way_on))
    with in_reach():
        response = see_other(await address_to_go_to(_provider(view), authorization))
    keep(authorization, view.services.signer, view.request, response)
    return response


@router.get(BACK)
async def come_back(
    view: AnyView, code: Given = "", state: Given = "", error: Given = "", iss: Given = ""
) -> Response:
    authorization = under_way(view.services.signer, view.request)
    if authorization is None or not same(state, authorization.state):
        return await _not_yet(view, _("This took too long, or was begun in another browser."))
    if error or not code:
        security_log.note("sign_in_refused", why=error[:100])
        return await _not_yet(view, _("You were not signed in there."))
    provider = _provider(view)
    try:
        with in_reach():
            id_token, token = await redeem(provider, code, iss, authorization)
        claims = await provider.signed_in(id_token, authorization.nonce)
    except Unauthenticated:
        return await _not_yet(view, _("What came back cannot be trusted."))
    invited = await families_of(view.services).holds_invitation(view.db, authorization.way_on)
    try:
        account = await account_of(view.services, provider, claims, token, invited=invited)
    except Unauthenticated as refused:
        return await _not_yet(view, refused.detail, 401)
    response = await let_in(
        view.request, view.services, account, authorization.way_on, vouched=True
    )
    forget(view.request, response)
    return response


@router.post("/sign-in")
@router.post("/sign-up")
@router.get("/forgotten")
@router.post("/forgotten")
@router.get("/reset/{token}")
@router.post("/reset/{token}")
async def nothing_here() -> Response:
    """The provider has the passwords."""
    raise NotFound


async def _not_yet(view: AnyView, why: str, status: int = 400) -> Response:
    return await view.page(
        "web/error.html",
        status,
        title=_("You are not signed in yet"),
        detail=why,
        way_path="/sign-in",
        way_word=_("Try again"),
    )


def _provider(view: AnyView) -> Provider:
    return view.services.of(Provider)
