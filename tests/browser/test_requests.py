"""Requests of scripts: timeouts, one retry, and no retry without an idempotency key."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Page, Route

from tests.browser.live_updates import stop_clock
from tests.browser.storage import SHELL
from tests.browser.visitor import Visitors

_IMPATIENT = """
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  AbortSignal.timeout = (patience) => timeout(window.hangs-- > 0 ? patience / 20 : patience);
  const later = setTimeout;
  window.setTimeout = (act, pause) => later(act, pause / 20);
"""
_ASK = f"""async ([way, hangs]) => {{
  window.hangs = hangs;
  const {{ $api: api }} = {SHELL};
  const ways = {{
    get: () => api.get("/api/v1/asked"),
    page: () => api.getPage("/api/v1/asked"),
    send: () => api.send("POST", "/api/v1/asked", {{}}),
    post: () => api.post("/api/v1/asked", "", {{}}),
  }};
  const answer = await ways[way]();
  return [answer.status, answer.says("unheard")];
}}"""
_MARKS_FAILURE = """
  const load = window.fetch;
  let failed;
  window.failure = new Promise((done) => (failed = done));
  window.fetch = (...asked) => load(...asked).catch((error) => {
    if (asked[0] === "/api/v1/asked") failed();
    throw error;
  });
"""
WITH_PATIENCE = ("get", "page", "send")


class ScriptedServer:
    """Route handler that plays one action per request, then repeats the last."""

    def __init__(self, *does: str) -> None:
        self.does, self.keys = list(does), list[str | None]()

    async def answer(self, route: Route) -> None:
        self.keys.append(route.request.headers.get("idempotency-key"))
        match self.does.pop(0):
            case "hangs":
                return
            case "is gone":
                await route.abort()
            case "works":
                await route.fulfill(json={})
            case "is in trouble":
                await route.fulfill(status=502, body="<p>Bad gateway")
            case "refuses":
                problem = {"detail": "There is one already."}
                await route.fulfill(
                    status=409, json=problem, content_type="application/problem+json"
                )


@pytest.fixture
async def page(visitors: Visitors) -> AsyncIterator[Page]:
    visitor = await visitors.arrive()
    await visitor.page.add_init_script(_IMPATIENT)
    await visitor.go("/")
    yield visitor.page
    visitors.complaints.clear()  # the test causes these failures


async def send_request(page: Page, server: ScriptedServer, way: str) -> tuple[int, str]:
    await page.route("**/api/v1/asked", server.answer)
    hangs = server.does.count("hangs")  # a response may be slow on a busy machine
    status, says = await asyncio.wait_for(page.evaluate(_ASK, [way, hangs]), 20)
    return status, says


@pytest.mark.parametrize("trouble", ["hangs", "is gone", "is in trouble"])
async def test_request_without_response_is_retried_with_same_key(page: Page, trouble: str) -> None:
    for way in WITH_PATIENCE:
        server = ScriptedServer(trouble, "works")
        assert (await send_request(page, server, way))[0] == 200
        first, second = server.keys
        assert first == second
        assert (first is not None) == (way == "send")


async def test_retry_follows_within_a_second(visitors: Visitors) -> None:
    page = (await visitors.arrive(new=True)).page
    await page.add_init_script(_MARKS_FAILURE)
    await page.clock.install()
    await page.goto("/")
    await stop_clock(page)
    server = ScriptedServer("is gone", "works")
    waiting = asyncio.create_task(send_request(page, server, "get"))
    await page.evaluate("failure")
    await page.clock.run_for(1000)
    assert (await waiting)[0] == 200
    visitors.complaints.clear()  # the test causes these failures


async def test_request_is_retried_only_once(page: Page) -> None:
    for way in WITH_PATIENCE:
        for trouble, status in (("hangs", 0), ("is gone", 0), ("is in trouble", 502)):
            assert await send_request(page, ScriptedServer(trouble, trouble), way) == (
                status,
                "unheard",
            )


async def test_request_without_key_is_never_retried(page: Page) -> None:
    assert await send_request(page, ScriptedServer("is gone"), "post") == (0, "unheard")


async def test_refusal_is_shown_at_once_with_reason(page: Page) -> None:
    for way in (*WITH_PATIENCE, "post"):
        assert await send_request(page, ScriptedServer("refuses"), way) == (
            409,
            "There is one already.",
        )
