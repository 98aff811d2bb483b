"""`consumed` counts the operations that were sent, so that an access pattern can name its price."""

from collections import Counter
from collections.abc import Awaitable

from homeshelf.table.engine import Engine
from homeshelf.table.expressions import Add, attr
from homeshelf.table.operations import Prefix
from homeshelf.table.schema import SHAREABLES
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


async def test_a_count_is_one_query(engine: Engine, home: Place) -> None:
    await put_all(engine, home, NAMES)
    assert await price(engine, engine.count(home.all())) == {"query": 1}


async def test_a_read_of_a_key_or_of_many_is_one_operation(engine: Engine, home: Place) -> None:
    keys = [home.key(name) for name in NAMES]
    assert await price(engine, engine.get(home.key("00"))) == {"get": 1}
    assert await price(engine, engine.get_many(keys)) == {"get_many": 1}


async def test_a_write_is_one_operation(engine: Engine, home: Place) -> None:
    assert await price(engine, engine.put(home.put("a"))) == {"put": 1}
    assert await price(engine, engine.update(home.update("a", Add("n", 1)))) == {"update": 1}
    assert await price(engine, engine.delete(home.delete("a"))) == {"delete": 1}


async def test_a_transaction_is_one_operation(engine: Engine, home: Place) -> None:
    puts = [home.put(name) for name in NAMES]
    assert await price(engine, engine.transact(puts)) == {"transact": 1}


async def test_a_batch_is_an_operation_for_each_25_writes(engine: Engine, home: Place) -> None:
    puts = [home.put(name) for name in NAMES]
    assert await price(engine, engine.batch(puts)) == {"batch": 2}
    assert await price(engine, engine.batch([])) == {}


async def test_a_scan_is_one_operation(engine: Engine) -> None:
    assert await price(engine, engine.scan(SHAREABLES, 1)) == {"scan": 1}
