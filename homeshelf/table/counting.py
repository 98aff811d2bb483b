"""Counts the operations of one task and of what it begins, whatever else goes on meanwhile."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Consumed(Counter[str]):
    """All operations by name, which those of a block are counted from."""

    def __setitem__(self, name: str, count: int) -> None:
        engines, spent = _counted.get()
        if engines is self:
            spent[name] += count - self[name]
        super().__setitem__(name, count)


class Consumer(Protocol):
    consumed: Counter[str]


@contextmanager
def counting(engine: Consumer) -> Iterator[Counter[str]]:
    consumed = engine.consumed
    if not isinstance(consumed, Consumed):  # costs a little each time, so only who counts pays
        consumed = engine.consumed = Consumed(consumed)
    spent: Counter[str] = Counter()
    token = _counted.set((consumed, spent))
    try:
        yield spent
    finally:
        _counted.reset(token)


_counted: ContextVar[tuple[Counter[str] | None, Counter[str]]] = ContextVar(
    "counted", default=(None, Counter())
)
