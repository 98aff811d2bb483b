"""What the page of a tag shows, read with as little work as can be: it is asked for most of all."""

from typing import NamedTuple

from homeshelf.table import Database, Key
from homeshelf.table.expressions import Item
from homeshelf.table.operations import item_key
from homeshelf.taps.model import TagId
from homeshelf.taps.store import for_tag
from homeshelf.taps.tapping import open_tag

MOST_KNOWN = 5_000


class PageContent(NamedTuple):
    tag: TagId
    name: str
    quantity: int
    unit: str | None


class PageLookup:
    """Remembers where tags in use stand, because that never changes. Whether they are in use is
    read each time, up to date.

    What opens nothing costs the same reads, whether it was ever in use or not.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._known: dict[str, tuple[TagId, list[Key[Item]]]] = {}

    async def content(self, url_id: str) -> PageContent | None:
        known = self._known.get(url_id)
        if known is None:
            return await self._find(url_id)
        tag, keys = known
        try:
            found = _content(tag, *await self._db.get_many(keys))
        except (LookupError, TypeError, ValueError):
            return await self._find(url_id)  # which says what is wrong with the record
        if found is None:
            self._known.pop(url_id, None)
            await for_tag(self._db, url_id)
        return found

    async def _find(self, url_id: str) -> PageContent | None:
        opened = await open_tag(self._db, url_id)
        if opened is None:
            return None
        tag, item = opened.tag.tag_id, opened.item
        while len(self._known) >= MOST_KNOWN:
            del self._known[next(iter(self._known))]
        own_keys: list[Key[object]] = [opened.tag.own_key(), item.own_key()]  # type: ignore[list-item]  # of any kind
        keys = [item_key(key.table, key.partition, key.sort) for key in own_keys]
        self._known[url_id] = (tag, keys)
        return PageContent(tag, item.name, item.quantity, item.unit)


def _content(tag: TagId, stored: Item | None, item: Item | None) -> PageContent | None:
    if stored is None or stored["isActive"] is not True:
        return None
    if item is None or item["status"] != "active":
        return None
    quantity: int = item["quantity"]  # type: ignore[assignment]  # stored as one
    name: str = item["name"]  # type: ignore[assignment]  # the same
    unit: str | None = item.get("unit")  # type: ignore[assignment]  # the same
    return PageContent(tag, name, int(quantity), unit)
