"""Rules for all style sheets, scripts and templates."""

import re
from pathlib import Path

import pytest

import homeshelf
from homeshelf.web.assets import assets, static_files, without_comments
from tests.running import RunningApp

PACKAGE = Path(homeshelf.__file__).parent
SCRIPTS = {name: path.read_text() for name, path in static_files().items() if path.suffix == ".js"}
SHEETS = "".join(path.read_text() for path in static_files().values() if path.suffix == ".css")
DRAWN = ("*.html", "*.svg", "*.js", "*.py")
USERS = "".join(path.read_text() for kind in DRAWN for path in PACKAGE.rglob(kind))

LONGEST_LINE = 120
MAY_FETCH = {"js/api.js", "js/offline/reload.js", "js/queue/request.js", "js/tap/request.js"}
"""The tag page loads no other module, the queue also runs in the service worker, and the offline
page asks again without waiting long."""
NUMBERED = r"(face|cover|heat)-\d+|labels-(a4|letter)|notice-gone"
"""Classes whose names are composed where they are used."""


@pytest.mark.parametrize("kind", ["css", "js", "html"])
def test_lines_of_static_files_are_short(kind: str) -> None:
    long = [
        f"{path.relative_to(PACKAGE)}:{number}"
        for path in PACKAGE.rglob(f"*.{kind}")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > LONGEST_LINE
    ]
    assert long == []


def test_only_listed_scripts_call_fetch() -> None:
    assert {name for name, text in SCRIPTS.items() if re.search(r"\bfetch\(", text)} == MAY_FETCH


def test_every_styled_class_is_used() -> None:
    styled = set(re.findall(r"\.([a-z][\w-]*)", SHEETS))
    used = set(re.findall(r"[a-z][\w-]*", USERS))
    assert {name for name in styled - used if not re.fullmatch(NUMBERED, name)} == set()


def test_every_css_token_is_used() -> None:
    named = set(re.findall(r"(--[\w-]+):", SHEETS))
    assert named == set(re.findall(r"var\((--[\w-]+)", SHEETS))


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("static/css/own/*.css")), ids=str)
def test_styles_of_single_pages_are_separate_sheets(path: Path) -> None:
    files = assets().files
    own = files[path.name].plain
    assert own
    assert own not in files["app.css"].plain


def test_comment_lines_are_removed() -> None:
    files = assets().files
    texts = [files[name].plain.decode() for name in files if name.endswith((".js", ".css"))]
    comment = re.compile(r"^\s*(//|/\*(?!\* @type .*\()|\*/)", re.MULTILINE)
    assert not [text for text in texts if comment.search(text)]


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("// why\nconst a = 1;\n", "const a = 1;\n"),
        ("/**\n * why\n * @param {A} a\n */\nfunction f(a) {}\n", "function f(a) {}\n"),
        ("  /** Why. */\n  get a() {}\n", "  get a() {}\n"),
        ("const b = /** @type {B} */ (a);\n", "const b = /** @type {B} */ (a);\n"),
        ('const d = "; // d";\n', 'const d = "; // d";\n'),
        ("const e = /\\/\\*x/;\n", "const e = /\\/\\*x/;\n"),
        ("/* why */\n.a { color: red; } /* b */\n", ".a { color: red; } /* b */\n"),
    ],
)
def test_only_comments_are_removed(written: str, sent: str) -> None:
    assert without_comments(written) == sent


async def test_scripts_and_sheets_have_no_content_security_policy(running: RunningApp) -> None:
    client = running.visitor(scheme="https").client
    for name in ("js/app.js", "app.css"):
        headers = (await client.get(assets().url(name))).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "content-security-policy" not in headers
        assert "x-request-id" not in headers
    for path in (assets().url("icon.svg"), "/static/elsewhere/js/app.js", "/sw.js"):
        answer = await client.get(path)
        assert "default-src 'none'" in answer.headers["content-security-policy"], path
