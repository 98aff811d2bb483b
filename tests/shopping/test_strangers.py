"""Test which clients may not read or change the list."""

from typing import Any

import pytest

from tests.api_client import (
    Shown,
    add_entry,
    entry_path,
    get_entry,
    get_shopping_list,
    nothing_changes,
    put_away,
)
from tests.api_client import add_purchased_entry as buy
from tests.home import NOBODYS, Home
from tests.running import Person, Visitor, problem_of

READS = ["", "/{id}"]
CHANGES: list[tuple[str, str, dict[str, Any] | None]] = [
    ("POST", "", {"name": "Beans"}),
    ("PATCH", "/{id}", {"name": "Beans", "version": 3}),
    ("PATCH", "/{id}/status", {"status": "pending", "version": 3}),
    ("POST", "/{id}/put-away", {"version": 3}),
    ("DELETE", "/{id}/put-away", {"version": 3}),
    ("DELETE", "/{id}", None),
]
REQUESTS = [("GET", path, None) for path in READS] + CHANGES


@pytest.fixture
async def put_away_entry(home: Home, milk: Shown) -> Shown:
    """An entry that was put away."""
    entry = await buy(home.admin, itemId=milk["itemId"])
    return (await put_away(home.admin, entry))[0]


async def response_to(
    stranger: Visitor, entry_id: str, asked: tuple[str, str, dict[str, Any] | None]
) -> tuple[int, str]:
    method, path, body = asked
    return problem_of(await stranger.ask(method, "/shopping-list" + path.format(id=entry_id), body))


async def test_anonymous_client_gets_401_for_every_operation(
    home: Home, put_away_entry: Shown
) -> None:
    async with nothing_changes(home):
        for asked in REQUESTS:
            answer = await response_to(
                home.running.visitor(), put_away_entry["shoppingItemId"], asked
            )
            assert answer == (401, "unauthenticated")


async def test_member_of_another_family_gets_404(
    home: Home, put_away_entry: Shown, milk: Shown, market: Shown, neighbour: Person
) -> None:
    async with nothing_changes(home):
        for asked in REQUESTS:
            if "{id}" in asked[1]:
                answer = await response_to(neighbour, put_away_entry["shoppingItemId"], asked)
                assert answer == (404, "not_found")
        assert await get_shopping_list(neighbour) == []
        for theirs in ({"itemId": milk["itemId"]}, {"name": "x", "storeId": market["storeId"]}):
            added = await neighbour.post("/shopping-list", theirs)
            assert problem_of(added) == (404, "not_found")
        own = await add_entry(neighbour, name="Tea")
        moved = {"storeId": market["storeId"], "version": 1}
        assert problem_of(await neighbour.patch(entry_path(own), moved)) == (404, "not_found")
        listed = await neighbour.get(f"/shopping-list?storeId={market['storeId']}")
        assert problem_of(listed) == (404, "not_found")


async def test_entry_id_of_another_family_can_be_used(
    home: Home, put_away_entry: Shown, neighbour: Person
) -> None:
    async with nothing_changes(home):
        own = await add_entry(
            neighbour, name="Tea", shoppingItemId=put_away_entry["shoppingItemId"]
        )
        assert (await get_entry(neighbour, own))["name"] == "Tea"


async def test_removed_member_is_refused(home: Home, put_away_entry: Shown, gone: Person) -> None:
    async with nothing_changes(home):
        for asked in REQUESTS:
            answer = await response_to(gone, put_away_entry["shoppingItemId"], asked)
            assert answer == (403, "no_family")


async def test_child_can_read_but_not_change_the_list(
    home: Home, put_away_entry: Shown, kid: Person
) -> None:
    async with nothing_changes(home):
        for entry_id in (put_away_entry["shoppingItemId"], NOBODYS, "malformed"):
            for asked in CHANGES:
                assert await response_to(kid, entry_id, asked) == (403, "forbidden")
    assert await get_shopping_list(kid) == [put_away_entry]
    assert await get_entry(kid, put_away_entry) == put_away_entry


async def test_unknown_id_returns_404(home: Home) -> None:
    for asked in REQUESTS:
        if "{id}" in asked[1]:
            assert await response_to(home.admin, NOBODYS, asked) == (404, "not_found")


async def test_malformed_entry_id_returns_400(home: Home) -> None:
    for method, path, body in REQUESTS:
        if "{id}" in path:
            answer = await home.admin.ask(method, "/shopping-list" + path.format(id="x"), body)
            assert problem_of(answer) == (400, "validation")
            assert answer.json()["errors"] == [
                {"field": "shoppingItemId", "message": "Invalid shopping item ID format"}
            ]
