"""Queued adjustments of one item share few transactions."""

import asyncio
from collections.abc import Sequence

import pytest

from homeshelf import clock
from homeshelf.coordination.idempotency import ReplayedResponse, stored_response
from homeshelf.errors import NotFound
from homeshelf.inventory.adjustments import MAX_ADJUSTMENTS, AdjustmentResult
from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.store import add, adjust, history_of
from homeshelf.notices.store import unresolved_notices
from homeshelf.table import Check, Database, Key, Unavailable, Write
from homeshelf.table import database as settling
from homeshelf.table.database import ExtraWrites
from homeshelf.taps.model import NFCUrl
from homeshelf.taps.store import IS_ACTIVE
from tests.costs import count_operations
from tests.database_hooks import with_hook
from tests.databases import Opener
from tests.records import make_record


@pytest.fixture
async def crate(database: Database) -> InventoryItem:
    at = clock.timestamp()
    new = InventoryItem(
        item_id="i1",
        family_id="f1",
        name="Crate",
        quantity=500,
        created_by="m1",
        created_at=at,
        updated_at=at,
    )
    return await add(database, new)


def storing_response(key: str, content: bytes = b"") -> ExtraWrites:
    def extra_writes(result: AdjustmentResult) -> Sequence[Write]:
        body = f"{result.item.quantity} {result.item.version}"
        return (stored_response("me", "POST", "/x", key, content, 200, body).put_once(),)

    return extra_writes


async def take_one(database: Database, crate: InventoryItem, key: str) -> AdjustmentResult:
    """Take one out of the crate by a request with this idempotency key."""
    unit = database.with_extra_writes(storing_response(key))
    return await adjust(unit, crate.own_key(), -1, "tap", None)


async def put_tag(database: Database, number: int) -> Check:
    tag = make_record(NFCUrl, family_id="f1", item_id="i1", url_id=f"{number:022}")
    await database.put(tag)
    return tag.check(IS_ACTIVE)


async def adjust_at_once(
    database: Database, key: Key[InventoryItem], count: int, delta: int = -1
) -> list[AdjustmentResult]:
    return await asyncio.gather(
        *(adjust(database, key, delta, "adjust", "m1") for _ in range(count))
    )


async def expect_ordered_history(database: Database, crate: InventoryItem, changes: int) -> None:
    """Check that the history has each change, in order, at different times."""
    history = list(await database.all(history_of("f1", "i1").up_to_date()))
    history.reverse()
    assert len(history) == changes + 1
    assert len({each.at for each in history}) == changes + 1
    total = 0
    for each in history:
        total += each.delta
        assert each.quantity == total
    now = await database.get(crate.own_key())
    assert now is not None
    assert (now.quantity, now.version, now.updated_at) == (total, changes + 1, history[-1].at)


async def test_queued_adjustments_share_few_transactions(
    database: Database, crate: InventoryItem
) -> None:
    with count_operations(database) as spent:
        results = await adjust_at_once(database, crate.own_key(), 100)
    assert MAX_ADJUSTMENTS == 40
    assert spent["transact"] == 4, "the first alone, twice forty, and the rest"
    assert [result.item.quantity for result in results] == list(range(499, 399, -1))
    assert [result.item.version for result in results] == list(range(2, 102))
    await expect_ordered_history(database, crate, 100)


async def test_single_adjustment_is_one_transaction(
    database: Database, crate: InventoryItem
) -> None:
    with count_operations(database) as spent:
        (result,) = await adjust_at_once(database, crate.own_key(), 1)
    assert dict(spent) == {"get": 1, "transact": 1}
    assert (result.applied, result.item.version) == (-1, 2)


async def test_batch_is_limited_by_responses_and_checks(
    database: Database, crate: InventoryItem
) -> None:
    """Forty adjustments of three writes each exceed a transaction."""
    checks = [await put_tag(database, number) for number in range(90)]
    with count_operations(database) as spent:
        results = await asyncio.gather(
            *(
                adjust(
                    database.with_extra_writes(storing_response(f"k{number}")),
                    crate.own_key(),
                    -1,
                    "tap",
                    None,
                    checks=[check],
                )
                for number, check in enumerate(checks)
            )
        )
    assert spent["transact"] == 4, "the first alone, twice 31, and the rest"
    assert [result.item.version for result in results] == list(range(2, 92))
    await expect_ordered_history(database, crate, 90)


