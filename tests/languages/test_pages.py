"""Every page, in a language without our letters: what is left of them is in no catalogue."""

import re

import httpx
import pytest

from homeshelf.app import create_app
from tests.browser.tour import TOUR
from tests.languages.household import Household, household_of
from tests.languages.plain import plain_in
from tests.pages import OURS
from tests.routes import every_route
from tests.running import SETTINGS, RunningApp, Visitor

IN_ENGLISH = {"/design"}
"""For those who build pages."""
SAID = re.compile(r'^    "([a-z-]+)": _\(', re.MULTILINE)
MOST_COMMON = ("said", "saved")


@pytest.fixture
async def household(running: RunningApp) -> Household:
    return await household_of(running)


async def opened(who: Visitor, path: str) -> httpx.Response:
    return await who.client.get(path, headers=OURS | {"Accept-Language": "el"})


async def test_no_page_says_anything_that_is_in_no_catalogue(household: Household) -> None:
    plain, lost = {}, {}
    for stop in TOUR:
        if stop.route in IN_ENGLISH:
            continue
        path = stop.path(household)  # type: ignore[arg-type]  # it has what the tour needs
        page = await opened(household.people[stop.who], path)
        if page.status_code != stop.status:
            lost[stop.name] = page.status_code
        if left := plain_in(page.text):
            plain[stop.name] = left
    assert plain == {}
    assert lost == {}


async def test_nothing_that_is_wrong_with_a_form_is_said_in_english(household: Household) -> None:
    """Whatever a form is sent, by whoever may send it: nothing at all, and far too much."""
    routes = [each for each in every_route(create_app(SETTINGS)) if each.is_page]
    plain, said = {}, 0
    for route in routes:
        if route.method != "POST" or "{token}" in route.path:
            continue
        for typed in ({}, _too_much()):
            for who in ("Mina", "Alva", None):
                client = household.people[who].client
                headers = OURS | {"Accept-Language": "el"}
                answer = await client.post(
                    route.address(household.ids), data=typed, headers=headers
                )
                if "text/html" in answer.headers.get("content-type", ""):
                    said += 1
                    if left := plain_in(answer.text):
                        plain[f"{route} {len(typed)} {who}"] = left
    assert plain == {}
    assert said > 60


def _too_much() -> dict[str, str]:
    names = ("name", "email", "password", "text", "title", "notes", "note", "quantity", "threshold",
             "version", "page", "rating", "price", "currency", "isbn", "viewPasscode", "checked",
             "adminPasscode", "items", "language", "timeZone", "theme", "role", "unit", "picture",
             "yearlyGoal", "expiresInDays", "status", "delta", "key", "answer")  # fmt: skip
    return dict.fromkeys(names, "8" * 5_000)
