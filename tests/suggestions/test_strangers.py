"""Test which clients may not read, add or decide suggestions."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.api_client import Shown
from tests.home import NOBODYS, Home
from tests.running import Person, Visitor, problem_of
from tests.suggestions.asking import ask_for, entries_of, items_of, wish_now

WHOLE = "/suggestions"
ONE = "/suggestions/{id}"
NEW = {"type": "create_item", "proposedItemName": "Candy"}
ASKED: list[tuple[str, str, dict[str, Any] | None]] = [
    ("GET", WHOLE, None),
    ("GET", ONE, None),
    ("POST", WHOLE, NEW),
    ("POST", f"{ONE}/approve", {"version": 1}),
    ("POST", f"{ONE}/reject", {"version": 1, "rejectionNotes": "No."}),
]
DECISIONS = ASKED[3:]


@pytest.fixture
async def wish(kid: Person, rice: Shown) -> Shown:
    return await ask_for(kid, rice, notes="Please!")


@asynccontextmanager
async def nothing_changes(home: Home) -> AsyncIterator[None]:
    """Whatever is tried inside, the family has what it had."""
    before = await _all_that_is_there(home)
    yield
    assert await _all_that_is_there(home) == before


async def _all_that_is_there(home: Home) -> list[Any]:
    wishes = (await home.admin.get(WHOLE)).json()
    return [wishes, await entries_of(home), await items_of(home)]


async def refused(
    stranger: Visitor, wish: Shown, asked: tuple[str, str, dict[str, Any] | None]
) -> tuple[int, str]:
    method, path, body = asked
    return problem_of(await stranger.ask(method, path.format(id=wish["suggestionId"]), body))


async def test_anonymous_client_cannot_read_or_decide_wishes(home: Home, wish: Shown) -> None:
    async with nothing_changes(home):
        for asked in ASKED:
            assert await refused(home.running.visitor(), wish, asked) == (401, "unauthenticated")


async def test_member_of_another_family_gets_404(
    home: Home, wish: Shown, neighbour: Person
) -> None:
    async with nothing_changes(home):
        for asked in ASKED:
            if "{id}" in asked[1]:
                assert await refused(neighbour, wish, asked) == (404, "not_found")
        assert (await neighbour.get(WHOLE)).json() == {"suggestions": []}


async def test_wish_for_another_familys_item_returns_404(
    home: Home, rice: Shown, neighbour: Person
) -> None:
    other = Home(home.running, (await neighbour.get("/family")).json(), neighbour)
    child = await other.with_member("child", "suggester")
    body = {"type": "add_to_shopping", "itemId": rice["itemId"]}
    assert problem_of(await child.post(WHOLE, body)) == (404, "not_found")


async def test_removed_member_is_refused(home: Home, wish: Shown, gone: Person) -> None:
    async with nothing_changes(home):
        for asked in ASKED:
            assert await refused(gone, wish, asked) == (403, "no_family")


async def test_only_a_suggester_suggests(home: Home, wish: Shown) -> None:
    async with nothing_changes(home):
        answer = await home.admin.post(WHOLE, NEW)
    assert problem_of(answer) == (403, "forbidden")
    assert answer.json()["detail"] == "Invalid suggester ID or not a suggester"
    assert wish["status"] == "pending"


async def test_only_an_admin_decides(home: Home, wish: Shown, kid: Person) -> None:
    sibling = await home.with_member("sibling", "suggester")
    async with nothing_changes(home):
        for child in (kid, sibling):
            for method, path, body in DECISIONS:
                answer = await child.ask(method, path.format(id=wish["suggestionId"]), body)
                assert problem_of(answer) == (403, "forbidden")
                assert answer.json()["detail"] == "Invalid reviewer ID or not an admin"


async def test_who_became_an_admin_decides_and_asks_for_nothing_more(
    home: Home, wish: Shown, kid: Person
) -> None:
    role = {"role": "admin", "version": 1}
    assert (await home.admin.patch(f"/members/{kid.member_id}", role)).status_code == 200
    assert problem_of(await kid.post(WHOLE, NEW)) == (403, "forbidden")
    answer = await kid.post(f"/suggestions/{wish['suggestionId']}/approve", {"version": 1})
    assert answer.status_code == 200


async def test_every_member_reads_all_of_them(home: Home, wish: Shown, kid: Person) -> None:
    sibling = await home.with_member("sibling", "suggester")
    for member in (home.admin, kid, sibling):
        seen = await wish_now(member, wish)
        assert (await member.get(WHOLE)).json() == {"suggestions": [seen]}
        assert seen["notes"] == "Please!"


async def test_the_role_is_looked_at_before_the_suggestion(kid: Person) -> None:
    for suggestion_id in (NOBODYS, "malformed"):
        for asked in DECISIONS:
            wish = {"suggestionId": suggestion_id}
            assert await refused(kid, wish, asked) == (403, "forbidden")


async def test_unknown_suggestion_returns_404(home: Home) -> None:
    for asked in (ASKED[1], *DECISIONS):
        assert await refused(home.admin, {"suggestionId": NOBODYS}, asked) == (404, "not_found")


@pytest.mark.parametrize("malformed", ["malformed", "x" * 2000, "%00", "SUGGESTION%231"])
async def test_a_malformed_id_is_named(home: Home, malformed: str) -> None:
    for method, path, body in (ASKED[1], *DECISIONS):
        answer = await home.admin.ask(method, path.format(id=malformed), body)
        assert problem_of(answer) == (400, "validation")
        sentence = "Invalid suggestion ID format"
        assert answer.json()["errors"] == [{"field": "suggestionId", "message": sentence}]


async def test_an_id_may_be_written_in_capitals(home: Home, wish: Shown) -> None:
    capitals = {"suggestionId": wish["suggestionId"].upper()}
    assert await wish_now(home.admin, capitals) == await wish_now(home.admin, wish)


async def test_no_table_key_is_shown(home: Home, wish: Shown) -> None:
    for path in (WHOLE, f"/suggestions/{wish['suggestionId']}"):
        text = (await home.admin.get(path)).text
        assert "GSI2" not in text
        assert '"PK"' not in text
