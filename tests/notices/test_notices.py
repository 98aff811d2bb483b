"""The notice list and acknowledgement."""

import asyncio
from typing import Any

import pytest

from tests.api_client import Shown, add_item, adjust, get_all_pages, get_open_notice, get_pages
from tests.home import Home, add_notices
from tests.moment import Moment
from tests.running import Person, problem_of


@pytest.fixture
async def rice(home: Home) -> Shown:
    return await add_item(home.admin, name="Rice", threshold=1)


async def acknowledge(home: Home, item: Shown, body: Any = None, **options: Any) -> Any:
    notice = (await get_all_pages(home.admin, "/notifications", 100))[0]
    assert notice["itemId"] == item["itemId"]
    path = f"/notifications/{notice['notificationId']}/acknowledge"
    return await home.admin.post(path, body, **options)


async def test_list_without_notices_is_empty(home: Home) -> None:
    assert (await home.admin.get("/notifications")).json() == {"items": []}


async def test_newest_notice_comes_first_in_any_status(home: Home, moment: Moment) -> None:
    for name in ("Rice", "Oil", "Salt"):
        moment.pass_by(60)
        item = await add_item(home.admin, name=name, threshold=1)
        if name == "Oil":
            await adjust(home.admin, item, 1)
    found = await get_all_pages(home.admin, "/notifications", 2)
    assert [(notice["itemName"], notice["status"]) for notice in found] == [
        ("Salt", "active"),
        ("Oil", "resolved"),
        ("Rice", "active"),
    ]


@pytest.mark.parametrize("limit", [1, 4, 30])
async def test_pages_are_full_ordered_and_complete(home: Home, limit: int) -> None:
    """Some notices share a timestamp and differ in status."""
    statuses = ("active", "acknowledged", "resolved", "resolved")
    moments = [f"2025-01-{1 + number // 5:02}T10:00:00.000Z" for number in range(30)]
    await add_notices(home, *((statuses[n * 3 % 4], at) for n, at in enumerate(moments)))
    found = await get_all_pages(home.admin, "/notifications", limit)
    assert [notice["createdAt"] for notice in found] == sorted(moments, reverse=True)
    assert sorted(int(notice["itemName"]) for notice in found) == list(range(30))


async def test_list_filters_by_status(home: Home) -> None:
    statuses = ("active", "acknowledged", "resolved")
    await add_notices(
        home, *((statuses[n % 3], f"2025-01-{1 + n:02}T10:00:00.000Z") for n in range(15))
    )
    for number, status in enumerate(statuses):
        found = [page async for page in get_pages(home.admin, f"/notifications?status={status}", 2)]
        assert [len(page) for page in found] == [2, 2, 1]
        names = [int(notice["itemName"]) for page in found for notice in page]
        assert names == [n for n in reversed(range(15)) if n % 3 == number]
        assert {notice["status"] for page in found for notice in page} == {status}


@pytest.mark.parametrize("question", ["status=all", "status=gone", "limit=0", "nextToken=x"])
async def test_invalid_query_returns_400(home: Home, question: str) -> None:
    answer = await home.admin.get(f"/notifications?{question}")
    assert problem_of(answer) == (400, "validation")
    assert [error["field"] for error in answer.json()["errors"]] == [question.partition("=")[0]]


async def test_cursor_of_another_caller_is_refused(
    home: Home, kid: Person, neighbour: Person
) -> None:
    await add_notices(home, *(("active", f"2025-01-0{n}T10:00:00.000Z") for n in range(1, 4)))
    token = (await home.admin.get("/notifications?limit=1")).json()["nextToken"]
    for stranger in (kid, neighbour):
        answer = await stranger.get(f"/notifications?limit=1&nextToken={token}")
        assert problem_of(answer) == (400, "validation")
    answer = await home.admin.get(f"/notifications?status=active&nextToken={token}")
    assert problem_of(answer) == (400, "validation")


async def test_admin_acknowledges_notice(home: Home, rice: Shown) -> None:
    before = await get_open_notice(home, rice)
    assert before is not None
    answer = await acknowledge(home, rice)
    assert answer.status_code == 200
    notice = answer.json()
    assert notice == before | {
        "status": "acknowledged",
        "version": 2,
        "updatedAt": notice["updatedAt"],
    }
    assert await get_open_notice(home, rice) == notice


async def test_second_acknowledgement_changes_nothing(home: Home, rice: Shown) -> None:
    once = (await acknowledge(home, rice)).json()
    assert (await acknowledge(home, rice)).json() == once
    assert (await acknowledge(home, rice, {})).json() == once
    assert problem_of(await acknowledge(home, rice, {"version": 1})) == (400, "validation")


async def test_resolved_notice_cannot_be_acknowledged(home: Home, rice: Shown) -> None:
    await adjust(home.admin, rice, 1)
    answer = await acknowledge(home, rice)
    assert problem_of(answer) == (409, "already_reviewed")
    assert answer.json()["current"]["status"] == "resolved"
    assert answer.json()["detail"] == "You’ve already restocked this."


async def test_acknowledged_notice_is_resolved_on_restock(home: Home, rice: Shown) -> None:
    await acknowledge(home, rice)
    await adjust(home.admin, rice, 1)
    assert await get_open_notice(home, rice) is None
    [notice] = await get_all_pages(home.admin, "/notifications", 100)
    assert (notice["status"], notice["version"]) == ("resolved", 3)


async def test_repeated_request_returns_first_response(home: Home, rice: Shown) -> None:
    first = (await acknowledge(home, rice, key="k")).json()
    await adjust(home.admin, rice, 1)
    again = await acknowledge(home, rice, key="k")
    assert (again.status_code, again.json()) == (200, first)


async def test_repeated_second_acknowledgement_returns_first_response(
    home: Home, rice: Shown
) -> None:
    await acknowledge(home, rice)
    first = (await acknowledge(home, rice, key="k")).json()
    await adjust(home.admin, rice, 1)
    again = await acknowledge(home, rice, key="k")
    assert (again.status_code, again.json()) == (200, first)


async def test_concurrent_acknowledgement_and_resolution_leave_no_open_notice(
    home: Home, rice: Shown
) -> None:
    for _ in range(5):
        answers = await asyncio.gather(
            acknowledge(home, rice),
            home.admin.post(f"/items/{rice['itemId']}/adjust", {"delta": 1}),
        )
        assert answers[0].status_code in (200, 409)
        assert answers[1].status_code == 200
        assert await get_open_notice(home, rice) is None
        await adjust(home.admin, rice, -1)


async def test_family_count_includes_only_unresolved_notices(home: Home, rice: Shown) -> None:
    async def count_unresolved() -> int:
        counts = (await home.admin.get("/family/counts")).json()
        return int(counts["unresolvedNotifications"])

    assert await count_unresolved() == 1
    await acknowledge(home, rice)
    assert await count_unresolved() == 1
    await adjust(home.admin, rice, 1)
    assert await count_unresolved() == 0
