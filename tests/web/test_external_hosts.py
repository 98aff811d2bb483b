"""Pages load only our own files, so that no other host learns of a visit."""

import re
from pathlib import Path

import httpx
import pytest

import homeshelf
from tests.forked_processes import served
from tests.one_of_each import one_of_each
from tests.routes import app, every_route
from tests.running import RunningApp

ASSETS = sorted((Path(homeshelf.__file__).parent / "web" / "static").rglob("*.*"))
TEXTS = [path for path in ASSETS if path.suffix in (".js", ".css", ".svg")]
NAMESPACES = {"www.w3.org"}
"""Hosts in XML namespaces, which browsers do not contact."""


def hosts_in(text: str) -> set[str]:
    found = re.findall(r"https?://([\w.-]+)|[\"'(]//([\w.-]+)", text)
    return {one or other for one, other in found}


@pytest.mark.parametrize(
    "path", ["/docs", "/docs/oauth2-redirect", "/redoc", "/openapi.json", "/api/v1/docs"]
)
async def test_pages_of_the_framework_return_404(running: RunningApp, path: str) -> None:
    for wanted in ("text/html", "application/json"):
        answer = await running.visitor().client.get(path, headers={"Accept": wanted})
        assert answer.status_code == 404
        assert "swagger" not in answer.text.lower()


def test_pages_load_nothing_from_other_hosts(tmp_path: Path) -> None:
    with served(tmp_path) as homeshelf, httpx.Client(base_url=homeshelf.url) as client:
        theirs = one_of_each(homeshelf.url)
        shown = set()
        for token in (theirs.token, theirs.kids_token, "nobody"):
            headers = {"Accept": "text/html", "Authorization": f"Bearer {token}"}
            for route in (each for each in every_route(app()) if each.is_page):
                if route.method == "GET":
                    answer = client.get(route.address(theirs.ids), headers=headers)
                    assert answer.status_code < 500, route
                    assert hosts_in(answer.text) <= {"127.0.0.1", *NAMESPACES}, route
                    shown |= {route.path} if answer.status_code == 200 else set()
    assert len(shown) > 50


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_static_files_load_nothing_from_other_hosts(path: Path) -> None:
    assert hosts_in(path.read_text()) <= NAMESPACES


def test_host_names_in_a_text_are_found() -> None:
    assert hosts_in('<script src="https://cdn.example/x.js">') == {"cdn.example"}
    assert hosts_in("@import url(//fonts.example/x.css)") == {"fonts.example"}
    assert hosts_in("// nothing\nimport x from '/static/x.js'") == set()
