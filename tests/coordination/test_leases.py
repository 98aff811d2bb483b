"""One holder at a time owns a lease, renews it, and loses it after it expires."""

import asyncio

import pytest

from homeshelf.coordination import leases as made
from homeshelf.coordination.leases import (
    HELD_SECONDS,
    hold_lease,
    lease_while_held,
    release_lease,
    renew_lease,
)
from homeshelf.table import Database
from homeshelf.table.deadlines import CLOCKS_DIFFER_SECONDS
from tests.databases import Opener
from tests.moment import Moment
from tests.queues import until


async def test_concurrent_callers_get_one_lease(open_another: Opener) -> None:
    databases = [open_another() for _ in range(5)]
    held = await asyncio.gather(
        *(hold_lease(database, "todos", f"w{n}") for n, database in enumerate(databases))
    )
    assert sorted(held) == [False, False, False, False, True]
    holder = f"w{held.index(True)}"
    assert await hold_lease(databases[0], "todos", holder), "its holder renews it"
    assert await hold_lease(databases[0], "another", "w9"), "each name is a lease of its own"


async def test_renewed_lease_is_kept_and_expired_lease_is_free(
    database: Database, moment: Moment
) -> None:
    assert await hold_lease(database, "todos", "ours")
    moment.pass_by(HELD_SECONDS - 1)
    assert await hold_lease(database, "todos", "ours")
    moment.pass_by(HELD_SECONDS - 1)
    assert not await hold_lease(database, "todos", "theirs")
    moment.pass_by(1)
    assert await hold_lease(database, "todos", "theirs")
    assert not await hold_lease(database, "todos", "ours")


async def test_lease_with_an_impossible_expiry_is_free(database: Database, moment: Moment) -> None:
    """The clock was set back, and the holder has not renewed the lease since."""
    assert await hold_lease(database, "todos", "ours")
    moment.pass_by(-CLOCKS_DIFFER_SECONDS)
    assert not await hold_lease(database, "todos", "theirs"), "clocks may differ by that much"
    moment.pass_by(-3600)
    assert await renew_lease(database, "todos", "ours")
    assert not await hold_lease(database, "todos", "theirs"), "it was renewed since"
    moment.pass_by(-3600)
    assert await hold_lease(database, "todos", "theirs")
    assert not await hold_lease(database, "todos", "ours")


async def test_lease_is_renewed_only_by_its_holder(database: Database, moment: Moment) -> None:
    assert not await renew_lease(database, "todos", "ours"), "nobody has it"
    assert await hold_lease(database, "todos", "ours")
    assert await renew_lease(database, "todos", "ours")
    assert not await renew_lease(database, "todos", "theirs")
    moment.pass_by(HELD_SECONDS)
    assert not await renew_lease(database, "todos", "ours"), "it ran out"


async def test_lease_is_released_only_by_its_holder(database: Database) -> None:
    assert await hold_lease(database, "todos", "ours")
    await release_lease(database, "todos", "theirs")
    assert not await hold_lease(database, "todos", "theirs")
    await release_lease(database, "todos", "ours")
    assert await hold_lease(database, "todos", "theirs")


async def test_lease_is_renewed_during_the_work_and_released_afterwards(
    open_another: Opener, moment: Moment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(made, "RENEWED_SECONDS", 0.01)
    ours, theirs = open_another(), open_another()
    async with lease_while_held(ours, "todos", "ours") as held:
        assert held is not None
        for _ in range(3):
            moment.pass_by(HELD_SECONDS - 1)
            puts = ours.engine.consumed["put"]
            await until(lambda: ours.engine.consumed["put"] > puts + 1)  # noqa: B023  # at once
            assert not await hold_lease(theirs, "todos", "theirs")
            async with lease_while_held(theirs, "todos", "theirs") as refused:
                assert refused is None
        assert not held.lost
    assert await hold_lease(theirs, "todos", "theirs")


async def test_expired_lease_is_lost_even_if_it_is_free(
    database: Database, moment: Moment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another holder may have owned it in between."""
    monkeypatch.setattr(made, "RENEWED_SECONDS", 0.05)
    async with lease_while_held(database, "todos", "ours") as held:
        assert held is not None
        moment.pass_by(HELD_SECONDS)
        await until(lambda: held.lost)


async def test_former_holder_learns_of_the_loss_and_takes_no_lease(
    open_another: Opener, moment: Moment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(made, "RENEWED_SECONDS", 0.05)
    ours, theirs = open_another(), open_another()
    async with lease_while_held(ours, "todos", "ours") as held:
        assert held is not None
        moment.pass_by(HELD_SECONDS)
        assert await hold_lease(theirs, "todos", "theirs")
        await until(lambda: held.lost)
    assert await renew_lease(theirs, "todos", "theirs"), "it is still theirs"
