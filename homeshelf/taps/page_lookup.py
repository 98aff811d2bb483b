"""What the page of a tag shows, read with as little work as can be: it is asked for most of all."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from homeshelf.inventory import store as inventory
from homeshelf.table import Database
from homeshelf.table.engine import KeyPair
from homeshelf.table.operations import item_key
from homeshelf.taps.model import NFCUrl, TagId
from homeshelf.taps.store import NOBODYS, for_tag, open_tag

MOST_KNOWN = 5_000

Known = tuple[TagId, KeyPair]


class PageContent(NamedTuple):
    tag: TagId
    name: str
    quantity: int
    unit: str | None
    picture: str | None


class PageLookup:
    """Remembers where tags in use stand, because that never changes. Whether they are in use is
    read each time, up to date.

    What opens nothing costs the same reads, whether it was ever in use or not.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._known: dict[str, Known] = {}

    def contents_at_once(self, url_ids: Sequence[str]) -> list[PageContent | None]:
        """Of tags that are known to be in use, from an engine that reads at once.

        None where anything else is to be found out, which has cost the same read whatever it is.
        """
        known = [self._known.get(url_id, _NOBODYS) for url_id in url_ids]
        seen = self._db.engine.glance([keys for _, keys in known], (_Tag, _Item))
        contents = [
            _glanced(tag, *records) if records else None
            for (tag, _), records in zip(known, seen, strict=True)
        ]
        for url_id, content in zip(url_ids, contents, strict=True):
            if content is None:
                self._known.pop(url_id, None)
        return contents

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
        self._known[url_id] = tag, _keys(tag)
        return PageContent(tag, item.name, item.quantity, item.unit, item.picture)


class _Tag(msgspec.Struct, rename="camel"):
    is_active: bool


class _Item(msgspec.Struct):
    status: str
    name: str
    quantity: int
    unit: str | None = None
    picture: str | None = None


def _glanced(tag: TagId, stored: _Tag | None, item: _Item | None) -> PageContent | None:
    if stored is None or not stored.is_active or item is None or item.status != "active":
        return None
    return PageContent(tag, item.name, item.quantity, item.unit, item.picture)


def _keys(tag: TagId) -> KeyPair:
    one = NFCUrl.key(**tag._asdict())
    other = inventory.key_of(tag.family_id, tag.item_id)
    return (
        item_key(one.table, one.partition, one.sort),
        item_key(other.table, other.partition, other.sort),
    )


_NOBODY = TagId(NOBODYS, NOBODYS, NOBODYS)
_NOBODYS: Known = _NOBODY, _keys(_NOBODY)


def _content(tag: TagId, stored: Any, item: Any) -> PageContent | None:
    if not (stored and item and stored["isActive"] is True and item["status"] == "active"):
        return None
    unit, picture = item.get("unit"), item.get("picture")
    return PageContent(tag, item["name"], int(item["quantity"]), unit, picture)
