"""Errors in the browser fail the test."""

import pytest
from playwright.async_api import Browser, Route

from tests.browser.demo_household import DemoHousehold
from tests.browser.storage import wait_until_equal
from tests.browser.visitor import Visitor, Visitors

_FETCHES = "(path) => fetch(path).then((answer) => answer.status)"


@pytest.fixture
async def visitors_without_check(browser: Browser, household: DemoHousehold) -> Visitors:
    return Visitors(browser, household)


async def open_crashing_page(visitor: Visitor, path: str) -> None:
    async def respond_with_500(route: Route) -> None:
        await route.fulfill(status=500, body="broken")

    await visitor.page.route(f"**{path}", respond_with_500)


async def expect_complaints(visitors_without_check: Visitors, *complaints: str) -> None:
    """Wait for exactly these complaints."""

    async def current_complaints() -> list[str]:
        return visitors_without_check.complaints

    await wait_until_equal(
        [f"{visitors_without_check.household.url}{complaint}" for complaint in complaints],
        current_complaints,
    )


async def test_missing_file_is_a_complaint(visitors_without_check: Visitors) -> None:
    visitor = await visitors_without_check.arrive()
    await visitor.go("/sign-in")
    assert await visitor.page.evaluate(_FETCHES, "/static/none/") == 404
    await expect_complaints(visitors_without_check, "/static/none/: 404")
    await visitors_without_check.leave()


async def test_crashed_page_and_response_are_complaints(visitors_without_check: Visitors) -> None:
    visitor = await visitors_without_check.arrive()
    await open_crashing_page(visitor, "/forgotten")
    await open_crashing_page(visitor, "/api/v1/events")
    await visitor.go("/sign-in")
    await visitor.page.evaluate(_FETCHES, "/api/v1/events")
    await visitor.go("/forgotten")
    await expect_complaints(visitors_without_check, "/api/v1/events: 500", "/forgotten: 500")
    await visitors_without_check.leave()


async def test_script_error_and_blocked_script_are_complaints(
    visitors_without_check: Visitors,
) -> None:
    visitor = await visitors_without_check.arrive()
    await visitor.go("/sign-in")
    await visitor.page.evaluate("() => { setTimeout(() => { throw new Error('oh'); }); }")
    await expect_complaints(visitors_without_check, "/sign-in: oh")
    visitors_without_check.complaints.clear()
    await visitor.page.evaluate("document.body.setAttribute('onclick', 'alert()')")
    await wait_until_equal(1, lambda: _count(visitors_without_check))
    assert "Content Security Policy" in visitors_without_check.complaints[0]
    await visitors_without_check.leave()


async def test_refused_request_is_no_complaint(visitors_without_check: Visitors) -> None:
    visitor = await visitors_without_check.arrive()
    await visitor.go("/no/such/page")
    await visitor.go("/sign-in")
    assert await visitor.page.evaluate(_FETCHES, "/api/v1/me") == 401
    assert await visitor.page.evaluate(_FETCHES, "/static/none/") == 404
    await expect_complaints(visitors_without_check, "/static/none/: 404")
    await visitors_without_check.leave()


async def _count(visitors_without_check: Visitors) -> int:
    return len(visitors_without_check.complaints)
