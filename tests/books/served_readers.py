"""Readers of a server in a process of its own, and the memory that the process took."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from tests.served import Served

LARGE = 20_000_000
"""Bytes of the largest file that is accepted."""


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


@asynccontextmanager
async def signed_up(homeshelf: Served, name: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=f"{homeshelf.url}/api/v1", timeout=30) as client:
        known = {"email": f"{name}@home.local", "password": "long enough to be one"}
        assert (await client.post("/accounts", json=known | {"name": name})).status_code == 201
        token = (await client.post("/tokens", json=known)).json()["accessToken"]
        client.headers["Authorization"] = f"Bearer {token}"
        yield client
