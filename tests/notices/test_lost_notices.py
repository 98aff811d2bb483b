"""A claim whose notice is not there keeps nothing from going on."""

import pytest

from homeshelf.notices.model import Notification, OpenNotice
from tests.api_client import Shown, add_item, adjust, get_item, get_notices, get_open_notice
from tests.home import Home


@pytest.fixture
async def rice(home: Home) -> Shown:
    """It runs low, and what said so is lost."""
    rice = await add_item(home.admin, quantity=1, threshold=2)
    notice = await get_open_notice(home, rice)
    assert notice is not None
    key = Notification.key(family_id=home.family_id, notification_id=notice["notificationId"])
    lost = await home.running.db.get(key)
    assert lost is not None
    await home.running.db.transact(lost.delete())
    return rice


async def test_there_can_be_enough_again_and_a_new_notice_after_it(home: Home, rice: Shown) -> None:
    await adjust(home.admin, rice, 5)
    assert (await get_item(home.admin, rice))["quantity"] == 6
    assert await get_open_notice(home, rice) is None
    await adjust(home.admin, rice, -5)
    assert await get_open_notice(home, rice) is not None
    assert len(await get_notices(home.admin, rice)) == 1


async def test_a_lost_claim_is_in_nobodys_way_either(home: Home) -> None:
    rice = await add_item(home.admin, quantity=1, threshold=2)
    key = OpenNotice.key(family_id=home.family_id, item_id=rice["itemId"])
    claim = await home.running.db.get(key)
    assert claim is not None
    await home.running.db.transact(claim.release())
    await adjust(home.admin, rice, 5)
    assert (await get_item(home.admin, rice))["quantity"] == 6


async def test_a_notice_that_was_resolved_before_stays_as_it_was(home: Home) -> None:
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
