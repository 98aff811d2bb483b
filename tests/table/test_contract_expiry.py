"""A record whose `ttl` has passed is absent.

The tests move the clock forward from the real time, so that a server that deletes by its own clock
does not interfere, except where a test says so.
"""

from decimal import Decimal

import pytest

from homeshelf.table.engine import ConditionFailed, Engine, TransactionCancelled
from homeshelf.table.expressions import Add, Remove, Set, absent, attr, exists
from homeshelf.table.schema import SHAREABLES
from tests.table.support import (
    HOUR,
    Clock,
    Place,
    found_by,
    found_in_index,
    list_sort_keys,
    new_place,
    pages,
)


async def test_a_record_expires_in_the_second_that_its_ttl_names(
    engine: Engine, home: Place, clock: Clock
) -> None:
    item = home.item("milk", ttl=clock() + HOUR)
    await engine.write(home.put("milk", ttl=clock() + HOUR))
    clock.forward(HOUR - 1)
    assert await engine.get(home.key("milk")) == item
    clock.forward(1)
    assert await engine.get(home.key("milk")) is None


async def test_a_record_with_ttl_null_or_none_at_all_stays(
    engine: Engine, home: Place, clock: Clock
) -> None:
    await engine.write(home.put("null", ttl=None, **home.index_keys("null")))
    await engine.write(home.put("none", **home.index_keys("none")))
    clock.forward(1000 * HOUR)
    both = [home.item("none", **home.index_keys("none"))]
    both.append(home.item("null", ttl=None, **home.index_keys("null")))
    assert await engine.get_many([home.key("none"), home.key("null")]) == both
    assert (await engine.query(home.all())).items == both
    assert await engine.count(home.all()) == 2
    assert await found_in_index(engine, home.indexed(), 2) == both
    with pytest.raises(ConditionFailed):
        await engine.write(home.put("null", absent))
    await engine.write(home.update("null", Set("a", 1), when=exists))
    await engine.transact([home.check("null", attr("a") == 1), home.check("none", exists)])


@pytest.mark.parametrize("ttl", [0, -1, 1, 10**9])
async def test_very_old_ttl_is_expired(engine: Engine, home: Place, ttl: int) -> None:
    await engine.write(home.put("milk", ttl=ttl))
    assert await engine.get(home.key("milk")) is None
    await engine.write(home.put("milk", absent, ttl=ttl))


async def test_a_whole_number_of_seconds_may_be_written_as_a_decimal(
    engine: Engine, home: Place, clock: Clock
) -> None:
    await engine.write(home.put("milk", ttl=Decimal(clock() + HOUR).quantize(Decimal("0.0"))))
    assert await engine.get(home.key("milk")) == home.item("milk", ttl=clock() + HOUR)
    clock.forward(HOUR)
    assert await engine.get(home.key("milk")) is None


async def test_no_read_returns_an_expired_record(engine: Engine, home: Place, clock: Clock) -> None:
    for name, ttl in (("a", 1), ("b", 2), ("c", 1), ("d", 2)):
        await engine.write(home.put(name, ttl=clock() + ttl * HOUR, **home.index_keys(name)))
    await found_in_index(engine, home.indexed(), 4)
    clock.forward(HOUR)
    found = await engine.get_many([home.key(name) for name in "abcd"])
    assert [item is not None for item in found] == [False, True, False, True]
    assert list_sort_keys((await engine.query(home.all())).items) == ["b", "d"]
    assert list_sort_keys((await engine.query(home.indexed())).items) == ["b", "d"]
    assert list_sort_keys((await engine.query(home.all().only(attr("nothing").missing))).items) == [
        "b",
        "d",
    ]
    assert await engine.count(home.all()) == 2
    assert await engine.count(home.indexed()) == 2


async def test_a_scan_returns_no_expired_record(engine: Engine, clock: Clock) -> None:
    share = Place(SHAREABLES, str(new_place().partition))
    await engine.batch([share.put("a", ttl=clock() + HOUR), share.put("b", ttl=None)])
    clock.forward(HOUR)
    page = await engine.scan(SHAREABLES, 1000)
    assert [item["sk"] for item in page.items if item["pk"] == share.partition] == ["b"]


async def test_pages_are_full_where_expired_records_lie_between(
    engine: Engine, home: Place, clock: Clock
) -> None:
    names = [f"{number:02}" for number in range(20)]
    await engine.batch(
        [home.put(name, ttl=clock() + (HOUR if int(name) % 3 else 9 * HOUR)) for name in names]
    )
    clock.forward(HOUR)
    found = await pages(engine, home.all(), 2)
    expected = [["00", "03"], ["06", "09"], ["12", "15"], ["18"]]
    assert [list_sort_keys(page.items) for page in found] == expected


