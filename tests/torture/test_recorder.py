"""The recorder notices acknowledged records that are lost, doubled or stored by half."""

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from tests.torture.household import Household, name_outcome
from tests.torture.people import SimulatedPerson
from tests.torture.reading_clients import Importer
from tests.torture.recorder import Client, PartlyKnown, RequestedChange, Shown

HOT = "items/hot"
RICE, TEA = "items/rice", "items/tea"
NOWHERE = "http://127.0.0.1:9"
KNOWN: dict[str, Shown] = {
    HOT: PartlyKnown(),
    RICE: {"name": "Rice", "version": 2},
    TEA: PartlyKnown(name="Tea"),
}
SEEN: dict[str, Shown] = {
    HOT: {"quantity": 7},
    RICE: {"name": "Rice", "version": 2},
    TEA: {"name": "Tea", "version": 5},
    "notifications/1": {"status": "active"},
}


@pytest.fixture
def known_household() -> Household:
    client, importer = (
        Client(SimulatedPerson(NOWHERE), Random(1)),
        Importer(SimulatedPerson(NOWHERE), Random(1)),
    )
    client.known, client.counts = dict(KNOWN), {HOT: 7}
    return Household(client, [client, importer], Random(1), importer, HOT)


def test_acknowledged_state_is_accepted(known_household: Household) -> None:
    known_household.require_known(SEEN)


WRONG: dict[str, tuple[dict[str, Shown], str]] = {
    "a record is lost": ({name: it for name, it in SEEN.items() if name != RICE}, "is gone"),
    "a change is lost": (SEEN | {RICE: {"name": "Rice", "version": 1}}, "other values"),
    "a part is lost": (SEEN | {TEA: {"name": "Coffee"}}, "other values"),
    "something is there that nobody knows of": (
        SEEN | {RICE: {"name": "Rice", "version": 2, "notes": "?"}},
        "other values",
    ),
    "something was made twice": (SEEN | {"items/again": {"name": "Rice"}}, "nobody asked for"),
    "an adjustment is lost": (SEEN | {HOT: {"quantity": 6}}, "an adjustment is lost"),
}


@pytest.mark.parametrize("name", WRONG)
def test_every_fault_is_noticed(known_household: Household, name: str) -> None:
    seen, said = WRONG[name]
    with pytest.raises(AssertionError, match=said):
        known_household.require_known(seen)


def put_away() -> RequestedChange:
    return RequestedChange(SimulatedPerson(NOWHERE), "POST", "/", None, lambda _: {}, (RICE, TEA))


BEFORE: Mapping[str, Shown] = {RICE: {"version": 1}, TEA: {"version": 1}}
MADE = ["entries/1"]
AFTER: Mapping[str, Shown] = {RICE: {"version": 2}, TEA: {"version": 2}, "entries/1": {"a": 1}}


def test_change_with_unknown_outcome_may_be_there_or_not() -> None:
    assert name_outcome(put_away(), MADE, BEFORE, BEFORE, AFTER) == "were not there"
    assert name_outcome(put_away(), MADE, BEFORE, AFTER, AFTER) == "were there"


@pytest.mark.parametrize("missing", AFTER)
def test_partial_change_is_noticed(missing: str) -> None:
    half: dict[str, Any] = {**AFTER, missing: BEFORE.get(missing)}
    found = {name: it for name, it in half.items() if it is not None}
    with pytest.raises(AssertionError, match="by half"):
        name_outcome(put_away(), MADE, BEFORE, found, AFTER)
