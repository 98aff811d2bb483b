"""Sort the names of a store by earlier ticks, with gaps between positions to keep moves cheap."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from homeshelf import clock
from homeshelf.shopping.entry_parser import fold_name
from homeshelf.shopping.model import HABIT_TTL_SECONDS, ShoppingListItem, StorePlace, digest_name

POSITION_GAP = 1 << 20
MAX_TICK_GAP = timedelta(hours=3)
"""Ticks further apart are not neighbours on the shelf."""
MIN_SHARED_LETTERS = 4
"""The shared last letters that make "Vollmilch" similar to "Milch"."""
MIN_WORD_LENGTH = 3
NOT_FOUND = -1

StoreOrders = Mapping[str | None, Sequence[str]]


def names_by_store(places: Iterable[StorePlace]) -> StoreOrders:
    found: dict[str | None, list[str]] = {}
    for place in sort_positions(places):
        found.setdefault(place.store_id, []).append(place.name)
    return found


def sort_positions(places: Iterable[StorePlace]) -> list[StorePlace]:
    return sorted(places, key=lambda it: (it.position, it.name_digest))


def move_ticked_names(
    places: Sequence[StorePlace], ticked: Sequence[ShoppingListItem]
) -> list[StorePlace]:
    """Return the positions that change when each ticked name moves behind the tick before it."""
    order = sort_positions(places)
    before = {it.name_digest: it for it in order}
    for entry in ticked:
        last = max(order, key=lambda it: (it.ticked_at or "", it.position), default=None)
        now = datetime.fromisoformat(entry.updated_at)
        at = last and last.ticked_at
        is_same_trip = at and now - datetime.fromisoformat(at) <= MAX_TICK_GAP
        order = _move_name(order, last if is_same_trip else None, entry)
    return [it for it in order if before.get(it.name_digest) != it]


def insert_new_names(order: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the order with each new name beside a similar one, or at the end."""
    known = {fold_name(name) for name in order}
    new = {fold_name(name): name for name in reversed(names) if fold_name(name) not in known}
    similar = _SimilarNames(order)
    beside: dict[int, list[str]] = {}
    for name in reversed(new.values()):
        beside.setdefault(similar.find_index(name), []).append(name)
    found = []
    for index, name in enumerate(order):
        found += [name, *beside.get(index, ())]
    return found + beside.get(NOT_FOUND, [])


def sort_entries(
    order: Sequence[str], entries: Iterable[ShoppingListItem]
) -> list[ShoppingListItem]:
    by_age = sorted(entries, key=lambda entry: entry.created_at)
    names = insert_new_names(order, [entry.name for entry in by_age])
    ranks = {fold_name(name): rank for rank, name in reversed(list(enumerate(names)))}
    return sorted(by_age, key=lambda entry: ranks[fold_name(entry.name)])


def build_position(
    family_id: str, store_id: str | None, name: str, position: int, ticked_at: str | None
) -> StorePlace:
    return StorePlace(
        family_id=family_id,
        store_id=store_id,
        name_digest=digest_name(family_id, name),
        name=name,
        position=position,
        ticked_at=ticked_at,
        ttl=clock.seconds() + HABIT_TTL_SECONDS,
    )


class _SimilarNames:
    """An index of similar names: by last word, by ending, then by any word."""

    def __init__(self, order: Sequence[str]) -> None:
        self._last: dict[str, int] = {}
        self._endings: dict[str, int] = {}
        self._words: dict[str, int] = {}
        for index, name in enumerate(order):
            words = _split_words(name)
            self._words |= dict.fromkeys(words, index)
            if words:
                self._last[words[-1]] = index
                self._endings |= dict.fromkeys(_list_endings(words[-1]), index)

    def find_index(self, name: str) -> int:
        words = _split_words(name)
        if not words:
            return NOT_FOUND
        last = words[-1]
        for index, keys in (
            (self._last, [last]),
            (self._last, _list_endings(last)),
            (self._endings, [last]),
            (self._words, words[::-1]),
        ):
            if found := [index[key] for key in keys if key in index]:
                return found[0]
        return NOT_FOUND


def _split_words(name: str) -> list[str]:
    return [fold_word for fold_word in fold_name(name).split() if len(fold_word) >= MIN_WORD_LENGTH]


def _list_endings(fold_word: str) -> list[str]:
    return [fold_word[start:] for start in range(1, len(fold_word) - MIN_SHARED_LETTERS + 1)]


def _move_name(
    order: Sequence[StorePlace], last: StorePlace | None, entry: ShoppingListItem
) -> list[StorePlace]:
    digests = [it.name_digest for it in order]
    place = build_position(entry.family_id, entry.store_id, entry.name, 0, entry.updated_at)
    after = digests.index(last.name_digest) if last else None
    if place.name_digest in digests:
        at = digests.index(place.name_digest)
        if after is None or at >= after:
            place = place.changed(position=order[at].position)
            return [*order[:at], place, *order[at + 1 :]]
        return _insert_position([*order[:at], *order[at + 1 :]], after, place)
    if after is None:
        after = insert_new_names([it.name for it in order], [entry.name]).index(entry.name) - 1
    return _insert_position(order, after + 1, place)


def _insert_position(order: Sequence[StorePlace], at: int, place: StorePlace) -> list[StorePlace]:
    low = order[at - 1].position if at else None
    high = order[at].position if at < len(order) else None
    if high is None:
        position = 0 if low is None else low + POSITION_GAP
    else:
        position = high - POSITION_GAP if low is None else (low + high) // 2
    placed = [*order[:at], place.changed(position=position), *order[at:]]
    if position != low:
        return placed
    return [it.changed(position=number * POSITION_GAP) for number, it in enumerate(placed)]