async def test_next_is_none_when_only_expired_records_follow(
    engine: Engine, home: Place, clock: Clock
) -> None:
    await engine.batch([home.put("a"), home.put("b"), home.put("c", ttl=clock() + HOUR)])
    clock.forward(HOUR)
    page = await engine.query(home.all().page(2))
    assert list_sort_keys(page.items) == ["a", "b"]
    assert page.next is None


async def test_a_put_may_take_the_place_of_an_expired_record(
    engine: Engine, home: Place, clock: Clock
) -> None:
    await engine.write(home.put("milk", ttl=clock() + HOUR, old=True))
    clock.forward(HOUR)
    assert await engine.write(home.put("milk", absent, new=True)) is None
    assert await engine.get(home.key("milk")) == home.item("milk", new=True)


async def test_a_put_over_an_expired_record_replaces_nothing(
    engine: Engine, home: Place, clock: Clock
) -> None:
    await engine.write(home.put("milk", ttl=clock() + HOUR))
    clock.forward(HOUR)
    assert await engine.write(home.put("milk")) is None


async def test_a_transaction_may_take_the_place_of_an_expired_record(
    engine: Engine, home: Place, clock: Clock
) -> None:
    await engine.batch([home.put(name, ttl=clock() + HOUR) for name in ("milk", "tea")])
    clock.forward(HOUR)
    await engine.transact([home.put("milk", absent, new=True), home.check("tea", absent)])
    assert (await engine.query(home.all())).items == [home.item("milk", new=True)]


async def test_record_with_a_future_ttl_is_not_absent(
    engine: Engine, home: Place, clock: Clock
) -> None:
    item = home.item("milk", ttl=clock() + HOUR)
    await engine.write(home.put("milk", ttl=clock() + HOUR))
    with pytest.raises(ConditionFailed) as failed:
        await engine.write(home.put("milk", absent))
    assert failed.value.current == item
    put = home.put("milk", absent)
    with pytest.raises(TransactionCancelled) as cancelled:
        await engine.transact([put])
    assert found_by(cancelled.value, put) == item


async def test_a_condition_that_fails_on_an_expired_record_shows_none(
    engine: Engine, home: Place, clock: Clock
) -> None:
    await engine.write(home.put("milk", ttl=clock() + HOUR, version=1))
    clock.forward(HOUR)
    put, delete = home.put("milk", exists), home.delete("milk", attr("version") == 1)
    with pytest.raises(ConditionFailed) as failed:
        await engine.write(put)
    assert failed.value.current is None
    with pytest.raises(ConditionFailed) as failed:
        await engine.write(delete)
    assert failed.value.current is None
    for write in (put, delete, home.check("milk", exists)):
        with pytest.raises(TransactionCancelled) as cancelled:
            await engine.transact([write])
        assert cancelled.value.by(write)
        assert found_by(cancelled.value, write) is None


async def test_an_expired_record_cannot_be_updated(
    engine: Engine, home: Place, clock: Clock
) -> None:
    await engine.write(home.put("milk", ttl=clock() + HOUR, quantity=1))
    clock.forward(HOUR)
    for when in (None, absent, attr("quantity").missing, attr("quantity") == 1):
        update = home.update("milk", Add("quantity", 1), Remove("ttl"), when=when)
        with pytest.raises(ConditionFailed) as failed:
            await engine.write(update)
        assert failed.value.current is None
        with pytest.raises(TransactionCancelled) as cancelled:
            await engine.transact([update])
        assert found_by(cancelled.value, update) is None
    assert await engine.get(home.key("milk")) is None


async def test_deleting_an_expired_record_returns_none(
    engine: Engine, home: Place, clock: Clock
) -> None:
    await engine.write(home.put("milk", ttl=clock() + HOUR))
    clock.forward(HOUR)
    assert await engine.write(home.delete("milk", absent)) is None
    await engine.write(home.put("milk", ttl=clock() + HOUR))
    clock.forward(HOUR)
    assert await engine.write(home.delete("milk")) is None


async def test_update_can_change_the_expiry_of_a_record(
    engine: Engine, home: Place, clock: Clock
) -> None:
    await engine.write(home.put("milk", ttl=clock() + HOUR))
    await engine.write(home.update("milk", Add("ttl", HOUR)))
    clock.forward(HOUR)
    assert await engine.get(home.key("milk")) == home.item("milk", ttl=clock() + HOUR)
    await engine.write(home.update("milk", Remove("ttl")))
    clock.forward(HOUR)
    assert await engine.get(home.key("milk")) == home.item("milk")
    await engine.write(home.update("milk", Set("ttl", clock())))
    assert await engine.get(home.key("milk")) is None
