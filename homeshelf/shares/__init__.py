"""Lists that people share by a short id."""

from collections.abc import Sequence
from functools import partial

from homeshelf.coordination.belongings import Belonging
from homeshelf.sentences import _
from homeshelf.shares import api, creation_pages, pages, pool, store
from homeshelf.shares.kind import ShareableKind
from homeshelf.shares.kinds import KINDS
from homeshelf.shares.list_schema import CREDENTIALS
from homeshelf.shares.model import KeptList, PoolSlot, Shareable, ShortIdClaim
from homeshelf.shares.moving import PROTECTION, adopt, children_made_by, lists_made_by, move_in
from homeshelf.shares.saved_lists import forget_person
from homeshelf.web.offline_rules import OfflineRules
from homeshelf.web.services import Slice
from homeshelf.web.shell import MenuEntry

HANDLERS = {
    pool.REFILL_KIND: pool.refill,
    store.REMOVAL_KIND: store.delete_children,
    store.UNFINISHED_KIND: store.delete_unfinished,
    store.RENEWAL_KIND: store.renew_items,
}


def slice_of(kinds: Sequence[ShareableKind]) -> Slice:
    """Return the slice that shares lists of these kinds, which are registered."""
    handlers = {name: do for kind in kinds for name, do in kind.todos.items()} | HANDLERS
    routers = [router for kind in kinds for router in kind.api]
    pages_of_kinds = [router for kind in kinds for router in kind.pages]
    children = [
        Belonging(record, "person", partial(children_made_by, children_of))
        for kind in kinds
        for record, children_of in kind.records.items()
    ]
    return Slice(
        name="shares",
        api=[*api.routers_of(kinds), api.router, api.list_router, *routers],
        pages=[*pages_of_kinds, creation_pages.router, pages.router],
        menu=[MenuEntry("/s/mine", _("Shared lists"), "list-checks", 60)],
        credentials=CREDENTIALS,
        offline=OfflineRules(secret=("s",)),
        todos=lambda _: handlers,
        belongings=[Belonging(Shareable, "person", lists_made_by, PROTECTION), *children],
        left_out={
            KeptList: (
                "The lists a person created are saved again; the others belong to other people."
            ),
            PoolSlot: "It is the house's.",
            ShortIdClaim: "It is the house's.",
        },
        moves_in=move_in,
        adopts=adopt,
        adopted_by={Shareable: "ttl"},
        person_gone=forget_person,
    )


SLICE = slice_of(KINDS)
