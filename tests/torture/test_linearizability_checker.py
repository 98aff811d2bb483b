"""The linearizability check finds each kind of fault, and none in a valid history."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.torture.linearizability import Refused, Seen, Written, faults

Shown = dict[str, Any]


def saw(asked_at: int, answered_at: int, version: int, **body: Any) -> Seen:
    return Seen("it", asked_at, answered_at, version, body)


def wrote(asked_at: int, answered_at: int, version: int, **more: Any) -> Written:
    return Written("it", asked_at, answered_at, version, **more)


def test_checker_accepts_linearizable_observations() -> None:
    steps = [
        saw(0, 1, 1, name="a", quantity=3),
        wrote(2, 9, 2, body={"name": "b", "quantity": 3}, given={"name": "b"}, wanted=1),
        saw(3, 4, 1, name="a", quantity=3),
        saw(5, 6, 2, name="b", quantity=3),
        Refused("it", 7, 8, 2, {"name": "b", "quantity": 3}, wanted=1),
        wrote(7, 11, 4, body={"name": "b", "quantity": 6}, delta=2),
        wrote(7, 12, 3, body={"name": "b", "quantity": 4}, delta=1),
    ]
    assert faults(steps) == []


FAULTY: dict[str, tuple[list[Seen], str]] = {
    "an update is lost": (
        [wrote(0, 1, 2, wanted=1), wrote(0, 1, 2, wanted=1)],
        "version 2 was written 2 times",
    ),
    "a read is stale": (
        [wrote(0, 1, 2), saw(2, 3, 1)],
        "the write of version 2 was answered before a look at version 1 was asked for",
    ),
    "a read goes back": (
        [wrote(0, 9, 2), saw(1, 2, 2), saw(3, 4, 1)],
        "a look at version 2 was answered before a look at version 1 was asked for",
    ),
    "a read is of what nobody has asked for yet": (
        [saw(0, 1, 2), wrote(2, 3, 2)],
        "a look at version 2 was answered before the write of version 2 was asked for",
    ),
    "writes are in another order than they happened": (
        [wrote(0, 1, 3), wrote(2, 3, 2)],
        "the write of version 3 was answered before the write of version 2 was asked for",
    ),
    "somebody overwrote what they had not seen": (
        [wrote(0, 1, 2, wanted=1), wrote(2, 3, 3, wanted=1)],
        "a change of version 1 made version 3",
    ),
    "a change was refused for nothing": (
        [Refused("it", 0, 1, 2, wanted=2)],
        "a change of version 2 was refused while it was current",
    ),
    "a version is two things": (
        [saw(0, 1, 1, name="a"), saw(2, 3, 1, name="b")],
        "version 1 was {'name': 'a'} and {'name': 'b'}",
    ),
    "a change undoes another": (
        [
            saw(0, 1, 1, name="a", notes="x"),
            wrote(2, 3, 2, body={"name": "b", "notes": "x"}, given={"name": "b"}),
            wrote(4, 5, 3, body={"name": "a", "notes": "y"}, given={"notes": "y"}),
        ],
        "version 3 should be {'name': 'b', 'notes': 'y'} and is {'name': 'a', 'notes': 'y'}",
    ),
    "an adjustment is half there": (
        [saw(0, 1, 1, quantity=4), wrote(2, 3, 2, body={"quantity": 5}, delta=2)],
        "version 2 should be {'quantity': 6} and is {'quantity': 5}",
    ),
    "a version comes from nobody": (
        [wrote(0, 1, 2), saw(2, 3, 3)],
        "nobody wrote 1 of the versions [3]",
    ),
}


@pytest.mark.parametrize("name", FAULTY)
def test_each_fault_is_found(name: str) -> None:
    steps, fault = FAULTY[name]
    assert faults(steps) == [f"it: {fault}"]


def test_a_version_may_come_from_a_write_that_was_never_answered() -> None:
    steps = [wrote(0, 1, 2), saw(2, 3, 3), wrote(4, 5, 5)]
    assert faults(steps, {"it": 2}) == []
    assert faults(steps, {"it": 1}) != []
    assert faults(steps, {"another": 2}) != []


def test_checker_treats_records_independently() -> None:
    assert faults([wrote(0, 1, 2), Seen("another", 2, 3, 1)]) == []


spans = st.tuples(st.integers(0, 8), st.integers(1, 6))
some_steps = st.lists(st.tuples(spans, st.integers(1, 4), st.booleans()), min_size=1, max_size=6)


@given(some_steps)
@settings(max_examples=100)
def test_checker_agrees_with_an_exhaustive_search(
    drawn: list[tuple[tuple[int, int], int, bool]],
) -> None:
    steps: list[Seen] = [saw(0, 0, 1)]
    for (asked_at, took), version, writes in drawn:
        kind = wrote if writes and version > 1 else saw
        steps.append(kind(asked_at + 1, asked_at + 1 + took, version))
    assert (faults(steps) == []) == _some_order_explains(steps, 1)


def _some_order_explains(left: Sequence[Seen], version: int) -> bool:
    """Try as the first step each one that was requested before any other was answered."""
    if not left:
        return True
    soonest = min(step.answered_at for step in left)
    for number, step in enumerate(left):
        makes = version + 1 if isinstance(step, Written) else version
        if step.asked_at <= soonest and step.version == makes:
            rest = [*left[:number], *left[number + 1 :]]
            if _some_order_explains(rest, makes):
                return True
    return False
