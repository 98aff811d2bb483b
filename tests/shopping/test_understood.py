"""What people type, and what is worked out from it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeshelf.shopping.model import understood


@pytest.mark.parametrize(
    ("typed", "name", "quantity"),
    [
        ("milk", "milk", None),
        ("  oat   milk ", "oat milk", None),
        ("2 milk", "milk", 2),
        ("12 oat milk", "oat milk", 12),
        ("2x milk", "milk", 2),
        ("2 x milk", "milk", 2),
        ("2X Milk", "Milk", 2),
        ("milk x2", "milk", 2),
        ("milk x 2", "milk", 2),
        ("milk 2x", "milk", 2),
        ("milk \N{MULTIPLICATION SIGN}2", "milk", 2),
        ("2\N{MULTIPLICATION SIGN} milk", "milk", 2),
        ("7up x6", "7up", 6),
        ("6 7up", "7up", 6),
        ("2 Äpfel", "Äpfel", 2),
        ("3 牛乳", "牛乳", 3),
        ("999 nails", "nails", 999),
    ],
)
def test_how_many(typed: str, name: str, quantity: int | None) -> None:
    assert understood(typed) == (name, quantity)


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "2",
        "x2",
        "2x",
        "2 x",
        "7up",
        "milk 2",
        "vitamin b12",
        "2x4 timber",
        "box 2x4",
        "0 milk",
        "-2 milk",
        "1.5 milk",
        "1,5 milk",
        "1/2 cake",
        "2% milk",
        "2 % milk",
        "500 g flour",
        "2 kg potatoes",
        "1 l milk",
        "3 in 1 oil",
        "1000 nails",
        "4711 soap",
        "2025 calendar",
        "milk x0",
        "malcolm x",
        "2 3",
    ],
)
def test_what_may_mean_something_else_is_a_name(typed: str) -> None:
    assert understood(typed) == (typed, None)


@given(st.text())
def test_nothing_that_is_typed_is_lost(typed: str) -> None:
    name, quantity = understood(typed)
    assert name == " ".join(typed.split()) or str(quantity) in typed
    assert bool(name) == bool(typed.split())
    assert quantity is None or 1 <= quantity <= 999
