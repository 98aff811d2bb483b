"""Several cases that one phone goes through one after the other."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def case(name: str) -> Iterator[None]:
    """What fails within says in which case."""
    try:
        yield
    except Exception as error:
        error.add_note(f"in this case: {name}")
        raise
