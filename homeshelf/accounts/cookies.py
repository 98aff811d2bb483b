"""The cookie that keeps a browser signed in."""

from contextlib import suppress

from fastapi import Request, Response

from homeshelf import clock
from homeshelf.accounts.model import Account, Session
from homeshelf.accounts.terms import SessionTerms
from homeshelf.accounts.tokens import web_token
from homeshelf.table import TableError
from homeshelf.web.services import Services

COOKIE = "homeshelf"


def cookie_name(request: Request) -> str:
    return f"__Host-{COOKIE}" if request.url.scheme == "https" else COOKIE


def keep_signed_in(
    request: Request, response: Response, session: Session, family_id: str | None = None
) -> None:
    """Be signed in from now on, or choose another family; who brings a token needs no cookie."""
    if not session.is_kept:
        return
    services: Services = request.app.state.services
    response.set_cookie(
        cookie_name(request),
        web_token(services.signer, session, family_id),
        max_age=session.seconds_left,
        path="/",
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )


async def renew(
    request: Request, account: Account, session: Session, family_id: str | None
) -> None:
    """Once a day: who comes by often is not asked to sign in again, unless a session has an end.

    The cookie goes with whatever is answered, unless that sets one itself.
    """
    now = clock.now()
    if session.seen(now) is session:
        return
    services: Services = request.app.state.services
    terms = SessionTerms.of(services.settings)
    with suppress(TableError):  # tomorrow will do
        await services.db.change(
            session.own_key(), lambda found: terms.bounded(found, account).seen(now)
        )
        response = Response()
        keep_signed_in(request, response, session, family_id)
        request.state.cookie = response.headers["set-cookie"]


def forget(request: Request, response: Response) -> None:
    """`__Host-` is part of the name only where the cookie is secure, also when it is taken away."""
    response.delete_cookie(
        cookie_name(request),
        path="/",
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
