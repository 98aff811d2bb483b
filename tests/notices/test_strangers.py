"""Access to notices."""

import pytest

from tests.api_client import Shown, add_item, get_all_pages, get_open_notice, nothing_changes
from tests.home import NOBODYS, Home
from tests.running import Person, problem_of


@pytest.fixture
async def notice(home: Home) -> Shown:
    rice = await add_item(home.admin, threshold=1)
    opened = await get_open_notice(home, rice)
    assert opened is not None
    return opened


async def test_anonymous_clients_cannot_read_or_acknowledge(
    home: Home, notice: Shown, kid: Person, neighbour: Person, gone: Person
) -> None:
    path = f"/notifications/{notice['notificationId']}/acknowledge"
    async with nothing_changes(home):
        assert problem_of(await home.running.visitor().post(path)) == (401, "unauthenticated")
        assert problem_of(await neighbour.post(path)) == (404, "not_found")
        assert problem_of(await gone.post(path)) == (403, "no_family")
        assert problem_of(await kid.post(path)) == (403, "forbidden")
    assert problem_of(await home.running.visitor().get("/notifications")) == (
        401,
        "unauthenticated",
    )
    assert problem_of(await gone.get("/notifications")) == (403, "no_family")
    assert await get_all_pages(neighbour, "/notifications", 100) == []


async def test_suggester_reads_notices(notice: Shown, kid: Person) -> None:
    assert await get_all_pages(kid, "/notifications", 100) == [notice]


async def test_role_is_checked_before_notice(home: Home, kid: Person) -> None:
    for notification_id in (NOBODYS, "malformed"):
        path = f"/notifications/{notification_id}/acknowledge"
        assert problem_of(await kid.post(path)) == (403, "forbidden")
        assert problem_of(await home.admin.post(path)) == (404, "not_found")
