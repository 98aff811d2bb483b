"""Error responses as RFC 9457 problem+json, or as pages."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from http import HTTPStatus
from itertools import islice
from typing import Any
from urllib.parse import quote

import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route

from homeshelf import errors
from homeshelf.sentences import _, translate
from homeshelf.table import BadRequest, ItemTooLarge, Record, TableError, Unreadable
from homeshelf.web.body_limits import BodyLimits, limits_of
from homeshelf.web.json import encode, shown
from homeshelf.web.pages import page, see_other
from homeshelf.web.requests import is_for_programs
from homeshelf.web.services import services_of
from homeshelf.web.shell import Shell

log = structlog.get_logger()

_BY_STATUS: dict[int, str] = {
    400: "validation",
    401: "unauthenticated",
    403: "forbidden",
    404: "not_found",
    405: "not_found",
    413: "too_large",
    429: "rate_limited",
    503: "unavailable",
}


class WrappedError(HTTPException):
    """Carries a HomeshelfError through FastAPI's reading of a body, which replaces other errors."""

    def __init__(self, error: errors.HomeshelfError) -> None:
        super().__init__(error.status, error.detail)
        self.error = error


def problem(error: errors.HomeshelfError) -> Response:
    extra: dict[str, Any] = {
        name: shown(it) if isinstance(it, Record) else it for name, it in error.extra.items()
    }
    if isinstance(error, errors.Invalid):
        extra["errors"] = [{"field": at, "message": translate(text)} for at, text in error.errors]
    response = problem_response(error.status, error.code, error.detail, extra)
    if isinstance(error, errors.RetryLater):
        response.headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, errors.Unauthenticated):
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


def problem_response(
    status: int, code: str, detail: str, extra: dict[str, Any] | None = None
) -> Response:
    body = {
        "type": f"/problems/{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": translate(detail),
        "code": code,
        **(extra or {}),
    }
    return Response(encode(body), status, media_type="application/problem+json")


ShellReader = Callable[[Request], Awaitable[Shell]]
"""Returns the shell for the caller of a request that failed."""


async def anonymous_shell(_: Request) -> Shell:
    return Shell()


def install(app: FastAPI, shell_of: ShellReader = anonymous_shell) -> None:
    for kind in (errors.HomeshelfError, TableError, RequestValidationError):
        app.add_exception_handler(kind, partial(_handle_error, shell_of))
    app.add_exception_handler(HTTPException, partial(_handle_http_exception, shell_of))


def to_homeshelf_error(
    error: Exception, most_errors: int = BodyLimits.errors
) -> errors.HomeshelfError:
    match error:
        case errors.HomeshelfError():
            return error
        case ItemTooLarge():
            return errors.TooLarge(_("That’s too much to store in one place."))
        case BadRequest():
            log.error("table_refused", error=str(error))
            return errors.Invalid([], _("That can’t be stored."))
        case Unreadable():  # the table logs it, and a retry would not help
            return errors.HomeshelfError(errors.UnreadableRecord.sentence)
        case TableError():
            log.warning("table_unavailable", error=str(error))
            return errors.Unavailable(2)
        case RequestValidationError():
            return errors.Invalid(list(islice(field_errors(error.errors()), most_errors)))
    return errors.HomeshelfError()


async def _handle_error(shell_of: ShellReader, request: Request, error: Exception) -> Response:
    found = to_homeshelf_error(error, limits_of(request.scope).errors)
    if not wants_page(request):
        return problem(found)
    if isinstance(error, Unreadable):
        found = errors.UnreadableRecord(error.key)
    return await render_error(request, found, shell_of)


async def _handle_http_exception(
    shell_of: ShellReader, request: Request, error: Exception
) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  # registered for it alone
    if isinstance(error, WrappedError):
        return await _handle_error(shell_of, request, error.error)
    if wants_page(request):
        sentence = errors.Invalid.sentence if error.status_code == 400 else _detail_of(error)
        return error_page(request, error.status_code, sentence, await shell_of(request))
    code = _BY_STATUS.get(error.status_code, "error")
    response = problem_response(error.status_code, code, _detail_of(error))
    response.headers.update(error.headers or {})
    if error.status_code == 405:
        response.headers["Allow"] = ", ".join(sorted({*_methods_at(request)}))
    return response


