"""Test `docs/api.md`: its examples work as written, and its tables are complete."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from homeshelf import errors
from tests.documentation import PAGES, path_in_tree
from tests.forked_processes import served
from tests.processes import environment
from tests.routes import Route, app, every_route

PAGE = (Path(__file__).parents[1] / "docs" / "api.md").read_text()
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
ANY = "..."
NO_EXAMPLE = {"All operations"}
WHO = {
    "person": {"signed in"},
    "member": {"member", "member; admin for others"},
    "admin": {"admin", "admin; suggester with `mayTick`"},
    "suggester": {"suggester"},
    None: {"anyone", "anyone with its address", "view", "manage", "view; manage to change"},
}


@pytest.mark.skipif(not shutil.which("curl"), reason="the examples are for curl")
def test_every_example_prints_the_documented_response(tmp_path: Path) -> None:
    (tmp_path / ".curlrc").write_text("max-time = 30\n")
    with served(tmp_path) as homeshelf, _terminal(tmp_path) as terminal:
        for kind, text in BLOCK.findall(PAGE):
            match kind:
                case "sh":
                    terminal.type(text.replace("http://localhost:8000", homeshelf.url))
                case "http":
                    terminal.must_show(text)
                case "text":
                    terminal.must_stream(text)


@pytest.mark.parametrize("heading", sorted(SECTIONS.keys() - NO_EXAMPLE))
def test_every_section_has_an_example(heading: str) -> None:
    assert {"sh", "http"} <= {kind for kind, _ in BLOCK.findall(SECTIONS[heading])}


def test_table_lists_exactly_the_operations() -> None:
    rows = re.findall(r"^\| `([A-Z]+ /\S*)` \| .+ \| (.+) \|$", PAGE, re.MULTILINE)
    assert len(rows) == len(dict(rows))
    operations = (each for each in every_route(app()) if each.path.startswith("/api/v1"))
    there = {_short(route): route for route in operations}
    assert set(dict(rows)) == set(there)
    for name, who in rows:
        assert who in WHO[there[name].access], name


def test_table_lists_every_error_code_with_its_status() -> None:
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", SECTIONS["Errors"], re.MULTILINE)
    known = {(str(each.status), each.code) for each in _kinds_of(errors.HomeshelfError)}
    assert sorted(rows) == sorted(known)


@pytest.mark.parametrize("page", PAGES, ids=path_in_tree)
def test_every_documented_api_path_exists(page: Path) -> None:
    there = {route.path for route in every_route(app())} | {"/api/v1"}
    for path in re.findall(r"`(?:[A-Z]+ )?(/api/v1[^`?\s]*)`", page.read_text()):
        assert path in there, path


def test_endpoints_outside_the_api_are_documented() -> None:
    ours = ("/healthz", "/readyz", "/metrics", "/t/{urlId}")
    assert {route.path for route in every_route(app())} >= set(ours)
    assert all(f"`{path}`" in SECTIONS["All operations"] for path in ours)


class Terminal:
    """A shell that stores each field of the responses in a variable."""

    def __init__(self, folder: Path) -> None:
        self._variables = environment({"CURL_HOME": str(folder)})
        self._shown = ""
        self._stream: subprocess.Popen[str] | None = None
        self._streamed: list[str] = []

    def type(self, text: str) -> None:
        if named := re.fullmatch(r"(\w+)=(\S+)\n", text):
            self._variables[named[1]] = named[2]
        elif "curl -sN" in text:
            self._stream = self._started(text)
            self._streamed.append(self._next_line())  # from here on it misses nothing
        else:
            for line in text.splitlines():
                self._shown, _ = self._started(line).communicate()
                self._remember()

    def must_show(self, expected: str) -> None:
        status, headers, body = _parsed(self._shown)
        wanted_status, wanted_headers, wanted_body = _parsed(expected)
        assert status == wanted_status, self._shown
        for line in wanted_headers:
            assert any(_is_like(line, each) for each in headers), self._shown
        assert _is_like(_read(wanted_body), json.loads(body)), self._shown

    def must_stream(self, expected: str) -> None:
        for line in expected.splitlines():
            came = self._streamed.pop() if self._streamed else self._next_line()
            assert _is_like(line, came), came

    def close(self) -> None:
        if self._stream is not None:
            self._stream.kill()
            self._stream.communicate()

    def _started(self, command: str) -> "subprocess.Popen[str]":
        shell = ["/bin/sh", "-c", f"exec {command}"]
        return subprocess.Popen(shell, env=self._variables, stdout=subprocess.PIPE, text=True)

    def _next_line(self) -> str:
        assert self._stream is not None
        assert self._stream.stdout is not None
        return self._stream.stdout.readline().rstrip("\n")

    def _remember(self) -> None:
        body = _parsed(self._shown)[2]
        answer = json.loads(body) if body else {}
        self._variables |= {name: it for name, it in answer.items() if isinstance(it, str)}


@contextmanager
def _terminal(folder: Path) -> Iterator[Terminal]:
    terminal = Terminal(folder)
    try:
        yield terminal
    finally:
        terminal.close()


def _parsed(answer: str) -> tuple[str, list[str], str]:
    """Return the status, the headers and the body."""
    head, _, body = answer.replace("\r\n", "\n").partition("\n\n")
    status, *headers = head.splitlines() or [""]
    return status, headers, body


def _read(shown: str) -> Any:
    """Parse an example in which an object may omit fields."""
    return json.loads(re.sub(r",\s*\.\.\.\s*}", f', "{ANY}": ""}}', shown))


def _is_like(expected: Any, came: Any) -> bool:
    match expected, came:
        case dict(), dict():
            named = expected.keys() - {ANY}
            enough = named <= came.keys() if ANY in expected else named == came.keys()
            return enough and all(_is_like(expected[name], came[name]) for name in named)
        case list(), list():
            pairs = zip(expected, came, strict=False)
            return len(expected) == len(came) and all(_is_like(*pair) for pair in pairs)
        case str(), str():
            pattern = ".+".join(re.escape(part) for part in expected.split(ANY))
            return re.fullmatch(pattern, came) is not None
    return type(expected) is type(came) and bool(expected == came)


def _short(route: Route) -> str:
    return str(route).replace("/api/v1", "", 1)


def _kinds_of(kind: type[errors.HomeshelfError]) -> Iterator[type[errors.HomeshelfError]]:
    """Yield the errors that are raised, without base classes that have no code of their own."""
    if "code" in vars(kind):
        yield kind
    for each in kind.__subclasses__():
        yield from _kinds_of(each)
