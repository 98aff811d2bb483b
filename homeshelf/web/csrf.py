"""Requests that a cookie authorises must come from our own pages.

`same-site` is refused as well: households run other programs on other ports of the same host.
"""

from urllib.parse import urlsplit

from fastapi import Request

from homeshelf.errors import Forbidden
from homeshelf.sentences import _

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


def require_same_origin(request: Request) -> None:
    if request.method in SAFE:
        return
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        if site in ("same-origin", "none"):
            return
    elif _ours(request, request.headers.get("origin")):
        return
    raise Forbidden(_("This came from another site. Open Homeshelf and try there."))


def _ours(request: Request, origin: str | None) -> bool:
    if origin is None:
        return False
    found = urlsplit(origin)
    return (found.scheme, found.netloc) == (request.url.scheme, request.url.netloc)
