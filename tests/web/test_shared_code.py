"""Shared pages, scripts and Python code name no slice."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import homeshelf
from homeshelf.app import SLICES
from homeshelf.web.assets import slice_modules, static_files

WEB = Path(homeshelf.__file__).parent / "web"
FILES = sorted(
    path for path in WEB.rglob("*.*") if path.suffix in {".py", ".js", ".css", ".html", ".svg"}
)
SHARED_PATHS = {
    "/api/v1/events": "the stream of what others change",
    "/api/v1/family/counts": "the numbers of all slices, in one answer",
    "/api/v1/me": "any answer of the API will do",
}
SHARED_WORDS = {
    "family": "what most records belong to",
    "items": "of a JSON array",
    "list": "a role of elements",
    "Member": "a header of requests",
    "places": "the bar at the bottom",
    "reset": "a layer of styles, and a message of the stream",
    "settings": "what the operator has set",
    "Store": "a field among the samples of /design",
    "shortcuts": "the menu of the icon of an installed app",
    "tokens": "a layer of styles, and what programs sign in with",
}
"""Names of slices that have another meaning in shared code."""


def _paths() -> Iterator[str]:
    """Yield the first path segment of every slice's routes."""
    for each in SLICES:
        routers = [router.routes for router in (*each.api, *each.pages)]
        for route in (*each.plain_routes, *(route for routes in routers for route in routes)):
            yield route.path.removeprefix("/api/v1").split("/")[1]  # type: ignore[attr-defined]


def _names() -> Iterator[str]:
    for each in SLICES:
        yield each.name
        yield from (kind.__name__ for kind in each.left_out)
        yield from (belonging.kind.__name__ for belonging in each.belongings)
        yield from (Path(page.path).name for page in each.offline.kept_first)
    yield from (name.split("/")[1].removesuffix(".js") for name in slice_modules())
    kinds = (text for name, text in _own_scripts() if name.endswith("/kinds.js"))
    yield from (kind for text in kinds for kind in re.findall(r'"(\w+\.\w+)": \w+', text))


def _own_scripts() -> Iterator[tuple[str, str]]:
    return ((name, static_files()[name].read_text()) for name in slice_modules())


def _any_of(names: set[str]) -> str:
    return "|".join(sorted(map(re.escape, names - {""}), key=len, reverse=True))


PATHS = re.compile(
    rf"""(?<=["'`^(])(/api/v1)?/({_any_of({*_paths()})})(?=["'`/?$)#]).*?(?=["'`)])"""
)
NAMES = re.compile(rf"""(?<=["'`/^(|])({_any_of({*_names()} - {*SHARED_WORDS})})(?=["'`/|)$?#])""")


def named(text: str) -> list[str]:
    """Return the slices that a text names in quotes or addresses."""
    paths = [found[0] for found in PATHS.finditer(text) if found[0] not in SHARED_PATHS]
    return paths + NAMES.findall(text)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(WEB)))
def test_shared_files_name_no_slice(path: Path) -> None:
    assert named(path.read_text()) == []


def test_every_exempt_word_occurs() -> None:
    texts = "".join(path.read_text() for path in FILES)
    assert all(f'"{path}"' in texts for path in SHARED_PATHS)
    assert set(SHARED_WORDS) <= {*_paths(), *_names()}


@pytest.mark.parametrize(
    "text",
    [
        'if (kind === "share.tick") say();',
        'import { kinds } from "../shopping/kinds.js";',
        'const KINDS = new Set(["ShoppingListItem"]);',
        '{% if behaviour == "taking" %}',
        "const SECRET = /^/(t|s|tags)(/|$)/;",
        'if (path.startsWith("/api/v1/taps/")) credentials = "omit";',
        'const LIST = "/list";',
        '<a href="/s/mine">',
        'location.assign("/stock#q");',
        "return see_other('/families/new')",
        "`homeshelf/inventory/barcodes.py`",
    ],
)
def test_slice_name_in_a_text_is_found(text: str) -> None:
    assert named(text)
