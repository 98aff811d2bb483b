"""Named locks go to the caller who waited longest, and a cancelled caller never keeps one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic

import pytest

from homeshelf.table.queues import Locks


class Late(Exception):
    pass


@pytest.fixture
def locks() -> Locks[str]:
    return Locks()


@asynccontextmanager
async def held(locks: Locks[str], seconds: float = 5) -> AsyncIterator[None]:
    async with locks.hold("kitchen", seconds, Late()):
        yield


async def hold(locks: Locks[str], held_by: list[int], number: int, seconds: float = 5) -> None:
    async with held(locks, seconds):
        held_by.append(number)
        await asyncio.sleep(0)
        assert held_by[-1] == number, "another one came in"


async def waiting(locks: Locks[str], held_by: list[int], *numbers: int) -> list[asyncio.Task[None]]:
    tasks = [asyncio.create_task(hold(locks, held_by, number)) for number in numbers]
    await asyncio.sleep(0)
    return tasks


async def test_waiters_get_the_lock_in_order(locks: Locks[str]) -> None:
    held_by: list[int] = []
    async with held(locks):
        tasks = await waiting(locks, held_by, *range(20))
        assert locks.users("kitchen") == 21
    late = asyncio.create_task(hold(locks, held_by, 20))
    await asyncio.gather(*tasks, late)
    assert held_by == list(range(21))
    assert locks.users("kitchen") == 0
    assert not locks._waiters, "a lock that nobody holds is kept"


async def test_lock_handed_over_is_not_taken_by_a_newcomer(locks: Locks[str]) -> None:
    held_by: list[int] = []
    async with held(locks):
        (first,) = await waiting(locks, held_by, 1)
    # The first caller, which has not run yet, owns the lock.
    await asyncio.gather(hold(locks, held_by, 2), first)
    assert held_by == [1, 2]


async def test_locks_of_different_names_are_independent(locks: Locks[str]) -> None:
    async with held(locks), locks.hold("hall", 0.01, Late()):
        assert (locks.users("kitchen"), locks.users("hall")) == (1, 1)


async def test_waiter_that_times_out_delays_no_other(locks: Locks[str]) -> None:
    held_by: list[int] = []
    began = monotonic()
    async with held(locks):
        (patient,) = await waiting(locks, held_by, 1)
        with pytest.raises(Late):
            await hold(locks, held_by, 2, seconds=0.05)
        assert 0.05 <= monotonic() - began < 4
        assert locks.users("kitchen") == 2
    await patient
    assert held_by == [1]
    assert not locks._waiters


@pytest.mark.parametrize("given", [False, True], ids=["waiting", "just given it"])
async def test_cancelled_waiter_leaves_the_lock_to_the_next(locks: Locks[str], given: bool) -> None:
    held_by: list[int] = []
    async with held(locks):
        goes, stays = await waiting(locks, held_by, 1, 2)
        if not given:
            goes.cancel()
    goes.cancel()
    await asyncio.wait_for(stays, 5)
    assert held_by == [2]
    assert goes.cancelled()
    assert not locks._waiters


async def test_exception_inside_the_lock_releases_it(locks: Locks[str]) -> None:
    with pytest.raises(ValueError, match="burnt"):
        async with held(locks):
            raise ValueError("burnt")
    async with held(locks, 0.01):
        pass


@pytest.mark.parametrize("leaves", [False, True], ids=["stays", "goes away"])
async def test_waiter_with_a_result_leaves_the_queue(locks: Locks[str], leaves: bool) -> None:
    held_by: list[int] = []
    unless: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    async with held(locks):
        waits = asyncio.create_task(locks.acquire("kitchen", 5, Late(), unless))
        await asyncio.sleep(0)
        (behind,) = await waiting(locks, held_by, 1)
        unless.set_result(None)
        await asyncio.sleep(0)
        if leaves:  # woken without the lock, so it must not pass the lock on
            waits.cancel()
        assert not held_by
        await asyncio.sleep(0)
        assert not held_by, "another one came in"
        assert waits.cancelled() if leaves else not await waits
    await behind
    assert held_by == [1]
    assert not locks._waiters
