"""What every transaction does, whatever the function decides."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar, Literal

import pytest

from homeshelf.coordination.changes import changes_since
from homeshelf.coordination.idempotency import ReplayedResponse, StoredResponse, stored_response
from homeshelf.coordination.todos import Todo, finish_soon, todo
from homeshelf.coordination.transaction import (
    Transaction,
    delete_if_unreadable,
    missing,
    require_version,
    transaction,
)
from homeshelf.errors import NotFound, UnreadableRecord, VersionConflict, WrongState
from homeshelf.table import HELPER, Check, Database, Item, Key, Keys, Versioned, Write, attr, exists
from tests.counting import counting
from tests.databases import Opener
from tests.table.spoiling import warp

LONG_AGO = "2020-01-01T00:00:00.000Z"


class Lamp(Versioned):
    table = HELPER
    keys = Keys(PK="HOUSE#{house}", SK="LAMP#{lampId}")
    heard: ClassVar[tuple[str, str] | None] = ("house", "lamp_id")

    house: str
    lamp_id: str
    watts: int = 0
    colour: str = "white"
    entity_type: Literal["Lamp"] = "Lamp"


class Shade(Lamp):
    """It announces nothing, and others change other fields of it."""

    keys = Keys(PK="HOUSE#{house}", SK="SHADE#{lampId}")
    in_parts = True
    heard = None


HALL = Lamp(house="h1", lamp_id="hall", created_at=LONG_AGO, updated_at=LONG_AGO)
KEY = HALL.own_key()
OTHER = HALL.changed(lamp_id="other")


@transaction
async def add(tx: Transaction, new: Lamp) -> Lamp:
    tx.add(new)
    return new


@transaction
async def brighten(tx: Transaction, key: Key[Lamp], version: int | None = None) -> Lamp:
    lamp = await tx.get(key, version)
    brighter = lamp.edited(watts=lamp.watts + 1)
    tx.replace(lamp, brighter)
    return brighter


@transaction
async def brighten_with_other(tx: Transaction, key: Key[Lamp]) -> Lamp:
    tx.write(Check(OTHER.own_key(), exists).refusing(missing("There is no other.")))
    return await brighten(tx, key)


@transaction
async def leave_unchanged(tx: Transaction, key: Key[Lamp]) -> Lamp:
    lamp = await tx.get(key)
    tx.replace(lamp, lamp.edited(watts=lamp.watts))
    return lamp


@transaction
async def remove(tx: Transaction, key: Key[Lamp]) -> Lamp:
    lamp = await tx.get(key)
    tx.remove(lamp)
    return lamp


def with_answer(db: Database) -> Database:
    """Return the database for a request whose answer is stored."""

    def stored(lamp: Lamp) -> Sequence[Write]:
        return [stored_response("m1", "PATCH", "/lamps", "k", b"", 200, str(lamp.watts)).put_once()]

    return db.with_extra_writes(stored)


async def stored_answers(db: Database) -> list[str]:
    return [stored.body for stored in await db.all(StoredResponse.where(caller="m1"))]


async def announcements(db: Database) -> list[tuple[str, str, int | None]]:
    return [(it.type, it.id, it.version) for it in await changes_since(db, "h1", None)]


async def test_absent_record_is_not_found_and_nothing_is_announced(database: Database) -> None:
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
    async def brighten_lit(tx: Transaction, key: Key[Lamp], version: int) -> None:
        lamp = await tx.get(key)
        if not lamp.watts:
            raise WrongState(lamp)
        require_version(lamp, version)

    await add(database, HALL)
    with pytest.raises(WrongState):
        await brighten_lit(database, KEY, 7)


async def test_unchanged_record_is_not_written(database: Database) -> None:
    await add(database, HALL)
    with counting(database) as spent:
        assert await leave_unchanged(database, KEY) == HALL
    assert spent["transact"] == 0
    assert await announcements(database) == [("Lamp", "hall", 1)]


async def test_answer_is_stored_also_where_nothing_changes(database: Database) -> None:
    await add(database, HALL)
    await leave_unchanged(with_answer(database), KEY)
    with pytest.raises(ReplayedResponse):
        await brighten(with_answer(database), KEY)
    assert await database.get(KEY) == HALL


async def test_answer_is_stored_with_the_change_of_its_own_request(database: Database) -> None:
    await add(database, HALL)
    await brighten(with_answer(database), KEY, 1)
    with pytest.raises(ReplayedResponse) as repeated:
        await brighten(with_answer(database), KEY)
    assert repeated.value.stored.body == "1"
    await brighten(database, KEY)
    assert await stored_answers(database) == ["1"]


async def test_only_the_first_of_several_transactions_stores_the_answer(
    database: Database,
) -> None:
    await add(database, HALL)
    unit = with_answer(database)
    for _ in range(3):
        await brighten(unit, KEY)
    lamp = await database.get(KEY)
    assert lamp is not None
    assert lamp.watts == 3
    assert await stored_answers(database) == ["1"]


async def test_refused_transaction_leaves_the_answer_to_the_next(database: Database) -> None:
    unit = with_answer(database)
    with pytest.raises(NotFound):
        await brighten(unit, KEY)
    await add(database, HALL)
    await brighten(unit, KEY)
    assert await stored_answers(database) == ["1"]


async def test_refused_write_raises_its_meaning_and_nothing_is_written(database: Database) -> None:
    await add(database, HALL)
    with pytest.raises(NotFound, match=r"There is no other\."):
        await brighten_with_other(with_answer(database), KEY)
    assert await database.get(KEY) == HALL
    assert await stored_answers(database) == []
    await add(database, OTHER)
    assert (await brighten_with_other(database, KEY)).watts == 1


async def test_repeated_request_is_answered_before_a_refusal(database: Database) -> None:
    await add(database, HALL)
    await add(database, OTHER)
    await brighten_with_other(with_answer(database), KEY)
    await database.write(OTHER.delete())
    with pytest.raises(ReplayedResponse):
        await brighten_with_other(with_answer(database), KEY)


async def test_checked_record_in_another_state_is_a_race(database: Database) -> None:
    tries = 0

    @transaction
    async def brighten_beside_lit(tx: Transaction, key: Key[Lamp]) -> Lamp:
        nonlocal tries
        tries += 1
        if tries == 2:
            await database.put(OTHER.changed(watts=5))
        tx.write(OTHER.check(attr("watts") > 0).refusing(missing()))
        return await brighten(tx, key)

    await add(database, HALL)
    await add(database, OTHER)
    assert (await brighten_beside_lit(database, KEY)).watts == 1
    assert tries == 2


async def test_writes_of_a_failed_try_are_dropped(database: Database) -> None:
    tries = 0

    @transaction
    async def move_light(tx: Transaction, key: Key[Lamp]) -> None:
        nonlocal tries
        tries += 1
        await brighten(tx, key)
        tx.add(OTHER.changed(lamp_id=f"try{tries}"))
        if tries == 1:
            await brighten(database, OTHER.own_key())
            tx.write(OTHER.check(attr("watts") == 0))

    await add(database, HALL)
    await add(database, OTHER)
    await move_light(database, KEY)
    assert await database.get(Lamp.key(house="h1", lamp_id="try1")) is None
    assert await database.get(Lamp.key(house="h1", lamp_id="try2")) is not None


async def test_no_change_is_lost_where_many_come_at_once(open_another: Opener) -> None:
    databases = [open_another() for _ in range(3)]
    await add(databases[0], HALL)
    await asyncio.gather(*(brighten(database, KEY) for database in databases * 5))
    lamp = await databases[0].get(KEY)
    assert lamp is not None
    assert (lamp.watts, lamp.version) == (15, 16)
    versions = {version for _, _, version in await announcements(databases[0])}
    assert versions == set(range(1, 17))


async def test_second_of_two_removals_at_once_is_not_found(open_another: Opener) -> None:
    databases = [open_another() for _ in range(2)]
    await add(databases[0], HALL)
    removals = (remove(database, KEY) for database in databases)
    results = await asyncio.gather(*removals, return_exceptions=True)
    assert sorted(type(each).__name__ for each in results) == ["Lamp", "NotFound"]


async def test_partial_update_keeps_fields_that_others_change(database: Database) -> None:
    shade = Shade(**HALL.model_dump())

    @transaction
    async def edit_during_change(tx: Transaction, key: Key[Shade]) -> None:
        old = await tx.get(key)
        await database.put(old.changed(colour="red"))
        tx.replace(old, old.edited(watts=3))

    await add(database, shade)
    await edit_during_change(database, shade.own_key())
    now = await database.get(shade.own_key())
    assert now is not None
    assert (now.watts, now.colour) == (3, "red")
    assert await announcements(database) == []


async def test_transaction_inside_another_is_part_of_it(database: Database) -> None:
    @transaction
    async def brighten_both(tx: Transaction, key: Key[Lamp]) -> Lamp:
        await brighten(tx, OTHER.own_key())
        return await brighten(tx, key)

    await add(database, HALL)
    await add(database, OTHER)
    with counting(database) as spent:
        await brighten_both(with_answer(database), KEY)
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
    async def brighten_white(tx: Transaction, key: Key[Lamp]) -> None:
        is_white = Check(key, attr("colour") == "white").refusing(refuse)
        if check_first:
            tx.write(is_white)
        await brighten(tx, key)
        tx.write(Check(key, exists), *([] if check_first else [is_white]))

    await add(database, HALL)
    await brighten_white(database, KEY)
    lamp = await database.get(KEY)
    assert lamp is not None
    assert lamp.watts == 1
    await database.put(lamp.changed(colour="red"))
    with pytest.raises(WrongState):
        await brighten_white(database, KEY)


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
    async def leftovers(tx: Transaction) -> None:
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
    async with delete_if_unreadable(database, KEY, leftovers):
        await remove(database, KEY)
    assert await database.get(KEY) is None
    assert await database.get(OTHER.own_key()) == OTHER


async def test_finishing_a_todo_stores_no_answer(database: Database) -> None:
    """With the answer once more, the handler would stop as if it had run already."""

    async def handler(db: Database, _left: Todo) -> None:
        await brighten(db, KEY)

    await add(database, HALL)
    left, unit = todo("lamps", {}), with_answer(database)
    await database.put(left)
    await brighten(unit, KEY)
    await finish_soon(unit, left, handler)
    lamp = await database.get(KEY)
    assert lamp is not None
    assert lamp.watts == 2
    assert await database.get(left.own_key()) is None


async def test_actions_after_the_commit_come_once_and_not_from_a_failed_try(
    database: Database,
) -> None:
    done: list[str] = []
    tries = 0

    @transaction
    async def brighten_and_log(tx: Transaction, key: Key[Lamp]) -> None:
        nonlocal tries
        tries += 1
        await brighten(tx, key)
        tx.after_commit(lambda: done.append(f"try {tries}"))
        if tries == 1:
            tx.write(OTHER.check(attr("watts") == 1))
            await brighten(database, OTHER.own_key())
            await brighten(database, OTHER.own_key())
        assert done == []

    await add(database, HALL)
    await add(database, OTHER)
    await brighten_and_log(database, KEY)
    assert done == ["try 2"]
    await database.write(HALL.delete())
    with pytest.raises(NotFound):
        await brighten_and_log(database, KEY)
    assert done == ["try 2"]


async def test_todo_is_stored_with_the_change_and_finished_after_it(database: Database) -> None:
    seen: list[int | None] = []
    left = todo("lamps", {})

    async def handler(db: Database, _left: Todo) -> None:
        lamp = await db.get(KEY)
        seen.append(None if lamp is None else lamp.watts)
        assert await db.get(left.own_key()) == left

    @transaction
    async def brighten_and_go_on(tx: Transaction, key: Key[Lamp]) -> Lamp:
        tx.finish_soon(left, handler)
        return await brighten(tx, key)

    await add(database, HALL)
    await brighten_and_go_on(with_answer(database), KEY)
    assert seen == [1]
    assert await database.get(left.own_key()) is None
    assert await stored_answers(database) == ["1"]
