import asyncio
from collections.abc import Sequence
from contextlib import suppress

import pytest

from homeshelf.table.engine import (
    BadRequest,
    Engine,
    ItemTooLarge,
    TransactionCancelled,
)
from homeshelf.table.expressions import Add, Remove, Set, absent, attr, exists
from homeshelf.table.operations import Put, Write
from homeshelf.table.schema import SHORT_ID_POOL
from tests.table.support import Place, found_by, list_sort_keys, put_all


async def cancelled(engine: Engine, writes: Sequence[Write]) -> TransactionCancelled:
    with pytest.raises(TransactionCancelled) as caught:
        await engine.transact(writes)
    return caught.value


async def test_a_transaction_does_all_of_its_writes(
    engine: Engine, home: Place, shelf: Place
) -> None:
    pool = Place(SHORT_ID_POOL, 31)
    await put_all(engine, home, ["changed", "deleted", "checked", "replaced"], quantity=1)
    await engine.transact(
        [
            home.put("new", absent),
            home.put("replaced", quantity=2),
            home.update("changed", Add("quantity", 2), Set("a", 1), when=attr("quantity") == 1),
            home.delete("deleted", exists),
            home.delete("never was"),
            home.check("checked", attr("quantity") == 1),
            shelf.put("book"),
            pool.put("abc"),
        ]
    )
    assert (await engine.query(home.all())).items == [
        home.item("changed", quantity=3, a=1),
        home.item("checked", quantity=1),
        home.item("new"),
        home.item("replaced", quantity=2),
    ]
    assert await engine.get(shelf.key("book")) == shelf.item("book")
    assert await engine.get(pool.key("abc")) == pool.item("abc")


async def test_a_transaction_does_all_or_nothing(engine: Engine, home: Place, shelf: Place) -> None:
    await put_all(engine, home, ["changed", "deleted", "replaced"], quantity=1)
    await cancelled(
        engine,
        [
            home.put("new"),
            home.put("replaced", quantity=2),
            home.update("changed", Add("quantity", 2), Remove("a")),
            home.delete("deleted"),
            shelf.put("book"),
            home.check("nothing", exists),
        ],
    )
    assert (await engine.query(home.all())).items == [
        home.item(name, quantity=1) for name in ("changed", "deleted", "replaced")
    ]
    assert await engine.get(shelf.key("book")) is None


async def test_a_cancelled_transaction_says_which_write_failed_and_what_it_found(
    engine: Engine, home: Place
) -> None:
    await engine.write(home.put("taken", holder="Ada"))
    free, taken, last = home.put("free", absent), home.put("taken", absent), home.put("last")
    error = await cancelled(engine, [free, taken, last])
    assert error.by(taken)
    assert found_by(error, taken) == home.item("taken", holder="Ada")
    assert not error.by(free)
    assert not error.by(last)
    assert found_by(error, free) is None


@pytest.mark.parametrize("position", [0, 49, 99])
async def test_failed_write_is_identified_by_object_not_by_value(
    engine: Engine, home: Place, position: int
) -> None:
    await engine.write(home.put(f"{position:02}", holder="Ada"))
    writes = [home.put(f"{number:02}", absent) for number in range(100)]
    error = await cancelled(engine, writes)
    assert [write is writes[position] for write, _ in error.failures] == [True]
    assert not error.by(home.put(f"{position:02}", absent))


async def test_when_several_writes_fail_the_first_is_named_first(
    engine: Engine, home: Place
) -> None:
    await put_all(engine, home, ["b", "c"], version=1)
    writes: list[Write] = [
        home.put("a", absent),
        home.put("b", absent),
        home.update("c", Add("version", 1), when=attr("version") == 2),
        home.delete("d", exists),
        home.check("e", exists),
        home.update("f", Set("version", 1)),
    ]
    error = await cancelled(engine, writes)
    assert error.failures[0] == (writes[1], home.item("b", version=1))
    found = [None, home.item("b", version=1), home.item("c", version=1), None, None, None]
    for write, item in zip(writes, found, strict=True):
        if error.by(write):
            assert found_by(error, write) == item
    order = [writes.index(write) for write, _ in error.failures]
    assert order == sorted(order)


async def test_an_update_in_a_transaction_needs_a_record(engine: Engine, home: Place) -> None:
    update, put = home.update("milk", Set("quantity", 1)), home.put("bread")
    error = await cancelled(engine, [put, update])
    assert error.by(update)
    assert found_by(error, update) is None
    assert await engine.get(home.key("bread")) is None


