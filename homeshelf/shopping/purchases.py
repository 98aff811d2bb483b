"""Rank the usual things: what a family buys again and again, most likely first."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from math import log2
from statistics import median
from typing import Any

from pydantic.alias_generators import to_camel

from homeshelf.errors import NotFound
from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.store import get_items
from homeshelf.pictures import picture_of, shown_picture
from homeshelf.shopping.entry_parser import fold_name
from homeshelf.shopping.model import Purchase, ShoppingListItem
from homeshelf.table import Database, Query, attr

MAX_PURCHASES = 1000
DAY = timedelta(days=1)
DEFAULT_GAP_DAYS = 28.0
MAX_MISSED_GAPS = 3
"""The gaps without a purchase after which the likelihood falls."""
LOW_STOCK_FACTOR = 4
MIN_TIMELINESS = 0.01
"""The lowest timeliness, which keeps recent purchases sorted by frequency."""


@dataclass(frozen=True)
class UsualThing:
    usual_id: str
    name: str
    item_id: str | None
    store_id: str | None
    times_bought: int
    last_bought_at: str
    picture: str = ""


def camel_case(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {to_camel(name): value for name, value in fields.items()}


def purchases_of(family_id: str) -> Query[Purchase]:
    """List a family's purchases, newest first."""
    return Purchase.where(family_id=family_id).newest_first()


async def forget_thing(db: Database, family_id: str, usual_id: str) -> None:
    bought = purchases_of(family_id).only(attr("nameDigest") == usual_id)
    if await db.first(bought.up_to_date()) is None:
        raise NotFound
    await db.clear(bought)


def rank_things(
    purchases: Iterable[Purchase], low: Collection[str], now: datetime
) -> list[UsualThing]:
    by_name: dict[str, list[Purchase]] = {}
    for purchase in sorted(purchases, key=lambda each: each.bought_at):
        by_name.setdefault(purchase.name_digest, []).append(purchase)
    ranked = sorted(
        by_name.values(),
        key=lambda bought: (
            -estimate_likelihood(
                [datetime.fromisoformat(each.bought_at) for each in bought],
                now,
                low=bought[-1].item_id in low,
            ),
            bought[-1].name,
        ),
    )
    return [
        UsualThing(
            usual_id=bought[-1].name_digest,
            name=bought[-1].name,
            item_id=bought[-1].item_id,
            store_id=bought[-1].store_id,
            times_bought=len(bought),
            last_bought_at=bought[-1].bought_at,
        )
        for bought in ranked
    ]


def estimate_likelihood(bought: Sequence[datetime], now: datetime, *, low: bool = False) -> float:
    """Rate a next purchase by frequency, usual gap and stock; `bought` is sorted."""
    gaps = ((later - earlier) / DAY for earlier, later in pairwise(bought))
    days = [gap for gap in gaps if gap >= 1]
    usual = median(days) if days else DEFAULT_GAP_DAYS
    due = max((now - bought[-1]) / DAY / usual, 0.0)
    timely = min(due, 1.0, MAX_MISSED_GAPS / due if due else 0.0)
    return (1 + log2(len(days) + 1)) * (timely + MIN_TIMELINESS) * (LOW_STOCK_FACTOR if low else 1)


def without_pending(
    things: Iterable[UsualThing], entries: Iterable[ShoppingListItem]
) -> list[UsualThing]:
    pending = [entry for entry in entries if entry.status == "pending"]
    names = {fold_name(entry.name) for entry in pending}
    items = {entry.item_id for entry in pending if entry.item_id}
    return [it for it in things if fold_name(it.name) not in names and it.item_id not in items]


async def refresh_things(
    db: Database, family_id: str, things: Sequence[UsualThing], active: Mapping[str, InventoryItem]
) -> list[UsualThing]:
    """Add current names and pictures, and drop archived items; `active` are loaded items."""
    others = {it.item_id for it in things if it.item_id and it.item_id not in active}
    found = {item.item_id: item for item in await get_items(db, family_id, sorted(others))}
    items = found | {**active}
    seen: set[str] = set()
    kept = []
    for thing in things:
        item = items.get(thing.item_id or "")
        if item is None:
            kept.append(replace(thing, item_id=None, picture=picture_of(thing.name)))
        elif item.status == "active" and item.item_id not in seen:
            seen.add(item.item_id)
            kept.append(
                replace(thing, name=item.name, picture=shown_picture(item.name, item.picture))
            )
    return kept