def _methods_at(request: Request) -> Iterator[str]:
    """Yield the methods of all routes at this path."""
    for route in request.app.routes:
        if isinstance(route, Route) and route.matches(request.scope)[0] is not Match.NONE:
            methods = route.methods or set()
            yield from methods
            if "GET" in methods:
                yield "HEAD"  # the middleware handles it as GET


def unexpected_error_response(request: Request, error: Exception) -> Response:
    """Log an unexpected error, and respond without its details."""
    log.error("unforeseen", exc_info=error)
    if wants_page(request):
        return error_page(request, 500, _("Something went wrong on our side. Try again."))
    return problem_response(500, "error", _("Something went wrong on our side."))


def _detail_of(error: HTTPException) -> str:
    if error.status_code in (404, 405):
        return errors.NotFound.sentence
    return str(error.detail or HTTPStatus(error.status_code).phrase)


def field_errors(found: Sequence[Any], skip: int = 1) -> Iterator[tuple[str, str]]:
    """Yield the dotted path and the message of each bad field; `skip` drops leading parts."""
    for error in found:
        path = [str(part) for part in error["loc"][skip:]]
        context = error.get("ctx", {})
        message = context.get("message") or context.get("error") or error["msg"]
        match error["type"]:
            case "missing":
                yield ".".join(path), _("Fill this in.")
            case "extra_forbidden":
                yield ".".join(path), _("There’s no such field.")
            case _:
                # pydantic passes on the ValueError of a check, with its message.
                yield (
                    ".".join(path),
                    message.args[0] if isinstance(message, ValueError) else message,
                )


TITLES = {
    400: _("That didn’t work"),
    403: _("You don’t have access"),
    404: _("There’s nothing here"),
    405: _("There’s nothing here"),
    409: _("Someone else changed this"),
    410: _("This has expired"),
    413: _("That’s too much at once"),
    429: _("A little too fast"),
    503: _("Just a moment"),
}

_NOWHERE = _("It may have been removed, or the address is mistyped.")


def wants_page(request: Request) -> bool:
    """Return whether the client accepts HTML."""
    if is_for_programs(request.scope):
        return False
    return "text/html" in request.headers.get("accept", "")


def error_page(request: Request, status: int, detail: str, shell: Shell | None = None) -> Response:
    is_over_soon = status == 503 and request.method == "GET"
    return page(
        request,
        "web/error.html",
        status,
        title=TITLES.get(status, _("Something went wrong")),
        detail=_NOWHERE if detail == errors.NotFound.sentence else detail,
        way_path=_requested_path(request) if is_over_soon else "/",
        way_word=_("Try again") if is_over_soon else _("Go home"),
        shell=shell or Shell(),
    )


async def render_error(
    request: Request, error: errors.HomeshelfError, shell_of: ShellReader
) -> Response:
    """Return the page for an error, or a redirect to the page that resolves it."""
    services = services_of(request)
    remedy = services.remedies.get(type(error))
    match error:
        case _ if remedy is None:
            pass
        # Forms may not redirect to an identity provider.
        case errors.Unauthenticated() if request.method == "POST" and services.settings.oidc_issuer:
            return page(
                request,
                "web/error.html",
                401,
                title=_("Sign in again"),
                detail=_("You’ve been signed out, so nothing was saved."),
                way_path=remedy,
                way_word=_("Sign in"),
            )
        case errors.Unauthenticated():
            asked = _requested_path(request)
            way_back = f"?next={quote(asked)}" if request.method == "GET" and asked != "/" else ""
            return see_other(f"{remedy}{way_back}")
        case _:
            return see_other(remedy)
    is_overload = error.status >= 500 or isinstance(error, errors.RetryLater)
    shell = Shell() if is_overload else await shell_of(request)
    response = error_page(request, error.status, error.detail, shell)
    if isinstance(error, errors.RetryLater):
        response.headers["Retry-After"] = str(error.retry_after)
    return response


def _requested_path(request: Request) -> str:
    return request.url.path + (f"?{request.url.query}" if request.url.query else "")
