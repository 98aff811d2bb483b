"""What all pages of shared lists have around them, and what they say to who may not see one.

A list that is locked asks for its passcode, one that has expired says so, and neither sends anybody
to sign in. No search engine is to know any of them.
"""

from fastapi import APIRouter, Request, Response

from homeshelf.access.view import Visitor
from homeshelf.errors import (
    Expired,
    Forbidden,
    HomeshelfError,
    NotFound,
    RetryLater,
    Unauthenticated,
)
from homeshelf.sentences import _
from homeshelf.shares.bodies import Unlock
from homeshelf.shares.model import Shareable, short_id_of
from homeshelf.web.forms import Form
from homeshelf.web.pages import page, page_router
from homeshelf.web.problems import wants_page
from homeshelf.web.requests import Handle, PageRoute


class ListRoute(PageRoute):
    def get_route_handler(self) -> Handle:
        handle = super().get_route_handler()

        async def with_pages(request: Request) -> Response:
            try:
                answer = await handle(request)
            except (Unauthenticated, Expired, Forbidden, NotFound) as error:
                if not _about_list(request, error):
                    raise
                answer = await refusal(request, error)
            answer.headers["X-Robots-Tag"] = "noindex, nofollow"
            return answer

        return with_pages


def list_router() -> APIRouter:
    return page_router("/s", ListRoute)


def path_of(shared: Shareable, after: str = "") -> str:
    return f"/s/{shared.short_id}{after}"


async def refusal(request: Request, error: HomeshelfError) -> Response:
    typed = request.path_params["shortId"]
    match error:
        case Unauthenticated():
            return await closed_page(request, typed, error)
        case Expired():
            return await closed_page(request, typed, expired=True)
        case NotFound():
            return page(
                request,
                "web/error.html",
                404,
                title=_("There is no such list"),
                detail=_(
                    "Lists are kept for a year after their last day. Maybe a letter went missing?"
                ),
                way_path="/s",
                way_word=_("Type its id"),
            )
    return page(
        request,
        "web/error.html",
        error.status,
        title=_("This is not for you"),
        detail=error.detail,
        way_path=f"/s/{short_id_of(typed)}",
        way_word=_("To the list"),
    )


async def closed_page(
    request: Request,
    typed: str,
    error: HomeshelfError | None = None,
    wrong: str = "",
    *,
    expired: bool = False,
) -> Response:
    """Asks for the passcode. That a list has expired is told before, whatever passcodes it has."""
    name, status = ("shares/expired.html", 410) if expired else ("shares/unlock.html", 200)
    answer = await Visitor(request, None).page(
        name,
        error.status if error else status,
        short_id=short_id_of(typed),
        wrong=wrong,
        form=Form(Unlock),
    )
    return later(answer, error)


def later(answer: Response, error: HomeshelfError | None) -> Response:
    if isinstance(error, RetryLater):
        answer.headers["Retry-After"] = str(error.retry_after)
    return answer


def _about_list(request: Request, error: HomeshelfError) -> bool:
    """A list that asks for its passcode says what it is."""
    elsewhere = isinstance(error, Unauthenticated) and "entity" not in error.extra
    return wants_page(request) and "shortId" in request.path_params and not elsewhere
