import asyncio
from threading import Event

import pytest

from homeshelf.errors import Unavailable
from homeshelf.web.limits import Lane, Lanes, Turns


class Labour:
    """What waits in lanes until it is let go, and in which order it was done."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.go = Event()

    async def hold(self, lane: Lane) -> None:
        with lane.place():
            await lane.run(lambda: self.go.wait(30))

    async def add(self, lane: Lane, name: str) -> None:
        with lane.place():
            await lane.run(lambda: self.done.append(name))


async def test_a_crowd_in_one_lane_delays_the_others_by_little() -> None:
    lanes, work = Lanes(1, 100), Labour()
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


async def test_who_finds_a_lane_full_is_told_at_once_and_others_are_not() -> None:
    lanes, work = Lanes(1, 3), Labour()
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


async def test_who_goes_away_leaves_the_place_to_the_next() -> None:
    lanes, work = Lanes(1, 3), Labour()
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
async def test_the_turn_of_who_is_going_is_the_next_ones(goes_first: bool) -> None:
    """Also where it comes while they go."""
    lanes, work = Lanes(1, 3), Labour()
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


async def test_a_thread_is_busy_until_its_work_ends_whoever_waits_for_it() -> None:
    lanes, work = Lanes(1, 3), Labour()
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


async def test_what_fails_gives_its_thread_back() -> None:
    lane = Lanes(1, 1).lane()
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), lane.place():
            await lane.run(lambda: 1 // 0)


async def test_turns_are_taken_one_by_one_with_so_many_waiting() -> None:
    turns, over = Turns(2), asyncio.Event()

    async def take(name: str) -> None:
        async with turns.take(name):
            await over.wait()

    tasks = [asyncio.create_task(take("ada")) for _ in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(Exception, match="too often"):
        await take("ada")
    tasks.append(asyncio.create_task(take("eve")))
    over.set()
    await asyncio.gather(*tasks)
    await take("ada")
    assert not turns._locks._waiters


async def test_nobody_waits_for_a_turn_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Turns, "PATIENCE_SECONDS", 0.01)
    turns = Turns(2)
    async with turns.take("ada"):
        with pytest.raises(Exception, match="too often"):
            async with turns.take("ada"):
                pass
    async with turns.take("ada"):
        pass
