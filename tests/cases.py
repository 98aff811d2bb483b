"""Named cases, random cases that can be repeated, odd texts, and fuzzing."""

import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


@contextmanager
def case(name: str) -> Iterator[None]:
    """Add the name of the case to a failure in the block."""
    try:
        yield
    except Exception as error:
        error.add_note(f"in this case: {name}")
        raise


SEED = "TEST_SEED"


def seeded_random() -> random.Random:
    """Return a random generator; a failing test prints its seed, which repeats the test."""
    seed = int(os.environ.get(SEED) or random.SystemRandom().randrange(2**32))
    print(f"--seed {seed}")  # noqa: T201  # pytest shows it with a failure
    return random.Random(seed)


SPACES = "\t\x0b\x0c \x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2003\u200a\u202f\u205f\u3000\ufeff\u200b"
BREAKS = "\r\n\u2028\u2029,;:.\u060c\u061b\u3001\uff0c\uff1a"
SIGNS = "-\u2013—*•·‣◦▪☐☑✓✔[]()/%+=#x\u00d7X'\u2019\"<>&{}|\\_^~@$"
DIGITS = (
    "0123456789\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669"
    "\u0966\u0967²³½¼¾⅓⅔Ⅷ①\U0001d7d9"
)
LETTERS = (
    "abgklmnsxzABGKLMSXZÅåÄäÖöÜüßẞçéñœæøł\u0131İ\u017fΩ\u03a3\u03c3\u03c2Ияאבة"
    "\u0647ىيمنعلبة한中\u0301\u0327\u0308\u0653\u0670"
)
MARKS = (
    "\0\x01\x1b\x7f\u00ad\u200c\u200d\u200e\u200f\u061c\u202a\u202e\u2066\u2069\ufe0f\ufffd\uffff"
)
FAR = "🥛👨‍👩‍👧🇸🇪𐍈\U0010ffff"
KINDS = (SPACES, BREAKS, SIGNS, DIGITS, DIGITS, LETTERS, LETTERS, LETTERS, MARKS, FAR)


def odd_texts(random: Random, number: int, words: list[str], longest: int = 12) -> list[str]:
    """Return random texts of single characters of all kinds and of meaningful words."""

    def piece() -> str:
        if random.random() < 0.3:
            return random.choice(["", " "]) + random.choice(words) + random.choice(["", " "])
        return random.choice(random.choice(KINDS))

    return ["".join(piece() for _ in range(random.randint(1, longest))) for _ in range(number)]


def for_long(examples: int, many: int) -> pytest.MarkDecorator:
    long = pytest.param(many, marks=pytest.mark.torture)
    return pytest.mark.parametrize("examples", [examples, long], ids=["briefly", "for long"])


def fuzz(
    examples: int, *strategies: st.SearchStrategy[Any]
) -> Callable[[Callable[..., None]], None]:
    """Return a decorator that calls the function at once with this number of examples."""

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
    """Return a strategy for valid texts with some bytes inserted, removed or replaced."""
    changes = st.tuples(
        st.floats(0, 1), st.integers(0, 3), st.sampled_from([b"", *odd]) | st.binary(max_size=3)
    )

    def spoil(text: bytes, where: list[tuple[float, int, bytes]]) -> bytes:
        for place, gone, put in where:
            at = int(place * len(text))
            text = text[:at] + put + text[at + gone :]
        return text

    return st.builds(spoil, texts, st.lists(changes, max_size=3))
