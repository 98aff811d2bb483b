"""The order of names in a store: as they were last ticked, and new ones beside similar ones. Each
name has a position with gaps between, so that moving one writes one record."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from homeshelf import clock
from homeshelf.shopping.model import A_YEAR, ShoppingListItem, StorePlace, digest_of_name
from homeshelf.shopping.typed import folded

GAP = 1 << 20
A_TRIP = timedelta(hours=3)
"""Ticks further apart than this say nothing about where the two things stand."""
LIKE_ENOUGH = 4
"""How many last letters make words alike: "Vollmilch" is like "Milch"."""
SHORTEST_WORD = 3
NOWHERE = -1

Orders = Mapping[str | None, Sequence[str]]
"""The names in order, by store."""


def orders_of(places: Iterable[StorePlace]) -> Orders:
    found: dict[str | None, list[str]] = {}
    for place in in_order(places):
        found.setdefault(place.store_id, []).append(place.name)
    return found


def in_order(places: Iterable[StorePlace]) -> list[StorePlace]:
    return sorted(places, key=lambda it: (it.position, it.name_digest))


def walked(places: Sequence[StorePlace], ticked: Sequence[ShoppingListItem]) -> list[StorePlace]:
    """Return the places that ticks change: what is ticked moves behind what was ticked before. What
    stands behind it already stays, so that a short trip for two things moves nothing else."""
    order = in_order(places)
    before = {it.name_digest: it for it in order}
    for entry in ticked:
        last = max(order, key=lambda it: (it.ticked_at or "", it.position), default=None)
        now = datetime.fromisoformat(entry.updated_at)
        if last and last.ticked_at and now - datetime.fromisoformat(last.ticked_at) <= A_TRIP:
            order = _ticked(order, last, entry)
        else:
            order = _ticked(order, None, entry)
    return [it for it in order if before.get(it.name_digest) != it]


def arranged(order: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the order with new names beside similar ones, else at the end."""
    known = {folded(name) for name in order}
    new = {folded(name): name for name in reversed(names) if folded(name) not in known}
    like = _Likeness(order)
    beside: dict[int, list[str]] = {}
    for name in reversed(new.values()):
        beside.setdefault(like.nearest(name), []).append(name)
    found = []
    for index, name in enumerate(order):
        found += [name, *beside.get(index, ())]
    return found + beside.get(NOWHERE, [])


def sorted_by(order: Sequence[str], entries: Iterable[ShoppingListItem]) -> list[ShoppingListItem]:
    """Sort entries by the order of a store; those of one name by age."""
    came = sorted(entries, key=lambda entry: entry.created_at)
    whole = arranged(order, [entry.name for entry in came])
    ranks = {folded(name): rank for rank, name in reversed(list(enumerate(whole)))}
    return sorted(came, key=lambda entry: ranks[folded(entry.name)])


def place_at(
    family_id: str,
    store_id: str | None,
    digest: str,
    name: str,
    position: int,
    ticked_at: str | None,
) -> StorePlace:
    return StorePlace(
        family_id=family_id,
        store_id=store_id,
        name_digest=digest,
        name=name,
        position=position,
        ticked_at=ticked_at,
        ttl=clock.seconds() + A_YEAR,
    )


class _Likeness:
    """Finds the name an order has that another is like: by its last word, its ending, or any
    word."""

    def __init__(self, order: Sequence[str]) -> None:
        self._last: dict[str, int] = {}
        self._endings: dict[str, int] = {}
        self._words: dict[str, int] = {}
        for index, name in enumerate(order):
            words = _words(name)
            self._words |= dict.fromkeys(words, index)
            if words:
                self._last[words[-1]] = index
                self._endings |= dict.fromkeys(_endings(words[-1]), index)

    def nearest(self, name: str) -> int:
        words = _words(name)
        if not words:
            return NOWHERE
        last = words[-1]
        for index, keys in (
            (self._last, [last]),
            (self._last, _endings(last)),
            (self._endings, [last]),
            (self._words, words[::-1]),
        ):
            if found := [index[key] for key in keys if key in index]:
                return found[0]
        return NOWHERE


def _words(name: str) -> list[str]:
    return [word for word in folded(name).split() if len(word) >= SHORTEST_WORD]


def _endings(word: str) -> list[str]:
    """Return the endings, longest first, without the word itself."""
    return [word[start:] for start in range(1, len(word) - LIKE_ENOUGH + 1)]


def _ticked(
    order: Sequence[StorePlace], last: StorePlace | None, entry: ShoppingListItem
) -> list[StorePlace]:
    digest = digest_of_name(entry.family_id, entry.name)
    digests = [it.name_digest for it in order]
    place = place_at(entry.family_id, entry.store_id, digest, entry.name, 0, entry.updated_at)
    after = digests.index(last.name_digest) if last else None
    if digest in digests:
        at = digests.index(digest)
        if after is None or at >= after:
            place = place.changed(position=order[at].position)
            return [*order[:at], place, *order[at + 1 :]]
        return _inserted([*order[:at], *order[at + 1 :]], after, place)
    if after is None:
        after = arranged([it.name for it in order], [entry.name]).index(entry.name) - 1
    return _inserted(order, after + 1, place)


def _inserted(order: Sequence[StorePlace], at: int, place: StorePlace) -> list[StorePlace]:
    """Insert between the neighbours; where there is no room left, all get new positions."""
    low = order[at - 1].position if at else None
    high = order[at].position if at < len(order) else None
    if high is None:
        position = 0 if low is None else low + GAP
    else:
        position = high - GAP if low is None else (low + high) // 2
    placed = [*order[:at], place.changed(position=position), *order[at:]]
    if position != low:
        return placed
    return [it.changed(position=number * GAP) for number, it in enumerate(placed)]
