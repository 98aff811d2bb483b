"""The usual things: what a family buys again and again, most likely first."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from math import log2
from statistics import median
from typing import Any

from pydantic.alias_generators import to_camel

from homeshelf.errors import NotFound
from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.store import items_with
from homeshelf.pictures import picture_of, shown_picture
from homeshelf.shopping.model import Purchase, ShoppingListItem
from homeshelf.shopping.typed import folded
from homeshelf.table import Database, Query, attr

LOOKED_AT = 1000
"""How many purchases are looked at, the latest first: about a year of most families."""
DAY = timedelta(days=1)
ONCE_IN_DAYS = 28.0
"""The gap that is assumed for what was bought once."""
GIVEN_UP_AFTER = 3
"""Gaps without a purchase after which it gets less and less likely."""
LOW_COUNTS = 4
LEAST = 0.01
"""Keeps the order by frequency among things that were bought just now."""


@dataclass(frozen=True)
class UsualThing:
    usual_id: str
    name: str
    item_id: str | None
    store_id: str | None
    times_bought: int
    last_bought_at: str
    picture: str = ""

    def shown(self) -> dict[str, Any]:
        return {to_camel(name): value for name, value in asdict(self).items()}


def purchases_of(family_id: str) -> Query[Purchase]:
    """What a family bought, latest first."""
    return Purchase.where(family_id=family_id).newest_first()


async def forget(db: Database, family_id: str, usual_id: str) -> None:
    """Forget the purchases of a thing; later ones count anew."""
    bought = purchases_of(family_id).only(attr("nameDigest") == usual_id)
    if await db.first(bought.up_to_date()) is None:
        raise NotFound
    await db.clear(bought)


def most_likely(
    purchases: Iterable[Purchase], low: Collection[str], now: datetime
) -> list[UsualThing]:
    """Return each name once, as it was bought last; `low` are the items that run low."""
    by_name: dict[str, list[Purchase]] = {}
    for purchase in sorted(purchases, key=lambda each: each.bought_at):
        by_name.setdefault(purchase.name_digest, []).append(purchase)
    ranked = sorted(
        by_name.values(),
        key=lambda bought: (
            -likelihood(
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


def likelihood(bought: Sequence[datetime], now: datetime, *, low: bool = False) -> float:
    """Return how likely they buy it now: by how often, how long ago compared with the usual gap,
    and whether it runs low. `bought` is oldest first."""
    gaps = ((later - earlier) / DAY for earlier, later in pairwise(bought))
    apart = [gap for gap in gaps if gap >= 1]
    usual = median(apart) if apart else ONCE_IN_DAYS
    due = max((now - bought[-1]) / DAY / usual, 0.0)
    timely = min(due, 1.0, GIVEN_UP_AFTER / due if due else 0.0)
    return (1 + log2(len(apart) + 1)) * (timely + LEAST) * (LOW_COUNTS if low else 1)


def not_pending(
    things: Iterable[UsualThing], entries: Iterable[ShoppingListItem]
) -> list[UsualThing]:
    """Leave out what is pending already, by name or as an item."""
    pending = [entry for entry in entries if entry.status == "pending"]
    names = {folded(entry.name) for entry in pending}
    items = {entry.item_id for entry in pending if entry.item_id}
    return [it for it in things if folded(it.name) not in names and it.item_id not in items]


async def that_can_be_added(
    db: Database,
    family_id: str,
    things: Sequence[UsualThing],
    active: Mapping[str, InventoryItem],
) -> list[UsualThing]:
    """Add the items and pictures of today, without archived items; `active` are known already. A
    deleted item leaves a name, and a renamed one is offered once."""
    others = {it.item_id for it in things if it.item_id and it.item_id not in active}
    found = {item.item_id: item for item in await items_with(db, family_id, sorted(others))}
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
