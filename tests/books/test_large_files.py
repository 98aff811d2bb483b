"""Test the import of 20 MB over a slow connection."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx

from tests.books.client import LARGE, peak_memory, signed_up_client
from tests.processes import served_on_a_slow_disk

PIECE = 250_000
PAUSE = 0.01
FSYNC_MILLISECONDS = 20
MEMORY = 40_000_000


def large_file() -> bytes:
    row = "Book {:07},READ,{}\n"
    long = "x" * 9_900
    rows, length = ["title,status,description\n"], 25
    while length + 10_000 < LARGE:
        rows.append(row.format(len(rows), long))
        length += len(rows[-1])
    return "".join(rows).encode().ljust(LARGE, b"\n")


async def send_slowly(content: bytes) -> AsyncIterator[bytes]:
    for first in range(0, len(content), PIECE):
        await asyncio.sleep(PAUSE)
        yield content[first : first + PIECE]


async def send_file(person: httpx.AsyncClient, path: str) -> dict[str, Any]:
    headers = {"content-type": "text/csv", "content-length": str(LARGE)}
    response = await person.post(path, content=send_slowly(large_file()), headers=headers)
    assert response.is_success
    sent: dict[str, Any] = response.json()
    return sent


async def import_file(person: httpx.AsyncClient) -> list[dict[str, Any]]:
    begun = await send_file(person, "/books/import")
    seen: list[dict[str, Any]] = []
    while not seen or seen[-1]["done"] < seen[-1]["total"]:
        seen.append((await person.get(f"/books/imports/{begun['importId']}")).json())
        await asyncio.sleep(0.02)
    return seen


async def test_two_largest_files_are_uploaded_over_slow_connections_at_once(tmp_path: Path) -> None:
    with served_on_a_slow_disk(tmp_path, FSYNC_MILLISECONDS) as homeshelf:
        async with (
            signed_up_client(homeshelf, "ada") as ada,
            signed_up_client(homeshelf, "charles") as charles,
        ):
            before = peak_memory(homeshelf)
            ada.headers["Idempotency-Key"] = "k"
            seen, preview = await asyncio.gather(
                import_file(ada), send_file(charles, "/books/import?dryRun=true")
            )
            memory = peak_memory(homeshelf) - before
    assert any(0 < each["done"] < each["total"] for each in seen)
    assert all(each["done"] == each["added"] for each in seen)
    assert seen[-1]["added"] == preview["added"] == seen[-1]["total"]
    assert memory < MEMORY
