"""Test two processes that set the order of one store at once, in several writes each."""

import asyncio
from itertools import pairwise

import pytest

from homeshelf.shopping.shelf_order import names_in_order, set_order
from tests.databases import Opener

NAMES = [f"Thing {number}" for number in range(200)]
ROUNDS = 4


def contains_in_sequence(order: list[str], names: list[str]) -> bool:
    """Check whether the order contains these names in the same sequence."""
    places = {name: place for place, name in enumerate(order)}
    return set(names) <= places.keys() and all(places[a] < places[b] for a, b in pairwise(names))


@pytest.mark.parametrize(
    ("one", "other"),
    [(NAMES, NAMES[::-1]), (NAMES[:150], NAMES[:49:-1]), (NAMES, [*NAMES[50:], *NAMES[:50]])],
    ids=["reversed", "partly the same names", "moved"],
)
async def test_concurrent_orders_of_two_processes_leave_one_of_them_complete(
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
        assert contains_in_sequence(found, one) or contains_in_sequence(found, other)
