"""Test that each page has at most one round button, for its main action."""

import re

import pytest

from tests.home import Home
from tests.pages import see
from tests.running import Person

ADDS = re.compile(r'<a class="button add" href="([^"]+)"')
BOOK, WISH = "/books/new", "/wishes"


@pytest.mark.parametrize(
    ("path", "parents", "childs"),
    [
        ("/", [], [WISH]),
        ("/stock", ["/stock/new"], [WISH]),
        ("/list", [], [WISH]),
        ("/books", [BOOK], [BOOK]),
        ("/books/year", [BOOK], [BOOK]),
        ("/s/mine", ["/s/new"], ["/s/new"]),
        ("/family", [], [WISH]),
    ],
)
async def test_round_button_leads_to_main_action_of_page(
    home: Home, kid: Person, path: str, parents: list[str], childs: list[str]
) -> None:
    assert ADDS.findall(await see(home.admin, path)) == parents
    assert ADDS.findall(await see(kid, path)) == childs
