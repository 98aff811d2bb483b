"""The list of notices, and acknowledging one."""

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


async def test_no_notices_are_an_empty_list(home: Home) -> None:
    assert (await home.admin.get("/notifications")).json() == {"items": []}


async def test_the_newest_comes_first_whatever_its_status(home: Home, moment: Moment) -> None:
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
async def test_pages_are_full_in_order_and_complete(home: Home, limit: int) -> None:
    """Several are of one moment, of different statuses."""
    statuses = ("active", "acknowledged", "resolved", "resolved")
    moments = [f"2025-01-{1 + number // 5:02}T10:00:00.000Z" for number in range(30)]
    await add_notices(home, *((statuses[n * 3 % 4], at) for n, at in enumerate(moments)))
    found = await get_all_pages(home.admin, "/notifications", limit)
    assert [notice["createdAt"] for notice in found] == sorted(moments, reverse=True)
    assert sorted(int(notice["itemName"]) for notice in found) == list(range(30))


async def test_they_can_be_asked_for_by_status(home: Home) -> None:
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
async def test_a_question_that_cannot_be_answered_is_refused(home: Home, question: str) -> None:
    answer = await home.admin.get(f"/notifications?{question}")
    assert problem_of(answer) == (400, "validation")
    assert [error["field"] for error in answer.json()["errors"]] == [question.partition("=")[0]]


async def test_a_page_of_somebody_else_is_refused(
    home: Home, kid: Person, neighbour: Person
) -> None:
    await add_notices(home, *(("active", f"2025-01-0{n}T10:00:00.000Z") for n in range(1, 4)))
    token = (await home.admin.get("/notifications?limit=1")).json()["nextToken"]
    for stranger in (kid, neighbour):
        answer = await stranger.get(f"/notifications?limit=1&nextToken={token}")
        assert problem_of(answer) == (400, "validation")
    answer = await home.admin.get(f"/notifications?status=active&nextToken={token}")
    assert problem_of(answer) == (400, "validation")


async def test_a_notice_can_be_acknowledged(home: Home, rice: Shown) -> None:
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


async def test_twice_is_the_same_as_once(home: Home, rice: Shown) -> None:
    once = (await acknowledge(home, rice)).json()
    assert (await acknowledge(home, rice)).json() == once
    assert (await acknowledge(home, rice, {})).json() == once
    assert problem_of(await acknowledge(home, rice, {"version": 1})) == (400, "validation")


async def test_what_is_resolved_cannot_be_acknowledged(home: Home, rice: Shown) -> None:
    await adjust(home.admin, rice, 1)
    answer = await acknowledge(home, rice)
    assert problem_of(answer) == (409, "already_reviewed")
    assert answer.json()["current"]["status"] == "resolved"
    assert answer.json()["detail"] == "You’ve already restocked this."


async def test_an_acknowledged_notice_is_resolved_like_another(home: Home, rice: Shown) -> None:
    await acknowledge(home, rice)
    await adjust(home.admin, rice, 1)
    assert await get_open_notice(home, rice) is None
    [notice] = await get_all_pages(home.admin, "/notifications", 100)
    assert (notice["status"], notice["version"]) == ("resolved", 3)


async def test_a_request_that_is_sent_again_is_answered_from_the_first(
    home: Home, rice: Shown
) -> None:
    first = (await acknowledge(home, rice, key="k")).json()
    await adjust(home.admin, rice, 1)
    again = await acknowledge(home, rice, key="k")
    assert (again.status_code, again.json()) == (200, first)


async def test_what_was_seen_already_is_answered_again_too(home: Home, rice: Shown) -> None:
    await acknowledge(home, rice)
    first = (await acknowledge(home, rice, key="k")).json()
    await adjust(home.admin, rice, 1)
    again = await acknowledge(home, rice, key="k")
    assert (again.status_code, again.json()) == (200, first)


async def test_acknowledging_and_resolving_at_once_leaves_nothing_open(
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


async def test_the_count_of_the_family_is_of_what_is_unresolved(home: Home, rice: Shown) -> None:
    async def counted() -> int:
        counts = (await home.admin.get("/family/counts")).json()
        return int(counts["unresolvedNotifications"])

    assert await counted() == 1
    await acknowledge(home, rice)
    assert await counted() == 1
    await adjust(home.admin, rice, 1)
    assert await counted() == 0
