"""Test which clients may not read, add or decide suggestions."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.api_client import Shown
from tests.home import NOBODYS, Home
from tests.running import Person, Visitor, problem_of
from tests.suggestions.wish_requests import ask_for, entries_of, items_of, wish_now

LIST_PATH = "/suggestions"
ITEM_PATH = "/suggestions/{id}"
NEW_WISH = {"type": "create_item", "proposedItemName": "Candy"}
REQUESTS: list[tuple[str, str, dict[str, Any] | None]] = [
    ("GET", LIST_PATH, None),
    ("GET", ITEM_PATH, None),
    ("POST", LIST_PATH, NEW_WISH),
    ("POST", f"{ITEM_PATH}/approve", {"version": 1}),
    ("POST", f"{ITEM_PATH}/reject", {"version": 1, "rejectionNotes": "No."}),
]
DECISIONS = REQUESTS[3:]


@pytest.fixture
async def wish(kid: Person, rice: Shown) -> Shown:
    return await ask_for(kid, rice, notes="Please!")


@asynccontextmanager
async def assert_no_changes(home: Home) -> AsyncIterator[None]:
    """Assert that the records of the family are the same after the block."""
    before = await _family_records(home)
    yield
    assert await _family_records(home) == before


async def _family_records(home: Home) -> list[Any]:
    wishes = (await home.admin.get(LIST_PATH)).json()
    return [wishes, await entries_of(home), await items_of(home)]


async def response_to(
    stranger: Visitor, wish: Shown, asked: tuple[str, str, dict[str, Any] | None]
) -> tuple[int, str]:
    method, path, body = asked
    return problem_of(await stranger.ask(method, path.format(id=wish["suggestionId"]), body))


async def test_anonymous_client_cannot_read_or_decide_wishes(home: Home, wish: Shown) -> None:
    async with assert_no_changes(home):
        for asked in REQUESTS:
            assert await response_to(home.running.visitor(), wish, asked) == (
                401,
                "unauthenticated",
            )


async def test_member_of_another_family_gets_404(
    home: Home, wish: Shown, neighbour: Person
) -> None:
    async with assert_no_changes(home):
        for asked in REQUESTS:
            if "{id}" in asked[1]:
                assert await response_to(neighbour, wish, asked) == (404, "not_found")
        assert (await neighbour.get(LIST_PATH)).json() == {"suggestions": []}


async def test_wish_for_another_familys_item_returns_404(
    home: Home, rice: Shown, neighbour: Person
) -> None:
    other = Home(home.running, (await neighbour.get("/family")).json(), neighbour)
    child = await other.with_member("child", "suggester")
    body = {"type": "add_to_shopping", "itemId": rice["itemId"]}
    assert problem_of(await child.post(LIST_PATH, body)) == (404, "not_found")


async def test_removed_member_is_refused(home: Home, wish: Shown, gone: Person) -> None:
    async with assert_no_changes(home):
        for asked in REQUESTS:
            assert await response_to(gone, wish, asked) == (403, "no_family")


async def test_admin_cannot_add_suggestions(home: Home, wish: Shown) -> None:
    async with assert_no_changes(home):
        answer = await home.admin.post(LIST_PATH, NEW_WISH)
    assert problem_of(answer) == (403, "forbidden")
    assert answer.json()["detail"] == "Invalid suggester ID or not a suggester"
    assert wish["status"] == "pending"


async def test_child_cannot_decide_suggestions(home: Home, wish: Shown, kid: Person) -> None:
    sibling = await home.with_member("sibling", "suggester")
    async with assert_no_changes(home):
        for child in (kid, sibling):
            for method, path, body in DECISIONS:
                answer = await child.ask(method, path.format(id=wish["suggestionId"]), body)
                assert problem_of(answer) == (403, "forbidden")
                assert answer.json()["detail"] == "Invalid reviewer ID or not an admin"


async def test_child_who_becomes_admin_can_decide_but_not_suggest(
    home: Home, wish: Shown, kid: Person
) -> None:
    role = {"role": "admin", "version": 1}
    assert (await home.admin.patch(f"/members/{kid.member_id}", role)).status_code == 200
    assert problem_of(await kid.post(LIST_PATH, NEW_WISH)) == (403, "forbidden")
    answer = await kid.post(f"/suggestions/{wish['suggestionId']}/approve", {"version": 1})
    assert answer.status_code == 200


async def test_every_member_can_read_all_suggestions(home: Home, wish: Shown, kid: Person) -> None:
    sibling = await home.with_member("sibling", "suggester")
    for member in (home.admin, kid, sibling):
        seen = await wish_now(member, wish)
        assert (await member.get(LIST_PATH)).json() == {"suggestions": [seen]}
        assert seen["notes"] == "Please!"


async def test_role_is_checked_before_suggestion_id(kid: Person) -> None:
    for suggestion_id in (NOBODYS, "malformed"):
        for asked in DECISIONS:
            wish = {"suggestionId": suggestion_id}
            assert await response_to(kid, wish, asked) == (403, "forbidden")


async def test_unknown_suggestion_returns_404(home: Home) -> None:
    for asked in (REQUESTS[1], *DECISIONS):
        assert await response_to(home.admin, {"suggestionId": NOBODYS}, asked) == (404, "not_found")


@pytest.mark.parametrize("malformed", ["malformed", "x" * 2000, "%00", "SUGGESTION%231"])
async def test_malformed_suggestion_id_returns_400(home: Home, malformed: str) -> None:
    for method, path, body in (REQUESTS[1], *DECISIONS):
        answer = await home.admin.ask(method, path.format(id=malformed), body)
        assert problem_of(answer) == (400, "validation")
        sentence = "Invalid suggestion ID format"
        assert answer.json()["errors"] == [{"field": "suggestionId", "message": sentence}]


async def test_suggestion_id_is_case_insensitive(home: Home, wish: Shown) -> None:
    capitals = {"suggestionId": wish["suggestionId"].upper()}
    assert await wish_now(home.admin, capitals) == await wish_now(home.admin, wish)


async def test_response_contains_no_table_keys(home: Home, wish: Shown) -> None:
    for path in (LIST_PATH, f"/suggestions/{wish['suggestionId']}"):
        text = (await home.admin.get(path)).text
        assert "GSI2" not in text
        assert '"PK"' not in text
