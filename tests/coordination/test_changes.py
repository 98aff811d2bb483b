"""Changes are listed in the order in which they happened."""

import asyncio

import pytest

from homeshelf.coordination.changes import Change, change_write, changes_since
from homeshelf.table import HELPER, Database, Keys, Record, TransactionCancelled, absent
from tests.moment import Moment


class Light(Record):
    table = HELPER
    keys = Keys(PK="LIGHT#{room}", SK="LIGHT")

    room: str


async def test_changes_since_an_id_are_returned_oldest_first(
    database: Database, moment: Moment
) -> None:
    for number in range(5):
        await database.write(change_write("f1", "Store", f"s{number}", number))
        moment.pass_by(0.001)
    everything = await changes_since(database, "f1", None)
    assert [change.id for change in everything] == ["s0", "s1", "s2", "s3", "s4"]
    assert await changes_since(database, "f1", everything[3].change_id) == everything[3:]


@pytest.mark.usefixtures("moment")
async def test_change_names_the_record_without_its_content(database: Database) -> None:
    await database.write(change_write("f1", "Store", "s1", None))
    (change,) = await changes_since(database, "f1", None)
    assert sorted(change.item()) == sorted(
        ["PK", "SK", "scope", "changeId", "type", "id", "version", "ttl"]
    )
    assert (change.type, change.id, change.version) == ("Store", "s1", None)


async def test_changes_of_another_family_are_not_returned(database: Database) -> None:
    await database.write(change_write("f10", "Store", "s1", 1))
    assert await changes_since(database, "f1", None) == []


async def test_change_is_stored_if_and_only_if_its_transaction_commits(database: Database) -> None:
    light = Light(room="hall").put(absent)
    await database.transact(light, change_write("f1", "Light", "hall", 1))
    with pytest.raises(TransactionCancelled):
        await database.transact(light, change_write("f1", "Light", "hall", 2))
    assert [change.version for change in await changes_since(database, "f1", None)] == [1]


async def test_concurrent_changes_of_one_family_do_not_conflict(
    database: Database, moment: Moment
) -> None:
    await asyncio.gather(
        *(
            database.transact(
                Light(room=f"{number}").put(absent), change_write("f1", "Light", f"{number}", 1)
            )
            for number in range(30)
        )
    )
    assert len(await changes_since(database, "f1", None)) == 30
    assert moment.at.microsecond == 0, "all of them in one millisecond"


async def test_change_expires_after_an_hour(database: Database, moment: Moment) -> None:
    await database.write(change_write("f1", "Store", "s1", 1))
    moment.pass_by(3599)
    assert len(await changes_since(database, "f1", None)) == 1
    moment.pass_by(1)
    assert await changes_since(database, "f1", None) == []


async def test_changes_since_an_expired_change_are_returned(
    database: Database, moment: Moment
) -> None:
    await database.write(change_write("f1", "Store", "old", 1))
    (old,) = await changes_since(database, "f1", None)
    moment.pass_by(3600)
    await database.write(change_write("f1", "Store", "new", 1))
    newer: list[Change] = await changes_since(database, "f1", old.change_id)
    assert [change.id for change in newer] == ["new"]


async def test_expiry_of_a_change_counts_from_its_write(database: Database, moment: Moment) -> None:
    waits = [change_write("f1", "Store", each, 1) for each in ("s1", "s2", "s3")]
    moment.pass_by(600)
    await database.write(waits[0])
    await database.transact(waits[1])
    await database.batch(waits[2:])
    found = await changes_since(database, "f1", None)
    assert {change.ttl for change in found} == {int(moment.at.timestamp()) + 3600}
    assert len(found) == 3
