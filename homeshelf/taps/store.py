from homeshelf import clock
from homeshelf.coordination.changes import announced
from homeshelf.coordination.changing import Outcome, added, carry_out, change, existing
from homeshelf.errors import ItemUnavailable, NotFound, WrongState
from homeshelf.inventory.model import InventoryItem
from homeshelf.sentences import _
from homeshelf.table import Database, Key, Query, Write, absent, attr
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
    if hint is None or hint.family_id != family_id:
        raise NotFound
    return await existing(db, hint.own_key())


async def make(db: Database, key: Key[InventoryItem], label: str | None, by: str) -> NFCUrl:
    """A new tag for an item that is in use."""

    async def decide() -> Outcome[NFCUrl]:
        item = await existing(db, key)
        if item.status != "active":
            raise ItemUnavailable(_("This item is archived."))
        new = _new(item, label, by)
        return new, (item.check(item.unchanged), *added(new))

    return await carry_out(db, key, decide)


async def relabel(db: Database, key: Key[NFCUrl], label: str | None) -> NFCUrl:
    async def relabelled(old: NFCUrl) -> Outcome[NFCUrl]:
        return old.changed(label=label or None), ()

    return await change(db, key, relabelled)


async def rotate(db: Database, key: Key[NFCUrl], by: str) -> tuple[NFCUrl, NFCUrl]:
    """The tag gets another address, and the one that it had is dead for good."""

    async def decide() -> Outcome[tuple[NFCUrl, NFCUrl]]:
        old = await existing(db, key)
        if not old.is_active:
            raise WrongState(old, _("This address is dead already."))
        item = await existing(db, _item_key(old))
        dead, new = ended(old, by), _new(item, old.label, by)
        writes: list[Write] = [dead.updating(old), new.put(absent), *announced(dead, new)]
        return (dead, new), (*writes, item.check(item.unchanged))

    return await carry_out(db, key, decide)


async def revoke(db: Database, key: Key[NFCUrl], by: str) -> None:
    """Its address is dead for good, and there is no other one."""

    async def revoked(old: NFCUrl) -> Outcome[NFCUrl]:
        return ended(old, by), ()

    await change(db, key, revoked)


def ended(old: NFCUrl, by: str | None) -> NFCUrl:
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


def _item_key(tag: NFCUrl) -> Key[InventoryItem]:
    return InventoryItem.key(family_id=tag.family_id, item_id=tag.item_id)
