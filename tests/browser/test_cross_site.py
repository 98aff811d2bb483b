"""Requests from a foreign site in a signed-in browser change nothing.

The site is another port of the same host, which gets the cookies, another host, or plain HTTP,
where browsers send no `Sec-Fetch-Site`.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, BrowserContext, Page, Response

from homeshelf.app import create_app
from tests.browser.demo_household import DemoHousehold
from tests.browser.visitor import Visitors
from tests.routes import Route, every_route
from tests.running import SETTINGS

FROM_ANYWHERE = ("/t/", "/unsubscribe/")
"""Paths that accept foreign sites, because they read no cookie: see tests/web/test_origin.py."""
UNSAFE = [route for route in every_route(create_app(SETTINGS)) if route.method != "GET"]
PAGES = [r for r in UNSAFE if r.is_page and not r.path.startswith(FROM_ANYWHERE)]
API = [r for r in UNSAFE if not r.is_page and not r.path.startswith("/api/v1/taps")]
SITES = {
    "another port": ("127.0.0.1", "127.0.0.1"),
    "another host": ("127.0.0.1", "localhost"),
    "plain HTTP": ("home.test", "home.test"),
    "plain HTTP, another host": ("home.test", "127.0.0.1"),
}
"""Host names of the server and of the foreign site."""
on_each_site = pytest.mark.parametrize(
    "site",
    [pytest.param(site, marks=pytest.mark.torture if "host" in site else ()) for site in SITES],
)
"""Runs a test for each site; those without cookies run only in `make torture`."""
FORM = {"name": "Evil", "email": "evil@home.local", "password": "evil evil evil", "text": "evil"}

SENDS_FORMS = """async ([home, paths, fields]) => {
  for (const [number, path] of paths.entries()) {
    const frame = Object.assign(document.createElement("iframe"), { name: `frame${number}` });
    const form = Object.assign(document.createElement("form"), {
      method: "post", action: home + path, target: frame.name });
    for (const [name, value] of Object.entries(fields))
      form.append(Object.assign(document.createElement("input"), { name, value }));
    document.body.append(frame, form);
    form.submit();
  }
}"""
SIGNS_IN = """async (known) => {
  const body = new URLSearchParams(known);
  return (await fetch("/sign-in?next=/family", { method: "POST", body })).url;
}"""
FETCHES = """async ([home, asked, mode, fields]) => {
  const body = mode === "no-cors" ? new URLSearchParams(fields) : JSON.stringify(fields);
  const headers = mode === "no-cors" ? {} : { "Content-Type": "application/json" };
  const sent = asked.map(([method, path]) =>
    fetch(home + path, { method, mode, headers, credentials: "include",
      body: method === "DELETE" ? undefined : body }));
  return (await Promise.allSettled(sent)).map(({ status }) => status);
}"""


class _ForeignSite(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        page = b"<!doctype html><title>Elsewhere</title><body>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def foreign_port() -> Iterator[int]:
    """The port of the foreign site."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _ForeignSite) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


class RecordedResponses:
    """Records the status of each response by method and path."""

    def __init__(self, context: BrowserContext, home: str) -> None:
        self._home = home
        self.answers: list[tuple[str, str, int]] = []
        context.on("response", self._note)

    def _note(self, answer: Response) -> None:
        if answer.url.startswith(self._home):
            path = urlsplit(answer.url).path
            self.answers.append((answer.request.method, path, answer.status))

    async def until(self, number: int) -> list[tuple[str, str, int]]:
        async with asyncio.timeout(30):
            while len(self.answers) < number:  # noqa: ASYNC110  # the browser tells
                await asyncio.sleep(0.05)
        return self.answers


@pytest.fixture
async def signed_in_visitors(browser: Browser, household: DemoHousehold) -> AsyncIterator[Visitors]:
    """Visitors whose browsers may report blocked requests."""
    visitors = Visitors(browser, household)
    yield visitors
    await visitors.leave()


@on_each_site
async def test_cross_site_form_is_refused(
    signed_in_visitors: Visitors, household: DemoHousehold, foreign_port: int, site: str
) -> None:
    page, home = await _open_foreign_page(signed_in_visitors, household, foreign_port, site)
    before = _all_records(household)
    heard = RecordedResponses(page.context, home)
    paths = [route.address(household.ids) for route in PAGES]
    await page.evaluate(SENDS_FORMS, [home, paths, FORM])
    answers = await heard.until(len(paths))
    assert {status for _, _, status in answers} == {403}
    assert sorted(path for _, path, _ in answers) == sorted(paths)
    assert _all_records(household) == before


@on_each_site
async def test_cross_site_fetch_changes_nothing(
    signed_in_visitors: Visitors, household: DemoHousehold, foreign_port: int, site: str
) -> None:
    """Covers simple requests and those with a CORS preflight."""
    page, home = await _open_foreign_page(signed_in_visitors, household, foreign_port, site)
    before = _all_records(household)
    heard = RecordedResponses(page.context, home)
    posted = _requests_of(household, [route for route in (*PAGES, *API) if route.method == "POST"])
    await page.evaluate(FETCHES, [home, posted, "no-cors", FORM])
    answers = await heard.until(len(posted))
    assert all(status >= 400 for _, _, status in answers), answers
    assert {status for _, path, status in answers if not path.startswith("/api/")} == {403}
    every = _requests_of(household, API)
    outcomes = await page.evaluate(FETCHES, [home, every, "cors", FORM])
    assert set(outcomes) == {"rejected"}
    assert _all_records(household) == before


async def test_same_origin_requests_are_accepted(
    signed_in_visitors: Visitors, household: DemoHousehold
) -> None:
    """The control: the requests are well-formed and the cookie is set."""
    visitor = await signed_in_visitors.arrive("Vera")
    await visitor.go("/settings")
    heard = RecordedResponses(visitor.context, f"{household.url}/settings/name")
    sent = [household.url, [("POST", "/settings/name")], "no-cors", {"name": "Vera"}]
    await visitor.page.evaluate(FETCHES, sent)
    assert await heard.until(1) == [("POST", "/settings/name", 303)]


async def _open_foreign_page(
    signed_in_visitors: Visitors, household: DemoHousehold, foreign_port: int, site: str
) -> tuple[Page, str]:
    """Sign in and open a page of the foreign site."""
    name, other = SITES[site]
    home = f"http://{name}:{urlsplit(household.url).port}"
    visitor = await signed_in_visitors.arrive(url=home)
    await visitor.go("/healthz")
    mina = household.people["Mina"]
    known = {"email": mina.email, "password": mina.password}
    assert await visitor.page.evaluate(SIGNS_IN, known) == f"{home}/family"
    await visitor.page.goto(f"http://{other}:{foreign_port}/")
    return visitor.page, home


def _requests_of(household: DemoHousehold, routes: Sequence[Route]) -> list[tuple[str, str]]:
    return [(route.method, route.address(household.ids)) for route in routes]


def _all_records(household: DemoHousehold) -> list[Any]:
    mina = household.people["Mina"]
    paths = (
        "/me",
        "/family",
        "/members",
        "/items?limit=100",
        "/shopping-list?limit=100",
        "/stores",
    )
    return [mina.ask("GET", path) for path in (*paths, "/locations", "/suggestions", "/books")]
