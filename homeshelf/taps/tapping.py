"""The tap itself: who holds a tag's address sees its item and changes its count."""

from typing import Any

from homeshelf.errors import ItemUnavailable, NotFound
from homeshelf.inventory import store as inventory
from homeshelf.inventory.adjustments import Adjusted
from homeshelf.inventory.model import Source
from homeshelf.table import Database, Key
from homeshelf.taps.model import NFCUrl, OpenTag
from homeshelf.taps.store import for_tag, in_use

NOBODYS = "00000000-0000-4000-8000-000000000000"


async def open_tag(db: Database, url_id: str) -> OpenTag | None:
    """A tag and its item, if both are in use.

    What is not there costs the same reads as what is, so that the time says nothing about why.
    The index lags, so that the tag is read once more where it stands.
    """
    hint = await for_tag(db, url_id)
    family_id, item_id = (hint.family_id, hint.item_id) if hint else (NOBODYS, NOBODYS)
    keys: list[Key[Any]] = [
        NFCUrl.key(family_id=family_id, item_id=item_id, url_id=url_id),
        inventory.key_of(family_id, item_id),
    ]
    tag, item = await db.get_many(keys)
    if tag is None or item is None or not tag.is_active or item.status != "active":
        return None
    return OpenTag(tag, item)


async def tap(db: Database, opened: OpenTag, delta: int, *, undo: bool = False) -> Adjusted:
    """More or less of the item; the same transaction asks whether the tag is still in use."""
    still_in_use = opened.tag.check(in_use)
    source: Source = "undo" if undo else "tap"
    try:
        return await inventory.adjust(
            db, opened.item.own_key(), delta, source, None, checks=[still_in_use]
        )
    except ItemUnavailable:
        raise NotFound from None
