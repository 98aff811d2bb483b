"""The order of each store, learned from ticks or set by hand."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from homeshelf.coordination.changes import note_change
from homeshelf.shopping.fields import UNASSIGNED
from homeshelf.shopping.model import ShoppingListItem, StorePlace, digest_of_name
from homeshelf.shopping.ordering import GAP, in_order, place_at, walked
from homeshelf.table import (
    ConditionFailed,
    Database,
    Delete,
    Put,
    Query,
    TransactionCancelled,
    absent,
)

AT_ONCE = 100
STORE_ORDER = "StoreOrder"
"""The entity type of the change that tells listeners of a new order."""


def places_in(family_id: str, store_id: str | None) -> Query[StorePlace]:
    """The order of a store; None is what can be bought anywhere."""
    return StorePlace.where(family_id=family_id, store_id=store_id)


def places_of(family_id: str) -> Query[StorePlace]:
    """The order of every store."""
    return StorePlace.where(family_id=family_id)


async def order_in(db: Database, family_id: str, store_id: str | None) -> list[str]:
    places = await _places(db, family_id, store_id)
    return [place.name for place in in_order(places)]


async def put_in_order(
    db: Database, family_id: str, store_id: str | None, names: Iterable[str]
) -> list[str]:
    """Set the order by hand; a name that is left out has no place any more."""
    wanted = {digest_of_name(family_id, name): name for name in reversed(list(names))}
    wanted = dict(reversed(wanted.items()))

    def order_by_hand(places: Sequence[StorePlace]) -> list[StorePlace]:
        ticked_at = {it.name_digest: it.ticked_at for it in places}
        return [
            place_at(family_id, store_id, digest, name, number * GAP, ticked_at.get(digest))
            for number, (digest, name) in enumerate(wanted.items())
        ]

    await _rewrite(db, family_id, store_id, order_by_hand, is_whole=True)
    await db.transact(note_change(family_id, STORE_ORDER, store_id or UNASSIGNED, 1))
    return list(wanted.values())


async def learn(
    db: Database, family_id: str, store_id: str | None, ticked: Sequence[ShoppingListItem]
) -> None:
    """Move what was ticked in a store, in this order, beside the rest."""
    await _rewrite(db, family_id, store_id, partial(walked, ticked=ticked))


async def _rewrite(
    db: Database,
    family_id: str,
    store_id: str | None,
    rule: Callable[[Sequence[StorePlace]], Sequence[StorePlace]],
    *,
    is_whole: bool = False,
) -> None:
    """Write what a rule makes of the places, in as many transactions as that takes.

    Of two processes that write at once one is refused, and reads again: no order is a mixture.
    Both begin with the same names, so that the first one is seldom refused later.
    """
    lock = StorePlace.key(family_id=family_id, store_id=store_id, name_digest="all")
    async with db.turn(lock) as turn:
        while True:
            there = {it.name_digest: it for it in await _places(db, family_id, store_id)}
            writes: dict[str, Put | Delete] = {}
            if is_whole:
                writes = {digest: it.delete(it.unchanged) for digest, it in there.items()}
            for it in rule(list(there.values())):
                old = there.get(it.name_digest)
                writes[it.name_digest] = it.put(absent) if old is None else it.replacing(old)
            ordered = [writes[digest] for digest in sorted(writes)]
            try:
                for first in range(0, len(ordered), AT_ONCE):
                    await db.transact(*ordered[first : first + AT_ONCE])
            except (ConditionFailed, TransactionCancelled):
                await turn.pause()
            else:
                return


async def _places(db: Database, family_id: str, store_id: str | None) -> Sequence[StorePlace]:
    return await db.all(places_in(family_id, store_id).up_to_date())
