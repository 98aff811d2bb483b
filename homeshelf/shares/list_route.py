"""The route class of the pages of shared lists; refused callers get a page, never a sign-in."""

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
from homeshelf.shares.model import Shareable, normalize_short_id
from homeshelf.web.forms import Form
from homeshelf.web.pages import page, page_router
from homeshelf.web.problems import wants_page
from homeshelf.web.requests import Handle, PageRoute


class ListRoute(PageRoute):
    def get_route_handler(self) -> Handle:
        handle = super().get_route_handler()

        async def handle_refusals(request: Request) -> Response:
            try:
                answer = await handle(request)
            except (Unauthenticated, Expired, Forbidden, NotFound) as error:
                # A locked list names its entity; other 401 errors ask for a sign-in.
                elsewhere = isinstance(error, Unauthenticated) and "entity" not in error.extra
                if elsewhere or not wants_page(request) or "shortId" not in request.path_params:
                    raise
                answer = await refusal_page(request, error)
            answer.headers["X-Robots-Tag"] = "noindex, nofollow"
            return answer

        return handle_refusals


def list_router() -> APIRouter:
    return page_router("/s", ListRoute)


def path_of(shared: Shareable, after: str = "") -> str:
    return f"/s/{shared.short_id}{after}"


async def refusal_page(request: Request, error: HomeshelfError) -> Response:
    typed = request.path_params["shortId"]
    if isinstance(error, Unauthenticated):
        return await locked_page(request, typed, error)
    if isinstance(error, Expired):
        return await locked_page(request, typed, expired=True)
    title, detail = _("You don’t have access"), error.detail
    way_path, way_word = f"/s/{normalize_short_id(typed)}", _("Go to the list")
    if isinstance(error, NotFound):
        title, way_path, way_word = _("We can’t find this list"), "/s", _("Enter a list code")
        detail = _("Lists are kept for a year after they end. Maybe the address is mistyped?")
    return page(
        request,
        "web/error.html",
        error.status,
        title=title,
        detail=detail,
        way_path=way_path,
        way_word=way_word,
    )


async def locked_page(
    request: Request,
    typed: str,
    error: HomeshelfError | None = None,
    wrong: str = "",
    *,
    expired: bool = False,
) -> Response:
    name, status = ("shares/expired.html", 410) if expired else ("shares/unlock.html", 200)
    answer = await Visitor(request, None).page(
        name,
        error.status if error else status,
        short_id=normalize_short_id(typed),
        wrong=wrong,
        form=Form(Unlock),
    )
    return add_retry_after(answer, error)


def add_retry_after(answer: Response, error: HomeshelfError | None) -> Response:
    if isinstance(error, RetryLater):
        answer.headers["Retry-After"] = str(error.retry_after)
    return answer
