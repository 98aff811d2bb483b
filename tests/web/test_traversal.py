"""`/static/` serves only our own files, tested over a raw connection because clients normalize
paths."""

import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from homeshelf.web.assets import assets
from tests.forked_processes import served
from tests.processes import SECRET, Served

UP = (
    *("../", "..%2f", "%2e%2e/", "%2e%2e%2f", "..%252f", "%252e%252e%252f", "..\\", "..%5c"),
    *("%2e%2e%5c", "..%c0%af", "%c0%ae%c0%ae/", "..%ef%bc%8f", "....//", "..;/", "..%00/", ".%2e/"),
    *("/", "//", "\\", "%2f", "%5c", "file:///", "./"),
)
FILES = (
    "etc/passwd",
    "homeshelf.db",
    "data/homeshelf.db",
    "config/settings.py",
    "js/app.js%00.png",
)
NOTHING = ("404", "400")
OURS = ("root:", "SQLite format", SECRET, "class Settings", "import ")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(Path(tmp_path_factory.mktemp("static"))) as homeshelf:
        yield homeshelf


def test_existing_files_are_served(server: Served) -> None:
    assert ask(server, f"/static/{assets().hash}/js/app.js").startswith("HTTP/1.1 200 ")


@pytest.mark.parametrize("up", UP)
def test_no_path_leaves_the_static_folder(server: Served, up: str) -> None:
    for start in (f"/static/{assets().hash}/", f"/static/{assets().hash}/js/", "/static/", "/"):
        for file in FILES:
            for deep in (1, 3, 8):
                answer = ask(server, f"{start}{up * deep}{file}")
                assert answer[9:12] in NOTHING, (start, file, answer)
                body = answer.partition("\r\n\r\n")[2]
                assert not any(secret in body for secret in OURS)


@pytest.mark.parametrize(
    "name", ["", ".", "js", "js/", "js/app.js/", "js//app.js", "JS/app.js", "js/app.js%00", "%00"]
)
def test_partial_file_names_return_404(server: Served, name: str) -> None:
    assert ask(server, f"/static/{assets().hash}/{name}").startswith("HTTP/1.1 404 ")


def ask(server: Served, path: str) -> str:
    """Return the raw response to a path that is not normalized."""
    at = urlsplit(server.url)
    with socket.create_connection((at.hostname, at.port), timeout=10) as line:
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
        line.sendall(head.encode())
        answer = b""
        while more := line.recv(65536):
            answer += more
    return answer.decode("latin-1")
