"""The item list: order, pages and filters."""

from collections.abc import Sequence

import pytest

from homeshelf import clock
from homeshelf.inventory.model import InventoryItem
from homeshelf.taps.model import NFCUrl
from tests.api_client import (
    Shown,
    add_item,
    add_place,
    adjust,
    get_all_pages,
    get_item,
    get_pages,
    set_archived,
)
from tests.costs import count_operations
from tests.home import NOBODYS, Home
from tests.records import make_record
from tests.running import Person, problem_of


def names(items: Sequence[Shown]) -> list[str]:
    return [item["name"] for item in items]


async def put_items(home: Home, *items: tuple[str, int, str]) -> None:
    """Put items with a name, a quantity and a status into the table."""
    await home.running.db.batch(
        [
            make_record(
                InventoryItem,
                family_id=home.family_id,
                item_id=clock.new_id(),
                name=name,
                quantity=quantity,
                status=status,
            ).put()
            for name, quantity, status in items
        ]
    )


async def test_list_without_items_is_empty(home: Home) -> None:
    for status in ("active", "archived", "all"):
        assert (await home.admin.get(f"/items?status={status}")).json() == {"items": []}
    assert (await home.admin.get("/items?lowStock=true")).json() == {"items": []}


async def test_lowest_quantity_comes_first(home: Home) -> None:
    for name, quantity in (("Salt", 100), ("Rice", 9), ("Oil", 0), ("Oats", 10)):
        await add_item(home.admin, name=name, quantity=quantity)
    assert names(await get_all_pages(home.admin, "/items", 100)) == ["Oil", "Rice", "Oats", "Salt"]
    assert names(await get_all_pages(home.admin, "/items", 3)) == ["Oil", "Rice", "Oats", "Salt"]


async def test_listed_item_equals_single_item(home: Home) -> None:
    low = await add_item(home.admin, quantity=1, threshold=2)
    enough = await add_item(home.admin, quantity=2, threshold=2)
    listed = await get_all_pages(home.admin, "/items", 100)
    assert listed == [await get_item(home.admin, low), await get_item(home.admin, enough)]
    assert [item["isLowStock"] for item in listed] == [True, False]


async def test_list_filters_by_status(home: Home) -> None:
    await put_items(home, ("Salt", 7, "active"), ("Rice", 3, "archived"), ("Oil", 5, "active"))
    await put_items(home, ("Oats", 5, "archived"), ("Milk", 0, "archived"), ("Tea", 9, "active"))
    listed = {
        status: names(await get_all_pages(home.admin, f"/items?status={status}", 2))
        for status in ("active", "archived", "all")
    }
    assert listed == {
        "active": ["Oil", "Salt", "Tea"],
        "archived": ["Milk", "Rice", "Oats"],
        "all": ["Milk", "Rice", "Oil", "Oats", "Salt", "Tea"],
    }
    assert names(await get_all_pages(home.admin, "/items", 2)) == listed["active"]


