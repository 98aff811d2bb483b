"""Lists that are shared by a short id."""

from homeshelf.sentences import _
from homeshelf.shares import api, item_pages, making_pages, ordering, pages, pool, store
from homeshelf.shares.credentials import CREDENTIALS
from homeshelf.shares.model import ChecklistItem, KeptList, PoolSlot, Shareable, ShortIdClaim
from homeshelf.shares.moving import PROTECTION, adopt, items_made_by, lists_made_by, move_in
from homeshelf.shares.saved_lists import forget_person
from homeshelf.web.belongings import Belonging
from homeshelf.web.offline_rules import OfflineRules
from homeshelf.web.services import Slice
from homeshelf.web.shell import MenuEntry

HANDLERS = {
    pool.KIND: pool.refill,
    store.REMOVED: store.finish,
    store.UNFINISHED: store.clear_unfinished,
    store.RENEW: store.renew_items,
    ordering.KIND: ordering.finish,
}
SLICE = Slice(
    name="shares",
    api=[api.router, api.list_router],
    pages=[making_pages.router, pages.router, item_pages.router],
    menu=[MenuEntry("/s/mine", _("Shared lists"), "list-checks", 60)],
    credentials=CREDENTIALS,
    offline=OfflineRules(secret=("s",)),
    todos=lambda _: HANDLERS,
    belongings=[
        Belonging(Shareable, "person", lists_made_by, PROTECTION),
        Belonging(ChecklistItem, "person", items_made_by),
    ],
    left_out={
        KeptList: "Those that somebody made are made anew; the others are other people's lists.",
        PoolSlot: "It is the house's.",
        ShortIdClaim: "It is the house's.",
    },
    moves_in=move_in,
    adopts=adopt,
    adopted_by={Shareable: "ttl"},
    person_gone=forget_person,
)
