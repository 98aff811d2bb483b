"""Take short ids from the pool, or generate them; a permanent claim keeps each unique."""

import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import SystemRandom

from homeshelf.coordination.todos import Todo, todo
from homeshelf.shares.model import BUCKETS, SLOTS, PoolSlot, ShortIdClaim
from homeshelf.table import Database, Delete, Query, TransactionCancelled, Write, absent, attr

REFILL_KIND = "refill_short_ids"
REFILL_BELOW = 2
REFILL_TO = 6
"""A bucket with fewer than `REFILL_BELOW` ids is refilled to this number."""
BUCKETS_TRIED = 3
LETTERS = "abcdefghjkmnopqrstuvwxyz"
"""The alphabet, without letters that look like a 1."""

_random = SystemRandom()


@dataclass(frozen=True)
class FreeId:
    short_id: str
    writes: Sequence[Write]
    """The writes that take the id, for the transaction that uses it."""
    row: Delete | None = None
    """The write that deletes the id's row, if it is from the pool."""


def free_slots(bucket: int) -> Query[PoolSlot]:
    return PoolSlot.where(bucket=bucket).up_to_date()


async def find_free_id(db: Database, bucket: int) -> FreeId:
    """Return an id from a random slot of the bucket or the next few, or generate one."""
    refill_writes: list[Write] = []
    for step in range(BUCKETS_TRIED):
        number = (bucket + step) % BUCKETS
        slots = await db.all(free_slots(number))
        if len(slots) < REFILL_BELOW and not refill_writes:
            refill_writes = [todo(REFILL_KIND, {"bucket": number}).put()]
        if slots:
            start = 1 + secrets.randbelow(SLOTS)
            slot = next((each for each in slots if each.slot >= start), slots[0])
            row = slot.delete(attr("id") == slot.id)
            return FreeId(slot.id.lower(), [row, *refill_writes], row)
    short_id = new_short_id()
    return FreeId(short_id, [claim_of(short_id).take(), *refill_writes])


async def refill(db: Database, left: Todo) -> None:
    """Refill a bucket in one transaction; if it is cancelled, the next refill draws other ids."""
    bucket: int = left.about["bucket"]
    taken = {each.slot for each in await db.all(free_slots(bucket))}
    free = [slot for slot in range(1, SLOTS + 1) if slot not in taken]
    slots = _random.sample(free, max(0, REFILL_TO - len(taken)))
    writes: list[Write] = []
    for slot, short_id in zip(slots, {new_short_id() for _ in slots}, strict=False):
        row = PoolSlot(bucket=bucket, slot=slot, id=short_id.upper())
        writes += [claim_of(short_id).take(), row.put(absent)]
    with suppress(TransactionCancelled):
        await db.transact(*writes)


def new_short_id() -> str:
    letters = "".join(secrets.choice(LETTERS) for _ in range(6))
    return f"{letters[:3]}-{letters[3:]}-{secrets.randbelow(100_000):05}"


def claim_of(short_id: str) -> ShortIdClaim:
    return ShortIdClaim(short_id=short_id, holder="pool")
