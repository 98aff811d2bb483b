"""Twenty megabytes over a slow line: taken as they come, and put on the shelf in the background."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx

from tests.served import Served, served

LARGE = 20_000_000
PIECE = 250_000
PAUSE = 0.01
MEMORY = 40_000_000


def large_file() -> bytes:
    row = "Book {:07},READ,{}\n"
    long = "x" * 9_900
    rows, length = ["title,status,description\n"], 25
    while length + 10_000 < LARGE:
        rows.append(row.format(len(rows), long))
        length += len(rows[-1])
    return "".join(rows).encode().ljust(LARGE, b"\n")


async def slowly(content: bytes) -> AsyncIterator[bytes]:
    for first in range(0, len(content), PIECE):
        await asyncio.sleep(PAUSE)
        yield content[first : first + PIECE]


def most_memory(homeshelf: Served) -> int:
    """The most that the process has had so far, in bytes."""
    status = Path(f"/proc/{_worker(homeshelf.process.pid)}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def _worker(pid: int) -> int:
    """The process that serves: the last of the line that begins with this one."""
    while children := Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        pid = int(children[0])
    return pid


async def signed_up(homeshelf: Served, name: str) -> httpx.AsyncClient:
    client = httpx.AsyncClient(base_url=f"{homeshelf.url}/api/v1", timeout=30)
    known = {"email": f"{name}@home.local", "password": "long enough to be one"}
    assert (await client.post("/accounts", json=known | {"name": name})).status_code == 201
    token = (await client.post("/tokens", json=known)).json()["accessToken"]
    client.headers["Authorization"] = f"Bearer {token}"
    return client


async def test_two_of_the_largest_files_come_over_slow_lines_at_once(tmp_path: Path) -> None:
    content = large_file()
    headers = {"content-type": "text/csv", "content-length": str(LARGE)}
    with served(tmp_path) as homeshelf:
        people = [await signed_up(homeshelf, name) for name in ("ada", "charles")]
        before = most_memory(homeshelf)
        people[0].headers["Idempotency-Key"] = "k"
        questions = ("", "?dryRun=true")
        begun, seen = await asyncio.gather(
            *(
                person.post(f"/books/import{it}", content=slowly(content), headers=headers)
                for person, it in zip(people, questions, strict=True)
            )
        )
        assert (begun.status_code, seen.status_code) == (202, 200)
        path = f"/books/imports/{begun.json()['importId']}"
        told = [(await people[0].get(path)).json()]
        while told[-1]["done"] < told[-1]["total"]:
            await asyncio.sleep(0.02)
            told.append((await people[0].get(path)).json())
        assert any(0 < each["done"] < each["total"] for each in told)
        assert all(each["done"] == each["added"] for each in told)
        assert told[-1]["added"] == seen.json()["added"] == told[-1]["total"]
        assert most_memory(homeshelf) - before < MEMORY
        for person in people:
            await person.aclose()
