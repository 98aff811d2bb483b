"""Count the operations on a database, and the units that DynamoDB charges for them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from homeshelf.table import Database
from homeshelf.table.dynamodb.engine import DynamoDB
from homeshelf.table.dynamodb.errors import CANCELLED, CONDITION_FAILED, RequestRefused
from homeshelf.table.dynamodb.wire import READS, Wire
from homeshelf.table.engine import Engine


class Units(NamedTuple):
    """4 kB read consistently is one unit, and so is 1 kB written."""

    read: float = 0.0
    write: float = 0.0

    def __add__(self, other: "Units") -> "Units":  # type: ignore[override]  # one sum of each
        return Units(self.read + other.read, self.write + other.write)

    def __sub__(self, other: "Units") -> "Units":
        return Units(self.read - other.read, self.write - other.write)


class Bill:
    """The units that an engine has consumed since the start; zero if the server reports none."""

    def __init__(self, engine: Engine) -> None:
        self.units = Units()
        if isinstance(engine, DynamoDB):
            self._watch(engine._wire)

    def _watch(self, wire: Wire) -> None:
        call = wire.call

        async def charged(operation: str, body: Mapping[str, Any], **options: Any) -> Any:
            request = {**body, "ReturnConsumedCapacity": "TOTAL"}
            try:
                answer = await call(operation, request, **options)
            except RequestRefused as refused:
                if refused.code in (CONDITION_FAILED, CANCELLED):
                    self.units += charge_of_refusal(request)
                raise
            self.units += charge(operation, answer)
            return answer

        wire.call = charged  # type: ignore[method-assign]


def charge(operation: str, answer: Mapping[str, Any]) -> Units:
    consumed = answer.get("ConsumedCapacity") or ()
    tables = [consumed] if isinstance(consumed, Mapping) else consumed
    units = sum(float(table["CapacityUnits"]) for table in tables)
    return Units(read=units) if operation in READS else Units(write=units)


def charge_of_refusal(request: Mapping[str, Any]) -> Units:
    """Return the least cost of a refused request, whose response states none."""
    together = request.get("TransactItems")
    return Units(write=1 if together is None else 2 * len(together))


class Consumed(Counter[str]):
    """A counter of operations by name."""

    def __setitem__(self, name: str, count: int) -> None:
        engines, spent = _counted.get()
        if engines is self:
            spent[name] += count - self[name]
        super().__setitem__(name, count)


@contextmanager
def count_operations(db: Database) -> Iterator[Counter[str]]:
    """Count the operations of the block, without those of background work."""
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
