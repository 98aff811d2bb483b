"""The linearizability check finds each kind of fault, and none in a valid history."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.torture.linearizability import ReadStep, RefusedStep, WriteStep, find_faults

Shown = dict[str, Any]


def read_step(asked_at: int, answered_at: int, version: int, **body: Any) -> ReadStep:
    return ReadStep("it", asked_at, answered_at, version, body)


def write_step(asked_at: int, answered_at: int, version: int, **more: Any) -> WriteStep:
    return WriteStep("it", asked_at, answered_at, version, **more)


def test_checker_accepts_linearizable_observations() -> None:
    steps = [
        read_step(0, 1, 1, name="a", quantity=3),
        write_step(2, 9, 2, body={"name": "b", "quantity": 3}, given={"name": "b"}, wanted=1),
        read_step(3, 4, 1, name="a", quantity=3),
        read_step(5, 6, 2, name="b", quantity=3),
        RefusedStep("it", 7, 8, 2, {"name": "b", "quantity": 3}, wanted=1),
        write_step(7, 11, 4, body={"name": "b", "quantity": 6}, delta=2),
        write_step(7, 12, 3, body={"name": "b", "quantity": 4}, delta=1),
    ]
    assert find_faults(steps) == []


FAULTY: dict[str, tuple[list[ReadStep], str]] = {
    "an update is lost": (
        [write_step(0, 1, 2, wanted=1), write_step(0, 1, 2, wanted=1)],
        "version 2 was written 2 times",
    ),
    "a read is stale": (
        [write_step(0, 1, 2), read_step(2, 3, 1)],
        "the write of version 2 ended before a look at version 1 began",
    ),
    "a read goes back": (
        [write_step(0, 9, 2), read_step(1, 2, 2), read_step(3, 4, 1)],
        "a look at version 2 ended before a look at version 1 began",
    ),
    "a read is of what nobody has asked for yet": (
        [read_step(0, 1, 2), write_step(2, 3, 2)],
        "a look at version 2 ended before the write of version 2 began",
    ),
    "writes are in another order than they happened": (
        [write_step(0, 1, 3), write_step(2, 3, 2)],
        "the write of version 3 ended before the write of version 2 began",
    ),
    "somebody overwrote what they had not seen": (
        [write_step(0, 1, 2, wanted=1), write_step(2, 3, 3, wanted=1)],
        "a change of version 1 made version 3",
    ),
    "a change was refused for nothing": (
        [RefusedStep("it", 0, 1, 2, wanted=2)],
        "a change of version 2 was refused while it was current",
    ),
    "a version is two things": (
        [read_step(0, 1, 1, name="a"), read_step(2, 3, 1, name="b")],
        "version 1 was {'name': 'a'} and {'name': 'b'}",
    ),
    "a change undoes another": (
        [
            read_step(0, 1, 1, name="a", notes="x"),
            write_step(2, 3, 2, body={"name": "b", "notes": "x"}, given={"name": "b"}),
            write_step(4, 5, 3, body={"name": "a", "notes": "y"}, given={"notes": "y"}),
        ],
        "version 3 should be {'name': 'b', 'notes': 'y'} and is {'name': 'a', 'notes': 'y'}",
    ),
    "an adjustment is half there": (
        [read_step(0, 1, 1, quantity=4), write_step(2, 3, 2, body={"quantity": 5}, delta=2)],
        "version 2 should be {'quantity': 6} and is {'quantity': 5}",
    ),
    "a version comes from nobody": (
        [write_step(0, 1, 2), read_step(2, 3, 3)],
        "nobody wrote 1 of the versions [3]",
    ),
}


@pytest.mark.parametrize("name", FAULTY)
def test_each_fault_is_found(name: str) -> None:
    steps, fault = FAULTY[name]
    assert find_faults(steps) == [f"it: {fault}"]


def test_a_version_may_come_from_a_write_that_was_never_answered() -> None:
    steps = [write_step(0, 1, 2), read_step(2, 3, 3), write_step(4, 5, 5)]
    assert find_faults(steps, {"it": 2}) == []
    assert find_faults(steps, {"it": 1}) != []
    assert find_faults(steps, {"another": 2}) != []


def test_checker_treats_records_independently() -> None:
    assert find_faults([write_step(0, 1, 2), ReadStep("another", 2, 3, 1)]) == []


spans = st.tuples(st.integers(0, 8), st.integers(1, 6))
some_steps = st.lists(st.tuples(spans, st.integers(1, 4), st.booleans()), min_size=1, max_size=6)


@given(some_steps)
@settings(max_examples=100)
def test_checker_agrees_with_an_exhaustive_search(
    drawn: list[tuple[tuple[int, int], int, bool]],
) -> None:
    steps: list[ReadStep] = [read_step(0, 0, 1)]
    for (asked_at, took), version, writes in drawn:
        kind = write_step if writes and version > 1 else read_step
        steps.append(kind(asked_at + 1, asked_at + 1 + took, version))
    assert (find_faults(steps) == []) == _some_order_explains(steps, 1)


def _some_order_explains(left: Sequence[ReadStep], version: int) -> bool:
    """Try as the first step each one that was requested before any other was answered."""
    if not left:
        return True
    soonest = min(step.answered_at for step in left)
    for number, step in enumerate(left):
        makes = version + 1 if isinstance(step, WriteStep) else version
        if step.asked_at <= soonest and step.version == makes:
            rest = [*left[:number], *left[number + 1 :]]
            if _some_order_explains(rest, makes):
                return True
    return False
