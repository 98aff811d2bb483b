"""Test that repeated changes of long lists do not fill the disk with stored responses."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import httpx

from homeshelf import clock
from homeshelf.table import HELPER, Database
from tests.forked_processes import served

CONNECTIONS = 8
WRITES = 240
LIST = {"name": "x", "items": [{"name": "x", "note": "x" * 2000}] * 40}
MOST_BYTES = 10_000_000
"""The limit on the size of the folder; 240 copies of the list would be 20 MB."""


async def rename_until_refused(client: httpx.AsyncClient) -> list[int]:
    made = (await client.post("/shareables", json=LIST)).json()
    statuses: list[int] = []
    while 429 not in statuses and len(statuses) <= WRITES:
        version = len(statuses) + 1
        answer = await client.patch(
            f"/shareables/{made['shortId']}",
            json={"version": version, "name": f"name {version}"},
            headers={"Idempotency-Key": clock.new_id()},
        )
        statuses.append(answer.status_code)
    return statuses


def size_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())


async def test_repeated_renames_of_long_lists_are_refused_and_store_little(
    tmp_path: Path, where: Mapping[str, str], db: Database
) -> None:
    limit = {"HOMESHELF_LIMIT_SHARE_WRITES": f"{WRITES}/h"}
    with served(tmp_path, **where, **limit) as homeshelf:
        base = f"{homeshelf.url}/api/v1"
        async with httpx.AsyncClient(base_url=base, timeout=60) as client:
            each = (rename_until_refused(client) for _ in range(CONNECTIONS))
            tried = [status for statuses in await asyncio.gather(*each) for status in statuses]
        assert (tried.count(200), tried.count(429)) == (WRITES, CONNECTIONS)
        items = (await db.engine.scan(HELPER, 10_000)).items
        stored = [len(str(item)) for item in items if str(item["PK"]).startswith("ANSWERS#")]
        assert len(stored) == WRITES
        assert max(stored) < 1000
    assert size_of(tmp_path) < MOST_BYTES
