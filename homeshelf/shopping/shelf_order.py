"""Store the order of names in each store, learned from ticks or set by hand."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from homeshelf.coordination.changes import change_write
from homeshelf.shopping.fields import UNASSIGNED
from homeshelf.shopping.model import ShoppingListItem, StorePlace, digest_name
from homeshelf.shopping.order_rules import (
    POSITION_GAP,
    build_position,
    move_ticked_names,
    sort_positions,
)
from homeshelf.table import (
    ConditionFailed,
    Database,
    Delete,
    Put,
    Query,
    TransactionCancelled,
    absent,
)

MAX_WRITES = 100
STORE_ORDER = "StoreOrder"


def positions_of_store(family_id: str, store_id: str | None) -> Query[StorePlace]:
    """List the order of a store, up to date; None means anywhere."""
    return StorePlace.where(family_id=family_id, store_id=store_id).up_to_date()


def positions_of_family(family_id: str) -> Query[StorePlace]:
    """List the order of every store."""
    return StorePlace.where(family_id=family_id)


async def names_in_order(db: Database, family_id: str, store_id: str | None) -> list[str]:
    places = await db.all(positions_of_store(family_id, store_id))
    return [place.name for place in sort_positions(places)]


async def set_order(
    db: Database, family_id: str, store_id: str | None, names: Iterable[str]
) -> list[str]:
    """Set the order by hand, and delete the positions of all other names."""
    wanted = {digest_name(family_id, name): name for name in reversed(list(names))}
    wanted = dict(reversed(wanted.items()))

    def order_by_hand(places: Sequence[StorePlace]) -> list[StorePlace]:
        ticked_at = {it.name_digest: it.ticked_at for it in places}
        return [
            build_position(family_id, store_id, name, number * POSITION_GAP, ticked_at.get(digest))
            for number, (digest, name) in enumerate(wanted.items())
        ]

    await _rewrite_positions(db, family_id, store_id, order_by_hand, replaces_all=True)
    await db.transact(change_write(family_id, STORE_ORDER, store_id or UNASSIGNED, 1))
    return list(wanted.values())


async def learn_order(
    db: Database, family_id: str, store_id: str | None, ticked: Sequence[ShoppingListItem]
) -> None:
    """Move the ticked names of a store into the order of their ticks."""
    await _rewrite_positions(db, family_id, store_id, partial(move_ticked_names, ticked=ticked))


async def _rewrite_positions(
    db: Database,
    family_id: str,
    store_id: str | None,
    rule: Callable[[Sequence[StorePlace]], Sequence[StorePlace]],
    *,
    replaces_all: bool = False,
) -> None:
    """Apply a rule to a store's positions; sorted writes make processes collide early."""
    lock = StorePlace.key(family_id=family_id, store_id=store_id, name_digest="all")
    async with db.turn(lock) as turn:
        while True:
            stored = {
                it.name_digest: it for it in await db.all(positions_of_store(family_id, store_id))
            }
            writes: dict[str, Put | Delete] = {}
            if replaces_all:
                writes = {digest: it.delete(it.unchanged) for digest, it in stored.items()}
            for it in rule(list(stored.values())):
                old = stored.get(it.name_digest)
                writes[it.name_digest] = it.put(absent) if old is None else it.replacing(old)
            ordered = [writes[digest] for digest in sorted(writes)]
            try:
                for first in range(0, len(ordered), MAX_WRITES):
                    await db.transact(*ordered[first : first + MAX_WRITES])
            except (ConditionFailed, TransactionCancelled):
                await turn.pause()
            else:
                return
