"""The route of all pages of shared lists, and the pages for callers who may not see a list.

A locked list asks for its passcode and an expired one says so; neither asks the caller to sign in.
Search engines are told to index none of them.
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
    if isinstance(error, Unauthenticated):
        return await closed_page(request, typed, error)
    if isinstance(error, Expired):
        return await closed_page(request, typed, expired=True)
    title, detail = _("This is not for you"), error.detail
    way_path, way_word = f"/s/{short_id_of(typed)}", _("To the list")
    if isinstance(error, NotFound):
        title, way_path, way_word = _("There is no such list"), "/s", _("Type its id")
        detail = _("Lists are kept for a year after their last day. Maybe a letter went missing?")
    return page(
        request,
        "web/error.html",
        error.status,
        title=title,
        detail=detail,
        way_path=way_path,
        way_word=way_word,
    )


async def closed_page(
    request: Request,
    typed: str,
    error: HomeshelfError | None = None,
    wrong: str = "",
    *,
    expired: bool = False,
) -> Response:
    """Ask for the passcode, or say that the list has expired, whatever passcodes it has."""
    name, status = ("shares/expired.html", 410) if expired else ("shares/unlock.html", 200)
    answer = await Visitor(request, None).page(
        name,
        error.status if error else status,
        short_id=short_id_of(typed),
        wrong=wrong,
        form=Form(Unlock),
    )
    return add_retry_after(answer, error)


def add_retry_after(answer: Response, error: HomeshelfError | None) -> Response:
    if isinstance(error, RetryLater):
        answer.headers["Retry-After"] = str(error.retry_after)
    return answer


def _about_list(request: Request, error: HomeshelfError) -> bool:
    """Tell whether a list refused the caller: one that asks for its passcode says its entity."""
    elsewhere = isinstance(error, Unauthenticated) and "entity" not in error.extra
    return wants_page(request) and "shortId" in request.path_params and not elsewhere
