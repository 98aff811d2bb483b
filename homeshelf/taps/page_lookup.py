"""A cache of tag keys, because a tag's page is loaded more than any other."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from homeshelf.inventory import store as inventory
from homeshelf.table import Database
from homeshelf.table.operations import Key, item_key
from homeshelf.taps.model import NFCUrl, TagId
from homeshelf.taps.store import find_active_tag, find_by_url_id

MAX_CACHED = 5_000


class PageContent(NamedTuple):
    tag: TagId
    name: str
    quantity: int
    unit: str | None
    picture: str | None


class PageLookup:
    """Cache constant keys, not state. Unknown addresses cost the same reads, to hide the timing."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._cache: dict[str, tuple[TagId, Sequence[Key[Any]]]] = {}

    async def content(self, url_id: str) -> PageContent | None:
        cached = self._cache.get(url_id)
        if cached is None:
            return await self._find(url_id)
        tag, keys = cached
        try:
            stored, item = await self._db.get_many(keys)
            if stored and item and stored["isActive"] is True and item["status"] == "active":
                unit, picture = item.get("unit"), item.get("picture")
                return PageContent(tag, item["name"], int(item["quantity"]), unit, picture)
        except (LookupError, TypeError, ValueError):
            return await self._find(url_id)  # it reports what is wrong with the record
        self._cache.pop(url_id, None)
        await find_by_url_id(self._db, url_id)
        return None

    async def _find(self, url_id: str) -> PageContent | None:
        active = await find_active_tag(self._db, url_id)
        if active is None:
            return None
        tag, item = active.tag.tag_id, active.item
        while len(self._cache) >= MAX_CACHED:
            del self._cache[next(iter(self._cache))]
        keys = NFCUrl.key(**tag._asdict()), inventory.key_of(tag.family_id, tag.item_id)
        self._cache[url_id] = tag, [item_key(it.table, it.partition, it.sort) for it in keys]
        return PageContent(tag, item.name, item.quantity, item.unit, item.picture)