async def test_transaction_can_contain_only_checks(engine: Engine, home: Place) -> None:
    await engine.write(home.put("milk", quantity=2))
    await engine.transact([home.check("milk", attr("quantity") >= 2), home.check("tea", absent)])
    tea = home.check("tea", exists)
    error = await cancelled(engine, [home.check("milk", exists), tea])
    assert [write for write, _ in error.failures] == [tea]


async def test_a_transaction_takes_100_writes(engine: Engine, home: Place) -> None:
    names = [f"{number:02}" for number in range(100)]
    await engine.transact([home.put(name, absent) for name in names])
    assert list_sort_keys((await engine.query(home.all())).items) == names
    await engine.transact([home.update(name, Add("n", 1)) for name in names])
    await engine.transact([home.check(name, attr("n") == 1) for name in names])
    await engine.transact([home.delete(name, exists) for name in names])
    assert await engine.count(home.all()) == 0


async def test_a_transaction_of_101_or_of_none_is_refused(engine: Engine, home: Place) -> None:
    with pytest.raises(BadRequest):
        await engine.transact([home.put(f"{number:03}") for number in range(101)])
    with pytest.raises(BadRequest):
        await engine.transact([])
    assert await engine.count(home.all()) == 0


async def test_the_same_key_twice_in_a_transaction_is_refused(engine: Engine, home: Place) -> None:
    twice: list[list[Write]] = [
        [home.put("a"), home.put("b"), home.put("a")],
        [home.put("a"), home.delete("a")],
        [home.put("a"), home.check("a", absent)],
        [home.check("a", absent), home.check("a", attr("n").missing)],
    ]
    for writes in twice:
        with pytest.raises(BadRequest):
            await engine.transact(writes)
    assert await engine.count(home.all()) == 0


async def test_a_transaction_of_more_than_4_mb_is_refused(engine: Engine, home: Place) -> None:
    text = "x" * 380_000
    await engine.transact([home.put(str(number), text=text) for number in range(11)])
    await engine.batch([home.delete(str(number)) for number in range(11)])
    with pytest.raises(BadRequest):
        await engine.transact([home.put(str(number), text=text) for number in range(12)])
    assert await engine.count(home.all()) == 0


async def test_invalid_write_refuses_the_whole_transaction(engine: Engine, home: Place) -> None:
    await engine.write(home.put("milk", quantity="two", text="x" * 300_000))
    mistakes: list[tuple[Write, type[BadRequest]]] = [
        (home.update("milk", Add("quantity", 1)), BadRequest),
        (home.update("milk", Set("more", "x" * 200_000)), ItemTooLarge),
        (home.put("large", text="x" * 410_000), ItemTooLarge),
        (home.put(""), BadRequest),
        (home.put("x", price=0.5), BadRequest),
        (Put(home.table, {"PK": home.partition}), BadRequest),
        (Put(home.table, {**home.item("x"), "SK": []}), BadRequest),
    ]
    for mistake, error in mistakes:
        with pytest.raises(error):
            await engine.transact([home.put("bread"), mistake])
    assert list_sort_keys((await engine.query(home.all())).items) == ["milk"]


async def test_one_of_several_concurrent_transactions_on_a_key_succeeds(
    engine: Engine, home: Place
) -> None:
    async def claim(name: str) -> bool:
        try:
            await engine.transact(
                [home.put("claim", absent, holder=name), home.put(f"won by {name}")]
            )
        except TransactionCancelled:
            return False
        return True

    won = await asyncio.gather(*(claim(str(number)) for number in range(16)))
    assert won.count(True) == 1
    winner = str(won.index(True))
    assert (await engine.query(home.all())).items == [
        home.item("claim", holder=winner),
        home.item(f"won by {winner}"),
    ]


async def test_transactions_over_the_same_records_never_mix(engine: Engine, home: Place) -> None:
    names = ["a", "b", "c", "d"]
    await put_all(engine, home, names, amount=100)

    async def move(number: int) -> None:
        giver, taker = names[number % 4], names[(number // 4 + number + 1) % 4]
        if giver == taker:
            return
        with suppress(TransactionCancelled):
            await engine.transact(
                [
                    home.update(giver, Add("amount", -30), when=attr("amount") >= 30),
                    home.update(taker, Add("amount", 30)),
                ]
            )

    await asyncio.gather(*(move(number) for number in range(40)))
    amounts = [int(str(item["amount"])) for item in (await engine.query(home.all())).items]
    assert sum(amounts) == 400
    assert all(amount >= 0 for amount in amounts)
