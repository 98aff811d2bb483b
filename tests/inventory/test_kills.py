"""A batch creates each item once, whenever the process is killed."""

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from homeshelf import clock
from homeshelf.coordination.todos import run_or_postpone
from homeshelf.inventory import batches
from homeshelf.inventory.barcodes import BarcodeClaim
from homeshelf.inventory.batches import PromisedItems, promised_items
from homeshelf.inventory.model import InventoryItem, QuantityChange
from homeshelf.notices.model import Notification, OpenNotice
from homeshelf.table import Database
from tests.forked_processes import run, run_module, served
from tests.inventory.batching import pending_batches
from tests.kill_points import BARCODES, MANY_ITEMS
from tests.processes import environment

ROOT = Path(__file__).parents[2]
PASSWORD = "correct horse battery"
PROCESS_COUNT = 28
"""The number of processes; nine transactions and four to-dos make 13 writes."""


async def count_records(db: Database, family_id: str) -> dict[str, int]:
    """Count the records of a family by kind."""
    items = await db.all(InventoryItem.where(family_id=family_id).up_to_date())
    assert len({item.name for item in items}) == len(items), "each is there once"
    claims = await db.all(BarcodeClaim.where(family_id=family_id).up_to_date())
    codes = {code: item.item_id for item in items for code in item.barcodes}
    assert codes.items() <= {claim.code: claim.holder for claim in claims}.items()
    open_ = await db.all(OpenNotice.where(family_id=family_id).up_to_date())
    return {
        "items": len(items),
        "begun": await db.count(_history(family_id)),
        "notices": await db.count(Notification.where(family_id=family_id).up_to_date()),
        "open": len({claim.item_id for claim in open_} & {item.item_id for item in items}),
        "codes": len(claims),
    }


def _history(family_id: str) -> Any:
    return QuantityChange.where(family_id=family_id).up_to_date()


ALL = {
    "items": MANY_ITEMS,
    "begun": MANY_ITEMS,
    "notices": MANY_ITEMS,
    "open": MANY_ITEMS,
    "codes": len(BARCODES),
}
NONE = dict.fromkeys(ALL, 0)


async def test_promised_items_are_created_once_after_kill(
    db: Database, where: dict[str, str]
) -> None:
    """The process is killed before its first write and after each write."""
    families = {step: clock.new_id() for step in (1, *range(2, PROCESS_COUNT + 1, 2))}
    lines = "".join(f"{step} {family_id}\n" for step, family_id in families.items())
    words = ("writes", "make-items")
    ran = run_module("tests.kill_points", words, ROOT, environment(where), lines)
    done = ran.stdout.split()
    assert done == ["killed"] * (len(families) - 1) + ["lived"]
    *killed, last = families
    found = {step: await count_records(db, family_id) for step, family_id in families.items()}
    assert (found[1], found[last]) == (NONE, ALL)
    assert sum(0 < found[step]["items"] < MANY_ITEMS for step in killed) >= 8
    for step in killed[1:]:
        assert found[step]["codes"] == len(BARCODES), "all that could be refused is taken first"
    for left in await pending_batches(db):
        assert await run_or_postpone(db, {batches.MAKE_ITEMS: batches.make_items}, left)
    for step, family_id in families.items():
        assert await count_records(db, family_id) == (NONE if step == 1 else ALL), step
        promised = await promised_items(db, family_id)
        assert promised is None or promised.item_ids == ()
    assert await pending_batches(db) == []


async def test_restarted_server_finishes_batch(
    tmp_path: Path, db: Database, where: dict[str, str]
) -> None:
    items: list[Any] = [{"name": f"{n:03}", "itemId": clock.new_id()} for n in range(MANY_ITEMS)]
    for item, code in zip(items, BARCODES, strict=False):
        item["barcodes"] = [code]
    with served(tmp_path, **where) as homeshelf:
        family_id, headers = _create_family(homeshelf.url)
        with ThreadPoolExecutor() as threads:
            asked: Future[None] = threads.submit(_send, homeshelf.url, headers, items)
            key = PromisedItems.key(family_id=family_id)
            while not ((now := await db.get(key)) and now.item_ids):
                assert not asked.done(), "it was done before anybody saw it begin"
            homeshelf.process.kill()
            homeshelf.process.wait(20)
            await asyncio.wrap_future(asked)
    before = await count_records(db, family_id)
    assert (before["codes"], before["items"] < MANY_ITEMS) == (len(BARCODES), True)
    looked_at = run(tmp_path, "doctor", **where).stdout
    assert "barcodes: each is a thing's." in looked_at
    assert "WRONG records" not in looked_at
    assert await count_records(db, family_id) == before, (
        "the doctor takes nothing from what is to come"
    )
    with served(tmp_path, **where) as homeshelf:
        answers = [_final_response(homeshelf.url, headers, items) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [201, 201]
        assert answers[0].text == answers[1].text
        made = answers[0].json()["items"]
        assert made == [is_ | said for is_, said in zip(made, items, strict=True)]
    assert await count_records(db, family_id) == ALL | {"notices": 0, "open": 0}
    assert await pending_batches(db) == []


def _create_family(url: str) -> tuple[str, dict[str, str]]:
    """Create a family; return its id and the headers of an idempotent request."""
    with httpx.Client(base_url=f"{url}/api/v1") as ada:
        who = {"email": "ada@home.local", "password": PASSWORD}
        assert ada.post("/accounts", json=who | {"name": "Ada"}).status_code == 201
        token = ada.post("/tokens", json=who).json()["accessToken"]
        headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": "k"}
        family = ada.post("/families", json={"name": "Lovelace"}, headers=headers).json()
    return str(family["familyId"]), headers


def _send(url: str, headers: dict[str, str], items: list[Any]) -> None:
    with suppress(httpx.TransportError):  # the server is down
        _final_response(url, headers, items)


def _final_response(url: str, headers: dict[str, str], items: list[Any]) -> httpx.Response:
    """Repeat the request until the response is final."""
    while True:
        path = f"{url}/api/v1/items/batch"
        answer = httpx.post(path, json={"items": items}, headers=headers, timeout=30)
        if answer.status_code != 503:
            return answer
