"""The pages that redirect to the provider and start a session when the browser returns."""

from typing import Annotated

from fastapi import Query, Response

from homeshelf import security_log
from homeshelf.access.families import families_of
from homeshelf.access.view import AnyView
from homeshelf.accounts.browsers import NextPath, local_path
from homeshelf.accounts.new_session import sign_in_browser
from homeshelf.errors import NotFound, Unauthenticated
from homeshelf.identity.authorization import (
    authorization_url,
    delete_authorization_cookie,
    new_authorization,
    read_authorization_cookie,
    redeem_code,
    set_authorization_cookie,
)
from homeshelf.identity.provider import Provider
from homeshelf.identity.provider_http import provider_errors_as_503
from homeshelf.identity.store import account_for
from homeshelf.sentences import _
from homeshelf.signing import same
from homeshelf.web.pages import page_router, see_other
from homeshelf.web.services import base_url

CALLBACK = "/sign-in/callback"

Param = Annotated[str, Query(max_length=4000)]

router = page_router()


@router.get("/sign-in")
@router.get("/sign-up")
async def redirect_to_provider(view: AnyView, next_path: NextPath = "/") -> Response:
    authorization = new_authorization(f"{base_url(view.request)}{CALLBACK}", local_path(next_path))
    with provider_errors_as_503():
        response = see_other(await authorization_url(view.services.of(Provider), authorization))
    set_authorization_cookie(authorization, view.services.signer, view.request, response)
    return response


@router.get(CALLBACK)
async def complete_sign_in(
    view: AnyView, code: Param = "", state: Param = "", error: Param = "", iss: Param = ""
) -> Response:
    authorization = read_authorization_cookie(view.services.signer, view.request)
    if authorization is None or not same(state, authorization.state):
        return await _sign_in_error(
            view, _("That took too long, or you started in another browser. Try again.")
        )
    if error or not code:
        security_log.note("sign_in_refused", why=error[:100])
        return await _sign_in_error(view, _("Sign-in was cancelled."))
    provider = view.services.of(Provider)
    try:
        with provider_errors_as_503():
            id_token, token = await redeem_code(provider, code, iss, authorization)
        claims = await provider.read_id_token(id_token, authorization.nonce)
    except Unauthenticated:
        return await _sign_in_error(
            view, _("The answer from the sign-in provider can’t be trusted. Try again.")
        )
    invited = await families_of(view.services).holds_invitation(view.db, authorization.way_on)
    try:
        account = await account_for(view.services, provider, claims, token, invited=invited)
    except Unauthenticated as refused:
        return await _sign_in_error(view, refused.detail, 401)
    response = await sign_in_browser(
        view.request, view.services, account, authorization.way_on, by_provider=True
    )
    delete_authorization_cookie(view.request, response)
    return response


@router.post("/sign-in")
@router.post("/sign-up")
@router.get("/forgotten")
@router.post("/forgotten")
@router.get("/reset/{token}")
@router.post("/reset/{token}")
async def refuse_password_pages() -> Response:
    """Return 404 for the password pages, because the provider has the passwords."""
    raise NotFound


async def _sign_in_error(view: AnyView, why: str, status: int = 400) -> Response:
    return await view.page(
        "web/error.html",
        status,
        title=_("You’re not signed in yet"),
        detail=why,
        way_path="/sign-in",
        way_word=_("Try again"),
    )
