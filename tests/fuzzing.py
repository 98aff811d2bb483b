"""What holds for whatever comes: some examples in `make test`, many in `make torture`.

@for_long(100, 5000)
def test_nothing_breaks_it(examples: int) -> None:
    @fuzz(examples, st.binary())
    def holds(data: bytes) -> None:
        ...
"""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


def for_long(examples: int, many: int) -> pytest.MarkDecorator:
    long = pytest.param(many, marks=pytest.mark.torture)
    return pytest.mark.parametrize("examples", [examples, long], ids=["briefly", "for long"])


def fuzz(
    examples: int, *strategies: st.SearchStrategy[Any]
) -> Callable[[Callable[..., None]], None]:
    """Tries the function at once, with so many examples."""

    def tried(holds: Callable[..., None]) -> None:
        limits = settings(
            max_examples=examples,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        limits(given(*strategies)(holds))()

    return tried


def spoiled(texts: st.SearchStrategy[bytes], *odd: bytes) -> st.SearchStrategy[bytes]:
    """Something well-formed with a few bytes put in, taken out or written over."""
    changes = st.tuples(
        st.floats(0, 1), st.integers(0, 3), st.sampled_from([b"", *odd]) | st.binary(max_size=3)
    )

    def spoil(text: bytes, where: list[tuple[float, int, bytes]]) -> bytes:
        for place, gone, put in where:
            at = int(place * len(text))
            text = text[:at] + put + text[at + gone :]
        return text

    return st.builds(spoil, texts, st.lists(changes, max_size=3))
