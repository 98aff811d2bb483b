"""Test that a claim whose notice is missing blocks nothing."""

import pytest

from homeshelf.notices.model import Notification, OpenNotice
from tests.api_client import Shown, add_item, adjust, get_item, get_notices, get_open_notice
from tests.home import Home


@pytest.fixture
async def rice(home: Home) -> Shown:
    """An item below its threshold whose notice record is missing."""
    rice = await add_item(home.admin, quantity=1, threshold=2)
    notice = await get_open_notice(home, rice)
    assert notice is not None
    key = Notification.key(family_id=home.family_id, notification_id=notice["notificationId"])
    lost = await home.running.db.get(key)
    assert lost is not None
    await home.running.db.transact(lost.delete())
    return rice


async def test_claim_without_notice_is_released_on_restock(home: Home, rice: Shown) -> None:
    await adjust(home.admin, rice, 5)
    assert (await get_item(home.admin, rice))["quantity"] == 6
    assert await get_open_notice(home, rice) is None
    await adjust(home.admin, rice, -5)
    assert await get_open_notice(home, rice) is not None
    assert len(await get_notices(home.admin, rice)) == 1


async def test_notice_without_claim_blocks_no_change(home: Home) -> None:
    rice = await add_item(home.admin, quantity=1, threshold=2)
    key = OpenNotice.key(family_id=home.family_id, item_id=rice["itemId"])
    claim = await home.running.db.get(key)
    assert claim is not None
    await home.running.db.transact(claim.release())
    await adjust(home.admin, rice, 5)
    assert (await get_item(home.admin, rice))["quantity"] == 6


async def test_resolved_notice_is_not_resolved_again(home: Home) -> None:
    rice = await add_item(home.admin, quantity=1, threshold=2)
    notice = await get_open_notice(home, rice)
    assert notice is not None
    key = Notification.key(family_id=home.family_id, notification_id=notice["notificationId"])
    at = "2024-11-01T12:00:00.000Z"
    before = await home.running.db.change(key, lambda old: old.resolved(at))
    assert before is not None
    await adjust(home.admin, rice, 5)
    assert await home.running.db.get(key) == before
    assert await get_open_notice(home, rice) is None
