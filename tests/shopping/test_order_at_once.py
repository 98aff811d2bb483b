"""Two processes that put the same store in order at the same moment, which takes several writes."""

import asyncio
from itertools import pairwise

import pytest

from homeshelf.shopping.shelf_order import names_in_order, set_order
from tests.databases import Opener

NAMES = [f"Thing {number}" for number in range(200)]
ROUNDS = 4


def keeps(order: list[str], names: list[str]) -> bool:
    """Whether these names are in the order, and follow each other in it as they do here."""
    places = {name: place for place, name in enumerate(order)}
    return set(names) <= places.keys() and all(places[a] < places[b] for a, b in pairwise(names))


@pytest.mark.parametrize(
    ("one", "other"),
    [(NAMES, NAMES[::-1]), (NAMES[:150], NAMES[:49:-1]), (NAMES, [*NAMES[50:], *NAMES[:50]])],
    ids=["reversed", "partly the same names", "moved"],
)
async def test_two_processes_ordering_at_once_leave_one_of_both_orders_whole(
    open_another: Opener, one: list[str], other: list[str]
) -> None:
    first, second = open_another(), open_another()
    for turn in range(ROUNDS):
        store_id = f"store {turn}"
        await set_order(first, "family", store_id, NAMES[::2])
        await asyncio.gather(
            set_order(first, "family", store_id, one),
            set_order(second, "family", store_id, other),
        )
        found = await names_in_order(first, "family", store_id)
        assert len(found) == len(set(found))
        assert keeps(found, one) or keeps(found, other)
