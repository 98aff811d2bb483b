"""An item has an open notice while it is active and low."""

from collections.abc import Awaitable, Callable

import pytest

from homeshelf.coordination.changes import changes_since
from homeshelf.inventory import store as inventory
from tests.api_client import (
    Shown,
    add_item,
    adjust,
    edit_item,
    get_item,
    get_notices,
    get_open_notice,
    set_archived,
)
from tests.costs import count_operations
from tests.database_hooks import before_first_transaction, with_hook
from tests.home import Home

Change = Callable[[Home, Shown], Awaitable[object]]


async def use_up(home: Home, item: Shown) -> None:
    await adjust(home.admin, item, -4)


async def restock(home: Home, item: Shown) -> None:
    await adjust(home.admin, item, 4)


async def raise_threshold(home: Home, item: Shown) -> None:
    await edit_item(home.admin, item, threshold=9)


async def lower_threshold(home: Home, item: Shown) -> None:
    await edit_item(home.admin, item, threshold=0)


async def archive(home: Home, item: Shown) -> None:
    await set_archived(home.admin, item, "archive")


async def unarchive(home: Home, item: Shown) -> None:
    await set_archived(home.admin, item, "unarchive")


async def remove(home: Home, item: Shown) -> None:
    answer = await home.admin.delete(f"/items/{item['itemId']}")
    assert answer.status_code == 204


async def test_item_added_below_threshold_has_notice(home: Home) -> None:
    rice = await add_item(home.admin, name="Rice", quantity=1, threshold=3)
    notice = await get_open_notice(home, rice)
    assert notice == {
        "notificationId": notice and notice["notificationId"],
        "familyId": home.family_id,
        "itemId": rice["itemId"],
        "itemName": "Rice",
        "currentQuantity": 1,
        "threshold": 3,
        "type": "low_stock",
        "status": "active",
        "resolvedAt": None,
        "createdAt": notice and notice["createdAt"],
        "updatedAt": notice and notice["createdAt"],
        "version": 1,
        "entityType": "Notification",
    }


@pytest.mark.parametrize(("quantity", "threshold"), [(0, 0), (3, 3), (4, 3), (1, 0)])
async def test_item_added_at_threshold_has_no_notice(
    home: Home, quantity: int, threshold: int
) -> None:
    rice = await add_item(home.admin, quantity=quantity, threshold=threshold)
    assert rice["isLowStock"] is False
    assert await get_notices(home.admin, rice) == []


@pytest.mark.parametrize("crossing", [use_up, raise_threshold])
async def test_crossing_threshold_opens_notice_in_same_transaction(
    home: Home, crossing: Change
) -> None:
    rice = await add_item(home.admin, name="Rice", quantity=5, threshold=5)
    with count_operations(home.running.db) as spent:
        await crossing(home, rice)
    assert spent["transact"] == 1
    item, notice = await get_item(home.admin, rice), await get_open_notice(home, rice)
    assert item["isLowStock"]
    assert notice is not None
    assert (notice["currentQuantity"], notice["threshold"]) == (item["quantity"], item["threshold"])


async def test_unarchived_low_item_has_notice(home: Home) -> None:
    rice = await add_item(home.admin, quantity=5, threshold=5)
    await archive(home, rice)
    await raise_threshold(home, rice)
    assert await get_notices(home.admin, rice) == []
    await unarchive(home, rice)
    assert await get_open_notice(home, rice)


@pytest.mark.parametrize("crossing", [restock, lower_threshold, archive, remove])
async def test_restocked_or_removed_item_has_resolved_notice(home: Home, crossing: Change) -> None:
    rice = await add_item(home.admin, quantity=1, threshold=5)
    with count_operations(home.running.db) as spent:
        await crossing(home, rice)
    assert spent["transact"] == 1
    assert await get_open_notice(home, rice) is None
    [notice] = await get_notices(home.admin, rice)
    assert (notice["status"], notice["version"]) == ("resolved", 2)
    assert notice["resolvedAt"] == notice["updatedAt"] >= notice["createdAt"]


@pytest.mark.parametrize("crossing", [use_up, raise_threshold])
async def test_further_decrease_opens_no_second_notice(home: Home, crossing: Change) -> None:
    rice = await add_item(home.admin, quantity=6, threshold=8)
    before = await get_notices(home.admin, rice)
    await crossing(home, rice)
    assert await get_notices(home.admin, rice) == before
    assert len(before) == 1


async def test_each_crossing_opens_a_new_notice(home: Home) -> None:
    rice = await add_item(home.admin, quantity=5, threshold=5)
    for count in range(1, 4):
        await use_up(home, rice)
        assert await get_open_notice(home, rice)
        await restock(home, rice)
        assert await get_open_notice(home, rice) is None
        assert len(await get_notices(home.admin, rice, "resolved")) == count


async def test_concurrent_crossings_open_one_notice(home: Home) -> None:
    rice = await add_item(home.admin, quantity=3, threshold=2)

    async def adjust_across_threshold() -> None:
        await adjust(home.admin, rice, -2)

    db = with_hook(home.running.db, before_first_transaction(adjust_across_threshold))
    key = inventory.key_of(home.family_id, rice["itemId"])
    assert (await inventory.adjust(db, key, -2, "adjust", "ada")).item.quantity == 0
    assert await get_open_notice(home, rice) is not None


async def test_quantity_at_threshold_is_not_low(home: Home) -> None:
    rice = await add_item(home.admin, quantity=5, threshold=5)
    assert await get_open_notice(home, rice) is None
    await adjust(home.admin, rice, -1)
    assert await get_open_notice(home, rice)
    await adjust(home.admin, rice, 1)
    assert await get_open_notice(home, rice) is None


async def test_notice_changes_reach_listeners(home: Home) -> None:
    rice = await add_item(home.admin, threshold=4)
    await restock(home, rice)
    [notice] = await get_notices(home.admin, rice)
    told = await changes_since(home.running.db, home.family_id, None)
    assert [(each.type, each.version) for each in told if each.id == notice["notificationId"]] == [
        ("Notification", 1),
        ("Notification", 2),
    ]
