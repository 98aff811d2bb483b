"""What lists leave to be finished behind the answers."""

from collections.abc import Mapping

from homeshelf.shares import changing, ordering, pool, removing
from homeshelf.table.todos import Handler

HANDLERS: Mapping[str, Handler] = {
    pool.KIND: pool.refill,
    removing.REMOVED: removing.finish,
    removing.UNFINISHED: removing.clear_unfinished,
    changing.RENEW: changing.renew_items,
    ordering.KIND: ordering.finish,
}
