"""Test eight concurrent clients of three processes that share only the database."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from tests.api_client import (
    Shown,
    add_entry,
    add_item,
    add_purchased_entry,
    entry_path,
    get_all_pages,
    get_entry,
    get_pending_entry_ids,
    get_shopping_list,
)
from tests.databases import Opener
from tests.home import Home, new_home
from tests.running import Person, problem_of, running_app

EIGHT = 8
PROCESSES = 3


@dataclass(frozen=True)
class Family:
    home: Home
    people: list[Person]

    async def call_concurrently(
        self, ask: Callable[[int, Person], Awaitable[httpx.Response]]
    ) -> list[httpx.Response]:
        return await asyncio.gather(*(ask(*each) for each in enumerate(self.people)))

    async def add_concurrently(self, body: Any) -> list[httpx.Response]:
        return await self.call_concurrently(lambda _, who: who.post("/shopping-list", body))


@pytest.fixture
async def family(open_another: Opener) -> AsyncIterator[Family]:
    async with AsyncExitStack() as stack:
        running_apps = [
            await stack.enter_async_context(running_app(open_another())) for _ in range(PROCESSES)
        ]
        home = await new_home(running_apps[0], "Lovelace", "ada")
        others = [
            await running_apps[number % PROCESSES].person(f"person{number}")
            for number in range(1, EIGHT)
        ]
        for person in others:
            await home.let_in(person, "admin")
        yield Family(home, [home.admin, *others])


def winner_of(answers: list[httpx.Response], status: int) -> Shown:
    """Return the result of the only winner; all other responses must name it."""
    winners = [answer.json() for answer in answers if answer.status_code == status]
    assert len(winners) == 1
    winner: Shown = winners[0]
    for answer in answers:
        if answer.status_code != status:
            assert answer.status_code == 409
            shown = answer.json().get("existing") or answer.json().get("current")
            assert shown == winner
    return winner


async def test_eight_concurrent_additions_of_one_item_create_one_entry(family: Family) -> None:
    home = family.home
    for round_ in range(3):
        item = await add_item(home.admin, name=f"Milk {round_}")
        answers = await family.add_concurrently({"itemId": item["itemId"]})
        entry = winner_of(answers, 201)
        assert await get_pending_entry_ids(home, item) == [entry["shoppingItemId"]]
        refused = [problem_of(answer) for answer in answers if answer.status_code != 201]
        assert refused == [(409, "duplicate")] * (EIGHT - 1)
    assert len(await get_shopping_list(home.admin)) == 3


async def test_eight_concurrent_edits_of_one_version_succeed_once(family: Family) -> None:
    home = family.home
    for path, changes in (
        ("", [{"name": f"Cake {number}"} for number in range(EIGHT)]),
        ("/status", [{"status": "purchased"}] * EIGHT),
    ):
        entry = await add_entry(home.admin, name="Cake")

        def edit(
            n: int, who: Person, where: str = entry_path(entry, path), to: Any = changes
        ) -> Any:
            return who.patch(where, to[n] | {"version": 1})

        answers = await family.call_concurrently(edit)
        winner = winner_of(answers, 200)
        assert (winner["version"], await get_entry(home.admin, entry)) == (2, winner)
        refused = [problem_of(answer) for answer in answers if answer.status_code != 200]
        assert refused == [(409, "version_conflict")] * (EIGHT - 1)


async def test_eight_forced_additions_create_eight_entries(family: Family) -> None:
    home = family.home
    item = await add_item(home.admin, name="Milk")
    answers = await family.add_concurrently({"itemId": item["itemId"], "force": True})
    assert [answer.status_code for answer in answers] == [201] * EIGHT
    entries = [answer.json() for answer in answers]
    assert sorted(await get_pending_entry_ids(home, item)) == sorted(
        each["shoppingItemId"] for each in entries
    )
    tick = {"status": "purchased", "version": 1}
    answers = await family.call_concurrently(
        lambda n, who: who.patch(entry_path(entries[n], "/status"), tick)
    )
    assert [answer.status_code for answer in answers] == [200] * EIGHT
    assert await get_pending_entry_ids(home, item) == []


async def test_eight_concurrent_additions_of_one_id_create_one_entry(family: Family) -> None:
    made = "8f14e45f-ceea-467a-9b36-34f6c3b3e7d1"
    answers = await family.add_concurrently({"name": "Cake", "shoppingItemId": made})
    assert winner_of(answers, 201)["shoppingItemId"] == made
    assert len(await get_shopping_list(family.home.admin)) == 1


async def test_eight_concurrent_copies_of_one_request_create_one_entry(family: Family) -> None:
    home = family.home
    item = await add_item(home.admin, name="Milk")
    body = {"itemId": item["itemId"]}
    answers = await asyncio.gather(
        *(home.admin.post("/shopping-list", body, key="k") for _ in range(EIGHT))
    )
    assert [answer.status_code for answer in answers] == [201] * EIGHT
    assert len({answer.json()["shoppingItemId"] for answer in answers}) == 1


async def test_concurrent_untick_and_addition_leave_no_duplicate_claim(family: Family) -> None:
    home = family.home
    item = await add_item(home.admin, name="Milk")
    entry = await add_purchased_entry(home.admin, itemId=item["itemId"])

    async def ask(n: int, who: Person) -> httpx.Response:
        if n % 2:
            return await who.post("/shopping-list", {"itemId": item["itemId"]})
        asked = {"status": "pending", "version": 2}
        return await who.patch(entry_path(entry, "/status"), asked)

    answers = await family.call_concurrently(ask)
    assert {answer.status_code for answer in answers} <= {200, 201, 409}
    assert sum(answer.status_code == 200 for answer in answers) == 1
    assert len(await get_pending_entry_ids(home, item)) in (1, 2)


async def test_concurrent_additions_and_item_deletion_leave_no_link(family: Family) -> None:
    """Either order leaves free text and no claim."""
    home = family.home
    for round_ in range(4):
        item = await add_item(home.admin, name=f"Milk {round_}")
        body = {"itemId": item["itemId"], "force": True}

        async def ask(n: int, who: Person, item: Shown = item, body: Any = body) -> httpx.Response:
            if n == 4:
                return await who.delete(f"/items/{item['itemId']}")
            return await who.post("/shopping-list", body)

        answers = await family.call_concurrently(ask)
        assert answers[4].status_code == 204
        assert {each.status_code for each in answers} <= {201, 204, 404}
        assert await get_pending_entry_ids(home, item) == []
        linked = [each for each in await get_shopping_list(home.admin) if each["itemId"]]
        assert linked == []
    assert await get_all_pages(home.admin, "/items?status=all", 100) == []
