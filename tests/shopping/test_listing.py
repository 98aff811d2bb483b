"""Test that each listing of entries is one query."""

from collections import Counter

import pytest

from tests.api_client import (
    Shown,
    add_entry,
    add_place,
    add_purchased_entry,
    entry_path,
    get_all_pages,
    get_shopping_list,
)
from tests.costs import count_operations
from tests.home import NOBODYS, Home, ids
from tests.running import Person, problem_of

GET, QUERY, AUTH = Counter(get=1), Counter(query=1), Counter(get_many=1)
"""Authentication costs two reads: the records of the caller, and the membership."""


@pytest.fixture
async def entry_ids(home: Home, market: Shown) -> dict[str, str]:
    """The ids of entries by store and status."""
    elsewhere = (await add_place(home.admin, "stores", "Corner shop"))["storeId"]
    made = {
        "m pending": await add_entry(home.admin, name="Milk", storeId=market["storeId"]),
        "m bought": await add_purchased_entry(home.admin, name="Tea", storeId=market["storeId"]),
        "- pending": await add_entry(home.admin, name="Cake"),
        "- bought": await add_purchased_entry(home.admin, name="Nails"),
        "c pending": await add_entry(home.admin, name="Eggs", storeId=elsewhere),
    }
    return {name: entry["shoppingItemId"] for name, entry in made.items()}


async def test_each_filter_costs_one_query(
    home: Home, entry_ids: dict[str, str], market: Shown, kid: Person
) -> None:
    at_market = f"storeId={market['storeId']}"
    for question, expected in (
        ("", {"m pending", "m bought", "- pending", "- bought", "c pending"}),
        (at_market, {"m pending", "m bought"}),
        (at_market.upper().replace("STOREID", "storeId"), {"m pending", "m bought"}),
        ("storeId=unassigned", {"- pending", "- bought"}),
        ("status=pending", {"m pending", "- pending", "c pending"}),
        ("status=purchased", {"m bought", "- bought"}),
        (f"{at_market}&status=pending", {"m pending"}),
        (f"{at_market}&status=purchased", {"m bought"}),
        ("storeId=unassigned&status=pending", {"- pending"}),
        ("storeId=unassigned&status=purchased", {"- bought"}),
    ):
        for person in (home.admin, kid):
            assert (await person.get("/family")).status_code == 200
            with count_operations(home.running.db) as spent:
                found = ids(await person.get(f"/shopping-list?{question}"), "shoppingItemId")
            assert {name for name, id_ in entry_ids.items() if id_ in found} == expected, question
            assert len(found) == len(expected)
            assert spent == QUERY + AUTH


async def test_one_entry_costs_one_get(home: Home, entry_ids: dict[str, str]) -> None:
    with count_operations(home.running.db) as spent:
        answer = await home.admin.get(f"/shopping-list/{entry_ids['m pending'].upper()}")
    assert answer.json()["name"] == "Milk"
    assert spent == GET + AUTH


async def test_invalid_query_names_each_wrong_parameter(home: Home) -> None:
    store = {"field": "storeId", "message": "Invalid store ID format"}
    status = {"field": "status", "message": "Status must be 'pending' or 'purchased'"}
    for question, errors in (
        ("storeId=market", [store]),
        ("storeId=", [store]),
        ("status=bought", [status]),
        ("status=PENDING&storeId=x", [store, status]),
    ):
        answer = await home.admin.get(f"/shopping-list?{question}")
        assert problem_of(answer) == (400, "validation")
        assert answer.json()["errors"] == errors
    for limit in (0, 101):
        answer = await home.admin.get(f"/shopping-list?limit={limit}")
        assert problem_of(answer) == (400, "validation")


async def test_empty_store_lists_no_entries_and_unknown_store_returns_404(
    home: Home, market: Shown
) -> None:
    for more in ("", "&status=pending"):
        assert await get_shopping_list(home.admin, f"?storeId={market['storeId']}{more}") == []
        answer = await home.admin.get(f"/shopping-list?storeId={NOBODYS}{more}")
        assert problem_of(answer) == (404, "not_found")


async def test_pages_of_list_contain_every_entry_once(home: Home, market: Shown) -> None:
    made = [
        (await add_entry(home.admin, name=f"Thing {number}", storeId=store))["shoppingItemId"]
        for number in range(12)
        for store in ((market["storeId"], None)[number % 2],)
    ]
    for question in ("", "?status=pending"):
        found = await get_all_pages(home.admin, f"/shopping-list{question}", 5)
        assert sorted(each["shoppingItemId"] for each in found) == sorted(made)
    here = await get_all_pages(home.admin, f"/shopping-list?storeId={market['storeId']}", 4)
    assert sorted(each["shoppingItemId"] for each in here) == sorted(made[::2])


async def test_page_token_is_valid_for_its_own_list_only(
    home: Home, entry_ids: dict[str, str], neighbour: Person
) -> None:
    token = (await home.admin.get("/shopping-list?limit=2")).json()["nextToken"]
    for person, path in (
        (neighbour, f"/shopping-list?limit=2&nextToken={token}"),
        (home.admin, f"/shopping-list?status=pending&nextToken={token}"),
        (home.admin, f"/shopping-list?nextToken=x{token}"),
    ):
        assert problem_of(await person.get(path)) == (400, "validation")
    gone = entry_ids["m pending"]
    assert (await home.admin.delete(entry_path({"shoppingItemId": gone}))).status_code == 204
    rest = await home.admin.get(f"/shopping-list?nextToken={token}")
    assert len(rest.json()["items"]) <= 3


async def test_pending_count_follows_status(home: Home, entry_ids: dict[str, str]) -> None:
    counts = (await home.admin.get("/family/counts")).json()
    assert counts["pendingEntries"] == sum("pending" in name for name in entry_ids)
