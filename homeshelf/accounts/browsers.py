"""Session cookies, device names and local redirects."""

import re
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Query, Request, Response

from homeshelf.accounts.model import Session
from homeshelf.accounts.tokens import web_token
from homeshelf.sentences import _
from homeshelf.web.pages import see_other
from homeshelf.web.services import services_of

COOKIE = "homeshelf"
SIGNED_OUT = "homeshelf-signed-out"
"""The cookie that names the people whose data a script must still remove from this browser."""
_SIGNED_OUT_SECONDS = 400 * 24 * 3600
_MAX_SIGNED_OUT = 20
_MEMBER_ID = re.compile(r"[0-9a-f-]{36}")
DEVICE_NAME_LENGTH = 60

NextPath = Annotated[str, Query(alias="next", max_length=500)]


def local_path(path: str) -> str:
    """Return the path, or `/` if it leads to another site."""
    if not path.startswith("/") or path.startswith(("//", "/\\")):
        return "/"
    return quote(path, safe="/?=&%#-_.~")


def set_session_cookie(
    request: Request, response: Response, session: Session, family_id: str | None = None
) -> None:
    """Set the session cookie, unless the session is only a provider's token."""
    if session.is_stored:
        token = web_token(services_of(request).signer, session, family_id)
        response.set_cookie(**cookie(request), value=token, max_age=session.seconds_left)
        people = _signed_out_ids(request)
        if session.member_id in people:  # this person's data may stay in the browser again
            others = [each for each in people if each != session.member_id]
            _set_signed_out_cookie(request, response, others)


def sign_out_response(request: Request, member_id: str) -> Response:
    """Redirect to the home page and make the browser forget this person."""
    response = see_other("/")
    response.delete_cookie(**cookie(request))
    response.headers["Clear-Site-Data"] = '"cache"'
    _set_signed_out_cookie(request, response, [*_signed_out_ids(request), member_id])
    return response


def _signed_out_ids(request: Request) -> list[str]:
    named = request.cookies.get(cookie_name(request, SIGNED_OUT), "").split(".")
    return [each for each in named if _MEMBER_ID.fullmatch(each)]


def _set_signed_out_cookie(request: Request, response: Response, people: list[str]) -> None:
    parts = cookie(request, SIGNED_OUT) | {"httponly": False}
    newest = list(dict.fromkeys(people))[-_MAX_SIGNED_OUT:]
    if newest:
        response.set_cookie(**parts, value=".".join(newest), max_age=_SIGNED_OUT_SECONDS)
    else:
        response.delete_cookie(**parts)


def cookie(request: Request, name: str = COOKIE) -> dict[str, Any]:
    return {
        "key": cookie_name(request, name),
        "path": "/",
        "httponly": True,
        "samesite": "lax",
        "secure": request.url.scheme == "https",
    }


def cookie_name(request: Request, name: str = COOKIE) -> str:
    return f"__Host-{name}" if request.url.scheme == "https" else name


UNKNOWN_DEVICE = _("Unknown device")


def device_of(request: Request) -> str:
    """Return a name like `Firefox on Android`, or the first word of an unknown user agent."""
    user_agent = request.headers.get("user-agent", "")
    browser, machine = (
        next((name for mark, name in names if mark in user_agent), None)
        for names in (_BROWSERS, _MACHINES)
    )
    if browser and machine:
        return f"{browser} on {machine}"
    return (user_agent.split() or [UNKNOWN_DEVICE])[0][:DEVICE_NAME_LENGTH]


def localize_device(device: str) -> str:
    browser, _on, machine = device.partition(" on ")
    if machine in dict(_MACHINES).values():
        return _("{browser} on {machine}", browser=browser, machine=machine)
    return UNKNOWN_DEVICE if device == UNKNOWN_DEVICE else device


_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
_MACHINES = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "Chromebook"),
    ("Windows", "Windows"),
    ("Macintosh", "Mac"),
    ("Linux", "Linux"),
)
