"""What went wrong, for people: a page in plain words with a way on."""

from urllib.parse import quote

from fastapi import Request, Response

from homeshelf import errors
from homeshelf.sentences import _
from homeshelf.web.pages import page, see_other

TITLES = {
    400: _("That did not work"),
    403: _("This is not for you"),
    404: _("There is nothing here"),
    405: _("There is nothing here"),
    409: _("Something changed meanwhile"),
    410: _("Its time is over"),
    413: _("That is too much at once"),
    429: _("A little too fast"),
    503: _("Just a moment"),
}

_NOWHERE = _("Maybe it was taken away, or a letter of the address went missing.")


def wants_page(request: Request) -> bool:
    """Whether a person is looking, rather than a program."""
    if request.url.path.startswith("/api/"):
        return False
    return "text/html" in request.headers.get("accept", "")


def error_page(request: Request, status: int, detail: str) -> Response:
    return page(
        request,
        "web/error.html",
        status,
        title=TITLES.get(status, _("Something went wrong")),
        detail=_NOWHERE if detail == errors.NotFound.sentence else detail,
        way_path="/",
        way_word=_("Go home"),
    )


def page_for(request: Request, error: errors.HomeshelfError) -> Response:
    """The page for an error; who must do something first is led to where that is done."""
    match error:
        case errors.Unauthenticated() if request.method == "POST" and _leads_elsewhere(request):
            return page(
                request,
                "web/error.html",
                401,
                title=_("Sign in again"),
                detail=_("You were signed out meanwhile, so nothing was saved."),
                way_path="/sign-in",
                way_word=_("Sign in"),
            )
        case errors.Unauthenticated():
            asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            way_back = f"?next={quote(asked)}" if request.method == "GET" and asked != "/" else ""
            return see_other(f"/sign-in{way_back}")
        case errors.NoFamily():
            return see_other("/families/new")
        case errors.ChooseFamily():
            return see_other("/families")
    response = error_page(request, error.status, error.detail)
    if isinstance(error, errors.RetryLater):
        response.headers["Retry-After"] = str(error.retry_after)
    return response


def _leads_elsewhere(request: Request) -> bool:
    """Whether people sign in with an identity provider: a form may not lead there by itself."""
    return request.app.state.services.settings.oidc_issuer is not None
