"""Notifications about low items describe their current state."""

from homeshelf import clock
from homeshelf.inventory.low_stock import LOW_STOCK
from homeshelf.inventory.notice_texts import NOTIFICATION_KINDS
from homeshelf.outbox.notifications import Cause, NotificationText
from homeshelf.table import Database
from tests.api_client import Shown, add_item, adjust, edit_item, get_notices
from tests.database_hooks import with_hook
from tests.home import NOBODYS, Home


async def notification_texts(
    home: Home, *notice_ids: str, db: Database | None = None
) -> list[NotificationText | None]:
    notification, at = LOW_STOCK.notification, clock.timestamp()
    causes = [Cause(notification, home.family_id, each, at) for each in notice_ids]
    return list(await NOTIFICATION_KINDS[notification].texts(db or home.running.db, causes))


async def notice_of(home: Home, item: Shown) -> str:
    (notice,) = await get_notices(home.admin, item, "active")
    return str(notice["notificationId"])


async def test_notification_describes_current_item(home: Home) -> None:
    rice = await add_item(home.admin, name="Rice", quantity=3, threshold=4, unit="kg")
    milk = await add_item(home.admin, name="Milk", quantity=0, threshold=2)
    notices = [await notice_of(home, item) for item in (rice, milk)]
    await adjust(home.admin, rice, -2)
    await edit_item(home.admin, rice, name="Basmati")
    first, nothing, second = await notification_texts(home, notices[0], NOBODYS, notices[1])
    assert first is not None
    assert nothing is None
    assert second is not None
    assert (first.title, first.path) == ("Basmati is running low", f"/stock/{rice['itemId']}")
    assert first.lines == ("Basmati is running low: 1\xa0kg left. You wanted at least 4\xa0kg.",)
    assert second.lines == ("Milk is all gone. You wanted at least 2.",)


async def test_acknowledged_or_restocked_item_is_not_reported(home: Home) -> None:
    seen, refilled = [
        await add_item(home.admin, name=name, quantity=0, threshold=2) for name in ("Rice", "Milk")
    ]
    notices = [await notice_of(home, item) for item in (seen, refilled)]
    assert all(await notification_texts(home, *notices))
    answer = await home.admin.post(f"/notifications/{notices[0]}/acknowledge")
    assert answer.status_code == 200, answer.text
    await adjust(home.admin, refilled, 5)
    assert await notification_texts(home, *notices) == [None, None]


async def test_concurrently_restocked_item_is_not_reported(home: Home) -> None:
    rice = await add_item(home.admin, name="Rice", quantity=0, threshold=2)
    notice = await notice_of(home, rice)
    read: list[str] = []

    async def buy(moment: str, operation: str) -> None:
        if moment == "after" and not read:
            read.append(operation)
            await adjust(home.admin, rice, 5)

    assert await notification_texts(home, notice, db=with_hook(home.running.db, buy)) == [None]
    assert read == ["get_many"]
