"""Rendering of pages from templates."""

import gzip
import re
from collections.abc import Awaitable, Mapping
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse
from jinja2 import (
    Environment,
    FileSystemLoader,
    PrefixLoader,
    StrictUndefined,
    Template,
    pass_context,
)
from jinja2.ext import Extension
from jinja2.runtime import Context

from homeshelf import clock
from homeshelf.controls import without_control_characters
from homeshelf.errors import HomeshelfError
from homeshelf.languages import reader_language
from homeshelf.languages.formats import formats
from homeshelf.pictures import picture_of
from homeshelf.web import template_words, wording
from homeshelf.web.assets import assets
from homeshelf.web.body import LONGEST_SEARCH
from homeshelf.web.drawings import icon
from homeshelf.web.requests import PageRoute
from homeshelf.web.services import services_of
from homeshelf.web.shell import Shell

SLICES = Path(__file__).parents[1]
PACKED_FROM = 1000
READ_WITHIN = timedelta(seconds=3)
"""The longest time between reading data and rendering it."""
OutcomeKey = Annotated[str, Query()]
"""A query parameter with the outcome of a form, as the key of a sentence on the page."""
GROUNDS = {"light": "#fcfaf3", "dark": "#1a1511"}
"""The background color of each theme, for the browser's toolbar."""


def page(request: Request, name: str, status: int = 200, /, **context: Any) -> Response:
    """Render a template, without a `shell` for an anonymous caller."""
    context.setdefault("shell", Shell())
    context.setdefault("rules", services_of(request).offline_rules)
    context.setdefault("barcode_reader", services_of(request).barcode_reader)
    context.setdefault("since", clock.lowest_ordered_id(clock.now() - READ_WITHIN))
    return _compressed_response(
        request, template(name).render(request=request, **context).encode(), status
    )


def page_router(prefix: str = "", route: type[PageRoute] = PageRoute) -> APIRouter:
    return APIRouter(prefix=prefix, route_class=route, include_in_schema=False)


def see_other(path: str) -> Response:
    """Redirect after a form, so that a reload does not repeat it."""
    return RedirectResponse(path, 303)


async def redirect_after(
    work: Awaitable[object], path: str, refused: Mapping[type[HomeshelfError], str]
) -> Response:
    """Await the work of a form, then redirect; errors in `refused` have paths of their own."""
    try:
        await work
    except tuple(refused) as error:
        path = next(other for kind, other in refused.items() if isinstance(error, kind))
    return see_other(path)


def template(name: str) -> Template:
    return environment().get_template(name)


class TagsInOneLine(Extension):
    """A Jinja extension that joins tags broken over several lines."""

    def preprocess(self, source: str, *_: Any, **__: Any) -> str:
        return _TAG.sub(lambda tag: _BREAK.sub(" ", _BEFORE_CONDITION.sub("", tag[0])), source)


_TAG = re.compile(r"<[a-z](?:{{.*?}}|{%.*?%}|[^>])*>", re.DOTALL)
_BEFORE_CONDITION = re.compile(r"\n +(?={%)")
_BREAK = re.compile(r"\n +")


@cache
def environment() -> Environment:
    """Return the Jinja environment for the templates of all slices."""
    folders = {path.parent.name: FileSystemLoader(path) for path in _template_folders()}
    templates = Environment(
        loader=PrefixLoader(folders),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,  # a page needs several templates, and each would be checked on the disk
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n", TagsInOneLine],
    )
    template_words.install(templates)
    templates.globals.update(
        asset=assets().url,
        icon=icon,
        grounds=GROUNDS,
        words_of_slices=_words_of_slices(),
        now=clock.now,
        longest_search=LONGEST_SEARCH,
    )
    templates.filters.update(
        ago=_ago,
        initials=wording.initials,
        hue=wording.hue,
        letter=wording.letter,
        picture=picture_of,
        waiting=wording.capped_count,
        day=wording.day,
        number=lambda value: formats().number(value),
        amount=lambda count, unit: formats().amount(count, unit) if unit else count,
        price=lambda value, currency: formats().price(value, currency),
        listed=lambda parts: formats().listed([*parts]),
        without_controls=without_control_characters,
    )
    return templates


def _words_of_slices() -> list[str]:
    """Return the templates with the sentences of the slices' scripts."""
    words = [path for path in _template_folders() if (path / "words.html").exists()]
    return [f"{path.parent.name}/words.html" for path in words if path.parent.name != "web"]


def _template_folders() -> list[Path]:
    """Return the template folders of slices and of their parts, such as the kinds of lists."""
    return sorted([*SLICES.glob("*/templates"), *SLICES.glob("*/*/templates")])


@pass_context
def _ago(context: Context, timestamp: str) -> str:
    """Return a relative time, with dates in the reader's time zone."""
    account = context.get("shell", Shell()).account
    return wording.ago(timestamp, zone=clock.zone_of(account.time_zone if account else "UTC"))


def _compressed_response(request: Request, body: bytes, status: int) -> Response:
    """Compress a page and forbid caching, because pages are personal."""
    headers = {
        "Cache-Control": "no-store",
        "Content-Language": reader_language().code,
        "Vary": "Accept-Encoding, Accept-Language, Cookie",
    }
    if len(body) > PACKED_FROM and "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        body = gzip.compress(body, 5)
    return Response(body, status, headers, "text/html; charset=utf-8")
