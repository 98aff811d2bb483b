"""Transactions of several writers at once, and attempts that fail."""

import asyncio

import pytest

from homeshelf.coordination.transaction import Transaction, missing, transaction
from homeshelf.errors import NotFound
from homeshelf.table import Database, Key, attr
from tests.coordination.lamps import (
    HALL,
    KEY,
    OTHER,
    Lamp,
    Shade,
    add,
    announcements,
    brighten,
    remove,
)
from tests.databases import Opener


async def test_changed_checked_record_causes_a_retry(database: Database) -> None:
    tries = 0

    @transaction
    async def brighten_beside_lit(tx: Transaction, key: Key[Lamp]) -> Lamp:
        nonlocal tries
        tries += 1
        if tries == 2:
            await database.put(OTHER.changed(watts=5))
        tx.write(OTHER.check(attr("watts") > 0).with_refusal(missing()))
        return await brighten(tx, key)

    await add(database, HALL)
    await add(database, OTHER)
    assert (await brighten_beside_lit(database, KEY)).watts == 1
    assert tries == 2


async def test_writes_of_a_failed_attempt_are_dropped(database: Database) -> None:
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


async def test_no_concurrent_change_is_lost(open_another: Opener) -> None:
    databases = [open_another() for _ in range(3)]
    await add(databases[0], HALL)
    await asyncio.gather(*(brighten(database, KEY) for database in databases * 5))
    lamp = await databases[0].get(KEY)
    assert lamp is not None
    assert (lamp.watts, lamp.version) == (15, 16)
    versions = {version for _, _, version in await announcements(databases[0])}
    assert versions == set(range(1, 17))


async def test_second_concurrent_removal_raises_not_found(open_another: Opener) -> None:
    databases = [open_another() for _ in range(2)]
    await add(databases[0], HALL)
    removals = (remove(database, KEY) for database in databases)
    results = await asyncio.gather(*removals, return_exceptions=True)
    assert sorted(type(each).__name__ for each in results) == ["Lamp", "NotFound"]


async def test_partial_update_keeps_concurrent_changes_of_other_fields(database: Database) -> None:
    shade = Shade(**HALL.model_dump())

    @transaction
    async def edit_during_change(tx: Transaction, key: Key[Shade]) -> None:
        old = await tx.get(key)
        await database.put(old.changed(colour="red"))
        tx.replace(old, old.new_version(watts=3))

    await add(database, shade)
    await edit_during_change(database, shade.own_key())
    now = await database.get(shade.own_key())
    assert now is not None
    assert (now.watts, now.colour) == (3, "red")
    assert await announcements(database) == []


async def test_after_commit_actions_run_once_and_only_for_the_committed_attempt(
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
