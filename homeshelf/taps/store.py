"""Queries and changes of tags: an address is enough to see an item and to adjust it."""

from typing import Any

from homeshelf import clock
from homeshelf.coordination.changes import change_write, change_writes
from homeshelf.coordination.transaction import Transaction, existing, transaction
from homeshelf.errors import ItemUnavailable, NotFound, UnreadableRecord, WrongState
from homeshelf.inventory import store as inventory
from homeshelf.inventory.adjustments import AdjustmentResult
from homeshelf.inventory.model import InventoryItem, require_active
from homeshelf.sentences import _
from homeshelf.table import Database, Delete, Key, Query, absent, attr, key_in
from homeshelf.taps.model import ActiveTag, NFCUrl, WeekOfTaps, url_id_of

MISSING_ID = "00000000-0000-4000-8000-000000000000"

IS_ACTIVE = attr("isActive") == True  # noqa: E712  # a condition


async def find_by_url_id(db: Database, url_id: str) -> NFCUrl | None:
    """Get URL by urlId. GSI1 lags, so a change must check `isActive` again."""
    return await db.first(NFCUrl.where("GSI1", url_id=url_id))


async def find_active_tag(db: Database, url_id: str) -> ActiveTag | None:
    """Return an active tag and its item. Unknown addresses cost the same reads to hide timing."""
    hint = await find_by_url_id(db, url_id)
    family_id, item_id = (hint.family_id, hint.item_id) if hint else (MISSING_ID, MISSING_ID)
    keys: list[Key[Any]] = [
        NFCUrl.key(family_id=family_id, item_id=item_id, url_id=url_id),
        inventory.key_of(family_id, item_id),
    ]
    tag, item = await db.get_many(keys)
    if tag is None or item is None or not tag.is_active or item.status != "active":
        return None
    return ActiveTag(tag, item)


def tags_of_item(family_id: str, item_id: str) -> Query[NFCUrl]:
    """List URLs for item, active and inactive."""
    return NFCUrl.where(family_id=family_id, item_id=item_id)


def tags_of_family(family_id: str) -> Query[NFCUrl]:
    """List URLs for family, newest first."""
    return NFCUrl.where("GSI2", family_id=family_id).newest_first()


def weeks_of_item(family_id: str, item_id: str) -> Query[WeekOfTaps]:
    """List the weekly use counts of an item's tags."""
    return WeekOfTaps.where(family_id=family_id, item_id=item_id)


async def tag_of_family(db: Database, family_id: str, url_id: str) -> NFCUrl:
    return await existing(db, await key_of_tag(db, family_id, url_id))


async def key_of_tag(db: Database, family_id: str, url_id: str) -> Key[NFCUrl]:
    """Return the key of a tag of this family, even if the tag cannot be read."""
    page = await db.engine.query(NFCUrl.where("GSI1", url_id=url_id))
    for found in (*(key_in(NFCUrl.table, item) for item in page.items), *page.unreadable):
        ids = NFCUrl.read_key(found)
        if ids["familyId"] == family_id:
            return NFCUrl.key(family_id=family_id, item_id=ids["itemId"], url_id=url_id)
    raise NotFound


@transaction
async def make(tx: Transaction, key: Key[InventoryItem], label: str | None, by: str) -> NFCUrl:
    item = require_active(await tx.find(key), NotFound)
    new = _new(item, label, by)
    tx.write(item.check(item.unchanged))
    tx.add(new)
    return new


@transaction
async def relabel(tx: Transaction, key: Key[NFCUrl], label: str | None) -> NFCUrl:
    old = await tx.get(key)
    relabelled = old.changed(label=label or None)
    tx.replace(old, relabelled)
    return relabelled


@transaction
async def rotate(tx: Transaction, key: Key[NFCUrl], by: str) -> tuple[NFCUrl, NFCUrl]:
    """Replace the tag's address; the old one stops working for good."""
    old = await tx.get(key)
    if not old.is_active:
        raise WrongState(old, _("This link no longer works."))
    item = await tx.get(inventory.key_of(old.family_id, old.item_id))
    dead, new = as_revoked(old, by), _new(item, old.label, by)
    tx.write(dead.updating(old), new.put(absent), *change_writes(dead, new))
    tx.write(item.check(item.unchanged))
    return dead, new


@transaction
async def revoke(tx: Transaction, key: Key[NFCUrl], by: str) -> None:
    """End the tag for good; delete it if it cannot be read."""
    try:
        old = await tx.get(key)
    except UnreadableRecord:
        ids = NFCUrl.read_key(key)
        tx.write(Delete(key), change_write(ids["familyId"], "NFCUrl", ids["urlId"], None))
    else:
        tx.replace(old, as_revoked(old, by))


async def tap(
    db: Database, opened: ActiveTag, delta: int, *, undo: bool = False
) -> AdjustmentResult:
    try:
        return await inventory.adjust(
            db,
            opened.item.own_key(),
            delta,
            "undo" if undo else "tap",
            None,
            checks=[opened.tag.check(IS_ACTIVE)],
        )
    except ItemUnavailable:
        raise NotFound from None


def as_revoked(old: NFCUrl, by: str | None) -> NFCUrl:
    if not old.is_active:
        return old
    return old.changed(is_active=False, rotated_at=clock.timestamp(), rotated_by=by)


def _new(item: InventoryItem, label: str | None, by: str) -> NFCUrl:
    return NFCUrl(
        url_id=url_id_of(clock.new_id()),
        item_id=item.item_id,
        family_id=item.family_id,
        item_name=item.name,
        label=label or None,
        created_at=clock.timestamp(),
        created_by=by,
    )
