"""Helpers for batch requests and their to-dos."""

import asyncio
from typing import Any
from uuid import uuid4

import httpx

from homeshelf.coordination.todos import Todo
from homeshelf.inventory import batches
from homeshelf.inventory.barcodes import BarcodeClaim
from homeshelf.inventory.batches import promised_items
from homeshelf.inventory.model import InventoryItem, new_item
from homeshelf.table import Database
from tests.api_client import Shown, get_all_pages
from tests.home import Home
from tests.queues import todos_of
from tests.running import Person, problem_of


def item_bodies(number: int, **given: Any) -> list[Shown]:
    return [{"name": f"Thing {place}", "quantity": place, **given} for place in range(number)]


def with_ids(items: list[Shown]) -> list[Shown]:
    return [item | {"itemId": str(uuid4())} for item in items]


async def add_all(person: Person, items: list[Shown], **options: Any) -> list[Shown]:
    answer = await person.post("/items/batch", {"items": items}, **options)
    assert answer.status_code == 201, answer.text
    made: list[Shown] = answer.json()["items"]
    return made


async def all_items(home: Home) -> list[Shown]:
    return await get_all_pages(home.admin, "/items?status=all", 100)


async def barcode_holders(home: Home) -> dict[str, str]:
    every = await home.running.db.all(BarcodeClaim.where(family_id=home.family_id).up_to_date())
    return {claim.code: claim.holder for claim in every}


async def pending_batches(db: Database) -> list[Todo]:
    return [left for left in await todos_of(db) if left.kind == batches.MAKE_ITEMS]


async def is_finished(home: Home) -> bool:
    promised = await promised_items(home.running.db, home.family_id)
    assert promised is None or promised.item_ids == ()
    return await pending_batches(home.running.db) == []


async def promise_items(home: Home, number: int, **given: Any) -> list[InventoryItem]:
    """Store promised items, as a killed process leaves them."""
    new = [
        new_item(home.family_id, home.admin.member_id, {"name": f"Thing {place}", **given})
        for place in range(number)
    ]
    await batches.promise_items(home.running.db, home.family_id, new, [], ())
    return new


async def collect_statuses(asked: list[Any]) -> list[int]:
    answers: list[httpx.Response] = await asyncio.gather(*asked)
    for answer in answers:
        if answer.status_code != 201:
            assert problem_of(answer) == (409, "duplicate")
    return sorted(answer.status_code for answer in answers)
