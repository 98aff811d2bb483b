from asyncio import gather
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from homeshelf import clock
from homeshelf.access import InFamily
from homeshelf.families.model import Member
from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.store import get_items, items_by_quantity
from homeshelf.pictures import shown_picture
from homeshelf.places import store as places
from homeshelf.places.model import StorageLocation, Store, name_key
from homeshelf.shopping import purchases, shelf_order, stock_transfer, store
from homeshelf.shopping.model import ShoppingListItem, latest_by_name
from homeshelf.shopping.order_rules import StoreOrders, insert_new_names, names_by_store
from homeshelf.shopping.purchases import MAX_PURCHASES, UsualThing, camel_case
from homeshelf.shopping.stock_transfer import MAX_KNOWN_ITEMS, guess_location
from homeshelf.table import Database
from homeshelf.web.json import shown

MAX_USUAL_THINGS = 30
RECENT_PURCHASE = timedelta(hours=12)


@dataclass(frozen=True)
class KnownName:
    name: str
    item_id: str | None
    store_id: str | None
    unit: str | None = None


@dataclass(frozen=True)
class ListSnapshot:
    shops: Sequence[Store]
    entries: Sequence[ShoppingListItem]
    archived_ids: set[str]
    known_names: Sequence[KnownName]
    orders: StoreOrders
    usual: Sequence[UsualThing]
    pictures: Mapping[str, str]
    units: Mapping[str, str]
    people: Mapping[str, str]
    """The names of those who added an entry, by their member ids."""
    places: Mapping[str, str]
    """The names of locations, by the entry that is kept there or probably will be."""


async def read_snapshot(db: Database, family_id: str) -> ListSnapshot:
    shops, locations, entries, stock, bought, positions = await gather(
        places.list_stores(db, family_id),
        places.list_locations(db, family_id),
        db.all(store.whole_list(family_id).up_to_date()),
        db.query(items_by_quantity(family_id, "active").page(MAX_KNOWN_ITEMS)),
        db.all(purchases.purchases_of(family_id).page(MAX_PURCHASES)),
        db.all(shelf_order.positions_of_family(family_id)),
    )
    now = clock.now()
    active = {item.item_id: item for item in stock.items}
    low = {item.item_id for item in stock.items if item.runs_low}
    listed = {entry.item_id for entry in entries if entry.item_id not in active}
    known = active | {
        item.item_id: item for item in await get_items(db, family_id, filter(None, listed))
    }
    things = purchases.without_pending(purchases.rank_things(bought, low, now), entries)
    due = [it for it in things if now - datetime.fromisoformat(it.last_bought_at) > RECENT_PURCHASE]
    archived_ids, people = await gather(
        stock_transfer.archived_items(db, entries), names_of_adders(db, family_id, entries)
    )
    return ListSnapshot(
        shops=shops,
        entries=entries,
        archived_ids=archived_ids,
        people=people,
        known_names=known_names_of(stock.items, entries),
        orders=names_by_store(positions),
        usual=await purchases.refresh_things(db, family_id, due[:MAX_USUAL_THINGS], active),
        pictures={item.item_id: item.picture for item in known.values() if item.picture},
        units={item.item_id: item.unit for item in known.values() if item.unit},
        places=_places_of(entries, known, stock.items, locations),
    )


def _places_of(
    entries: Iterable[ShoppingListItem],
    known: Mapping[str, InventoryItem],
    stock: Sequence[InventoryItem],
    locations: Iterable[StorageLocation],
) -> dict[str, str]:
    names = {location.location_id: location.name for location in locations}
    found = {}
    for entry in entries:
        item = known.get(entry.item_id or "")
        place = item.location_id if item else guess_location(entry.name, stock)
        if place in names and not entry.put_away_at:
            found[entry.shopping_item_id] = names[place]
    return found


async def names_of_adders(
    db: Database, family_id: str, entries: Iterable[ShoppingListItem]
) -> dict[str, str]:
    ids = {entry.added_by for entry in entries}
    keys = [Member.key(family_id=family_id, member_id=each) for each in sorted(ids)]
    return {member.member_id: member.name for member in await db.get_existing(keys)}


def known_names_of(
    items: Iterable[InventoryItem], entries: Iterable[ShoppingListItem]
) -> list[KnownName]:
    known_names = {
        name_key(item.name): KnownName(item.name, item.item_id, item.preferred_store_id, item.unit)
        for item in items
    }
    for entry in latest_by_name(entries):
        known_names.setdefault(name_key(entry.name), KnownName(entry.name, None, entry.store_id))
    return sorted(known_names.values(), key=lambda it: it.name)


def snapshot_json(member: InFamily, now: ListSnapshot) -> dict[str, Any]:
    return {
        "at": clock.timestamp(),
        "memberId": member.member_id,
        "familyId": member.family_id,
        "role": member.role,
        "mayTick": member.may_tick,
        "entries": [
            shown(
                entry,
                picture=shown_picture(entry.name, now.pictures.get(entry.item_id or "")),
                place=now.places.get(entry.shopping_item_id, ""),
                unit=now.units.get(entry.item_id or "", ""),
            )
            for entry in now.entries
        ],
        "stores": [
            *(_store_json(now, shop.store_id, shop.name) for shop in now.shops),
            _store_json(now, None, None),
        ],
        "known": [
            camel_case(asdict(it))
            | {"picture": shown_picture(it.name, now.pictures.get(it.item_id or ""))}
            for it in now.known_names
        ],
        "people": now.people,
        "usual": [camel_case(asdict(it)) for it in now.usual],
        "aside": sorted(now.archived_ids),
    }


def _store_json(now: ListSnapshot, store_id: str | None, name: str | None) -> dict[str, Any]:
    pending = [it for it in now.entries if it.status == "pending" and it.store_id == store_id]
    by_age = sorted(pending, key=lambda entry: entry.created_at)
    names = insert_new_names(now.orders.get(store_id, ()), [entry.name for entry in by_age])
    return {"storeId": store_id, "name": name, "order": names}
