"""The name that stands beside somebody's ticks: typed by them, and kept on their device alone."""

from urllib.parse import quote, unquote

from fastapi import Request, Response

from homeshelf.access.view import Visit
from homeshelf.shares.bodies import WhoForm
from homeshelf.shares.fields import LONGEST_WHO
from homeshelf.shares.list_route import list_router, path_of
from homeshelf.shares.opening import Seen
from homeshelf.web.pages import see_other

router = list_router()

COOKIE = "homeshelf-who"
KEPT_SECONDS = 365 * 24 * 3600


def who_of(request: Request) -> str | None:
    """As it was typed, or None."""
    return unquote(request.cookies.get(COOKIE, ""))[:LONGEST_WHO].strip() or None


@router.post("/{shortId}/who")
async def say_who(view: Visit, at: Seen) -> Response:
    form = await view.form(WhoForm)
    answer = see_other(path_of(at.shared, "" if form.body else "?said=long-name"))
    if form.body is not None:
        answer.set_cookie(
            COOKIE,
            quote(form.body.who or "", safe=""),
            max_age=KEPT_SECONDS if form.body.who else 0,
            path="/s",
            httponly=True,
            samesite="lax",
            secure=view.request.url.scheme == "https",
        )
    return answer
