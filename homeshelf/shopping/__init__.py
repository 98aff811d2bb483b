"""The shopping list."""

from functools import partial

from homeshelf.sentences import _
from homeshelf.shopping import adding_pages, api, pages
from homeshelf.shopping.following import EntriesFollowItem
from homeshelf.shopping.habits import start
from homeshelf.shopping.model import PendingEntries, Purchase, StorePlace
from homeshelf.shopping.store import naming_place, with_status
from homeshelf.web.services import Slice
from homeshelf.web.wording import Tab

SLICE = Slice(
    name="shopping",
    api=[api.router],
    pages=[adding_pages.router, pages.router],
    tab=Tab("/list", _("List"), "shopping-basket", "pendingEntries"),
    counts={"pendingEntries": partial(with_status, status="pending")},
    follows_item=EntriesFollowItem(),
    names_place=naming_place,
    goes_with_family=[PendingEntries.where, Purchase.where, StorePlace.where],
    start=start,
)
