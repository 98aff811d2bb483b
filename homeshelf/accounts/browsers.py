"""The browser of somebody who is signed in: its cookie, what it calls itself, where it is led."""

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Query, Request, Response

from homeshelf.accounts.model import Session
from homeshelf.accounts.tokens import web_token
from homeshelf.sentences import _
from homeshelf.web.pages import see_other
from homeshelf.web.services import services_of

COOKIE = "homeshelf"
LONGEST = 60

Next = Annotated[str, Query(alias="next", max_length=500)]


def within(path: str) -> str:
    """A way on within Homeshelf, wherever the link wanted to lead."""
    if not path.startswith("/") or path.startswith(("//", "/\\")):
        return "/"
    return quote(path, safe="/?=&%#-_.~")


def keep_signed_in(
    request: Request, response: Response, session: Session, family_id: str | None = None
) -> None:
    """Be signed in from now on, or choose another family; who brings a token needs no cookie."""
    if session.is_kept:
        token = web_token(services_of(request).signer, session, family_id)
        response.set_cookie(**cookie(request), value=token, max_age=session.seconds_left)


def signed_out(request: Request) -> Response:
    """Home, with nothing of what was seen left in the browser."""
    response = see_other("/")
    response.delete_cookie(**cookie(request))
    response.headers["Clear-Site-Data"] = '"cache", "storage"'
    return response


def cookie(request: Request, name: str = COOKIE) -> dict[str, Any]:
    """How a cookie is kept: as secure as the page, also when it is taken away."""
    return {
        "key": cookie_name(request, name),
        "path": "/",
        "httponly": True,
        "samesite": "lax",
        "secure": request.url.scheme == "https",
    }


def cookie_name(request: Request, name: str = COOKIE) -> str:
    return f"__Host-{name}" if request.url.scheme == "https" else name


UNKNOWN = _("An unknown device")


def device_of(request: Request) -> str:
    """`Firefox on Android`, or the first word of what is no browser, such as `curl/8.5`."""
    user_agent = request.headers.get("user-agent", "")
    browser, machine = (
        next((name for mark, name in names if mark in user_agent), None)
        for names in (_BROWSERS, _MACHINES)
    )
    if browser and machine:
        return f"{browser} on {machine}"
    return (user_agent.split() or [UNKNOWN])[0][:LONGEST]


def device_words(device: str) -> str:
    """What was kept of a device, for who reads it now."""
    browser, _on, machine = device.partition(" on ")
    if machine in dict(_MACHINES).values():
        return _("{browser} on {machine}", browser=browser, machine=machine)
    return UNKNOWN if device == UNKNOWN else device


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
