"""Forms behind a reverse proxy on a port other than 80 and 443."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from homeshelf.config.addresses import browser_origin
from tests.forked_processes import served
from tests.network import ReverseProxy, reverse_proxy

DOCS = Path(__file__).parents[2] / "docs" / "https.md"
DOCUMENTED = dict(re.findall(r"proxy_set_header (\S+) (\S+);", DOCS.read_text()))
WITHOUT_PORT = DOCUMENTED | {"Host": "$host", "X-Forwarded-Host": "$host"}


@contextmanager
def served_behind(proxy: ReverseProxy, folder: Path, public_url: str = "") -> Iterator[None]:
    settings = {"HOMESHELF_TRUSTED_PROXIES": "127.0.0.1", "HOMESHELF_PUBLIC_URL": public_url}
    with served(folder, **settings) as homeshelf:
        proxy.upstream = homeshelf.url
        yield


def sign_up(proxy: ReverseProxy, origin: str) -> int:
    form = {"name": "Ada", "email": "ada@home.local", "password": "correct horse battery"}
    return httpx.post(
        f"{proxy.url}/sign-up", data=form, headers={"Origin": origin, "Accept": "text/html"}
    ).status_code


def test_cross_origin_form_behind_a_proxy_is_refused(tmp_path: Path) -> None:
    with reverse_proxy(WITHOUT_PORT) as proxy, served_behind(proxy, tmp_path, proxy.url):
        for origin in ("http://127.0.0.1:1", proxy.url.replace("http", "https"), "null", "x"):
            assert sign_up(proxy, origin) == 403


def test_form_with_the_documented_proxy_headers_is_accepted(tmp_path: Path) -> None:
    with reverse_proxy(DOCUMENTED) as proxy, served_behind(proxy, tmp_path):
        assert sign_up(proxy, proxy.url) == 303


def test_form_from_the_public_url_is_accepted_if_the_proxy_drops_the_port(tmp_path: Path) -> None:
    with reverse_proxy(WITHOUT_PORT) as proxy, served_behind(proxy, tmp_path, proxy.url):
        assert sign_up(proxy, proxy.url) == 303


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("https://Shelf.Example:443", "https://shelf.example"),
        ("http://shelf.example:80", "http://shelf.example"),
        ("https://shelf.example:8443", "https://shelf.example:8443"),
        ("http://shelf.example:443", "http://shelf.example:443"),
        ("https://müller.example", "https://xn--mller-kva.example"),
        ("http://[2001:DB8::1]:8000", "http://[2001:db8::1]:8000"),
    ],
)
def test_public_url_is_compared_in_the_form_of_browser_origins(address: str, origin: str) -> None:
    assert browser_origin(address) == origin
