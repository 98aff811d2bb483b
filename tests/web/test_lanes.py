import asyncio
from threading import Event

import pytest

from homeshelf.errors import Unavailable
from homeshelf.web.limits import Lane, Lanes, TurnQueue


class LaneWork:
    """Work that waits in lanes until it is released, and records its order."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.go = Event()

    async def hold(self, lane: Lane) -> None:
        with lane.place():
            await lane.run(lambda: self.go.wait(30))

    async def add(self, lane: Lane, name: str) -> None:
        with lane.place():
            await lane.run(lambda: self.done.append(name))


async def test_crowded_lane_delays_other_lanes_little() -> None:
    lanes, work = Lanes(1, 100), LaneWork()
    crowded, quiet = lanes.lane(), lanes.lane()
    tasks = [asyncio.create_task(work.hold(crowded))]
    tasks += [asyncio.create_task(work.add(crowded, "crowd")) for _ in range(20)]
    await asyncio.sleep(0)
    tasks += [asyncio.create_task(work.add(quiet, name)) for name in ("one", "two")]
    await asyncio.sleep(0)
    work.go.set()
    await asyncio.gather(*tasks)
    assert work.done.index("one") <= 1
    assert work.done.index("two") <= 3
    assert len(work.done) == 22


async def test_full_lane_refuses_at_once_and_other_lanes_do_not() -> None:
    lanes, work = Lanes(1, 3), LaneWork()
    full, other = lanes.lane(), lanes.lane()
    tasks = [asyncio.create_task(work.hold(full))]
    tasks += [asyncio.create_task(work.add(full, "in time")) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(Unavailable) as refused:
        await work.add(full, "too late")
    assert refused.value.retry_after == 2
    tasks.append(asyncio.create_task(work.add(other, "other")))
    work.go.set()
    await asyncio.gather(*tasks)
    assert sorted(work.done) == ["in time", "in time", "other"]
    await work.add(full, "later")


async def test_cancelled_task_leaves_its_place_to_the_next() -> None:
    lanes, work = Lanes(1, 3), LaneWork()
    lane = lanes.lane()
    holding = asyncio.create_task(work.hold(lane))
    away, stays = (asyncio.create_task(work.add(lane, name)) for name in ("away", "stays"))
    await asyncio.sleep(0)
    away.cancel()
    await asyncio.sleep(0)
    work.go.set()
    await asyncio.gather(holding, stays)
    assert work.done == ["stays"]
    assert not lane.waiting


@pytest.mark.parametrize("goes_first", [False, True])
async def test_thread_of_a_cancelled_task_goes_to_the_next(goes_first: bool) -> None:
    lanes, work = Lanes(1, 3), LaneWork()
    lane = lanes.lane()
    await lanes.free.acquire()
    away, stays = (asyncio.create_task(work.add(lane, name)) for name in ("away", "stays"))
    await asyncio.sleep(0)
    if goes_first:
        away.cancel()
        lanes.free.release()
    else:
        lanes.free.release()
        away.cancel()
    async with asyncio.timeout(5):
        await stays
    assert away.cancelled()
    assert work.done == ["stays"]


async def test_thread_stays_busy_after_its_caller_is_cancelled() -> None:
    lanes, work = Lanes(1, 3), LaneWork()
    lane = lanes.lane()
    holding = asyncio.create_task(work.hold(lane))
    await asyncio.sleep(0)
    holding.cancel()
    waiting = asyncio.create_task(work.add(lane, "next"))
    await asyncio.sleep(0.01)
    assert lane.waiting == 1
    work.go.set()
    await waiting
    assert work.done == ["next"]


async def test_failed_work_releases_its_thread() -> None:
    lane = Lanes(1, 1).lane()
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), lane.place():
            await lane.run(lambda: 1 // 0)


async def test_turns_are_sequential_and_the_queue_is_limited() -> None:
    turns, over = TurnQueue(2), asyncio.Event()

    async def take(name: str) -> None:
        async with turns.take(name):
            await over.wait()

    tasks = [asyncio.create_task(take("ada")) for _ in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(Exception, match="Too many tries"):
        await take("ada")
    tasks.append(asyncio.create_task(take("eve")))
    over.set()
    await asyncio.gather(*tasks)
    await take("ada")
    assert not turns._locks._waiters


async def test_waiting_for_a_turn_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TurnQueue, "PATIENCE_SECONDS", 0.01)
    turns = TurnQueue(2)
    async with turns.take("ada"):
        with pytest.raises(Exception, match="Too many tries"):
            async with turns.take("ada"):
                pass
    async with turns.take("ada"):
        pass
