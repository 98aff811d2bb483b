"""Test the snapshot of the list for the script of its page."""

from collections import Counter

from homeshelf.pictures import picture_of
from tests.api_client import (
    SCRIPT_HEADERS,
    Shown,
    add_entry,
    add_item,
    add_place,
    add_purchased_entry,
    ask_for_list_now,
    get_entry,
    get_list_now,
    set_archived,
)
from tests.costs import count_operations
from tests.home import Home, new_home
from tests.running import Person, RunningApp, problem_of

AUTH = Counter(get_many=1)


async def test_list_snapshot_is_refused_for_other_users(running: RunningApp, home: Home) -> None:
    await add_entry(home.admin, name="Cake")
    answer = await running.visitor().client.get("/list/now", headers=SCRIPT_HEADERS)
    assert problem_of(answer) == (401, "unauthenticated")
    others = await new_home(running, "Others", "eve")
    assert (await get_list_now(others.admin))["entries"] == []
    gone = await home.with_member("gone", "admin")
    await home.remove_member(gone)
    assert (await ask_for_list_now(gone)).status_code == 403


async def test_list_snapshot_names_its_member(home: Home, kid: Person) -> None:
    for person, role in ((home.admin, "admin"), (kid, "suggester")):
        found = await get_list_now(person)
        assert found["memberId"] == person.member_id
        assert (found["familyId"], found["role"]) == (home.family_id, role)
        assert found["at"].endswith("Z")


async def test_list_snapshot_is_not_cached(home: Home) -> None:
    assert (await ask_for_list_now(home.admin)).headers["cache-control"] == "no-store"


async def test_list_snapshot_has_entries_of_api(home: Home, milk: Shown) -> None:
    entries = [
        await add_entry(home.admin, itemId=milk["itemId"], quantity=2),
        await add_purchased_entry(home.admin, name="Cake", notes="big"),
    ]
    found = {it["shoppingItemId"]: it for it in (await get_list_now(home.admin))["entries"]}
    assert len(found) == 2
    for entry in entries:
        shown = found[entry["shoppingItemId"]]
        assert shown | await get_entry(home.admin, entry) == shown
        assert shown.keys() - entry.keys() == {"picture", "place", "unit"}


async def test_list_snapshot_has_stores_by_name_and_any_store_last(home: Home) -> None:
    market = await add_place(home.admin, "stores", "market")
    bakery = await add_place(home.admin, "stores", "Bakery")
    stores = (await get_list_now(home.admin))["stores"]
    assert [it["storeId"] for it in stores] == [bakery["storeId"], market["storeId"], None]
    assert [it["name"] for it in stores] == ["Bakery", "market", None]


async def test_list_snapshot_has_names_of_stock_and_list(
    home: Home, market: Shown, milk: Shown
) -> None:
    await add_item(home.admin, name="Rice", unit="kg")
    await set_archived(home.admin, await add_item(home.admin, name="Old"), "archive")
    await add_entry(home.admin, name="Cake", storeId=market["storeId"])
    await add_entry(home.admin, name="rice")
    known = {it["name"]: it for it in (await get_list_now(home.admin))["known"]}
    assert sorted(known) == ["Cake", "Milk", "Rice"]
    assert known["Milk"] | {"itemId": milk["itemId"], "storeId": market["storeId"]} == known["Milk"]
    assert (known["Rice"]["unit"], known["Rice"]["storeId"]) == ("kg", None)
    assert (known["Cake"]["itemId"], known["Cake"]["storeId"]) == (None, market["storeId"])
    assert all(
        it.keys() == {"name", "itemId", "storeId", "unit", "picture"} for it in known.values()
    )


async def test_list_snapshot_has_a_picture_for_every_name(home: Home) -> None:
    cow = await add_item(home.admin, name="Milk", picture="🐄")
    old = await add_item(home.admin, name="Rice", picture="🍚")
    for item in (cow, old):
        await add_entry(home.admin, itemId=item["itemId"])
    await add_entry(home.admin, name="Bread")
    await set_archived(home.admin, old, "archive")
    found = await get_list_now(home.admin)
    expected = {"Milk": "🐄", "Rice": "🍚", "Bread": picture_of("Bread")}
    assert {it["name"]: it["picture"] for it in found["entries"]} == expected
    known = {it["name"]: it["picture"] for it in found["known"]}
    assert (known["Milk"], known["Bread"]) == ("🐄", picture_of("Bread"))


async def test_list_snapshot_names_archived_items(home: Home, milk: Shown) -> None:
    await add_purchased_entry(home.admin, itemId=milk["itemId"])
    assert (await get_list_now(home.admin))["aside"] == []
    await set_archived(home.admin, milk, "archive")
    assert (await get_list_now(home.admin))["aside"] == [milk["itemId"]]


async def test_cost_of_list_snapshot_does_not_grow_with_the_list(home: Home, milk: Shown) -> None:
    for number in range(3):
        await add_entry(home.admin, name=f"Thing {number}")
    await add_purchased_entry(home.admin, itemId=milk["itemId"])
    with count_operations(home.running.db) as spent:
        await get_list_now(home.admin)
    places_entries_stock_purchases_and_orders = Counter(query=6)
    archived_items_and_people = Counter(get_many=2)
    assert spent == AUTH + places_entries_stock_purchases_and_orders + archived_items_and_people
