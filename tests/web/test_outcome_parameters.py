"""A query parameter can make a page show only the page's own sentences."""

import re

import pytest

from homeshelf.app import create_app
from tests.api_client import add_item
from tests.home import Home, add_kid
from tests.pages import see
from tests.routes import Route, every_route
from tests.running import SETTINGS

TALKING = [
    route
    for route in every_route(create_app(SETTINGS))
    if route.is_page and {"said", "saved"} & {*route.asks}
]
ANOTHERS = "Your+account+is+closed.+Call+555."


async def ids(home: Home) -> dict[str, str]:
    book = (await home.admin.post("/books", {"title": "Notes"})).json()
    shared = (await home.admin.post("/shareables", {"name": "Trip"})).json()
    item, kid = await add_item(home.admin), await add_kid(home)
    own = {"bookId": book["id"], "shortId": shared["shortId"], "itemId": item["itemId"]}
    return own | {"memberId": kid.member_id}


def test_pages_with_outcome_parameters_are_found() -> None:
    assert len(TALKING) > 8


@pytest.mark.parametrize("route", TALKING, ids=str)
async def test_outcome_parameter_cannot_inject_text(home: Home, route: Route) -> None:
    address = route.address(await ids(home))
    silent = await see(home.admin, address)
    for name in {"said", "saved"} & {*route.asks}:
        assert same(await see(home.admin, f"{address}?{name}={ANOTHERS}")) == same(silent)


def same(page: str) -> str:
    """Return a page without its time of rendering."""
    return re.sub(r'data-since="[^"]*"|"at": "[^"]*"', "", page)
