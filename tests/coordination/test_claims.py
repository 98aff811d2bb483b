"""Claims keep values unique and sets known, even with concurrent transactions."""

import asyncio

import pytest

from homeshelf.coordination.claims import Claim, Members
from homeshelf.table import HELPER, ConditionFailed, Database, Keys, Record, TransactionCancelled
from homeshelf.table.operations import Delete, Put
from tests.databases import Opener
from tests.table.support import found_by


class Name(Claim):
    keys = Keys(PK="NAME#{name}", SK="NAME")

    name: str


class Shop(Record):
    table = HELPER
    keys = Keys(PK="SHOP#{shopId}", SK="SHOP")

    shop_id: str


class Waiting(Members):
    """The entries that wait for an item."""

    keys = Keys(PK="WAITING#{itemId}", SK="WAITING")

    item_id: str


@pytest.mark.parametrize("name", ["Market", "Bakery", "Butcher"])
async def test_concurrent_claims_have_one_holder_and_show_it_to_the_others(
    open_another: Opener, name: str
) -> None:
    takes = {f"shop {number}": Name(name=name, holder=f"shop {number}").take() for number in "1234"}
    databases = [open_another() for _ in takes]
    results = await asyncio.gather(
        *(
            database.transact(take, Shop(shop_id=holder).put())
            for database, (holder, take) in zip(databases, takes.items(), strict=True)
        ),
        return_exceptions=True,
    )
    outcome = dict(zip(takes, results, strict=True))
    (winner,) = [holder for holder, error in outcome.items() if error is None]
    for holder, error in outcome.items():
        there = await databases[0].get(Shop.key(shop_id=holder))
        assert (there is not None) == (holder == winner)
        if holder != winner:
            assert isinstance(error, TransactionCancelled)
            assert error.by(takes[holder])
            assert (found_by(error, takes[holder]) or {})["holder"] == winner


async def test_claim_is_released_only_by_its_holder(database: Database) -> None:
    mine, yours = Name(name="Market", holder="me"), Name(name="Market", holder="you")
    await database.write(mine.take())
    with pytest.raises(ConditionFailed) as refused:
        await database.write(yours.release())
    assert (refused.value.current or {})["holder"] == "me"
    await database.write(mine.release())
    await database.write(yours.take())
    assert await database.get(mine.own_key()) == yours


async def test_release_of_an_unheld_claim_fails(database: Database) -> None:
    with pytest.raises(ConditionFailed) as refused:
        await database.write(Name(name="Market", holder="me").release())
    assert refused.value.current is None


async def test_exchange_of_a_claim_is_atomic(database: Database) -> None:
    await database.write(Name(name="Market", holder="me").take())
    await database.write(Name(name="Bakery", holder="you").take())
    release = Name(name="Market", holder="me").release()
    with pytest.raises(TransactionCancelled):
        await database.transact(release, Name(name="Bakery", holder="me").take())
    assert await database.get(Name.key(name="Market")) is not None
    await database.transact(release, Name(name="Baker", holder="me").take())
    assert await database.get(Name.key(name="Market")) is None


async def test_removing_the_last_member_deletes_the_record(database: Database) -> None:
    for member in ("a", "b", "c", "b"):
        await add(database, member)
    assert await members(database) == ("a", "c", "b")
    await remove(database, "a", "b")
    assert await members(database) == ("c",)
    await remove(database, "c")
    assert await database.get(Waiting.key(item_id="milk")) is None
    await remove(database, "c")
    assert await database.get(Waiting.key(item_id="milk")) is None


async def test_members_added_concurrently_are_all_stored(open_another: Opener) -> None:
    databases = [open_another() for _ in range(3)]
    names = [f"{number:02}" for number in range(45)]
    await asyncio.gather(*(add(databases[int(name) % 3], name) for name in names))
    assert sorted(await members(databases[0])) == names


async def test_concurrent_adds_and_removals_keep_the_remaining_members(
    open_another: Opener,
) -> None:
    databases = [open_another() for _ in range(3)]

    async def join_and_maybe_leave(number: int) -> None:
        await add(databases[number % 3], str(number))
        if number % 5:
            await remove(databases[(number + 1) % 3], str(number))

    await asyncio.gather(*map(join_and_maybe_leave, range(30)))
    assert sorted(map(int, await members(databases[0]))) == [0, 5, 10, 15, 20, 25]


async def test_stale_set_is_refused_after_it_was_emptied_and_refilled(
    database: Database,
) -> None:
    await add(database, "a")
    before = await get_waiting_entries(database)
    await remove(database, "a")
    await add(database, "b")
    for write in (before.adding("c"), before.removing("a")):
        with pytest.raises(ConditionFailed):
            await database.write(write)
    assert await members(database) == ("b",)


async def test_new_set_is_refused_if_one_exists(database: Database) -> None:
    before = await get_waiting_entries(database)
    await add(database, "a")
    for write in (before.adding("b"), before.removing("b")):
        with pytest.raises(ConditionFailed):
            await database.write(write)
    assert await members(database) == ("a",)


async def get_waiting_entries(database: Database) -> Waiting:
    return await database.get(Waiting.key(item_id="milk")) or Waiting(item_id="milk")


async def members(database: Database) -> tuple[str, ...]:
    return (await get_waiting_entries(database)).members


async def add(database: Database, member: str) -> None:
    async def change_once() -> None:
        put: Put = (await get_waiting_entries(database)).adding(member)
        await database.write(put)

    await database.retry_with_lock(Waiting.key(item_id="milk"), change_once)


async def remove(database: Database, *gone: str) -> None:
    async def change_once() -> None:
        write: Put | Delete = (await get_waiting_entries(database)).removing(*gone)
        await database.write(write)

    await database.retry_with_lock(Waiting.key(item_id="milk"), change_once)
