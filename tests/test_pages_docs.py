"""Test that the documentation lists every page and every form."""

import re
from pathlib import Path

from tests.routes import Access, app, every_route

PAGE = (Path(__file__).parents[1] / "docs" / "pages.md").read_text()
TABLE, _, BELOW = PAGE.partition("## All pages")[2].partition("\n\nFor browsers")
ROWS = re.findall(r"^\| `(\S+)` \| ([\w ]+) \| .+ \|(.*)\|$", TABLE, re.MULTILINE)
ROUTES = [route for route in every_route(app()) if route.is_page]
OPERATORS = {"/healthz", "/readyz", "/metrics"}
WHO: dict[Access | None, str] = {
    None: "anyone",
    "person": "signed in",
    "member": "member",
    "admin": "admin",
    "suggester": "suggester",
}


def test_every_page_is_documented_with_its_access() -> None:
    besides = OPERATORS | set(re.findall(r"`(/\S+)`", BELOW))
    pages = {route.path: WHO[route.access] for route in ROUTES if route.method == "GET"}
    assert len(ROWS) == len({path for path, _, _ in ROWS})
    assert {path: who for path, who, _ in ROWS} == {
        path: who for path, who in pages.items() if path not in besides
    }


def test_every_form_is_documented_once() -> None:
    named = [path for *_, forms in ROWS for path in re.findall(r"`(/\S*)`", forms)]
    assert sorted(named) == sorted(route.path for route in ROUTES if route.method == "POST")
