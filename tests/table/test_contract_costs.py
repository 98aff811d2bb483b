"""`consumed` counts the operations sent, so that a test can state the cost of a read.

`rows` counts the records that queries read. DynamoDB bills them; the embedded engine has no
bill.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable
from dataclasses import replace

import pytest

from homeshelf.table import Database
from homeshelf.table.engine import ConditionFailed, Engine, TransactionCancelled
from homeshelf.table.expressions import Add, absent, attr
from homeshelf.table.operations import Prefix
from homeshelf.table.schema import SHAREABLES
from homeshelf.table.sqlite.engine import Sqlite
from tests.costs import Bill, Units, count_operations
from tests.table.support import Place, found_in_index, put_all

NAMES = [f"{number:02}" for number in range(40)]


async def price(engine: Engine, attempt: Awaitable[object]) -> Counter[str]:
    before = engine.consumed.copy()
    await attempt
    return engine.consumed - before


async def test_a_query_is_one_operation(engine: Engine, home: Place) -> None:
    await put_all(engine, home, NAMES, kept=True, **home.index_keys("same"))
    await found_in_index(engine, home.indexed(), 40)
    queries = [
        home.all(),
        home.all(Prefix("1")),
        home.all().newest_first().page(10),
        home.all().page(40),
        home.all().only(attr("kept") == True).page(10),  # noqa: E712  # a condition
        home.all().matching(lambda item: True).page(10),  # noqa: ARG005
        home.indexed(),
        home.indexed().page(10),
    ]
    for query in queries:
        assert await price(engine, engine.query(query)) == {"query": 1}


async def test_query_counts_matching_and_filtered_records_as_examined(
    engine: Engine, home: Place, shelf: Place
) -> None:
    await put_all(engine, home, NAMES, kept=True)
    await put_all(engine, shelf, NAMES, kept=True)
    for query, rows in (
        (home.all(), 40),
        (home.all(Prefix("1")), 10),
        (home.all().page(10), 11),
        (home.all().newest_first().page(10), 11),
        (home.all().only(attr("kept") == False), 40),  # noqa: E712  # a condition
        (home.all().matching(lambda item: False), 40),  # noqa: ARG005
    ):
        before = engine.rows
        await engine.query(query)
        assert engine.rows - before == rows


async def test_a_count_is_one_query(engine: Engine, home: Place) -> None:
    await put_all(engine, home, NAMES)
    assert await price(engine, engine.count(home.all())) == {"query": 1}


async def test_a_read_of_a_key_or_of_many_is_one_operation(engine: Engine, home: Place) -> None:
    keys = [home.key(name) for name in NAMES]
    assert await price(engine, engine.get(home.key("00"))) == {"get": 1}
    assert await price(engine, engine.get_many(keys)) == {"get_many": 1}


async def test_a_write_is_one_operation(engine: Engine, home: Place) -> None:
    assert await price(engine, engine.write(home.put("a"))) == {"put": 1}
    assert await price(engine, engine.write(home.update("a", Add("n", 1)))) == {"update": 1}
    assert await price(engine, engine.write(home.delete("a"))) == {"delete": 1}


async def test_a_transaction_is_one_operation(engine: Engine, home: Place) -> None:
    puts = [home.put(name) for name in NAMES]
    assert await price(engine, engine.transact(puts)) == {"transact": 1}


async def test_a_batch_is_an_operation_for_each_25_writes(engine: Engine, home: Place) -> None:
    puts = [home.put(name) for name in NAMES]
    assert await price(engine, engine.batch(puts)) == {"batch": 2}
    assert await price(engine, engine.batch([])) == {}


async def test_a_scan_is_one_operation(engine: Engine) -> None:
    assert await price(engine, engine.scan(SHAREABLES, 1)) == {"scan": 1}


async def charge(engine: Engine, attempt: Awaitable[object]) -> Units:
    bill = Bill(engine)
    await attempt
    return bill.units


def charged(engine: Engine, read: float = 0, write: float = 0) -> Units:
    return Units() if isinstance(engine, Sqlite) else Units(read, write)


async def test_read_costs_by_size_and_half_if_not_consistent(engine: Engine, home: Place) -> None:
    for up_to_date, units in ((True, 1.0), (False, 0.5)):
        query = replace(home.all(), consistent=up_to_date)
        assert await charge(engine, engine.query(query)) == charged(engine, units), "nothing found"
        get = engine.get(home.key("a"), consistent=up_to_date)
        assert await charge(engine, get) == charged(engine, units)
    await put_all(engine, home, ["a", "b", "c"], text="x" * 4000)
    late = replace(home.all(), consistent=False)
    assert await charge(engine, engine.query(late)) == charged(engine, 1.5)
    assert await charge(engine, engine.count(home.all())) == charged(engine, 3)
    many = engine.get_many([home.key("a"), home.key("b")])
    assert await charge(engine, many) == charged(engine, 2)


async def test_a_write_costs_by_its_size_and_twice_in_a_transaction(
    engine: Engine, home: Place
) -> None:
    assert await charge(engine, engine.write(home.put("a"))) == charged(engine, write=1)
    large = home.put("b", text="x" * 2500)
    assert await charge(engine, engine.write(large)) == charged(engine, write=3)
    assert await charge(engine, engine.batch([home.put("c")])) == charged(engine, write=1)
    both = engine.transact([home.put("d"), home.delete("a")])
    assert await charge(engine, both) == charged(engine, write=4)


async def test_refused_write_costs_as_much_as_a_successful_one(engine: Engine, home: Place) -> None:
    await engine.write(home.put("a"))
    bill = Bill(engine)
    with pytest.raises(ConditionFailed):
        await engine.write(home.put("a", absent))
    assert bill.units == charged(engine, write=1)
    with pytest.raises(TransactionCancelled):
        await engine.transact([home.put("a", absent), home.put("b")])
    assert bill.units == charged(engine, write=5)


async def test_cost_of_a_block_excludes_concurrent_operations(engine: Engine, home: Place) -> None:
    database, begun = Database(engine), asyncio.Event()

    async def others() -> None:
        await begun.wait()
        await engine.get(home.key("a"))

    other = asyncio.create_task(others())
    everything = engine.consumed.copy()
    with count_operations(database) as spent:
        begun.set()
        await other
        await engine.query(home.all())
        await asyncio.create_task(engine.write(home.put("a")))
    await engine.write(home.put("b"))
    assert spent == {"query": 1, "put": 1}
    assert engine.consumed - everything == {"get": 1, "query": 1, "put": 2}
