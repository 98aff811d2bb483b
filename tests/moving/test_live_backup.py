"""Test that a backup during writes is a consistent snapshot."""

import asyncio
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import httpx

from homeshelf.table import INVENTORY, Item
from homeshelf.table.sqlite.engine import Sqlite
from tests.forked_processes import run, served
from tests.live.hubs import wait_until
from tests.moving.households import create_account, house_variables, signed_in_client

CLIENTS = 8
TAPPERS = 2
ENOUGH = 9000


@dataclass
class WriteLog:
    """The times at which each change was sent and acknowledged, by name."""

    sent: dict[str, float] = field(default_factory=dict)
    done: dict[str, float] = field(default_factory=dict)

    async def note(self, name: str, asking: Any) -> httpx.Response:
        self.sent[name] = time.monotonic()
        answer: httpx.Response = await asking
        assert answer.is_success, answer.text
        self.done[name] = time.monotonic()
        return answer

    def note_tap(self, left: int, sent: float) -> None:
        """Record a tap by the count it left, which is unique."""
        self.sent[tap_name(left)] = sent
        self.done[tap_name(left)] = time.monotonic()


def tap_name(left: int) -> str:
    return f"tap {left}"


async def test_live_backup_restores_a_consistent_snapshot(tmp_path: Path) -> None:
    variables, written, stop = house_variables(tmp_path), WriteLog(), asyncio.Event()
    limits = ("WRITES", "TAPS", "TAPS_DAY")
    unlimited = {f"HOMESHELF_LIMIT_{name}": "100000/min" for name in limits}
    create_account(tmp_path, variables)
    with served(tmp_path, **variables, **unlimited) as homeshelf:
        with signed_in_client(homeshelf) as ada:
            ada.post("/families", json={"name": "Lovelace"})
            rice = ada.post("/items", json={"name": "Rice", "quantity": ENOUGH}).json()
            tag = ada.post(f"/items/{rice['itemId']}/nfc-urls").json()
            headers = {"Authorization": ada.headers["Authorization"]}

        async def write(number: int) -> None:
            async with httpx.AsyncClient(base_url=f"{homeshelf.url}/api/v1") as client:
                client.headers.update(headers)
                turn = 0
                while not stop.is_set():
                    name = f"{number}-{turn}"
                    item = {"name": name, "quantity": 1}
                    await written.note(name, client.post("/items", json=item))
                    turn += 1

        async def tap() -> None:
            async with httpx.AsyncClient(base_url=f"{homeshelf.url}/api/v1") as client:
                while not stop.is_set():
                    sent = time.monotonic()
                    answer = await client.post(f"/taps/{tag['urlId']}", json={"delta": -1})
                    assert answer.is_success, answer.text
                    written.note_tap(answer.json()["quantity"], sent)

        work = [asyncio.create_task(write(number)) for number in range(CLIENTS)]
        work += [asyncio.create_task(tap()) for _ in range(TAPPERS)]
        await wait_until(lambda: len(written.done) > 2 * CLIENTS, within=30)
        begun = time.monotonic()
        backup = await asyncio.to_thread(run, tmp_path, "backup", "live.db", **variables)
        ended, before = time.monotonic(), len(written.done)
        await wait_until(lambda: len(written.done) > before + CLIENTS, within=30)
        stop.set()
        await asyncio.gather(*work)
    assert (backup.returncode, backup.stderr) == (0, "")
    there = house_variables(tmp_path, "restored")
    assert run(tmp_path, "restore", "live.db", **there).returncode == 0
    found = await all_records(tmp_path / "restored" / "homeshelf.db")
    names = {str(item["name"]) for item in found if is_item(item)}
    (now,) = (item for item in found if is_item(item) and item["name"] == "Rice")
    left = cast("int", now["quantity"])
    assert left < ENOUGH
    names |= {tap_name(each) for each in range(left, ENOUGH)}
    assert_consistent_snapshot(written, names)
    assert {name for name, at in written.done.items() if at < begun} <= names
    assert not {name for name, at in written.sent.items() if at > ended} & names
    history = [each for each in found if str(each["SK"]).startswith(f"HISTORY#{rice['itemId']}#")]
    assert sorted(cast("int", each["quantity"]) for each in history) == [*range(left, ENOUGH + 1)]
    assert run(tmp_path, "doctor", **there).returncode == 0


def assert_consistent_snapshot(written: WriteLog, names: set[str]) -> None:
    """Assert that no change in the backup was sent after a missing one was acknowledged."""
    inside = [at for name, at in written.sent.items() if name in names]
    outside = [at for name, at in written.done.items() if name not in names]
    assert inside
    assert outside
    assert max(inside) <= min(outside)


def is_item(item: Item) -> bool:
    return item.get("entityType") == "InventoryItem"


async def all_records(path: Path) -> list[Item]:
    engine = Sqlite(path, sweep_every=None)
    try:
        return list((await engine.scan(INVENTORY, 100_000)).items)
    finally:
        await engine.close()
