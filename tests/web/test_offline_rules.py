"""The rules of the slices for the service worker, and the menu of each role."""

import re

import pytest

from homeshelf.app import SLICES
from homeshelf.web.offline_rules import OfflineRules, join_rules
from tests.home import Home
from tests.pages import look
from tests.running import Person, RunningApp

RULES = join_rules(each.offline for each in SLICES)


@pytest.mark.parametrize(
    "path",
    [
        *("/api/v1/me", "/sign-in", "/sign-up", "/sign-out", "/forgotten", "/reset/token"),
        *("/verify/token", "/unsubscribe/token", "/sign-in-link/token", "/join/token"),
        *("/family/invitations/id", "/family/children/id", "/t/id", "/s", "/s/id", "/s/id/print"),
        *("/tags", "/tags/print", "/stock/id/tags", "/list/now"),
    ],
)
def test_secret_pages_are_not_cached(path: str) -> None:
    assert re.search(RULES.secret_pattern, path)


@pytest.mark.parametrize(
    "path", ["/", "/list", "/list/id", "/stock", "/stock/id", "/settings", "/family", "/books"]
)
def test_other_pages_are_cached(path: str) -> None:
    assert not re.search(RULES.secret_pattern, path)


@pytest.mark.parametrize(
    "path",
    [
        *("/sign-in", "/sign-up", "/sign-out", "/sign-in-link/token", "/settings/leave"),
        *("/join/token/accept", "/families/new", "/families/id/choose"),
        *("/family/members/id", "/family/members/id/remove"),
    ],
)
def test_form_that_changes_the_person_deletes_cached_pages(path: str) -> None:
    assert re.search(RULES.changes_person_pattern, path)


@pytest.mark.parametrize("path", ["/", "/list/add", "/settings/name", "/family/name", "/stock/id"])
def test_other_forms_keep_cached_pages(path: str) -> None:
    assert not re.search(RULES.changes_person_pattern, path)


def test_without_slices_only_the_api_is_never_cached() -> None:
    nothing = OfflineRules()
    assert re.search(nothing.secret_pattern, "/api/v1/me")
    assert not re.search(nothing.secret_pattern, "/sign-in")
    assert not re.search(nothing.changes_person_pattern, "/sign-in")


async def test_menu_has_the_entries_for_the_role(home: Home, kid: Person) -> None:
    family = ["/family", "/wishes", "/notices", "/places"]
    end = ["/settings", "/wall", "/keys"]
    assert await _menu(home.admin) == [*family, "/tags", "/s/mine", "/families", *end]
    assert await _menu(kid) == [*family, "/s/mine", "/families", *end]


async def test_menu_without_a_family_has_no_family_entries(
    running: RunningApp,
) -> None:
    newcomer = await running.person("newcomer")
    assert await _menu(newcomer) == ["/s/mine", "/families", "/settings", "/keys"]


async def _menu(person: Person) -> list[str]:
    text = (await look(person, "/keys")).text
    (menu,) = re.findall(r'<nav class="menu-body".*?</nav>', text, re.DOTALL)
    assert 'action="/sign-out"' in menu
    return re.findall(r'<a href="([^"]+)"', menu)
