"""What all pages of shared lists have around them, and what they say to who may not see one.

A list that is locked asks for its passcode, one that has expired says so, and neither sends anybody
to sign in. No search engine is to know any of them.
"""

from collections.abc import Callable, Coroutine
from typing import Any

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
from homeshelf.web.error_pages import wants_page
from homeshelf.web.forms import Form
from homeshelf.web.pages import page
from homeshelf.web.requests import PageRoute, page_router

NO_SUCH_LIST = _("Lists are kept for a year after their last day. Maybe a letter went missing?")


class ListRoute(PageRoute):
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
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
            return await ask_passcode(request, typed, error)
        case Expired():
            return await expired_page(request, typed)
        case NotFound():
            title, detail = _("There is no such list"), NO_SUCH_LIST
            way = {"way_path": "/s", "way_word": _("Type its id")}
            return page(request, "web/error.html", 404, title=title, detail=detail, **way)
    way = {"way_path": f"/s/{short_id_of(typed)}", "way_word": _("To the list")}
    title = _("This is not for you")
    return page(request, "web/error.html", error.status, title=title, detail=error.detail, **way)


async def ask_passcode(
    request: Request, typed: str, error: HomeshelfError | None = None, wrong: str = ""
) -> Response:
    return await _closed(request, "shares/unlock.html", 200, typed, error, wrong)


async def expired_page(
    request: Request, typed: str, error: HomeshelfError | None = None, wrong: str = ""
) -> Response:
    """The same whatever passcodes it has: it is told before any is asked for."""
    return await _closed(request, "shares/expired.html", 410, typed, error, wrong)


async def _closed(
    request: Request,
    name: str,
    status: int,
    typed: str,
    error: HomeshelfError | None,
    wrong: str,
) -> Response:
    answer = await Visitor(request, None).page(
        name,
        error.status if error else status,
        short_id=short_id_of(typed),
        wrong=wrong,
        form=Form(Unlock),
    )
    return _later(answer, error)


def _about_list(request: Request, error: HomeshelfError) -> bool:
    if not wants_page(request) or "shortId" not in request.path_params:
        return False
    if isinstance(error, Unauthenticated):  # a list that asks for its passcode says what it is
        return error.entity is not None
    return True


def _later(answer: Response, error: HomeshelfError | None) -> Response:
    if isinstance(error, RetryLater):
        answer.headers["Retry-After"] = str(error.retry_after)
    return answer