async def test_joined_adjustments_never_drop_below_zero(
    database: Database, crate: InventoryItem
) -> None:
    results = await adjust_at_once(database, crate.own_key(), 60, -20)
    assert [result.applied for result in results] == [-20] * 25 + [0] * 35
    await expect_ordered_history(database, crate, 25)


async def test_notice_depends_on_first_and_last_quantity(
    database: Database, crate: InventoryItem
) -> None:
    low = crate.changed(threshold=498, version=2)
    await database.put(low)
    await asyncio.gather(
        adjust(database, crate.own_key(), -1, "adjust", None),
        *(adjust(database, crate.own_key(), delta, "adjust", None) for delta in (-5, 5, -5, 5)),
    )
    assert await database.all(unresolved_notices("f1")) == []
    await adjust_at_once(database, crate.own_key(), 5)
    assert [notice.current_quantity for notice in await database.all(unresolved_notices("f1"))] == [
        494
    ]


async def test_equal_idempotency_keys_share_one_response(
    database: Database, crate: InventoryItem
) -> None:
    with count_operations(database) as spent:
        results = await asyncio.gather(
            *(
                adjust(
                    database.with_extra_writes(storing_response(f"k{number % 3}")),
                    crate.own_key(),
                    -1,
                    "tap",
                    None,
                )
                for number in range(30)
            ),
            return_exceptions=True,
        )
    assert spent["transact"] <= 3
    done = [each for each in results if isinstance(each, AdjustmentResult)]
    again = [each.stored.body for each in results if isinstance(each, ReplayedResponse)]
    assert (len(done), len(again)) == (3, 27)
    assert set(again) == {f"{each.item.quantity} {each.item.version}" for each in done}
    await expect_ordered_history(database, crate, 3)


async def test_stored_response_removes_only_its_own_adjustment(
    database: Database, crate: InventoryItem
) -> None:
    await take_one(database, crate, "old")
    results = await asyncio.gather(
        *(take_one(database, crate, "old") for _ in "12"),
        *(take_one(database, crate, key) for key in "abc"),
        return_exceptions=True,
    )
    assert [type(each) for each in results] == [ReplayedResponse] * 2 + [AdjustmentResult] * 3
    await expect_ordered_history(database, crate, 4)


async def test_each_repeated_adjustment_returns_its_own_response(
    database: Database, crate: InventoryItem
) -> None:
    """One key was answered before, the other is answered now."""
    await take_one(database, crate, "old")
    results = await asyncio.gather(
        *(take_one(database, crate, key) for key in ("first", "old", "old", "new", "new")),
        return_exceptions=True,
    )
    answers = [each.stored.body for each in results if isinstance(each, ReplayedResponse)]
    assert answers == ["499 2", "499 2", "497 4"]
    assert [type(each) for each in results] == [
        AdjustmentResult, ReplayedResponse, ReplayedResponse, AdjustmentResult, ReplayedResponse
    ]  # fmt: skip
    await expect_ordered_history(database, crate, 3)


