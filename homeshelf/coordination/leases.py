"""Leases, which give one process at a time the right to do some work.

A lease may expire while its holder is busy, so the work must tolerate being done twice.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from time import monotonic

import structlog

from homeshelf import clock
from homeshelf.table import (
    HELPER,
    Condition,
    ConditionFailed,
    Database,
    Keys,
    Record,
    TableError,
    absent,
    attr,
)
from homeshelf.table.deadlines import is_in_the_future

HELD_SECONDS = 20
RENEWED_SECONDS = HELD_SECONDS / 2
TRIED_AGAIN_SECONDS = 1.0

log = structlog.get_logger()


class Lease(Record):
    table = HELPER
    keys = Keys(PK="LEASE#{name}", SK="LEASE")

    name: str
    holder: str
    ttl: int


async def hold_lease(db: Database, name: str, holder: str) -> bool:
    """Take or renew a lease; return False while another holder has it."""
    try:
        await db.put(_lease(name, holder), when=absent)
    except ConditionFailed as held:
        if held.current is None:
            return False
        there = Lease.load(held.current)
        if there.holder == holder:
            return await renew_lease(db, name, holder)
        if not is_in_the_future(there.ttl - HELD_SECONDS):
            return False
        # The clock was set back. A holder that is alive renews its lease by the new time.
        return await _put(db, _lease(name, holder), attr("ttl") == there.ttl)
    return True


async def renew_lease(db: Database, name: str, holder: str) -> bool:
    return await _put(db, _lease(name, holder), attr("holder") == holder)


async def release_lease(db: Database, name: str, holder: str) -> None:
    """Release a lease before it expires; a failure is ignored."""
    with suppress(TableError):
        await db.write(_lease(name, holder).delete(attr("holder") == holder))


class LeaseState:
    lost = False


@asynccontextmanager
async def lease_while_held(
    db: Database, name: str, holder: str
) -> AsyncIterator[LeaseState | None]:
    """Hold and renew a lease in the block; yield None while another holder has it."""
    if not await hold_lease(db, name, holder):
        yield None
        return
    held = LeaseState()
    renewing = asyncio.create_task(_keep_renewing(db, name, holder, held))
    try:
        yield held
    finally:
        renewing.cancel()
        await release_lease(db, name, holder)


async def _keep_renewing(db: Database, name: str, holder: str, held: LeaseState) -> None:
    renewed = monotonic()
    pause = RENEWED_SECONDS
    while not held.lost:
        await asyncio.sleep(pause)
        asked = monotonic()
        try:
            held.lost = not await renew_lease(db, name, holder)
            renewed, pause = asked, RENEWED_SECONDS
        except Exception as error:  # noqa: BLE001  # it is held until its time is over
            log.warning("lease_not_renewed", lease=name, error=repr(error))
            held.lost = asked - renewed > HELD_SECONDS
            pause = TRIED_AGAIN_SECONDS


async def _put(db: Database, lease: Lease, when: Condition) -> bool:
    try:
        await db.put(lease, when=when)
    except ConditionFailed:
        return False
    return True


def _lease(name: str, holder: str) -> Lease:
    return Lease(name=name, holder=holder, ttl=clock.seconds() + HELD_SECONDS)
