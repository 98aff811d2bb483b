"""What shows that somebody has unlocked a list: a token, or the cookie of a browser.

    token_of(signer, short_id, held)            the token of a list for who holds that, or None
    held_in_token(signer, token, short_id)      what a token holds of a list
    held_in_cookie(request, short_id)           what the browser's cookie holds of it
    keep_in_cookie(request, response, ...)      have the browser hold it from now on

A token names the list, the role and that passcode's version, so that a changed passcode ends it.
The cookie holds some of the same, of the lists that were unlocked last.
"""

from typing import Any

from fastapi import Request, Response

from homeshelf.shares.access import NOTHING, Held
from homeshelf.shares.model import Shareable
from homeshelf.signing import Signer
from homeshelf.web.csrf import require_same_origin
from homeshelf.web.services import Services

TOKEN_SECONDS = 60 * 24 * 3600
MOST_IN_COOKIE = 20
COOKIE = "homeshelf-lists"


def token_of(signer: Signer, short_id: str, held: Held) -> str | None:
    if held.role is None:
        return None
    return signer.token("share", TOKEN_SECONDS, list=short_id, role=held.role, version=held.version)


def held_in_token(signer: Signer, token: str, short_id: str) -> Held:
    """A token that is not this list's counts as none."""
    says = signer.read("share", token)
    if says is None or says.get("list") != short_id:
        return NOTHING
    return Held(says["role"], says["version"])


def held_in_cookie(request: Request, short_id: str) -> Held:
    """What it holds counts only where the page itself is asking."""
    found = _lists(request).get(short_id)
    if found is None:
        return NOTHING
    require_same_origin(request)
    role, version = found
    return Held(role, version)


def keep_in_cookie(request: Request, response: Response, shared: Shareable, held: Held) -> None:
    """Those that were unlocked last come last, and of too many the first ones go."""
    lists = {id_: each for id_, each in _lists(request).items() if id_ != shared.short_id}
    if held.role is not None:
        lists[shared.short_id] = [held.role, held.version]
    newest = dict(list(lists.items())[-MOST_IN_COOKIE:])
    services: Services = request.app.state.services
    response.set_cookie(
        cookie_name(request),
        services.signer.token("share-cookie", TOKEN_SECONDS, lists=newest),
        max_age=TOKEN_SECONDS,
        path="/",
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )


def cookie_name(request: Request) -> str:
    return f"__Host-{COOKIE}" if request.url.scheme == "https" else COOKIE


def _lists(request: Request) -> dict[str, Any]:
    services: Services = request.app.state.services
    says = services.signer.read("share-cookie", request.cookies.get(cookie_name(request), ""))
    return dict(says["lists"]) if says else {}
