"""The order of each store, learned from ticks or set by hand."""

from collections.abc import Iterable, Mapping, Sequence

from homeshelf.coordination.changes import note_change
from homeshelf.shopping.fields import UNASSIGNED
from homeshelf.shopping.model import ShoppingListItem, StorePlace, digest_of_name
from homeshelf.shopping.ordering import GAP, in_order, place_at, walked
from homeshelf.table import Database, Delete, Key, Put, Query, absent

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
    return [it.name for it in in_order(await _up_to_date(db, family_id, store_id))]


async def put_in_order(
    db: Database, family_id: str, store_id: str | None, names: Iterable[str]
) -> list[str]:
    """The order as somebody put it, which the others see too. A name that is not among them has no
    place any more."""
    wanted = {digest_of_name(family_id, name): name for name in reversed(list(names))}
    wanted = dict(reversed(wanted.items()))

    async def replace_order() -> None:
        there = {it.name_digest: it for it in await _up_to_date(db, family_id, store_id)}
        new = []
        for number, (digest, name) in enumerate(wanted.items()):
            place = place_at(family_id, store_id, digest, name, number * GAP)
            if (old := there.get(digest)) is not None:
                place = place.changed(ticked_at=old.ticked_at)
            new.append(place)
        gone = [it for digest, it in there.items() if digest not in wanted]
        await _replace(db, there, new, gone)

    await db.retry_with_lock(_turn(family_id, store_id), replace_order)
    await db.transact(note_change(family_id, STORE_ORDER, store_id or UNASSIGNED, 1))
    return list(wanted.values())


async def learn(
    db: Database, family_id: str, store_id: str | None, ticked: Sequence[ShoppingListItem]
) -> None:
    """Put what was ticked in a store, in this order, where it stood beside the rest."""

    async def attempt() -> None:
        places = await _up_to_date(db, family_id, store_id)
        there = {it.name_digest: it for it in places}
        await _replace(db, there, walked(places, ticked))

    await db.retry_with_lock(_turn(family_id, store_id), attempt)


async def _replace(
    db: Database,
    there: Mapping[str, StorePlace],
    new: Iterable[StorePlace],
    gone: Iterable[StorePlace] = (),
) -> None:
    """Write places under what was read, however many transactions that takes.

    Of two processes that write at once one is refused, and reads again: no order is a mixture.
    Both begin with the same names, so that the first one is seldom refused later.
    """
    writes: dict[str, Put | Delete] = {it.name_digest: it.delete(it.unchanged) for it in gone}
    for it in new:
        old = there.get(it.name_digest)
        writes[it.name_digest] = it.put(absent) if old is None else it.replacing(old)
    ordered = [writes[digest] for digest in sorted(writes)]
    for first in range(0, len(ordered), AT_ONCE):
        await db.transact(*ordered[first : first + AT_ONCE])


async def _up_to_date(db: Database, family_id: str, store_id: str | None) -> Sequence[StorePlace]:
    return await db.all(places_in(family_id, store_id).up_to_date())


def _turn(family_id: str, store_id: str | None) -> Key[StorePlace]:
    """Whose order is changed by one at a time, of this process."""
    return StorePlace.key(family_id=family_id, store_id=store_id, name_digest="all")
