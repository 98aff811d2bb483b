"""Test that sign-ins stay fast while many connections have passcodes hashed."""

import asyncio
import itertools
from collections import Counter
from pathlib import Path

import httpx

from tests.processes import served

CONNECTIONS = 70
SIGN_INS = 8
ADA = {"email": "ada@home.local", "password": "correct horse battery"}
PASSCODE = "seven-view"


async def keep_hashing(client: httpx.AsyncClient, number: int, seen: Counter[int]) -> None:
    here = {"X-Forwarded-For": f"198.18.0.{number}"}
    made = (await client.post("/shareables", json={"name": "x"}, headers=here)).json()
    path = f"/shareables/{made['shortId']}"
    changes = [{"version": version, "viewPasscode": PASSCODE} for version in (99, 1)]
    requests = [
        *(("PATCH", path, change) for change in changes),
        ("POST", f"{path}/unlock", {"passcode": PASSCODE}),
        ("POST", "/shareables", {"name": "x", "viewPasscode": PASSCODE}),
    ]
    for method, to, body in itertools.cycle(requests):
        answer = await client.request(method, to, json=body, headers=here)
        seen[answer.status_code] += 1


async def test_right_password_signs_in_while_strangers_hash_passcodes(tmp_path: Path) -> None:
    seen: Counter[int] = Counter()
    with served(tmp_path, HOMESHELF_TRUSTED_PROXIES="127.0.0.1") as homeshelf:
        base, most = f"{homeshelf.url}/api/v1", httpx.Limits(max_connections=CONNECTIONS)
        async with (
            httpx.AsyncClient(base_url=base, timeout=60) as home,
            httpx.AsyncClient(base_url=base, timeout=60, limits=most) as crowd,
        ):
            assert (await home.post("/accounts", json=ADA | {"name": "Ada"})).status_code == 201
            strangers = [
                asyncio.create_task(keep_hashing(crowd, number, seen))
                for number in range(1, CONNECTIONS + 1)
            ]
            while seen.total() < CONNECTIONS + 10:  # noqa: ASYNC110  # no event says so
                await asyncio.sleep(0.05)
            sign_ins = [await home.post("/tokens", json=ADA) for _ in range(SIGN_INS)]
            assert not any(each.done() for each in strangers)
            for each in strangers:
                each.cancel()
            await asyncio.gather(*strangers, return_exceptions=True)
    assert [answer.status_code for answer in sign_ins] == [200] * SIGN_INS
