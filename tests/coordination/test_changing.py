"""What every change of a record has in common, however it comes about."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar, Literal

import pytest

from homeshelf.coordination.changes import changes_since
from homeshelf.coordination.changing import Outcome, add, change, existing, missing, remove
from homeshelf.coordination.idempotency import AlreadyAnswered, Answer, answer
from homeshelf.coordination.todos import Todo, finish_soon, todo
from homeshelf.errors import NotFound, VersionConflict, WrongState
from homeshelf.table import HELPER, Check, Database, Key, Keys, Versioned, Write, attr, exists
from tests.counting import counting
from tests.databases import Opener

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
    """Nobody listens, and others change other things of it."""

    keys = Keys(PK="HOUSE#{house}", SK="SHADE#{lampId}")
    in_parts = True
    heard = None


HALL = Lamp(house="h1", lamp_id="hall", created_at=LONG_AGO, updated_at=LONG_AGO)
KEY = HALL.own_key()


def kept_as(lamp: Lamp) -> Sequence[Write]:
    return [answer("m1", "PATCH", "/lamps", "k", b"", 200, str(lamp.watts)).first()]


async def brighter(old: Lamp) -> Outcome[Lamp]:
    return old.edited(watts=old.watts + 1), ()


async def as_it_is(old: Lamp) -> Outcome[Lamp]:
    return old.edited(watts=old.watts), [missing_lamp()]


def missing_lamp() -> Check:
    return Check(Lamp.key(house="h1", lamp_id="none"), exists)


async def news(database: Database) -> list[tuple[str, str, int | None]]:
    return [(it.type, it.id, it.version) for it in await changes_since(database, "h1", None)]


async def test_what_is_not_there_is_neither_changed_nor_removed(database: Database) -> None:
    with pytest.raises(NotFound):
        await change(database, KEY, brighter)
    with pytest.raises(NotFound):
        await remove(database, KEY)
    assert await news(database) == []


async def test_a_change_is_written_and_told(database: Database) -> None:
    await add(database, HALL)
    new = await change(database, KEY, brighter, version=1)
    assert new == await database.get(KEY)
    assert (new.watts, new.version, new.updated_at > LONG_AGO) == (1, 2, True)
    assert await news(database) == [("Lamp", "hall", 1), ("Lamp", "hall", 2)]


async def test_who_saw_an_older_version_is_shown_the_record(database: Database) -> None:
    await add(database, HALL)
    new = await change(database, KEY, brighter)
    with pytest.raises(VersionConflict) as conflict:
        await change(database, KEY, brighter, 1)
    assert conflict.value.record == new
    assert await database.get(KEY) == new


async def test_what_is_in_no_state_for_it_counts_for_more_than_a_stale_version(
    database: Database,
) -> None:
    async def lit(db: Database, key: Key[Lamp]) -> Lamp:
        raise WrongState(await existing(db, key))

    await add(database, HALL)
    with pytest.raises(WrongState):
        await change(database, KEY, brighter, 7, find=lit)


async def test_where_nothing_changes_only_the_answer_is_kept(database: Database) -> None:
    await add(database, HALL)
    with counting(database) as spent:
        assert await change(database, KEY, as_it_is, 1) == HALL
    assert spent["transact"] == 0
    await change(database.also(kept_as), KEY, as_it_is, 1)
    assert await database.get(KEY) == HALL
    assert await news(database) == [("Lamp", "hall", 1)]
    with pytest.raises(AlreadyAnswered):
        await change(database.also(kept_as), KEY, brighter, 1)
    assert await database.get(KEY) == HALL


async def test_the_answer_is_kept_with_what_it_answers(database: Database) -> None:
    await add(database, HALL)
    await change(database.also(kept_as), KEY, brighter, 1)
    with pytest.raises(AlreadyAnswered) as before:
        await change(database.also(kept_as), KEY, brighter)
    assert before.value.kept.body == "1"
    assert [kept.body for kept in await database.all(Answer.where(caller="m1"))] == ["1"]
    await change(database, KEY, brighter)
    assert len(await database.all(Answer.where(caller="m1"))) == 1, "of its own piece of work alone"


async def test_what_goes_with_it_is_written_with_it_or_neither_is(database: Database) -> None:
    async def only_beside(old: Lamp) -> Outcome[Lamp]:
        return old.edited(watts=5), [missing_lamp().refusing(missing("There is no other."))]

    await add(database, HALL)
    with pytest.raises(NotFound, match=r"There is no other\."):
        await change(database.also(kept_as), KEY, only_beside, 1)
    assert await database.get(KEY) == HALL
    assert await database.all(Answer.where(caller="m1")) == []
    await add(database, HALL.changed(lamp_id="none"))
    assert (await change(database, KEY, only_beside, 1)).watts == 5


async def test_what_was_answered_counts_for_more_than_what_stands_in_the_way(
    database: Database,
) -> None:
    async def beside_another(old: Lamp) -> Outcome[Lamp]:
        return old.edited(watts=old.watts + 1), [missing_lamp().refusing(missing())]

    other = HALL.changed(lamp_id="none")
    await add(database, HALL)
    await add(database, other)
    await change(database.also(kept_as), KEY, beside_another)
    await database.write(other.delete())
    with pytest.raises(AlreadyAnswered):
        await change(database.also(kept_as), KEY, beside_another)


async def test_what_is_there_in_another_state_is_waited_for(database: Database) -> None:
    other, tries = HALL.changed(lamp_id="other"), 0

    async def beside_a_lit_one(old: Lamp) -> Outcome[Lamp]:
        nonlocal tries
        tries += 1
        if tries == 2:
            await database.put(other.changed(watts=5))
        return old.edited(watts=9), [other.check(attr("watts") > 0).refusing(missing())]

    await add(database, HALL)
    await add(database, other)
    assert (await change(database, KEY, beside_a_lit_one)).watts == 9
    assert tries == 2


async def test_of_many_at_once_none_is_lost(open_another: Opener) -> None:
    databases = [open_another() for _ in range(3)]
    await add(databases[0], HALL)
    await asyncio.gather(*(change(database, KEY, brighter) for database in databases * 5))
    lamp = await databases[0].get(KEY)
    assert lamp is not None
    assert (lamp.watts, lamp.version) == (15, 16)
    told = {version for _, _, version in await news(databases[0])}
    assert told == set(range(1, 17))


async def test_what_is_removed_is_told_without_a_version(database: Database) -> None:
    await add(database, HALL)
    assert await remove(database, KEY) == HALL
    assert await database.get(KEY) is None
    assert await news(database) == [("Lamp", "hall", 1), ("Lamp", "hall", None)]


async def test_of_two_who_remove_it_one_finds_nothing(open_another: Opener) -> None:
    databases = [open_another() for _ in range(2)]
    await add(databases[0], HALL)
    removals = (remove(database, KEY) for database in databases)
    results = await asyncio.gather(*removals, return_exceptions=True)
    assert sorted(type(each).__name__ for each in results) == ["Lamp", "NotFound"]


async def test_a_record_in_parts_leaves_others_what_they_change(database: Database) -> None:
    shade = Shade(**HALL.model_dump())
    await add(database, shade)

    async def renamed(old: Shade) -> Outcome[Shade]:
        await database.put(old.changed(colour="red"))
        return old.edited(watts=3), ()

    await change(database, shade.own_key(), renamed)
    now = await database.get(shade.own_key())
    assert now is not None
    assert (now.watts, now.colour) == (3, "red")
    assert await news(database) == []


async def test_what_is_left_to_finish_is_work_of_its_own(database: Database) -> None:
    """Were its answer kept once more, the work would stop there as if it were done already."""

    async def brighten(db: Database, _left: Todo) -> None:
        await change(db, KEY, brighter)

    await add(database, HALL)
    left, unit = todo("lamps", {}), database.also(kept_as)
    await database.put(left)
    await change(unit, KEY, brighter)
    await finish_soon(unit, left, brighten)
    lamp = await database.get(KEY)
    assert lamp is not None
    assert lamp.watts == 2
    assert await database.get(left.own_key()) is None


async def test_several_things_ride_with_one_piece_of_work(database: Database) -> None:
    def another(_lamp: Lamp) -> Sequence[Write]:
        return [HALL.changed(lamp_id="other").put()]

    await add(database, HALL)
    await change(database.also(kept_as).also(another), KEY, brighter)
    assert await database.get(Lamp.key(house="h1", lamp_id="other")) is not None
    assert [kept.body for kept in await database.all(Answer.where(caller="m1"))] == ["1"]
