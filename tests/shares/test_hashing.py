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
from tests.shares.clients import PASSCODES, VIEW, Guest, Shown, bearing, new_list, seen, somewhere

pytestmark = pytest.mark.usefixtures("usual_hashes")

TOO_OFTEN = (429, "rate_limited")
PLACES = 4


def path_of(made: Shown) -> str:
    return f"/shareables/{made['shortId']}"


async def unlocked(visitor: Visitor, made: Shown) -> httpx.Response:
    return await visitor.post(f"{path_of(made)}/unlock", {"passcode": VIEW})


async def changed(visitor: Visitor, made: Shown, version: int = 1) -> httpx.Response:
    body = {"version": version, "adminPasscode": "another"}
    return await visitor.patch(path_of(made), body, **bearing(made["token"]))


async def cloned(visitor: Visitor, made: Shown) -> httpx.Response:
    return await visitor.post(f"{path_of(made)}/clone", PASSCODES["both"], **bearing(made["token"]))


async def made_anew(visitor: Visitor, _new_list: Shown) -> httpx.Response:
    return await visitor.post("/shareables", {"name": "x", **PASSCODES["both"]})


def limits_of(running: RunningApp) -> Limits:
    found: Limits = running.services.limits
    return found


async def until(holds: Callable[[], bool]) -> None:
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
        here = somewhere(running, 1)
        made, other = [await new_list(here, **PASSCODES["view"]) for _ in range(2)]
        wrong = {"passcode": "wrong"}
        assert (await here.post(f"{path_of(made)}/unlock", wrong)).status_code == 401
        assert (await unlocked(here, made)).status_code == 200
        assert (await unlocked(somewhere(two, 1), other)).status_code == 200
        assert (await changed(here, made)).status_code == 200
        async with busy_hashing_threads(running), busy_hashing_threads(two):
            for visitor in (here, somewhere(two, 1)):
                refused = await unlocked(visitor, other)
                assert problem_of(refused) == TOO_OFTEN
                assert refused.headers["retry-after"] == str(HOUR)
                assert problem_of(await changed(visitor, other)) == TOO_OFTEN
            guest = Guest(running, address="198.18.0.2")
            form = {"version": "1", "name": "Sailing", "viewPasscode": "another"}
            plain = await new_list(here)
            page = await guest.post(f"/s/{plain['shortId']}/settings", **form)
            assert (page.status_code, page.headers["retry-after"]) == (429, str(HOUR))
            assert "Sailing" in page.text
            assert "another" not in page.text
        assert (await unlocked(somewhere(running, 2), other)).status_code == 200
        moment.pass_by(HOUR)
        assert (await unlocked(here, other)).status_code == 200


@pytest.mark.parametrize("crowd", [unlocked, changed, cloned, made_anew])
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
        people = [somewhere(running, number) for number in range(3 * PLACES)]
        lists = [await new_list(each, **PASSCODES["view"]) for each in people]
        if crowd is unlocked:
            for each, made in zip(people[:PLACES], lists, strict=False):
                assert (await unlocked(each, made)).status_code == 200
        async with busy_hashing_threads(running):
            flood = [
                asyncio.create_task(crowd(each, made))
                for each, made in zip(people, lists, strict=True)
            ]
            await until(lambda: any(each.done() for each in flood))
            home = asyncio.create_task(door.post("/tokens", known))
            new = {"email": "zoe@home.local", "password": PASSWORD, "name": "Zoe"}
            joining = asyncio.create_task(door.post("/accounts", new))
            hashing = limits_of(running).of(AccountLimits)
            await until(lambda: hashing.trusted.waiting == hashing.sign_ups.waiting == 1)
        assert ((await home).status_code, (await joining).status_code) == (200, 201)
        statuses = {answer.status_code for answer in await asyncio.gather(*flood)}
        assert 503 in statuses
        assert statuses < {200, 201, 503}


async def test_one_address_hashes_one_passcode_at_a_time(running: RunningApp) -> None:
    here = somewhere(running, 1)
    made = await new_list(here, **PASSCODES["view"])
    async with busy_hashing_threads(running):
        ways = [unlocked, changed, cloned, made_anew, made_anew]
        flood = [asyncio.create_task(way(here, made)) for way in ways]
        ours = limits_of(running)
        turns, own = ours.turns._locks, ours.of(ShareLimits)
        lanes = own.holders, own.strangers
        await until(lambda: turns.users("unlocked 198.18.0.2") == len(ways))
        await until(lambda: any(lane.waiting for lane in lanes))
        assert sum(lane.waiting for lane in lanes) == 1
    statuses = [answer.status_code for answer in await asyncio.gather(*flood)]
    assert statuses == [200, 200, 201, 201, 201]
