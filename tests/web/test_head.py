"""HEAD returns the status and headers of GET, without a body, on every route."""

import asyncio
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from homeshelf.config.values import Rate
from homeshelf.table import Database
from homeshelf.web.assets import assets
from tests.api_client import call_app
from tests.fixtures_security import make_victim
from tests.forked_processes import served
from tests.routes import every_route
from tests.running import running_app

ADA = {"email": "ada@home.local", "password": "correct horse battery", "name": "Ada"}
STYLES = assets().url("app.css")
OWN_OF_EACH = {"x-request-id", "set-cookie"}


async def test_head_has_the_status_and_headers_of_get_on_every_route(database: Database) -> None:
    often = Rate(99_999, 60)
    async with running_app(database, metrics="anyone", limit_unknown=often) as running:
        victim = await make_victim(running)
        ids = victim.ids | {"tree": assets().hash, "name": "app.css", "format": "csv"}
        statuses = []
        for route in every_route(running.app):
            if route.method != "GET":
                continue
            person = victim.suggester if route.access == "suggester" else victim.home.admin
            sent = {
                "host": "home.test",
                "accept": "text/html",
                "accept-encoding": "identity",
                "authorization": person.client.headers["authorization"],
            }
            address = f"{route.address(ids)}?{route.question(ids)}"
            got = await call_app(running.app, "GET", address, sent, b"")
            async with asyncio.timeout(5):  # an event stream must not stay open
                headed = await person.client.head(address, headers=sent)
            unlike = {*OWN_OF_EACH, *(["content-length"] if route.path == "/metrics" else [])}
            assert (headed.status_code, headed.content) == (got.status, b""), route
            assert _without(unlike, dict(headed.headers)) == _without(unlike, got.headers), route
            statuses.append(got.status)
        assert statuses.count(200) > 60
        document = (await running.visitor().client.get("/api/v1/openapi.json")).json()
        assert not [path for path, found in document["paths"].items() if "head" in found]


def test_connection_is_reusable_after_head(tmp_path: Path) -> None:
    with (
        served(tmp_path, HOMESHELF_METRICS="anyone") as homeshelf,
        closing(HTTPConnection(urlsplit(homeshelf.url).netloc, timeout=10)) as connection,
    ):
        bearer = {"Authorization": f"Bearer {_found_family(homeshelf.url)}"}

        def ask(method: str, path: str) -> tuple[int, str | None, bytes]:
            connection.request(method, path, headers=bearer)
            answer = connection.getresponse()
            return answer.status, answer.headers["content-length"], answer.read()

        ask("GET", "/healthz")
        opened = connection.sock
        assert ask("HEAD", "/api/v1/events") == (200, None, b"")
        for path in ("/", "/healthz", "/readyz", STYLES):
            status, length, body = ask("GET", path)
            assert (status, length) == (200, str(len(body)))
            assert ask("HEAD", path) == (200, length, b"")
        assert ask("HEAD", "/metrics")[0] == 200
        line = b'homeshelf_requests_total{method="HEAD",route="/healthz",status="200"} 1.0'
        assert line in ask("GET", "/metrics")[2]
        assert connection.sock is opened


def _without(names: set[str], headers: object) -> dict[str, str]:
    assert isinstance(headers, dict)
    return {name: value for name, value in headers.items() if name not in names}


def _found_family(url: str) -> str:
    """Sign up with a family and return an access token."""
    with httpx.Client(base_url=f"{url}/api/v1") as client:
        assert client.post("/accounts", json=ADA).status_code == 201
        known = {name: ADA[name] for name in ("email", "password")}
        token = str(client.post("/tokens", json=known).json()["accessToken"])
        client.headers["Authorization"] = f"Bearer {token}"
        assert client.post("/families", json={"name": "Ours"}).status_code == 201
    return token