async def test_adjustment_gives_up_after_repeated_conflicts(
    database: Database, crate: InventoryItem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homeshelf.table.database.CONFLICT_SECONDS", 0.3)

    async def conflict_before_commit(moment: str, operation: str) -> None:
        if (moment, operation) == ("before", "transact"):
            await database.change(crate.own_key(), lambda old: old.revised(old.updated_at))

    async with asyncio.timeout(10):
        with pytest.raises(Unavailable):
            await adjust(
                with_hook(database, conflict_before_commit), crate.own_key(), -1, "adjust", None
            )
    now = await database.get(crate.own_key())
    assert now is not None
    assert now.quantity == 500


async def test_revoked_tag_refuses_only_its_own_adjustment(
    database: Database, crate: InventoryItem
) -> None:
    live = await put_tag(database, 1)
    dead = make_record(NFCUrl, family_id="f1", item_id="i1", url_id="2" * 22, is_active=False)
    await database.put(dead)
    checks = [live, dead.check(IS_ACTIVE), live, dead.check(IS_ACTIVE), live]
    results = await asyncio.gather(
        *(adjust(database, crate.own_key(), -1, "tap", None, checks=[each]) for each in checks),
        return_exceptions=True,
    )
    assert [type(each) for each in results] == [
        AdjustmentResult,
        NotFound,
        AdjustmentResult,
        NotFound,
        AdjustmentResult,
    ]
    await expect_ordered_history(database, crate, 3)


async def test_cancelled_caller_does_not_affect_other_callers(
    database: Database, crate: InventoryItem
) -> None:
    tasks = [
        asyncio.create_task(adjust(database, crate.own_key(), -1, "adjust", None))
        for _ in range(100)
    ]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    for task in tasks[::3]:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    done = [each for each in results if isinstance(each, AdjustmentResult)]
    assert len(done) == 66
    now = await database.get(crate.own_key())
    assert now is not None
    # A cancelled adjustment may have been written; each other one was written exactly once.
    assert len({each.item.version for each in done}) == 66
    assert 400 <= now.quantity <= 434
    await expect_ordered_history(database, crate, 500 - now.quantity)


async def test_resolved_caller_does_not_wait_for_the_queue(
    database: Database, crate: InventoryItem
) -> None:
    key = crate.own_key()
    holding, blocking = asyncio.Event(), asyncio.Event()
    first = asyncio.create_task(database.retry_with_lock(key, holding.wait))
    await asyncio.sleep(0)
    one = asyncio.create_task(adjust(database, key, -1, "adjust", None))
    await asyncio.sleep(0)
    between = asyncio.create_task(database.retry_with_lock(key, blocking.wait))
    await asyncio.sleep(0)
    other = asyncio.create_task(adjust(database, key, -1, "adjust", None))
    await asyncio.sleep(0)
    holding.set()
    results = await asyncio.wait_for(asyncio.gather(one, other), 4)
    assert sorted(each.item.quantity for each in results) == [498, 499]
    assert not between.done()
    blocking.set()
    await asyncio.gather(first, between)
    await expect_ordered_history(database, crate, 2)
    assert not database._locks._waiters


async def test_cancelled_adjustment_is_answered_by_its_outcome(
    database: Database, crate: InventoryItem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settling, "CONFLICT_SECONDS", 0.3)
    carry_out = database.engine.transact

    async def write_slowly(writes: Sequence[Write]) -> None:
        await asyncio.sleep(1.2)
        await carry_out(writes)

    monkeypatch.setattr(database.engine, "transact", write_slowly)
    key, release = crate.own_key(), asyncio.Event()
    first = asyncio.create_task(database.retry_with_lock(key, release.wait))
    await asyncio.sleep(0)
    five = asyncio.gather(*(adjust(database, key, -1, "adjust", None) for _ in range(5)))
    await asyncio.sleep(0)
    release.set()
    await first
    await asyncio.sleep(0.05)
    with pytest.raises(Unavailable):  # it comes when the five are begun, and waits in vain
        await adjust(database, key, -1, "adjust", None)
    assert not five.done(), "it waited for longer than it may"
    assert [each.item.quantity for each in await five] == [499, 498, 497, 496, 495]
    await expect_ordered_history(database, crate, 5)


async def test_adjustments_by_several_processes_lose_nothing(
    open_another: Opener, database: Database, crate: InventoryItem
) -> None:
    others = [open_another() for _ in range(2)]
    every = await asyncio.gather(
        *(adjust_at_once(each, crate.own_key(), 40) for each in (database, *others))
    )
    versions = sorted(result.item.version for results in every for result in results)
    assert versions == list(range(2, 122))
    await expect_ordered_history(database, crate, 120)
