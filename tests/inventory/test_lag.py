"""Requests decide correctly although the indexes lag."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from homeshelf.notices.model import Notification, OpenNotice
from homeshelf.table import Database
from tests.api_client import Shown, add_item, add_place, adjust, edit_item, get_item, set_archived
from tests.databases import tables
from tests.home import Home, new_home
from tests.running import RunningApp, problem_of, running_app
from tests.table.faulty_engines import LaggingSqlite

AN_HOUR = 3600.0


@pytest.fixture(params=["extenddb", "an index an hour behind"])
async def slow_app(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[RunningApp]:
    if request.param == "extenddb":
        async with (
            tables(request, tmp_path) as open_another,
            running_app(open_another()) as running,
        ):
            yield running
        return
    database = Database(LaggingSqlite(tmp_path / "homeshelf.db", AN_HOUR))
    async with running_app(database) as running:
        yield running
    await database.close()


@pytest.fixture
async def home(slow_app: RunningApp) -> Home:
    return await new_home(slow_app, "Lovelace", "ada")


async def statuses(home: Home, item: Shown) -> list[str]:
    """Return the statuses of the item's notices from the table; the claim must match."""
    db = home.running.db
    found = await db.all(Notification.where(family_id=home.family_id).up_to_date())
    notices = [notice for notice in found if notice.item_id == item["itemId"]]
    claim = await db.get(OpenNotice.key(family_id=home.family_id, item_id=item["itemId"]))
    unresolved = [each.notification_id for each in notices if each.status != "resolved"]
    assert unresolved == ([claim.holder] if claim else [])
    return sorted(notice.status for notice in notices)


async def test_notice_is_current_despite_index_lag(home: Home) -> None:
    rice = await add_item(home.admin, quantity=5, threshold=5)
    for crossing in range(3):
        await adjust(home.admin, rice, -1)
        assert await statuses(home, rice) == ["active"] + ["resolved"] * crossing
        await adjust(home.admin, rice, 1)
        assert await statuses(home, rice) == ["resolved"] * (crossing + 1)
    await edit_item(home.admin, rice, threshold=6)
    await set_archived(home.admin, rice, "archive")
    assert await statuses(home, rice) == ["resolved"] * 4
    await set_archived(home.admin, rice, "unarchive")
    assert (await home.admin.delete(f"/items/{rice['itemId']}")).status_code == 204
    assert await statuses(home, rice) == ["resolved"] * 5


async def test_restocked_item_is_not_listed_as_low_despite_index_lag(home: Home) -> None:
    rice = await add_item(home.admin, threshold=1)
    await adjust(home.admin, rice, 1)
    assert (await home.admin.get("/items?lowStock=true")).json() == {"items": []}


async def test_place_is_in_use_at_once_despite_index_lag(home: Home) -> None:
    pantry = await add_place(home.admin, "locations", "Pantry")
    path = f"/locations/{pantry['locationId']}"
    rice = await add_item(home.admin, locationId=pantry["locationId"])
    assert problem_of(await home.admin.delete(path)) == (409, "in_use")
    await edit_item(home.admin, rice, locationId=None)
    assert (await home.admin.delete(path)).status_code == 204


async def test_place_name_is_taken_and_released_despite_index_lag(home: Home) -> None:
    market = await add_place(home.admin, "stores", "Market")
    again = await home.admin.post("/stores", {"name": "market"})
    assert problem_of(again) == (409, "duplicate")
    assert again.json()["existing"] == market
    assert (await home.admin.delete(f"/stores/{market['storeId']}")).status_code == 204
    await add_place(home.admin, "stores", "Market")


async def test_item_reads_latest_write_despite_index_lag(home: Home) -> None:
    rice = await add_item(home.admin, quantity=1)
    adjusted = await adjust(home.admin, rice, 1)
    assert await get_item(home.admin, rice) == adjusted["item"]
    history = (await home.admin.get(f"/items/{rice['itemId']}/history")).json()["items"]
    assert [change["quantity"] for change in history] == [2, 1]
