"""The shopping list."""

from functools import partial

from homeshelf.coordination.belongings import RECREATED, of_family
from homeshelf.places.store import PlaceReferences
from homeshelf.sentences import _
from homeshelf.shopping import api, entry_creation_pages, pages, trip_pages
from homeshelf.shopping.habits import start
from homeshelf.shopping.model import PendingEntries, Purchase, ShoppingListItem, StorePlace
from homeshelf.shopping.moving import adopt, move_in
from homeshelf.shopping.store import ShoppingItemObserver, count_store_entries, entries_with_status
from homeshelf.web.offline_rules import CachedPage, OfflineRules
from homeshelf.web.services import Slice
from homeshelf.web.shell import Badge, ShareTarget, Shortcut, Tab

SLICE = Slice(
    name="shopping",
    api=[api.router],
    pages=[entry_creation_pages.router, trip_pages.router, pages.router],
    tab=Tab("/list", _("List"), "shopping-basket", [Badge("pendingEntries", "ShoppingListItem")]),
    offline=OfflineRules(
        secret=("list/now",), kept_first=(CachedPage("/list", ("at", "shared", "title")),)
    ),
    shortcuts=[Shortcut("/list#text", _("Add to the list"))],
    share_target=ShareTarget("/list", text="shared", title="title"),
    counts={"pendingEntries": partial(entries_with_status, status="pending")},
    provides=[ShoppingItemObserver(), PlaceReferences(count_store_entries)],
    goes_with_family=[PendingEntries.where, Purchase.where, StorePlace.where],
    belongings=[
        of_family(ShoppingListItem),
        of_family(Purchase, name_digest="anew"),
        of_family(StorePlace, name_digest="anew"),
    ],
    left_out={PendingEntries: RECREATED},
    moves_in=move_in,
    adopts=adopt,
    start=start,
)
