"""The list of items, by what one is looking for."""

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.store import items_by_quantity, key_of, names_store
from homeshelf.notices import store as notices
from homeshelf.table import Database, attr
from homeshelf.table.operations import Query

Mark = Any


@dataclass(frozen=True)
class Wanted:
    status: str = "active"
    low_stock: bool = False
    location_id: str | None = None
    store_id: str | None = None
    q: str | None = None

    @property
    def predicate(self) -> Callable[[Mapping[str, Any]], bool] | None:
        """What DynamoDB cannot express."""
        tests = []
        if self.store_id:
            tests.append(names_store(self.store_id))
        if self.q:
            tests.append(_says(self.q))
        return (lambda item: all(test(item) for test in tests)) if tests else None

    def fits(self, item: InventoryItem) -> bool:
        kept = item.item()
        return (
            (self.status in ("all", item.status))
            and self.location_id in (None, item.location_id)
            and (self.predicate is None or self.predicate(kept))
        )


async def listed(
    db: Database, family_id: str, wanted: Wanted, limit: int, mark: Mark
) -> tuple[list[InventoryItem], Mark]:
    """A page of items, lowest count first, and where it ended."""
    if wanted.low_stock:
        return await _running_low(db, family_id, wanted, limit, mark)
    status = None if wanted.status == "all" else wanted.status
    page = await db.query(_narrowed(items_by_quantity(family_id, status), wanted).page(limit, mark))
    return list(page.items), page.next


async def _running_low(
    db: Database, family_id: str, wanted: Wanted, limit: int, mark: Mark
) -> tuple[list[InventoryItem], Mark]:
    """Those with an open notice: by the notices, which are few, rather than through all items."""
    open_ = await db.all(notices.unresolved(family_id))
    keys = [key_of(family_id, each) for each in {notice.item_id for notice in open_}]
    found = [item for item in await db.get_many(keys) if item and wanted.fits(item)]
    found.sort(key=lambda item: (item.quantity, item.item_id))
    after = [item for item in found if mark is None or [item.quantity, item.item_id] > mark]
    page = after[:limit]
    more = len(after) > limit
    return page, [page[-1].quantity, page[-1].item_id] if more else None


def _narrowed(query: Query[InventoryItem], wanted: Wanted) -> Query[InventoryItem]:
    if wanted.location_id:
        query = query.only(attr("locationId") == wanted.location_id)
    return query.matching(wanted.predicate) if wanted.predicate else query


def _says(q: str) -> Callable[[Mapping[str, Any]], bool]:
    sought = plain(q)
    return lambda item: sought in plain(item["name"])


def plain(text: str) -> str:
    """Without case and accents."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))
