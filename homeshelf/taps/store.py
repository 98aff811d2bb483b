from homeshelf import clock
from homeshelf.coordination.changes import note_change
from homeshelf.coordination.idempotency import Also, nothing_else
from homeshelf.errors import ItemUnavailable, NotFound, WrongState
from homeshelf.inventory.model import InventoryItem
from homeshelf.table import (
    Database,
    Key,
    Query,
    Remove,
    Set,
    Update,
    Write,
    absent,
    attr,
    exists,
)
from homeshelf.taps.model import NFCUrl, WeekOfTaps, url_id_of

in_use = attr("isActive") == True  # noqa: E712  # a condition


async def for_tag(db: Database, url_id: str) -> NFCUrl | None:
    """Get URL by urlId: a hint, because GSI1 lags; what acts on it checks `isActive` again."""
    return await db.first(NFCUrl.where("GSI1", url_id=url_id))


def tags_of_item(family_id: str, item_id: str) -> Query[NFCUrl]:
    """List URLs for item, active and inactive."""
    return NFCUrl.where(family_id=family_id, item_id=item_id)


def tags_of_family(family_id: str) -> Query[NFCUrl]:
    """List URLs for family, newest first."""
    return NFCUrl.where("GSI2", family_id=family_id).newest_first()


def weeks_of_item(family_id: str, item_id: str) -> Query[WeekOfTaps]:
    """How often an item's tags were used, week by week."""
    return WeekOfTaps.where(family_id=family_id, item_id=item_id)


async def tag_of_family(db: Database, family_id: str, url_id: str) -> NFCUrl:
    """A tag of this family as it is now; another family's is as absent as none."""
    hint = await for_tag(db, url_id)
    found = None
    if hint is not None and hint.family_id == family_id:
        found = await db.get(hint.own_key())
    if found is None:
        raise NotFound
    return found


async def make(
    db: Database,
    key: Key[InventoryItem],
    label: str | None,
    by: str,
    also: Also = nothing_else,
) -> NFCUrl:
    """A new tag for an item that is in use."""

    async def attempt() -> NFCUrl:
        item = await _item(db, key)
        if item.status != "active":
            raise ItemUnavailable("This item is archived.")
        new = _new(item, label, by)
        await db.transact(
            item.check(item.unchanged), new.put(absent), tags_changed(new), *also(new)
        )
        return new

    return await db.settle(key, attempt)


async def relabel(
    db: Database, key: Key[NFCUrl], label: str | None, also: Also = nothing_else
) -> NFCUrl:
    async def attempt() -> NFCUrl:
        old = await _tag(db, key)
        new = old.changed(label=label or None)
        if new == old:
            await db.transact(*also(old))
            return old
        change = Set("label", label) if label else Remove("label")
        await db.transact(NFCUrl.update(key, change, when=exists), tags_changed(new), *also(new))
        return new

    return await db.settle(key, attempt)


async def rotate(
    db: Database, key: Key[NFCUrl], by: str, also: Also = nothing_else
) -> tuple[NFCUrl, NFCUrl]:
    """The tag gets another address, and the one that it had is dead for good."""

    async def attempt() -> tuple[NFCUrl, NFCUrl]:
        old = await _tag(db, key)
        if not old.is_active:
            raise WrongState(old, "This address is dead already.")
        item = await _item(db, _item_key(old))
        dead, new = ended(old, by), _new(item, old.label, by)
        unchanged = item.check(item.unchanged)
        both = (dead, new)
        await db.transact(
            ending(dead), new.put(absent), unchanged, tags_changed(*both), *also(both)
        )
        return both

    return await db.settle(key, attempt)


async def revoke(db: Database, key: Key[NFCUrl], by: str) -> None:
    """Its address is dead for good, and there is no other one."""

    async def attempt() -> None:
        old = await _tag(db, key)
        if old.is_active:
            dead = ended(old, by)
            await db.transact(ending(dead), tags_changed(dead))

    await db.settle(key, attempt)


def ended(old: NFCUrl, by: str | None) -> NFCUrl:
    return old.changed(is_active=False, rotated_at=clock.timestamp(), rotated_by=by)


def ending(dead: NFCUrl) -> Update:
    """The write that ends a tag: only what that changes, as its uses are counted meanwhile."""
    changes = [Set("isActive", value=False), Set("rotatedAt", dead.rotated_at)]
    if dead.rotated_by is not None:
        changes.append(Set("rotatedBy", dead.rotated_by))
    return NFCUrl.update(dead.own_key(), *changes, when=in_use)


def tags_changed(first: NFCUrl, *others: NFCUrl) -> Write:
    """They have no version that could be told, and none is ever deleted."""
    ids = (tag.url_id for tag in others)
    return note_change(first.family_id, first.entity_type, first.url_id, 1, *ids)


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


def _item_key(tag: NFCUrl) -> Key[InventoryItem]:
    return InventoryItem.key(family_id=tag.family_id, item_id=tag.item_id)


async def _item(db: Database, key: Key[InventoryItem]) -> InventoryItem:
    found = await db.get(key)
    if found is None:
        raise NotFound
    return found


async def _tag(db: Database, key: Key[NFCUrl]) -> NFCUrl:
    found = await db.get(key)
    if found is None:
        raise NotFound
    return found
