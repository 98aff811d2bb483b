"""The cookie that keeps a browser signed in."""

from fastapi import Request, Response

from homeshelf.accounts.model import SESSION_SECONDS, Session
from homeshelf.accounts.tokens import web_token
from homeshelf.web.access import cookie_name
from homeshelf.web.house import House


def keep_signed_in(
    request: Request, response: Response, session: Session, family_id: str | None = None
) -> None:
    """Be signed in from now on, or choose another family."""
    house: House = request.app.state.house
    response.set_cookie(
        cookie_name(request),
        web_token(house.signer, session, family_id),
        max_age=SESSION_SECONDS,
        path="/",
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )


def forget(request: Request, response: Response) -> None:
    """`__Host-` is part of the name only where the cookie is secure, also when it is taken away."""
    response.delete_cookie(
        cookie_name(request),
        path="/",
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
