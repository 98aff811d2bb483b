"""Test the limits on hashing passcodes, and that sign-ins do not wait for it."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import httpx
import pytest

from homeshelf.accounts.limits import AccountLimits
from homeshelf.config.values import Rate
from homeshelf.shares.limits import ShareLimits
from homeshelf.table import Database
from homeshelf.web import limits
from homeshelf.web.limits import Limits
from tests.moment import HOUR, Moment
from tests.running import (
    PASSWORD,
    RunningApp,
    Visitor,
    busy_hashing_threads,
    problem_of,
    running_app,
)
from tests.shares.clients import (
    PASSCODES,
    VIEW,
    Guest,
    Shown,
    bearer_headers,
    new_list,
    seen,
    visitor_from,
)

pytestmark = pytest.mark.usefixtures("usual_hashes")

TOO_OFTEN = (429, "rate_limited")
PLACES = 4


def path_of(made: Shown) -> str:
    return f"/shareables/{made['shortId']}"


async def unlocked(visitor: Visitor, made: Shown) -> httpx.Response:
    return await visitor.post(f"{path_of(made)}/unlock", {"passcode": VIEW})


async def change_passcode(visitor: Visitor, made: Shown, version: int = 1) -> httpx.Response:
    body = {"version": version, "adminPasscode": "another"}
    return await visitor.patch(path_of(made), body, **bearer_headers(made["token"]))


async def clone_list(visitor: Visitor, made: Shown) -> httpx.Response:
    return await visitor.post(
        f"{path_of(made)}/clone", PASSCODES["both"], **bearer_headers(made["token"])
    )


async def create_list(visitor: Visitor, _new_list: Shown) -> httpx.Response:
    return await visitor.post("/shareables", {"name": "x", **PASSCODES["both"]})


def app_limits(running: RunningApp) -> Limits:
    found: Limits = running.services.limits
    return found


async def wait_until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110  # no event says so
            await asyncio.sleep(0.005)


async def test_new_passcodes_with_a_stale_version_are_refused_before_hashing(
    running: RunningApp, nobody: Visitor
) -> None:
    made = await new_list(nobody)
    renamed = {"version": 1, "name": "Hiking"}
    assert (await nobody.patch(path_of(made), renamed)).status_code == 200
    async with busy_hashing_threads(running), asyncio.timeout(20):
        stale = {"version": 1, "viewPasscode": "another", "name": "Sailing"}
        answer = await nobody.patch(path_of(made), stale)
        assert problem_of(answer) == (409, "version_conflict")
        assert answer.json()["current"] == await seen(nobody, made)
        form = {"version": "1", "name": "Sailing", "viewPasscode": "another"}
        page = await Guest(running).post(f"/s/{made['shortId']}/settings", **form)
        assert page.status_code == 409
        removed = {"version": 2, "viewPasscode": None}
        assert (await nobody.patch(path_of(made), removed)).status_code == 200


async def test_right_unlocks_and_new_passcodes_of_an_address_are_limited(
    database: Database, moment: Moment
) -> None:
    limit = {"limit_unlocked": Rate(3, HOUR)}
    async with running_app(database, **limit) as running, running_app(database, **limit) as two:
        here = visitor_from(running, 1)
        made, other = [await new_list(here, **PASSCODES["view"]) for _ in range(2)]
        wrong = {"passcode": "wrong"}
        assert (await here.post(f"{path_of(made)}/unlock", wrong)).status_code == 401
        assert (await unlocked(here, made)).status_code == 200
        assert (await unlocked(visitor_from(two, 1), other)).status_code == 200
        assert (await change_passcode(here, made)).status_code == 200
        async with busy_hashing_threads(running), busy_hashing_threads(two):
            for visitor in (here, visitor_from(two, 1)):
                refused = await unlocked(visitor, other)
                assert problem_of(refused) == TOO_OFTEN
                assert refused.headers["retry-after"] == str(HOUR)
                assert problem_of(await change_passcode(visitor, other)) == TOO_OFTEN
            guest = Guest(running, address="198.18.0.2")
            form = {"version": "1", "name": "Sailing", "viewPasscode": "another"}
            plain = await new_list(here)
            page = await guest.post(f"/s/{plain['shortId']}/settings", **form)
            assert (page.status_code, page.headers["retry-after"]) == (429, str(HOUR))
            assert "Sailing" in page.text
            assert "another" not in page.text
        assert (await unlocked(visitor_from(running, 2), other)).status_code == 200
        moment.pass_by(HOUR)
        assert (await unlocked(here, other)).status_code == 200


@pytest.mark.parametrize("crowd", [unlocked, change_passcode, clone_list, create_list])
async def test_many_visitors_of_lists_do_not_delay_sign_ins(
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    crowd: Callable[[Visitor, Shown], Coroutine[Any, Any, httpx.Response]],
) -> None:
    monkeypatch.setattr(limits, "PLACES", PLACES)
    async with running_app(database) as running:
        ada, door = await running.person("ada"), running.visitor()
        known = {"email": ada.email, "password": PASSWORD}
        assert (await door.post("/tokens", known)).status_code == 200
        people = [visitor_from(running, number) for number in range(3 * PLACES)]
        lists = [await new_list(each, **PASSCODES["view"]) for each in people]
        if crowd is unlocked:
            for each, made in zip(people[:PLACES], lists, strict=False):
                assert (await unlocked(each, made)).status_code == 200
        async with busy_hashing_threads(running):
            flood = [
                asyncio.create_task(crowd(each, made))
                for each, made in zip(people, lists, strict=True)
            ]
            await wait_until(lambda: any(each.done() for each in flood))
            home = asyncio.create_task(door.post("/tokens", known))
            new = {"email": "zoe@home.local", "password": PASSWORD, "name": "Zoe"}
            joining = asyncio.create_task(door.post("/accounts", new))
            hashing = app_limits(running).of(AccountLimits)
            await wait_until(lambda: hashing.trusted.waiting == hashing.sign_ups.waiting == 1)
        assert ((await home).status_code, (await joining).status_code) == (200, 201)
        statuses = {answer.status_code for answer in await asyncio.gather(*flood)}
        assert 503 in statuses
        assert statuses < {200, 201, 503}


async def test_one_address_hashes_one_passcode_at_a_time(running: RunningApp) -> None:
    here = visitor_from(running, 1)
    made = await new_list(here, **PASSCODES["view"])
    async with busy_hashing_threads(running):
        ways = [unlocked, change_passcode, clone_list, create_list, create_list]
        flood = [asyncio.create_task(way(here, made)) for way in ways]
        ours = app_limits(running)
        turns, own = ours.turns._locks, ours.of(ShareLimits)
        lanes = own.holders, own.strangers
        await wait_until(lambda: turns.users("unlocked 198.18.0.2") == len(ways))
        await wait_until(lambda: any(lane.waiting for lane in lanes))
        assert sum(lane.waiting for lane in lanes) == 1
    statuses = [answer.status_code for answer in await asyncio.gather(*flood)]
    assert statuses == [200, 200, 201, 201, 201]
