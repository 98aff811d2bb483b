"""The notice kind of items that run low."""

from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.notice_kind import NoticeKind, Related
from homeshelf.notices.model import NoticeState, Notification
from homeshelf.notices.store import unresolved_notices
from homeshelf.outbox.notifications import NotificationText
from homeshelf.sentences import _, ngettext
from homeshelf.table import Database, Query, attr


def _text(item: InventoryItem, _related: Related) -> NotificationText:
    values = {"name": item.name, "least": item.amount(item.threshold)}
    if item.quantity == 0:
        line = _("{name} is all gone. You wanted at least {least}.", **values)
    elif item.unit:
        line = _(
            "{name} is running low: {left} left. You wanted at least {least}.",
            left=item.amount(item.quantity),
            **values,
        )
    else:
        line = ngettext(
            "{name} is running low: {count} left. You wanted at least {least}.",
            "{name} is running low: {count} left. You wanted at least {least}.",
            item.quantity,
            **values,
        )
    title = _("{name} is running low", name=item.name)
    return NotificationText(title, (line,), f"/stock/{item.item_id}", _("View item"))


def _state(item: InventoryItem, _related: Related) -> NoticeState:
    details = _("alert below {mark}", mark=item.amount(item.threshold))
    if item.quantity == 0:
        return NoticeState(_("All gone"), "gone", details)
    return NoticeState(amount_left(item), "low", details)


def amount_left(item: InventoryItem) -> str:
    if item.unit:
        return _("{amount} left", amount=item.amount(item.quantity))
    return ngettext("{count} left", "{count} left", item.quantity)


def _past(opened: str, ended: str | None) -> str:
    if ended is None:
        return _("ran low {when}", when=opened)
    return _("ran low {when}, restocked {then}", when=opened, then=ended)


LOW_STOCK = NoticeKind(
    type="low_stock",
    notification="runs_low",
    due=lambda item, _related, _now: item.needs_notice,
    text=_text,
    state=_state,
    past=_past,
)


def low_stock_notices(family_id: str) -> Query[Notification]:
    return unresolved_notices(family_id).only(attr("type") == LOW_STOCK.type)


async def find_low_items(db: Database, family_id: str) -> list[InventoryItem]:
    """Find every item that runs low by its notice, because notices are few."""
    found = await db.get_existing(
        InventoryItem.key(family_id=family_id, item_id=notice.item_id)
        for notice in await db.all(low_stock_notices(family_id))
    )
    return [item for item in found if item.needs_notice]
