"""A fast look-up for a tag's page, which is loaded more than anything else."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from homeshelf.inventory import store as inventory
from homeshelf.table import Database
from homeshelf.table.operations import Key, item_key
from homeshelf.taps.model import NFCUrl, TagId
from homeshelf.taps.store import for_tag, open_tag

MOST_KNOWN = 5_000


class PageContent(NamedTuple):
    tag: TagId
    name: str
    quantity: int
    unit: str | None
    picture: str | None


class PageLookup:
    """Remembers the keys of active tags, which never change, and reads their state each time. An
    unknown address costs as many reads, so that the time tells nothing."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._known: dict[str, tuple[TagId, Sequence[Key[Any]]]] = {}

    async def content(self, url_id: str) -> PageContent | None:
        known = self._known.get(url_id)
        if known is None:
            return await self._find(url_id)
        tag, keys = known
        try:
            stored, item = await self._db.get_many(keys)
            if stored and item and stored["isActive"] is True and item["status"] == "active":
                unit, picture = item.get("unit"), item.get("picture")
                return PageContent(tag, item["name"], int(item["quantity"]), unit, picture)
        except (LookupError, TypeError, ValueError):
            return await self._find(url_id)  # which says what is wrong with the record
        self._known.pop(url_id, None)
        await for_tag(self._db, url_id)
        return None

    async def _find(self, url_id: str) -> PageContent | None:
        opened = await open_tag(self._db, url_id)
        if opened is None:
            return None
        tag, item = opened.tag.tag_id, opened.item
        while len(self._known) >= MOST_KNOWN:
            del self._known[next(iter(self._known))]
        keys = NFCUrl.key(**tag._asdict()), inventory.key_of(tag.family_id, tag.item_id)
        self._known[url_id] = tag, [item_key(it.table, it.partition, it.sort) for it in keys]
        return PageContent(tag, item.name, item.quantity, item.unit, item.picture)
