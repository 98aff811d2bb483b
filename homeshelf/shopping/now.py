from asyncio import gather
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from homeshelf import clock
from homeshelf.access import InFamily
from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.store import chosen_pictures, items_by_quantity
from homeshelf.pictures import shown_picture
from homeshelf.places import store as places
from homeshelf.places.model import Store, name_key
from homeshelf.shopping import order, putting_away, store, usual
from homeshelf.shopping.model import ShoppingListItem, latest_of_each_name
from homeshelf.shopping.ordering import Orders, arranged, orders_of
from homeshelf.shopping.usual import LOOKED_AT, UsualThing
from homeshelf.table import Database
from homeshelf.web.json import shown

USUAL_SHOWN = 30
OFFERED = 300
"""How many items are offered while typing."""
JUST_BOUGHT = timedelta(hours=12)
"""How long after a purchase nobody is asked whether to buy it again."""


@dataclass(frozen=True)
class Known:
    """A name that is offered while typing: of the stock, or lately on the list."""

    name: str
    item_id: str | None
    store_id: str | None
    unit: str | None = None


@dataclass(frozen=True)
class ListNow:
    shops: Sequence[Store]
    entries: Sequence[ShoppingListItem]
    aside: set[str]
    """The archived items among what was bought, which cannot be put away."""
    known: Sequence[Known]
    """What is offered while typing."""
    orders: Orders
    usual: Sequence[UsualThing]
    pictures: Mapping[str, str]


async def list_now(db: Database, family_id: str) -> ListNow:
    shops, entries, stock, bought, walked = await gather(
        places.list_stores(db, family_id),
        db.all(store.whole_list(family_id).up_to_date()),
        db.query(items_by_quantity(family_id, "active").page(OFFERED)),
        db.all(usual.purchases_of(family_id).page(LOOKED_AT)),
        db.all(order.places_of(family_id)),
    )
    now = clock.now()
    active = {item.item_id: item for item in stock.items}
    low = {item.item_id for item in stock.items if item.runs_low}
    pictures = {item.item_id: item.picture for item in stock.items if item.picture}
    listed = [entry.item_id for entry in entries if entry.item_id not in active]
    things = usual.not_pending(usual.most_likely(bought, low, now), entries)
    due = [it for it in things if now - datetime.fromisoformat(it.last_bought_at) > JUST_BOUGHT]
    return ListNow(
        shops=shops,
        entries=entries,
        aside=await putting_away.put_aside(db, entries),
        known=offered(stock.items, entries),
        orders=orders_of(walked),
        usual=await usual.that_can_be_added(db, family_id, due[:USUAL_SHOWN], active),
        pictures=pictures | await chosen_pictures(db, family_id, listed),
    )


def offered(items: Iterable[InventoryItem], entries: Iterable[ShoppingListItem]) -> list[Known]:
    """Return what is offered while typing: the stock, and what was on the list lately."""
    known = {
        name_key(item.name): Known(item.name, item.item_id, item.preferred_store_id, item.unit)
        for item in items
    }
    for entry in latest_of_each_name(entries):
        known.setdefault(name_key(entry.name), Known(entry.name, None, entry.store_id))
    return sorted(known.values(), key=lambda it: it.name)


def kept(member: InFamily, now: ListNow) -> dict[str, Any]:
    return {
        "at": clock.timestamp(),
        "memberId": member.member_id,
        "familyId": member.family_id,
        "role": member.role,
        "entries": [
            shown(entry, picture=shown_picture(entry.name, now.pictures.get(entry.item_id or "")))
            for entry in now.entries
        ],
        "stores": [
            *(_store(now, shop.store_id, shop.name) for shop in now.shops),
            _store(now, None, None),
        ],
        "known": [
            {
                "name": it.name,
                "itemId": it.item_id,
                "storeId": it.store_id,
                "unit": it.unit,
                "picture": shown_picture(it.name, now.pictures.get(it.item_id or "")),
            }
            for it in now.known
        ],
        "usual": [it.shown() for it in now.usual],
        "aside": sorted(now.aside),
    }


def _store(now: ListNow, store_id: str | None, name: str | None) -> dict[str, Any]:
    waiting = [it for it in now.entries if it.status == "pending" and it.store_id == store_id]
    came = sorted(waiting, key=lambda entry: entry.created_at)
    names = arranged(now.orders.get(store_id, ()), [entry.name for entry in came])
    return {"storeId": store_id, "name": name, "order": names}
