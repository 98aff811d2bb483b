"""Redirects never lead to another site, whatever the query, form or path contains."""

import re
from urllib.parse import quote, urlencode, urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeshelf.accounts.browsers import local_path
from homeshelf.app import create_app
from tests.api_client import RawResponse, call_app
from tests.cases import seeded_random
from tests.home import Home
from tests.routes import Route, every_route
from tests.running import PASSWORD, SETTINGS, RunningApp

AWAY = (
    "https://evil.example/",
    "//evil.example/",
    "///evil.example/",
    "/\\evil.example/",
    "\\\\evil.example",
    "/\t/evil.example/",
    "/\n/evil.example/",
    "/\r\nLocation: https://evil.example/",
    "\t//evil.example",
    " //evil.example",
    "/%09/evil.example",
    "/%5cevil.example",
    "/.//evil.example",
    "/..//evil.example",
    "https:evil.example",
    "https:/evil.example",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "@evil.example",
    "/@evil.example",
    "http://home.test@evil.example/",
    "http://home.test.evil.example/",
    "/\u2028/evil.example",
    "\u3002evil.example",
    "\uff0f\uff0fevil.example",
    "",
)
ROUTES = [
    route
    for route in every_route(create_app(SETTINGS))
    if route.is_page and route.path != "/sign-out"  # signing out would break the other requests
]
NAMES = ("next", "back", "return", "returnTo", "return_to", "url", "to", "redirect", "way_on", "at")
"""Common names of redirect parameters; those of our pages are tried as well."""
HERE = "http://home.test"
how_many = pytest.mark.parametrize(
    "number", [1, pytest.param(1000, marks=pytest.mark.torture)], ids=["some", "all"]
)
"""The number of forged targets per page: one at random in `make test`, all in `make torture`."""


def leaves_site(location: str) -> bool:
    """Return whether browsers would leave the site: they drop tabs, and read a backslash as a
    slash."""
    read = re.sub("[\t\r\n]", "", location).strip("".join(map(chr, range(33)))).replace("\\", "/")
    there = urlsplit(urljoin(HERE, read))
    return (there.scheme, there.netloc) != ("http", "home.test")


@how_many
async def test_query_and_form_parameters_redirect_only_to_own_pages(
    home: Home, number: int
) -> None:
    random = seeded_random()
    for route in ROUTES:
        for away in random.sample(AWAY, min(number, len(AWAY))):
            asked = urlencode(dict.fromkeys((*NAMES, *route.asks), away), quote_via=quote)
            form = b"" if route.method == "GET" else asked.encode()
            answer = await _ask(home, route, f"{route.address({})}?{asked}", form)
            _stays(route, answer)


@pytest.mark.parametrize("page", ["/sign-in", "/sign-up"])
async def test_sign_in_redirects_only_to_own_pages(running: RunningApp, page: str) -> None:
    ada = await running.person("ada")
    for number, away in enumerate(AWAY):
        email = ada.email if page == "/sign-in" else f"new{number}@home.local"
        named = {} if page == "/sign-in" else {"name": "Ada"}
        form = urlencode({"email": email, "password": PASSWORD, **named}).encode()
        path = f"{page}?{urlencode({'next': away}, quote_via=quote)}"
        sent = {"host": "home.test", "origin": HERE, "accept": "text/html"}
        answer = await call_app(running.app, "POST", path, sent, form)
        assert answer.status == 303, answer.text
        assert not leaves_site(answer.headers["location"]), away


@pytest.mark.parametrize("path", ["//evil.example", "//evil.example/..", "/\\evil.example/list"])
async def test_path_redirects_only_to_own_pages(home: Home, path: str) -> None:
    """Some programs redirect to a normalized path."""
    for address in (path, f"{path}/", f"/list/{path}", f"/sign-in/{path}/"):
        for who in ({}, {"authorization": home.admin.client.headers["authorization"]}):
            sent = {"host": "home.test", "accept": "text/html", **who}
            answer = await call_app(home.running.app, "GET", address, sent, b"")
            location = answer.headers.get("location", "/")
            assert not leaves_site(location), location


@given(
    st.text()
    | st.lists(
        st.sampled_from(["/", "\\", "\t", "\n", ".", "@", ":", "evil.example", "http", "%"])
    ).map("".join)
)
def test_redirect_target_is_always_an_own_path(next_path: str) -> None:
    led = local_path(next_path)
    assert not leaves_site(led)
    assert led.isascii()
    assert not re.search(r"[\s\\]", led)


async def _ask(home: Home, route: Route, path: str, form: bytes) -> RawResponse:
    sent = {
        "host": "home.test",
        "accept": "text/html",
        "origin": HERE,
        "authorization": home.admin.client.headers["authorization"],
    }
    return await call_app(home.running.app, route.method, path, sent, form)


def _stays(route: Route, answer: RawResponse) -> None:
    assert answer.status < 500, (str(route), answer.text)
    for name in ("location", "refresh", "content-location"):
        if name in answer.headers:
            assert not leaves_site(answer.headers[name]), (str(route), answer.headers[name])
    for found in re.findall(r'(?:href|action|formaction|src)="([^"]*)"', answer.text):
        if found != "data:,":  # an empty icon
            assert not leaves_site(found.replace("&amp;", "&")), (str(route), found)
    assert 'http-equiv="refresh"' not in answer.text
