"""An item may have one open notice of each kind."""

from collections.abc import Iterator
from typing import Any, cast

import pytest

from homeshelf.families import memberships
from homeshelf.inventory.low_stock import find_low_items
from homeshelf.inventory.notice_kind import NoticeKind
from homeshelf.notices.model import NoticeState, OpenNotice, OpenNoticeOfType
from homeshelf.notices.store import unresolved_notices
from homeshelf.outbox.notifications import NotificationText
from tests.api_client import Shown, add_item, adjust, set_archived
from tests.home import Home
from tests.notices.reminder import register_notice_kinds
from tests.pages import look

GONE = NoticeKind(
    type=cast("Any", "all_gone"),
    notification="is_gone",
    due=lambda item, _related, _now: item.status == "active" and item.quantity == 0,
    text=lambda item, _: NotificationText(f"{item.name} is gone", ("None.",), "/stock", "Review"),
    state=lambda _item, _related: NoticeState("gone", "gone", "all of it"),
    past=lambda opened, _ended: f"was gone {opened}",
)


@pytest.fixture(autouse=True)
def another_kind() -> Iterator[None]:
    with register_notice_kinds(GONE):
        yield


async def test_item_has_one_open_notice_per_kind(home: Home) -> None:
    rice = await add_item(home.admin, quantity=5, threshold=2)
    assert await open_kinds(home, rice) == []
    await adjust(home.admin, rice, -4)
    assert await open_kinds(home, rice) == ["low_stock"]
    await adjust(home.admin, rice, -1)
    assert await open_kinds(home, rice) == ["all_gone", "low_stock"]
    await adjust(home.admin, rice, 1)
    assert await open_kinds(home, rice) == ["low_stock"], "each ends by itself"
    await adjust(home.admin, rice, -1)
    assert await open_kinds(home, rice) == ["all_gone", "low_stock"], "and begins again"
    await set_archived(home.admin, rice, "archive")
    assert await open_kinds(home, rice) == []


async def test_notice_of_another_kind_does_not_count_as_low_stock(home: Home) -> None:
    salt = await add_item(home.admin, name="Salt", quantity=0, threshold=0)
    tea = await add_item(home.admin, name="Tea", quantity=1, threshold=2)
    assert await open_kinds(home, salt) == ["all_gone"]
    low = await find_low_items(home.running.db, home.family_id)
    assert [item.item_id for item in low] == [tea["itemId"]]
    listed = (await home.admin.get("/items?lowStock=true")).json()["items"]
    assert [item["itemId"] for item in listed] == [tea["itemId"]]
    assert (await look(home.admin, "/")).in_order("Running low", "Tea")
    assert "Salt" not in (await look(home.admin, "/")).words
    assert (await look(home.admin, "/stock")).in_order("Everything", "Running low 1", "Archive")


async def test_deleted_family_leaves_no_notices_of_any_kind(home: Home) -> None:
    rice = await add_item(home.admin, quantity=0, threshold=2)
    assert await open_kinds(home, rice) == ["all_gone", "low_stock"]
    await memberships.delete_family(home.running.services, home.family_id)
    assert await open_kinds(home, rice) == []


async def open_kinds(home: Home, item: Shown) -> list[str]:
    """Return the kinds of an item's open notices, and check that each has its claim."""
    db, where = home.running.db, {"family_id": home.family_id, "item_id": item["itemId"]}
    open_ = await db.all(unresolved_notices(home.family_id))
    found = {each.type: each.notification_id for each in open_ if each.item_id == item["itemId"]}
    low = await db.get(OpenNotice.key(**where))
    gone = await db.get(OpenNoticeOfType.key(**where, type="all_gone"))
    claims = {"low_stock": low and low.holder, "all_gone": gone and gone.holder}
    assert {kind: holder for kind, holder in claims.items() if holder} == found
    return sorted(found)


async def test_restocked_item_is_not_low_despite_index_lag(
    home: Home,
) -> None:
    db, rice = home.running.db, await add_item(home.admin, name="Rice", quantity=1, threshold=2)
    (low,) = await find_low_items(db, home.family_id)
    await db.put(low.changed(quantity=9))
    assert await open_kinds(home, rice) == ["low_stock"]
    assert await find_low_items(db, home.family_id) == []
