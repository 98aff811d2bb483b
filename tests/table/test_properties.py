"""The same random programs on a model of the contract and on every engine, with the same results.

Each engine has its own model, because concurrent transactions may run in any order: the model
follows the order of its engine.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from homeshelf.clock import new_id
from homeshelf.table.dynamodb.credentials import Credentials
from homeshelf.table.dynamodb.engine import DynamoDB
from homeshelf.table.engine import (
    BadRequest,
    ConditionFailed,
    Engine,
    TableError,
    TransactionCancelled,
)
from homeshelf.table.expressions import Condition, Item, holds
from homeshelf.table.operations import Check, Delete, Key, Page, Put, Query
from homeshelf.table.schema import Table
from homeshelf.table.sqlite.engine import Sqlite
from tests.servers import Server
from tests.table import strategies as some
from tests.table.model import Model, condition_holds, plain
from tests.table.strategies import KEYS, START

Run = Callable[[Coroutine[Any, Any, Any]], Any]


@pytest.mark.timeout(300)
def test_engines_agree_with_the_model(tmp_path: Path, dynoxide: Server) -> None:
    """A failure is reported without shrinking, which takes minutes; `torture` has the time."""
    phases = (Phase.reuse, Phase.generate)
    _compare(tmp_path, dynoxide, settings(max_examples=20, stateful_step_count=25, phases=phases))


@pytest.mark.torture
@pytest.mark.parametrize("_run", range(4))
def test_engines_agree_with_the_model_in_long_runs(
    tmp_path: Path, dynoxide: Server, _run: int
) -> None:
    """Run several times, because Hypothesis uses a gigabyte of memory after an hour."""
    _compare(tmp_path, dynoxide, settings(max_examples=200, stateful_step_count=50))


@given(item=some.items(KEYS[0]), whens=st.lists(some.whens, min_size=20, max_size=20))
@settings(max_examples=100, deadline=None)
def test_conditions_agree_with_the_model(item: Item, whens: list[Condition]) -> None:
    for when in whens:
        for found in (item, None):
            assert holds(when, found) == condition_holds(when, found), when


@dataclass(frozen=True)
class Call:
    """An operation for an engine and for its model."""

    name: str
    arguments: tuple[Any, ...]

    def of(self, model: Model) -> object:
        try:
            return plain(getattr(model, self.name)(*self.arguments))
        except TableError as error:
            return self._shown(error)

    async def on(self, engine: Engine) -> object:
        try:
            return plain(await getattr(engine, self.name)(*self.arguments))
        except TableError as error:
            return self._shown(error)

    def _shown(self, error: TableError) -> object:
        match error:
            case ConditionFailed(current=current):
                return ("ConditionFailed", plain(current))
            case TransactionCancelled(failures=failures):
                writes = list(self.arguments[0])
                found = [(writes.index(write), plain(current)) for write, current in failures]
                return ("TransactionCancelled", found)
            case BadRequest():
                return type(error).__name__
        raise error


changes = st.one_of(
    some.transactions().map(lambda writes: Call("transact", (writes,))),
    some.keys.flatmap(some.puts).map(lambda put: Call("write", (put,))),
    some.keys.flatmap(some.updates).map(lambda update: Call("write", (update,))),
    some.keys.flatmap(some.deletes).map(lambda delete: Call("write", (delete,))),
)
reads = some.keys.map(lambda key: Call("get", (key,)))
limits = st.sampled_from([1, 2, 3, 100])


class Clock:
    now = START

    def __call__(self) -> int:
        return self.now


@dataclass
class Side:
    """An engine and its model."""

    name: str
    engine: Engine
    model: Model


class Programs(RuleBasedStateMachine):
    """Random programs that begin with empty tables; every rule runs on all sides."""

    def __init__(self, engines: dict[str, Engine], clock: Clock, run: Run) -> None:
        super().__init__()
        self.clock, self.run = clock, run
        clock.now = START
        self.sides = [Side(name, engine, Model(clock)) for name, engine in engines.items()]
        for engine in engines.values():
            run(engine.batch([Delete(key) for key in KEYS]))
        self.ended: list[Query[Any]] = []
        """The next pages of the queries on base tables."""

    @initialize(puts=st.tuples(*map(some.puts, KEYS)))
    def begin_with_something(self, puts: Sequence[Put]) -> None:
        self._agree(Call("batch", ([replace(put, when=None) for put in puts],)))

    @rule(calls=st.lists(changes, min_size=1, max_size=3))
    def change(self, calls: list[Call]) -> None:
        for call in calls:
            self._agree(call)

    @rule(writes=some.batches())
    def batch(self, writes: Sequence[Put | Delete]) -> None:
        self._agree(Call("batch", (writes,)))

    @rule(together=st.lists(st.one_of(changes, changes, reads), min_size=2, max_size=4))
    def change_at_once(self, together: list[Call]) -> None:
        for side in self.sides:
            results = self.run(_at_once(side.engine, together))
            stored = self._stored(side)
            for order in permutations(range(len(together))):
                model = side.model.copy()
                expected = {place: together[place].of(model) for place in order}
                in_place = [expected[place] for place in range(len(together))]
                if (in_place, plain(model.get_many(KEYS))) == (results, stored):
                    side.model = model
                    break
            else:
                raise AssertionError(f"{side.name}: no order of {together} leads to {results}")

    @rule(
        key=some.keys, whens=st.lists(st.one_of(some.single, some.several), min_size=8, max_size=8)
    )
    def check_conditions(self, key: Key[Any], whens: list[Condition]) -> None:
        for when in whens:
            self._agree(Call("transact", ([Check(key, when)],)))

    @rule(query=some.queries(), limit=limits)
    def query(self, query: Query[Any], limit: int) -> None:
        """Read all pages. Records with the same index key come in any order."""
        self._agree(Call("count", (query,)))
        self._agree(Call("count", (query, limit)))
        for side in self.sides:
            wanted = side.model.query(query).items
            found = self._all_pages(lambda *at, e=side.engine: e.query(query.page(*at)), limit)
            sort = query.cursor_attributes[1]
            assert [item[sort] for item in found] == [item[sort] for item in wanted], side.name
            assert _by_key(query.table, found) == _by_key(query.table, wanted), side.name

    @rule(query=some.queries(of_indexes=False), limit=limits)
    def read_a_page(self, query: Query[Any], limit: int) -> None:
        self._read(query.page(limit))

    @precondition(lambda self: self.ended)
    @rule(data=st.data())
    def go_on_after_a_page(self, data: st.DataObject) -> None:
        """Read the next page after other changes, even to the last record of the page."""
        self._read(data.draw(st.sampled_from(self.ended)))

    @rule(table=some.tables, limit=limits, keys=some.different(len(KEYS)))
    def read_directly(self, table: Table, limit: int, keys: list[Key[Any]]) -> None:
        self._agree(Call("get_many", (keys,)))
        for side in self.sides:
            found = self._all_pages(lambda *at, e=side.engine: e.scan(table, *at), limit)
            assert _by_key(table, found) == _by_key(table, side.model.scan(table)), side.name

    @rule(seconds=st.sampled_from([1, 1, 2, 601]), sweep=st.booleans())
    def wait(self, seconds: int, *, sweep: bool) -> None:
        """Advance the clock. Sweeping removes no visible record."""
        self.clock.now += seconds
        for side in self.sides:
            if sweep and isinstance(side.engine, Sqlite):
                self.run(side.engine.sweep())

    @invariant()
    def the_same_is_stored(self) -> None:
        for side in self.sides:
            assert self._stored(side) == plain(side.model.get_many(KEYS)), side.name

    def _agree(self, call: Call) -> None:
        for side in self.sides:
            assert self.run(call.on(side.engine)) == call.of(side.model), side.name

    def _read(self, query: Query[Any]) -> None:
        start = None
        for side in self.sides:
            found, wanted = self.run(side.engine.query(query)), side.model.query(query)
            assert plain(found.items) == plain(wanted.items), side.name
            assert found.next == wanted.next, side.name
            start = found.next
        if start is not None:
            self.ended.append(replace(query, start=start))

    def _all_pages(
        self, read: Callable[..., Coroutine[Any, Any, Page[Item]]], limit: int
    ) -> list[Item]:
        page = self.run(read(limit))
        found = list(page.items)
        while page.next is not None:
            assert len(page.items) == limit, "a page that is not full"
            page = self.run(read(limit, page.next))
            assert page.items, "an empty page"
            found += page.items
        return found

    def _stored(self, side: Side) -> object:
        return plain(self.run(side.engine.get_many(KEYS)))


async def _at_once(engine: Engine, calls: Sequence[Call]) -> list[object]:
    return await asyncio.gather(*(call.on(engine) for call in calls))


def _by_key(table: Table, items: Sequence[Item]) -> dict[object, object]:
    found = {(item[table.partition], item[table.sort]): plain(item) for item in items}
    assert len(found) == len(items), "a record twice"
    return found  # type: ignore[return-value]  # keys are hashable


def _compare(folder: Path, server: Server, how: settings) -> None:
    with asyncio.Runner() as runner, _engines(folder, server, runner.run) as (engines, clock):

        class These(Programs):
            def __init__(self) -> None:
                super().__init__(engines, clock, runner.run)

        run_state_machine_as_test(These, settings=settings(how, deadline=None))


@contextmanager
def _engines(folder: Path, server: Server, run: Run) -> Iterator[tuple[dict[str, Engine], Clock]]:
    clock = Clock()
    engines: dict[str, Engine] = {
        "sqlite": Sqlite(folder / "homeshelf.db", seconds=clock, sweep_every=None),
        "dynoxide": DynamoDB(
            server.region,
            server.endpoint,
            f"{new_id()}-",
            server.prefixes,
            seconds=clock,
            credentials=Credentials(server.access_key, server.secret_key),
        ),
    }
    try:
        for engine in engines.values():
            run(engine.create_tables())
        yield engines, clock
    finally:
        for engine in engines.values():
            run(engine.close())
