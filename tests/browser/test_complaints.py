"""Errors in the browser fail the test."""

import pytest
from playwright.async_api import Browser, Route

from tests.browser.demo_household import DemoHousehold
from tests.browser.storage import wait_until_equal
from tests.browser.visitor import Visitor, Visitors

_FETCHES = "(path) => fetch(path).then((answer) => answer.status)"


@pytest.fixture
async def heard(browser: Browser, household: DemoHousehold) -> Visitors:
    return Visitors(browser, household)


async def crashes(visitor: Visitor, path: str) -> None:
    async def crash(route: Route) -> None:
        await route.fulfill(status=500, body="broken")

    await visitor.page.route(f"**{path}", crash)


async def says(heard: Visitors, *complaints: str) -> None:
    """Wait for exactly these complaints."""

    async def said() -> list[str]:
        return heard.complaints

    await wait_until_equal([f"{heard.household.url}{complaint}" for complaint in complaints], said)


async def test_missing_file_is_a_complaint(heard: Visitors) -> None:
    visitor = await heard.arrive()
    await visitor.go("/sign-in")
    assert await visitor.page.evaluate(_FETCHES, "/static/none/") == 404
    await says(heard, "/static/none/: 404")
    await heard.leave()


async def test_crashed_page_and_response_are_complaints(heard: Visitors) -> None:
    visitor = await heard.arrive()
    await crashes(visitor, "/forgotten")
    await crashes(visitor, "/api/v1/events")
    await visitor.go("/sign-in")
    await visitor.page.evaluate(_FETCHES, "/api/v1/events")
    await visitor.go("/forgotten")
    await says(heard, "/api/v1/events: 500", "/forgotten: 500")
    await heard.leave()


async def test_script_error_and_blocked_script_are_complaints(heard: Visitors) -> None:
    visitor = await heard.arrive()
    await visitor.go("/sign-in")
    await visitor.page.evaluate("() => { setTimeout(() => { throw new Error('oh'); }); }")
    await says(heard, "/sign-in: oh")
    heard.complaints.clear()
    await visitor.page.evaluate("document.body.setAttribute('onclick', 'alert()')")
    await wait_until_equal(1, lambda: _count(heard))
    assert "Content Security Policy" in heard.complaints[0]
    await heard.leave()


async def test_refused_request_is_no_complaint(heard: Visitors) -> None:
    visitor = await heard.arrive()
    await visitor.go("/no/such/page")
    await visitor.go("/sign-in")
    assert await visitor.page.evaluate(_FETCHES, "/api/v1/me") == 401
    assert await visitor.page.evaluate(_FETCHES, "/static/none/") == 404
    await says(heard, "/static/none/: 404")
    await heard.leave()


async def _count(heard: Visitors) -> int:
    return len(heard.complaints)
