"""The rules of every transaction, for any decision of its function."""

import pytest

from homeshelf.coordination.todos import Todo, todo
from homeshelf.coordination.transaction import (
    Transaction,
    delete_if_unreadable,
    require_version,
    transaction,
)
from homeshelf.errors import NotFound, UnreadableRecord, VersionConflict, WrongState
from homeshelf.table import Check, Database, Item, Key, attr, exists
from tests.coordination.lamps import (
    HALL,
    KEY,
    LONG_AGO,
    OTHER,
    Lamp,
    add,
    announcements,
    brighten,
    brighten_with_other,
    leave_unchanged,
    remove,
    stored_answers,
    with_stored_response,
)
from tests.costs import count_operations
from tests.table.faulty_engines import warp


async def test_absent_record_raises_not_found_without_a_change_record(database: Database) -> None:
    with pytest.raises(NotFound):
        await brighten(database, KEY)
    with pytest.raises(NotFound):
        await remove(database, KEY)
    assert await announcements(database) == []


async def test_change_is_written_and_announced(database: Database) -> None:
    await add(database, HALL)
    brighter = await brighten(database, KEY, 1)
    assert brighter == await database.get(KEY)
    assert (brighter.watts, brighter.version, brighter.updated_at > LONG_AGO) == (1, 2, True)
    assert await announcements(database) == [("Lamp", "hall", 1), ("Lamp", "hall", 2)]


async def test_removal_is_announced_without_a_version(database: Database) -> None:
    await add(database, HALL)
    assert await remove(database, KEY) == HALL
    assert await database.get(KEY) is None
    assert await announcements(database) == [("Lamp", "hall", 1), ("Lamp", "hall", None)]


async def test_caller_with_an_older_version_gets_the_current_record(database: Database) -> None:
    await add(database, HALL)
    brighter = await brighten(database, KEY)
    with pytest.raises(VersionConflict) as conflict:
        await brighten(database, KEY, 1)
    assert conflict.value.record == brighter
    assert await database.get(KEY) == brighter


async def test_wrong_state_is_raised_before_a_version_conflict(database: Database) -> None:
    @transaction
    async def brighten_if_on(tx: Transaction, key: Key[Lamp], version: int) -> None:
        lamp = await tx.get(key)
        if not lamp.watts:
            raise WrongState(lamp)
        require_version(lamp, version)

    await add(database, HALL)
    with pytest.raises(WrongState):
        await brighten_if_on(database, KEY, 7)


async def test_unchanged_record_is_not_written(database: Database) -> None:
    await add(database, HALL)
    with count_operations(database) as spent:
        assert await leave_unchanged(database, KEY) == HALL
    assert spent["transact"] == 0
    assert await announcements(database) == [("Lamp", "hall", 1)]


async def test_refused_write_raises_its_error_and_writes_nothing(database: Database) -> None:
    await add(database, HALL)
    with pytest.raises(NotFound, match=r"There is no other\."):
        await brighten_with_other(with_stored_response(database), KEY)
    assert await database.get(KEY) == HALL
    assert await stored_answers(database) == []
    await add(database, OTHER)
    assert (await brighten_with_other(database, KEY)).watts == 1


async def test_nested_transaction_joins_the_outer_one(database: Database) -> None:
    @transaction
    async def brighten_both(tx: Transaction, key: Key[Lamp]) -> Lamp:
        await brighten(tx, OTHER.own_key())
        return await brighten(tx, key)

    await add(database, HALL)
    await add(database, OTHER)
    with count_operations(database) as spent:
        await brighten_both(with_stored_response(database), KEY)
    assert spent["transact"] == 1
    assert await stored_answers(database) == ["1"]
    lamps = await database.get_many([KEY, OTHER.own_key()])
    assert [lamp and lamp.watts for lamp in lamps] == [1, 1]


@pytest.mark.parametrize("check_first", [True, False])
async def test_check_of_a_written_record_joins_its_write(
    database: Database, *, check_first: bool
) -> None:
    async def refuse(_found: Item | None) -> None:
        raise WrongState(HALL)

    @transaction
    async def brighten_if_white(tx: Transaction, key: Key[Lamp]) -> None:
        is_white = Check(key, attr("colour") == "white").with_refusal(refuse)
        if check_first:
            tx.write(is_white)
        await brighten(tx, key)
        tx.write(Check(key, exists), *([] if check_first else [is_white]))

    await add(database, HALL)
    await brighten_if_white(database, KEY)
    lamp = await database.get(KEY)
    assert lamp is not None
    assert lamp.watts == 1
    await database.put(lamp.changed(colour="red"))
    with pytest.raises(WrongState):
        await brighten_if_white(database, KEY)


async def test_second_write_of_a_record_is_an_error(database: Database) -> None:
    @transaction
    async def brighten_twice(tx: Transaction, key: Key[Lamp]) -> None:
        await brighten(tx, key)
        await brighten(tx, key)

    await add(database, HALL)
    with pytest.raises(RuntimeError, match="written twice"):
        await brighten_twice(database, KEY)
    assert await database.get(KEY) == HALL


async def test_unreadable_record_is_removed_with_its_leftovers(database: Database) -> None:
    async def write_other(tx: Transaction) -> None:
        tx.write(OTHER.put())

    async def remove_other() -> None:
        async with delete_if_unreadable(database, OTHER.own_key()):
            await brighten(database, KEY)

    await database.put(HALL)
    await warp(database, KEY, watts="bright")
    with pytest.raises(UnreadableRecord):
        await brighten(database, KEY)
    with pytest.raises(UnreadableRecord):
        await remove_other()
    async with delete_if_unreadable(database, KEY, write_other):
        await remove(database, KEY)
    assert await database.get(KEY) is None
    assert await database.get(OTHER.own_key()) == OTHER


async def test_todo_is_stored_with_the_change_and_finished_after_it(database: Database) -> None:
    seen: list[int | None] = []
    left = todo("lamps", {})

    async def handler(db: Database, _left: Todo) -> None:
        lamp = await db.get(KEY)
        seen.append(None if lamp is None else lamp.watts)
        assert await db.get(left.own_key()) == left

    @transaction
    async def brighten_with_todo(tx: Transaction, key: Key[Lamp]) -> Lamp:
        tx.finish_soon(left, handler)
        return await brighten(tx, key)

    await add(database, HALL)
    await brighten_with_todo(with_stored_response(database), KEY)
    assert seen == [1]
    assert await database.get(left.own_key()) is None
    assert await stored_answers(database) == ["1"]
