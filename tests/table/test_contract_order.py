"""Ids follow the time of the write, not the time of the request."""

import asyncio
from typing import Any

import pytest

from homeshelf import clock
from homeshelf.table.engine import BadRequest, ConditionFailed, Engine, TransactionCancelled
from homeshelf.table.expressions import Condition, absent
from homeshelf.table.operations import PutInOrder
from tests.table.support import Place


def note(home: Place, when: Condition | None = None, /, **attributes: Any) -> PutInOrder:
    stand_in = clock.ordered_id()
    item = home.item(f"NOTE#{stand_in}", noteId=stand_in, **attributes)
    return PutInOrder(home.table, item, when, attribute="noteId")


async def notes(engine: Engine, home: Place) -> list[Any]:
    """Return the ids of the notes, in the order of their keys."""
    items = (await engine.query(home.all())).items
    assert [item["SK"] for item in items] == [f"NOTE#{item['noteId']}" for item in items]
    return [item["noteId"] for item in items]


@pytest.mark.parametrize("way", ["put", "transact", "batch"])
async def test_ordered_id_is_made_at_the_write(engine: Engine, home: Place, way: str) -> None:
    write = note(home, text="hello")
    between = clock.ordered_id()
    if way == "put":
        assert await engine.write(write) is None
    elif way == "transact":
        await engine.transact([write, home.check("nothing", absent)])
    else:
        await engine.batch([write])
    (made,) = await notes(engine, home)
    assert made > between > str(write.item["noteId"])
    assert (await engine.query(home.all())).items[0]["text"] == "hello"


async def test_ordered_puts_of_one_transaction_are_ordered(engine: Engine, home: Place) -> None:
    await engine.transact([note(home, text=str(number)) for number in range(10)])
    assert len(set(await notes(engine, home))) == 10
    items = (await engine.query(home.all())).items
    assert [item["text"] for item in items] == [str(number) for number in range(10)]


async def test_later_write_gets_a_later_id(engine: Engine, home: Place) -> None:
    earlier, later = note(home, text="earlier"), note(home, text="later")
    await engine.write(later)
    await engine.write(earlier)
    items = (await engine.query(home.all())).items
    assert [item["text"] for item in items] == ["later", "earlier"]


async def test_a_cancelled_transaction_names_the_writes_that_it_was_given(
    engine: Engine, home: Place
) -> None:
    await engine.write(home.put("taken"))
    told, refused = note(home), home.put("taken", absent)
    with pytest.raises(TransactionCancelled) as caught:
        await engine.transact([told, refused])
    assert caught.value.by(refused)
    assert not caught.value.by(told)


async def test_condition_of_an_ordered_put_applies_to_its_final_key(
    engine: Engine, home: Place
) -> None:
    write = note(home, absent)
    await engine.write(home.put(str(write.item["SK"])))
    await engine.write(write)
    assert await engine.count(home.all()) == 2


async def test_invalid_ordered_put_is_refused_before_any_write(engine: Engine, home: Place) -> None:
    writes = [*(note(home) for _ in range(30)), note(home, price=0.5)]
    with pytest.raises(BadRequest):
        await engine.batch(writes)
    with pytest.raises(BadRequest):
        await engine.transact(writes)
    assert await notes(engine, home) == []


async def test_concurrent_ordered_puts_are_all_stored(engine: Engine, home: Place) -> None:
    await asyncio.gather(*(engine.transact([note(home)]) for _ in range(40)))
    assert len(set(await notes(engine, home))) == 40


async def test_ordered_put_with_a_failed_condition_is_refused(engine: Engine, home: Place) -> None:
    never = home.check("nothing", absent)
    await engine.write(home.put("nothing"))
    with pytest.raises(ConditionFailed):
        await engine.write(home.put("nothing", absent))
    with pytest.raises(TransactionCancelled):
        await engine.transact([note(home), never])
    assert await engine.count(home.all()) == 1
