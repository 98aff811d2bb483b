"""What holds for every script of the pages."""

import re
from pathlib import Path

import homeshelf.web

SCRIPTS = Path(homeshelf.web.__file__).parent / "static/js"
MAY_FETCH = {"api.js", "tap/page.js"}
"""The page of a tag loads a single script."""


def test_only_one_place_asks_the_server() -> None:
    scripts = {str(path.relative_to(SCRIPTS)): path.read_text() for path in SCRIPTS.rglob("*.js")}
    assert {name for name, text in scripts.items() if re.search(r"\bfetch\(", text)} == MAY_FETCH
