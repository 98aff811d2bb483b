"""The whole list as it is now: what a page shows of it, and what a phone keeps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from homeshelf import clock
from homeshelf.access import InFamily
from homeshelf.places import store as places
from homeshelf.places.model import Store
from homeshelf.shopping import putting_away, store
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.shopping.quick_adding import Known, offered
from homeshelf.table import Database
from homeshelf.web.json import shown


@dataclass(frozen=True)
class ListNow:
    shops: Sequence[Store]
    entries: Sequence[ShoppingListItem]
    aside: set[str]
    """The items of what was bought that cannot be put away, because they are archived."""
    known: Sequence[Known]
    """What can be meant while typing."""


async def list_now(db: Database, family_id: str) -> ListNow:
    shops = await db.all(places.stores_of(family_id).up_to_date())
    entries = await db.all(store.whole_list(family_id).up_to_date())
    return ListNow(
        shops=sorted(shops, key=lambda shop: shop.name.casefold()),
        entries=entries,
        aside=await putting_away.put_aside(db, entries),
        known=await offered(db, family_id, entries),
    )


def kept(member: InFamily, now: ListNow) -> dict[str, Any]:
    """As a phone keeps it, to show it where there is no network."""
    return {
        "at": clock.timestamp(),
        "memberId": member.member_id,
        "familyId": member.family_id,
        "role": member.role,
        "entries": [shown(entry, picture="") for entry in now.entries],
        "stores": [
            *({"storeId": it.store_id, "name": it.name, "order": []} for it in now.shops),
            {"storeId": None, "name": None, "order": []},
        ],
        "known": [
            {
                "name": it.name,
                "itemId": it.item_id,
                "storeId": it.store_id,
                "unit": it.unit,
                "picture": "",
            }
            for it in now.known
        ],
        "usual": [],
        "aside": sorted(now.aside),
    }
