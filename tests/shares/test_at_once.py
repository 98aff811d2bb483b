"""Test concurrent creation of lists, while the pool of short ids runs empty."""

import asyncio
import random
from collections import Counter

import httpx
import pytest

from homeshelf.coordination.todos import todo
from homeshelf.shares import list_creation, pool
from homeshelf.shares.model import ListContent, Passcodes, PoolSlot, ShortIdClaim
from homeshelf.shares.pool import free_slots, refill
from homeshelf.table import Database
from tests.api_client import wait_until
from tests.databases import Opener
from tests.running import RunningApp, running_app
from tests.shares.clients import new_list, visitor_from
from tests.web.streams import StreamServer

LISTS, CLIENTS = 300, 16


async def fill(db: Database, buckets: range, each: int) -> set[str]:
    made: dict[str, PoolSlot] = {}
    for bucket in buckets:
        for slot in random.sample(range(1, 100), each):
            short_id = pool.new_short_id()
            made[short_id] = PoolSlot(bucket=bucket, slot=slot, id=short_id.upper())
    claims = [ShortIdClaim(short_id=short_id, holder="pool") for short_id in made]
    await db.batch([record.put() for record in (*made.values(), *claims)])
    return set(made)


async def pool_rows(db: Database, buckets: range) -> list[PoolSlot]:
    return [slot for bucket in buckets for slot in await db.all(free_slots(bucket))]


async def test_300_concurrent_lists_get_unique_ids_from_an_emptying_pool(
    open_another: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    buckets = range(8)
    monkeypatch.setattr(list_creation, "BUCKETS", len(buckets))
    monkeypatch.setattr(pool, "BUCKETS", len(buckets))
    one, two = open_another(), open_another()
    filled = await fill(one, buckets, 9)
    async with running_app(one) as first, running_app(two) as second:
        clients = [
            visitor_from(running, n) for n in range(CLIENTS // 2) for running in (first, second)
        ]
        work = iter(range(LISTS))

        async def make_some(number: int) -> list[str]:
            return [(await new_list(clients[number], f"{n}"))["shortId"] for n in work]

        made = [id_ for ids in await asyncio.gather(*map(make_some, range(CLIENTS))) for id_ in ids]
    assert len(made) == len(set(made)) == LISTS
    assert filled <= set(made), "Move what was in the pool is used up"
    waiting = {row.id.lower() for row in await pool_rows(one, buckets)}
    assert waiting.isdisjoint(made)
    for short_id in made:
        assert await one.get(ShortIdClaim.key(short_id=short_id)) is not None


async def test_300_concurrent_lists_of_two_processes_get_unique_ids(
    stream_server: StreamServer,
) -> None:
    buckets = range(0, 1000, 7)
    filled = await fill(stream_server.db, buckets, 1)
    work = iter(range(LISTS))

    async def make_some() -> list[str]:
        async with httpx.AsyncClient(base_url=stream_server.url, timeout=30) as client:
            made = []
            for number in work:
                body = {"name": "Camping", "items": [{"name": f"{number}"}]}
                answer = await client.post("/api/v1/shareables", json=body)
                assert answer.status_code == 201, answer.text
                made.append(answer.json()["shortId"])
            return made

    made = [
        id_ for ids in await asyncio.gather(*(make_some() for _ in range(CLIENTS))) for id_ in ids
    ]
    assert len(made) == len(set(made)) == LISTS
    taken = filled & set(made)
    assert 0 < len(taken) < LISTS, "some of the pool, and some where it had none"
    left = {row.id.lower() for row in await pool_rows(stream_server.db, buckets)}
    assert left.isdisjoint(made)
    assert filled - taken <= left


async def test_bucket_returns_the_first_row_after_a_random_slot(database: Database) -> None:
    for slot in (10, 20, 30):
        row = PoolSlot(bucket=5, slot=slot, id=f"AAA-AAA-000{slot}")
        await database.put(row)
    taken = Counter([(await pool.find_free_id(database, 5)).short_id for _ in range(200)])
    assert taken.keys() == {"aaa-aaa-00010", "aaa-aaa-00020", "aaa-aaa-00030"}
    assert taken["aaa-aaa-00010"] == max(taken.values()), "those past the last begin anew"
    (await pool.find_free_id(database, 4)).short_id.index("aaa-aaa-000")
    (await pool.find_free_id(database, 3)).short_id.index("aaa-aaa-000")


async def test_pool_row_is_taken_by_one_of_two_requests(database: Database) -> None:
    await database.put(PoolSlot(bucket=5, slot=10, id="AAA-AAA-00010"))
    both = [await pool.find_free_id(database, 5) for _ in range(2)]
    await database.transact(*both[0].writes)
    with pytest.raises(Exception, match="cancelled"):
        await database.transact(*both[1].writes)


async def test_pool_row_whose_id_is_in_use_is_deleted(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_creation, "BUCKETS", 1)
    monkeypatch.setattr(pool, "BUCKETS", 1)
    first = await list_creation.create(database, ListContent("Camping"), Passcodes())
    used = first.shared.short_id
    await database.put(PoolSlot(bucket=0, slot=7, id=used.upper()))
    second = await list_creation.create(database, ListContent("Party"), Passcodes())
    assert second.shared.short_id != used
    assert await database.all(free_slots(0)) == []
    assert await database.get(first.shared.own_key()) == first.shared


async def test_short_id_is_never_generated_twice(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = iter(["aaa-aaa-00001", "aaa-aaa-00001", "aaa-aaa-00002"])
    monkeypatch.setattr(pool, "new_short_id", lambda: next(ids))
    content = ListContent("Camping")
    first = await list_creation.create(database, content, Passcodes())
    second = await list_creation.create(database, content, Passcodes())
    assert (first.shared.short_id, second.shared.short_id) == ("aaa-aaa-00001", "aaa-aaa-00002")
    monkeypatch.setattr(pool, "new_short_id", lambda: "aaa-aaa-00002")
    await refill(database, todo(pool.REFILL_KIND, {"bucket": 7}))
    assert await database.all(free_slots(7)) == []


async def test_bucket_is_refilled_in_the_background(
    running: RunningApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_creation, "BUCKETS", 1)
    await new_list(running.visitor())

    async def is_full() -> bool:
        return len(await running.db.all(free_slots(0))) == pool.REFILL_TO

    await wait_until(is_full)
    rows = await running.db.all(free_slots(0))
    await refill(running.db, todo(pool.REFILL_KIND, {"bucket": 0}))
    assert await running.db.all(free_slots(0)) == rows, "it is full"
    for row in rows:
        assert await running.db.get(ShortIdClaim.key(short_id=row.id)) is not None


async def test_pool_row_with_a_used_id_does_not_block_creation(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await list_creation.create(database, ListContent("Camping"), Passcodes())
    monkeypatch.setattr(list_creation, "BUCKETS", 8)
    used = first.shared.short_id.upper()
    rows = [PoolSlot(bucket=bucket, slot=5, id=used) for bucket in range(3)]
    await database.batch([row.put() for row in rows])
    made = [
        await list_creation.create(database, ListContent("Hiking"), Passcodes()) for _ in range(20)
    ]
    assert len({each.shared.short_id for each in made} - {first.shared.short_id}) == 20
    assert (await database.get(first.shared.own_key())) == first.shared
