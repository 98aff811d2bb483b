"""Lists that anyone can be handed by a short id."""

from homeshelf.shares import api, item_pages, making_pages, ordering, pages, pool, store
from homeshelf.shares.keeping import forget_keeper
from homeshelf.web.services import Slice

HANDLERS = {
    pool.KIND: pool.refill,
    store.REMOVED: store.finish,
    store.UNFINISHED: store.clear_unfinished,
    store.RENEW: store.renew_items,
    ordering.KIND: ordering.finish,
}
SLICE = Slice(
    name="shares",
    api=[api.router],
    pages=[making_pages.router, pages.router, item_pages.router],
    todos=lambda _: HANDLERS,
    person_gone=forget_keeper,
)
