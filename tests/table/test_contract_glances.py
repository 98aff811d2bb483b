"""A glance at pairs of records, where an engine reads at once; others refuse it."""

import msgspec
import pytest

from homeshelf.table.engine import BadRequest, Engine, Unavailable
from tests.table.conftest import ENGINES
from tests.table.spoiling import spoil
from tests.table.support import HOUR, Clock, Place


class Shape(msgspec.Struct):
    n: int


SHAPES = (Shape, Shape)


@pytest.fixture
async def stored(engine: Engine, home: Place, clock: Clock) -> Place:
    await engine.batch([home.put(name, n=1, other="x") for name in ("milk", "rice")])
    await engine.batch([home.put("ice", n=3, ttl=clock() + HOUR), home.put("tea", n="none")])
    return home


at_once = pytest.mark.parametrize("open_engine", ["sqlite"], indirect=True, scope="session")
waiting = pytest.mark.parametrize(
    "open_engine", [name for name in ENGINES if name != "sqlite"], indirect=True, scope="session"
)


@waiting
async def test_where_it_would_wait_it_is_refused(engine: Engine, stored: Place) -> None:
    assert not engine.reads_at_once
    with pytest.raises(BadRequest):
        engine.glance([(stored.key("milk"), stored.key("rice"))], SHAPES)


@at_once
async def test_it_sees_what_was_acknowledged(engine: Engine, stored: Place) -> None:
    pair = stored.key("milk"), stored.key("rice")
    for number in range(10):
        await engine.put(stored.put("rice", n=number))
        assert engine.glance([pair, pair[::-1]], SHAPES) == [
            (Shape(1), Shape(number)),
            (Shape(number), Shape(1)),
        ]
    assert engine.glance([], SHAPES) == []


@at_once
async def test_what_is_expired_or_was_never_there_is_absent(
    engine: Engine, stored: Place, clock: Clock
) -> None:
    pairs = [(stored.key("ice"), stored.key("milk")), (stored.key("milk"), stored.key("nothing"))]
    assert engine.glance(pairs, SHAPES) == [(Shape(3), Shape(1)), (Shape(1), None)]
    clock.forward(HOUR)
    assert engine.glance(pairs, SHAPES) == [(None, Shape(1)), (Shape(1), None)]


@at_once
async def test_what_has_another_shape_or_is_damaged_is_no_answer(
    engine: Engine, stored: Place
) -> None:
    await spoil(engine, [stored.key("ice")])
    milk = stored.key("milk")
    pairs = [(milk, stored.key(name)) for name in ("tea", "ice", "rice")]
    assert engine.glance(pairs, SHAPES) == [None, None, (Shape(1), Shape(1))]


@at_once
async def test_it_leaves_no_transaction_behind(engine: Engine, stored: Place) -> None:
    pair = stored.key("milk"), stored.key("rice")
    engine.glance([pair], SHAPES)
    await engine.put(stored.put("milk", n=7))
    assert await engine.get(stored.key("milk")) == stored.item("milk", n=7)


@at_once
async def test_it_counts_as_a_read_of_each_pair(engine: Engine, stored: Place) -> None:
    pair = stored.key("milk"), stored.key("rice")
    before = engine.consumed["get_many"]
    engine.glance([pair] * 3, SHAPES)
    assert engine.consumed["get_many"] == before + 3


@at_once
async def test_a_closed_engine_refuses_it(engine: Engine, stored: Place) -> None:
    pair = stored.key("milk"), stored.key("rice")
    await engine.close()
    with pytest.raises(Unavailable):
        engine.glance([pair], SHAPES)
