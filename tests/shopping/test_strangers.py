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
ASKED = [("GET", path, None) for path in READS] + CHANGES


@pytest.fixture
async def bought(home: Home, milk: Shown) -> Shown:
    """An entry to which everything but putting it away can happen."""
    entry = await buy(home.admin, itemId=milk["itemId"])
    return (await put_away(home.admin, entry))[0]


async def refused(
    stranger: Visitor, entry_id: str, asked: tuple[str, str, dict[str, Any] | None]
) -> tuple[int, str]:
    method, path, body = asked
    return problem_of(await stranger.ask(method, "/shopping-list" + path.format(id=entry_id), body))


async def test_anonymous_client_gets_401_for_every_operation(home: Home, bought: Shown) -> None:
    async with nothing_changes(home):
        for asked in ASKED:
            answer = await refused(home.running.visitor(), bought["shoppingItemId"], asked)
            assert answer == (401, "unauthenticated")


async def test_member_of_another_family_gets_404(
    home: Home, bought: Shown, milk: Shown, market: Shown, neighbour: Person
) -> None:
    async with nothing_changes(home):
        for asked in ASKED:
            if "{id}" in asked[1]:
                answer = await refused(neighbour, bought["shoppingItemId"], asked)
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


async def test_an_id_that_another_family_has_is_free(
    home: Home, bought: Shown, neighbour: Person
) -> None:
    async with nothing_changes(home):
        own = await add_entry(neighbour, name="Tea", shoppingItemId=bought["shoppingItemId"])
        assert (await get_entry(neighbour, own))["name"] == "Tea"


async def test_removed_member_is_refused(home: Home, bought: Shown, gone: Person) -> None:
    async with nothing_changes(home):
        for asked in ASKED:
            answer = await refused(gone, bought["shoppingItemId"], asked)
            assert answer == (403, "no_family")


async def test_a_suggester_reads_and_changes_nothing(
    home: Home, bought: Shown, kid: Person
) -> None:
    async with nothing_changes(home):
        for entry_id in (bought["shoppingItemId"], NOBODYS, "malformed"):
            for asked in CHANGES:
                assert await refused(kid, entry_id, asked) == (403, "forbidden")
    assert await get_shopping_list(kid) == [bought]
    assert await get_entry(kid, bought) == bought


async def test_unknown_id_returns_404(home: Home) -> None:
    for asked in ASKED:
        if "{id}" in asked[1]:
            assert await refused(home.admin, NOBODYS, asked) == (404, "not_found")


async def test_a_malformed_id_says_so(home: Home) -> None:
    for method, path, body in ASKED:
        if "{id}" in path:
            answer = await home.admin.ask(method, "/shopping-list" + path.format(id="x"), body)
            assert problem_of(answer) == (400, "validation")
            assert answer.json()["errors"] == [
                {"field": "shoppingItemId", "message": "Invalid shopping item ID format"}
            ]
