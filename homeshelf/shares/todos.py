"""What lists leave to be finished behind the answers."""

from collections.abc import Mapping

from homeshelf.coordination.todos import Handler
from homeshelf.shares import changing, ordering, pool, removing

HANDLERS: Mapping[str, Handler] = {
    pool.KIND: pool.refill,
    removing.REMOVED: removing.finish,
    removing.UNFINISHED: removing.clear_unfinished,
    changing.RENEW: changing.renew_items,
    ordering.KIND: ordering.finish,
}
