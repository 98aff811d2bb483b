"""Check the rules that every page follows, on each page that a test requests.

Nothing that is read or pressed is empty; labels and descriptions stand for something that is
there; links and forms lead to something that this program has.
"""

import re
from functools import cache
from html import unescape
from urllib.parse import urlsplit

import httpx

from homeshelf.app import create_app
from homeshelf.config import read_settings
from tests.routes import app as default_app
from tests.routes import every_route

WITH_PROVIDER = {
    "HOMESHELF_OIDC_ISSUER": "https://provider.example",
    "HOMESHELF_OIDC_AUDIENCE": "homeshelf",
    "HOMESHELF_OIDC_CLIENT_ID": "homeshelf",
}
"""The pages that exist only with an identity provider."""
_DRAWING = re.compile(r"<svg\b.*?</svg>|<img\b[^>]*>", re.DOTALL)
_TEMPLATE = re.compile(r"(<template\b[^>]*>).*?</template>", re.DOTALL)
_DRAWN = "\N{BLACK DIAMOND}"
_READ = r"caption|dd|dt|figcaption|h[1-6]|label|legend|li|p|strong|td|th|title"
_NOTHING_READ = re.compile(rf"<({_READ})\b[^>]*>[\s{_DRAWN}]*</\1>")
_NO_CHOICE = re.compile(r"<option value=\"\"[^>]*>\s*</option>")
_NOTHING_SEEN = re.compile(r"<(a|button|summary)\b[^>]*>\s*</\1>")
_NO_NAME = re.compile(rf"<(a|button|summary)\b(?![^>]*aria-label)[^>]*>[\s{_DRAWN}]*</\1>")
_WORTHLESS = r"action|aria-[a-z]+|for|formaction|href|id|name|placeholder|src"
_NO_VALUE = re.compile(rf"<\w[^>]*\s(?:{_WORTHLESS})=\"\s*\"[^>]*>")
_NO_WORDS = re.compile(r"<template\b[^>]*\sdata-[a-z-]+=\"\s*\"")
_NO_VERSION = re.compile(r"<input\b[^>]*name=\"version\" value=\"\"[^>]*>")
_PATTERNS = (
    _NOTHING_READ,
    _NO_CHOICE,
    _NOTHING_SEEN,
    _NO_NAME,
    _NO_VALUE,
    _NO_WORDS,
    _NO_VERSION,
)
_FILLED_LATER = re.compile(
    r"\s(role=\"status\"|data-none|class=\"(tap-unit|unsent-names)\")|<p class=\"soft\">\s"
    r"|<a class=\"button button-main\" href=\"\">$"  # the offline page stands for any address
)
_IDS = re.compile(r"\sid=\"([^\"]*)\"")
_REFERENCES = re.compile(r"\s(?:for|list|aria-(?:labelledby|describedby|controls))=\"([^\"]*)\"")
_LEADS = re.compile(r"<(a|form|button)\b([^>]*?)\s(?:href|action|formaction)=\"(/[^\"]*)\"")


async def require_valid_page(answer: httpx.Response) -> None:
    if not answer.headers.get("content-type", "").startswith("text/html"):
        return
    await answer.aread()
    faults = find_page_faults(answer.text)
    assert not faults, f"{answer.request.method} {answer.request.url.path}: {faults}"


def find_page_faults(html: str) -> list[str]:
    html = _TEMPLATE.sub(r"\1</template>", html)
    text = _DRAWING.sub(_DRAWN, html)
    empty = [
        found.group()
        for pattern in _PATTERNS
        for found in pattern.finditer(text)
        if not _FILLED_LATER.search(found.group())
    ]
    ids = set(_IDS.findall(html))
    named = {each for found in _REFERENCES.findall(text) for each in found.split()}
    nowhere = [
        lead
        for tag, before, lead in _LEADS.findall(text)
        if not _is_served("POST" if tag == "button" or "post" in before else "GET", lead)
    ]
    return [*empty, *sorted(named - ids), *sorted(nowhere)]


@cache
def _is_served(method: str, lead: str) -> bool:
    path = urlsplit(unescape(lead)).path
    return path.startswith("/static/") or any(
        found.fullmatch(path) for served, found in _paths() if served == method
    )


@cache
def _paths() -> list[tuple[str, re.Pattern[str]]]:
    return [
        (route.method, re.compile(re.sub(r"{[^}]+}", "(?!None)[^/]+", route.path)))
        for app in (default_app(), create_app(read_settings(WITH_PROVIDER)))
        for route in every_route(app)
    ]
