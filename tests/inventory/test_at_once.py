"""Concurrent changes of items: none is lost, and each notice is opened once."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from itertools import pairwise

import pytest

from tests.api_client import Shown, add_item, add_place, get_all_pages, get_item, get_open_notice
from tests.databases import Opener
from tests.home import Home, new_home
from tests.running import RunningApp, Visitor, running_app

CLIENTS, TIMES = 16, 10


@pytest.fixture
async def running_apps(open_another: Opener) -> AsyncIterator[list[RunningApp]]:
    """Four processes that serve one household and share only its tables."""
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(running_app(open_another())) for _ in range(4)]


@pytest.fixture
async def home(running_apps: list[RunningApp]) -> Home:
    return await new_home(running_apps[0], "Lovelace", "ada")


@pytest.fixture
def clients(home: Home, running_apps: list[RunningApp]) -> list[Visitor]:
    """Ada's sixteen devices, four at each process."""
    devices = [running_apps[number % len(running_apps)].visitor() for number in range(CLIENTS)]
    for device in devices:
        device.bear(home.admin.client.headers["authorization"].removeprefix("Bearer "))
    return devices


async def get_history(home: Home, item: Shown) -> list[Shown]:
    """Return the changes, oldest first."""
    found = await get_all_pages(home.admin, f"/items/{item['itemId']}/history", 100)
    return found[::-1]


def sum_of_history(changes: list[Shown]) -> int:
    """Return the sum of the changes, and check each stored result on the way."""
    total = 0
    for change in changes:
        total += change["delta"]
        assert change["quantity"] == total
    assert all(one["at"] < other["at"] for one, other in pairwise(changes))
    return total


async def test_160_concurrent_adjustments_lose_nothing(home: Home, clients: list[Visitor]) -> None:
    rice = await add_item(home.admin, quantity=1000)
    path = f"/items/{rice['itemId']}/adjust"

    async def take_one_repeatedly(client: Visitor) -> list[int]:
        return [(await client.post(path, {"delta": -1})).status_code for _ in range(TIMES)]

    answers = await asyncio.gather(*map(take_one_repeatedly, clients))
    assert answers == [[200] * TIMES] * CLIENTS
    item = await get_item(home.admin, rice)
    assert (item["quantity"], item["version"]) == (1000 - CLIENTS * TIMES, 1 + CLIENTS * TIMES)
    assert sum_of_history(await get_history(home, rice)) == item["quantity"]


async def test_160_simultaneous_adjustments_succeed(home: Home, clients: list[Visitor]) -> None:
    rice = await add_item(home.admin, quantity=0, threshold=100)
    path = f"/items/{rice['itemId']}/adjust"
    answers = await asyncio.gather(
        *(client.post(path, {"delta": 1}) for client in clients for _ in range(TIMES))
    )
    assert {answer.status_code for answer in answers} == {200}
    assert sorted(answer.json()["item"]["quantity"] for answer in answers) == list(
        range(1, CLIENTS * TIMES + 1)
    )
    assert (await get_item(home.admin, rice))["quantity"] == CLIENTS * TIMES
    assert await get_open_notice(home, rice) is None


async def test_concurrent_adjustments_and_edits_lose_nothing(
    home: Home, clients: list[Visitor]
) -> None:
    rice = await add_item(home.admin, quantity=500, threshold=500)
    path = f"/items/{rice['itemId']}"

    async def adjust(client: Visitor, number: int) -> None:
        for turn in range(TIMES):
            delta = 3 if (number + turn) % 2 else -5
            answer = await client.post(f"{path}/adjust", {"delta": delta})
            assert (answer.status_code, answer.json()["applied"]) == (200, delta)

    async def edit(client: Visitor, number: int) -> None:
        """Retry after each 409, as a user does."""
        for turn in range(TIMES):
            change = {"notes": f"{number} {turn}", "threshold": 480 + 4 * turn, "version": 1}
            while (answer := await client.patch(path, change)).status_code == 409:
                change["version"] = answer.json()["current"]["version"]
            assert answer.status_code == 200

    await asyncio.gather(
        *(
            (edit if number % 4 == 3 else adjust)(client, number)
            for number, client in enumerate(clients)
        )
    )
    item = await get_item(home.admin, rice)
    adjusters = CLIENTS * 3 // 4
    assert item["quantity"] == 500 - adjusters * TIMES
    assert sum_of_history(await get_history(home, rice)) == item["quantity"]
    assert item["version"] == 1 + CLIENTS * TIMES
    assert (await get_open_notice(home, rice) is not None) == item["isLowStock"]


async def test_concurrent_crossings_open_one_notice(home: Home, clients: list[Visitor]) -> None:
    rice = await add_item(home.admin, quantity=5, threshold=5)
    path = f"/items/{rice['itemId']}"
    dice = random.Random(7)
    verbs = ["adjust"] * 6 + ["archive", "unarchive", "edit", "acknowledge"]

    async def act(client: Visitor, verb: str) -> int:
        match verb:
            case "adjust":
                return (
                    await client.post(f"{path}/adjust", {"delta": dice.choice((-2, 2))})
                ).status_code
            case "edit":
                version = (await client.get(path)).json()["version"]
                change = {"threshold": dice.randint(3, 7), "version": version}
                return (await client.patch(path, change)).status_code
            case "acknowledge":
                for notice in (await client.get("/notifications")).json()["items"]:
                    where = f"/notifications/{notice['notificationId']}/acknowledge"
                    await client.post(where)
                return 200
        return (await client.post(f"{path}/{verb}")).status_code

    for _ in range(8):
        answers = await asyncio.gather(*(act(client, dice.choice(verbs)) for client in clients))
        assert set(answers) <= {200, 409, 422}
        item = await get_item(home.admin, rice)
        calls_for_one = item["status"] == "active" and item["isLowStock"]
        assert (await get_open_notice(home, rice) is not None) == calls_for_one


async def test_removal_during_adjustments_leaves_no_records(
    home: Home, clients: list[Visitor]
) -> None:
    for _ in range(3):
        rice = await add_item(home.admin, quantity=3, threshold=3)
        path = f"/items/{rice['itemId']}"
        answers = await asyncio.gather(
            *(client.post(f"{path}/adjust", {"delta": -1}) for client in clients[1:]),
            clients[0].delete(path),
        )
        assert {answer.status_code for answer in answers[:-1]} <= {200, 404}
        assert answers[-1].status_code == 204
        assert await get_open_notice(home, rice) is None


async def test_concurrent_requests_add_one_place_once(clients: list[Visitor]) -> None:
    answers = await asyncio.gather(
        *(client.post("/stores", {"name": "Market"}) for client in clients)
    )
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * (CLIENTS - 1)


async def test_concurrent_requests_add_items_in_one_place(
    home: Home, clients: list[Visitor]
) -> None:
    pantry = await add_place(home.admin, "locations", "Pantry")
    body = {"name": "Rice", "locationId": pantry["locationId"]}
    answers = await asyncio.gather(*(client.post("/items", body) for client in clients * 4))
    assert {answer.status_code for answer in answers} == {201}
    assert len(await get_all_pages(home.admin, "/items", 100)) == CLIENTS * 4
