"""Counts the operations of one task and of what it begins, whatever else goes on meanwhile."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from homeshelf.table import Database


class Consumed(Counter[str]):
    """All operations by name, which those of a block are counted from."""

    def __setitem__(self, name: str, count: int) -> None:
        engines, spent = _counted.get()
        if engines is self:
            spent[name] += count - self[name]
        super().__setitem__(name, count)


@contextmanager
def counting(db: Database) -> Iterator[Counter[str]]:
    """The operations that the block sends to the database, without what others send."""
    consumed = db.engine.consumed
    if not isinstance(consumed, Consumed):
        consumed = db.engine.consumed = Consumed(consumed)
    spent: Counter[str] = Counter()
    before = _counted.set((consumed, spent))
    try:
        yield spent
    finally:
        _counted.reset(before)


_counted: ContextVar[tuple[Counter[str] | None, Counter[str]]] = ContextVar(
    "counted", default=(None, Counter())
)