@pytest.mark.parametrize("limit", [1, 3, 7, 100])
async def test_pages_of_both_statuses_are_full_ordered_and_complete(home: Home, limit: int) -> None:
    """Most items have the same quantity, so that pages end between equal ones."""
    statuses = ("active", "archived", "archived")
    some = [(f"{number}", number // 10, statuses[number % 3]) for number in range(40)]
    await put_items(home, *some)
    found = await get_all_pages(home.admin, "/items?status=all", limit)
    assert [item["quantity"] for item in found] == [number // 10 for number in range(40)]
    assert sorted(map(int, names(found))) == list(range(40))


async def test_pages_stay_full_when_one_status_runs_out(
    home: Home,
) -> None:
    await put_items(home, *((f"{number}", 0, "archived") for number in range(2)))
    await put_items(home, *((f"{number}", 1, "active") for number in range(2, 12)))
    found = [names(page) async for page in get_pages(home.admin, "/items?status=all", 4)]
    assert [len(page) for page in found] == [4, 4, 4]
    assert sorted(found[0][:2]) == ["0", "1"]


async def test_item_that_moves_between_pages_does_not_repeat_forever(home: Home) -> None:
    items = [await add_item(home.admin, name=f"{n}", quantity=n) for n in range(6)]
    seen: list[str] = []
    async for page in get_pages(home.admin, "/items?status=all", 2):
        seen += names(page)
        await adjust(home.admin, items[0], 3)
        if len(seen) == 2:
            await set_archived(home.admin, items[5], "archive")
    assert set(seen) == {"0", "1", "2", "3", "4", "5"}
    assert len(seen) <= 8


async def test_tags_do_not_appear_in_item_list(home: Home) -> None:
    items = [await add_item(home.admin, name=f"{n}", quantity=n) for n in range(4)]
    for number, item in enumerate(items):
        tags = [
            make_record(
                NFCUrl,
                family_id=home.family_id,
                item_id=item["itemId"],
                url_id=f"{number:02}{tag:020}",
                created_at=clock.timestamp(),
            )
            for tag in range(40)
        ]
        await home.running.db.batch([tag.put() for tag in tags])
    with count_operations(home.running.db) as spent:
        first = (await home.admin.get("/items?limit=3")).json()
    assert spent["query"] == 1
    assert names(first["items"]) == ["0", "1", "2"]
    assert await get_all_pages(home.admin, "/items", 3) == items


async def test_list_filters_by_location(home: Home) -> None:
    pantry, fridge = [
        (await add_place(home.admin, "locations", name))["locationId"]
        for name in ("Pantry", "Fridge")
    ]
    for number in range(9):
        await add_item(
            home.admin,
            name=f"{number}",
            quantity=number,
            locationId=(pantry, fridge, None)[number % 3],
        )
    found = [names(page) async for page in get_pages(home.admin, f"/items?locationId={pantry}", 2)]
    assert found == [["0", "3"], ["6"]]
    found = [names(page) async for page in get_pages(home.admin, f"/items?locationId={fridge}", 1)]
    assert found == [["1"], ["4"], ["7"]]
    shouted = f"/items?locationId={pantry.upper()}"
    assert names(await get_all_pages(home.admin, shouted, 100)) == ["0", "3", "6"]


async def test_list_filters_by_preferred_and_alternate_store(home: Home) -> None:
    market, corner = [
        (await add_place(home.admin, "stores", name))["storeId"] for name in ("Market", "Corner")
    ]
    await add_item(home.admin, name="Rice", preferredStoreId=market)
    await add_item(home.admin, name="Oil", quantity=1, alternateStoreIds=[corner, market])
    await add_item(home.admin, name="Salt", quantity=2, preferredStoreId=corner)
    await add_item(home.admin, name="Tea", quantity=3)
    assert names(await get_all_pages(home.admin, f"/items?storeId={market}", 1)) == ["Rice", "Oil"]
    assert names(await get_all_pages(home.admin, f"/items?storeId={corner}", 1)) == ["Oil", "Salt"]


async def test_filters_are_combined(home: Home) -> None:
    pantry = (await add_place(home.admin, "locations", "Pantry"))["locationId"]
    market = (await add_place(home.admin, "stores", "Market"))["storeId"]
    everything = {"locationId": pantry, "preferredStoreId": market, "threshold": 1}
    wanted = await add_item(home.admin, name="Brown rice", **everything)
    for but in everything:
        others = {name: value for name, value in everything.items() if name != but}
        await add_item(home.admin, name="Brown rice", **others)
    await add_item(home.admin, name="Oil", **everything)
    archived = await add_item(home.admin, name="Rice, archived", **everything)
    await set_archived(home.admin, archived, "archive")
    question = f"locationId={pantry}&storeId={market}&q=rice"
    low = await get_all_pages(home.admin, f"/items?lowStock=true&{question}", 1)
    assert low == [wanted]
    found = await get_all_pages(home.admin, f"/items?status=all&{question}", 1)
    assert sorted(names(found)) == ["Brown rice", "Brown rice", "Rice, archived"]


async def test_unknown_place_returns_404(home: Home, neighbour: Person) -> None:
    pantry = (await add_place(neighbour, "locations", "Pantry"))["locationId"]
    market = (await add_place(neighbour, "stores", "Market"))["storeId"]
    for question in (f"locationId={NOBODYS}", f"locationId={pantry}", f"storeId={market}"):
        for more in ("", "&lowStock=true", "&status=all"):
            answer = await home.admin.get(f"/items?{question}{more}")
            assert problem_of(answer) == (404, "not_found")


@pytest.mark.parametrize(
    ("question", "field", "message"),
    [
        ("locationId=pantry", "locationId", "Invalid location ID format"),
        ("storeId=market", "storeId", "Invalid store ID format"),
        ("status=gone", "status", None),
        ("lowStock=perhaps", "lowStock", None),
        ("q=", "q", None),
        (f"q={'x' * 101}", "q", None),
        ("limit=0", "limit", None),
        ("limit=101", "limit", None),
        ("limit=many", "limit", None),
        ("nextToken=x", "nextToken", "This isn’t a page of this list."),
    ],
)
async def test_invalid_query_returns_400(
    home: Home, question: str, field: str, message: str | None
) -> None:
    answer = await home.admin.get(f"/items?{question}")
    assert problem_of(answer) == (400, "validation")
    [error] = answer.json()["errors"]
    assert error["field"] == field
    assert message in (None, error["message"])


async def test_unknown_query_parameter_is_ignored(home: Home) -> None:
    assert (await home.admin.get("/items?colour=white")).status_code == 200


@pytest.mark.parametrize("question", ["", "status=all&", "lowStock=true&"])
async def test_cursor_of_another_caller_or_list_is_refused(
    home: Home, kid: Person, neighbour: Person, question: str
) -> None:
    for number in range(2):
        await add_item(home.admin, name=f"{number}", threshold=9)
    path = f"/items?{question}limit=1"
    token = (await home.admin.get(path)).json()["nextToken"]
    assert len((await home.admin.get(f"{path}&nextToken={token}")).json()["items"]) == 1
    for stranger in (kid, neighbour):
        answer = await stranger.get(f"{path}&nextToken={token}")
        assert problem_of(answer) == (400, "validation")
    for tampered in (f"{token}x", f"x{token}"):
        answer = await home.admin.get(f"{path}&nextToken={tampered}")
        assert problem_of(answer) == (400, "validation")
    answer = await home.admin.get(f"{path}&q=x&nextToken={token}")
    assert problem_of(answer) == (400, "validation")


async def test_low_stock_filter_uses_notices(home: Home) -> None:
    items = [
        await add_item(home.admin, name=f"{n}", quantity=n, threshold=5 if n % 2 else 0)
        for n in range(9)
    ]
    assert names(await get_all_pages(home.admin, "/items?lowStock=true", 100)) == ["1", "3"]
    await adjust(home.admin, items[1], 10)
    await adjust(home.admin, items[7], -6)
    await adjust(home.admin, items[5], -4)
    found = [names(page) async for page in get_pages(home.admin, "/items?lowStock=true", 2)]
    assert [sorted(page) for page in found] == [["5", "7"], ["3"]]
    found = [names(page) async for page in get_pages(home.admin, "/items?lowStock=true", 3)]
    assert [sorted(page) for page in found] == [["3", "5", "7"]]
    await set_archived(home.admin, items[3], "archive")
    for status in ("active", "all"):
        path = f"/items?lowStock=true&status={status}"
        assert sorted(names(await get_all_pages(home.admin, path, 100))) == ["5", "7"]
    path = "/items?lowStock=true&status=archived"
    assert await get_all_pages(home.admin, path, 100) == []
    assert len(await get_all_pages(home.admin, "/items?lowStock=false", 100)) == 8


async def test_low_stock_filter_includes_acknowledged_notices(home: Home) -> None:
    rice = await add_item(home.admin, threshold=1)
    notice = (await home.admin.get("/notifications")).json()["items"][0]
    await home.admin.post(f"/notifications/{notice['notificationId']}/acknowledge")
    assert await get_all_pages(home.admin, "/items?lowStock=true", 100) == [rice]
