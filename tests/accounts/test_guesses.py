"""Guesses at one account from many addresses."""

import asyncio
from collections import Counter
from contextlib import suppress
from dataclasses import replace

import httpx
import pytest

from homeshelf.accounts import signing_in, tokens
from homeshelf.accounts.model import digest_of_email
from homeshelf.config.values import Rate
from homeshelf.coordination.attempts import MOST, Attempts, KnownAddress, known_addresses
from homeshelf.errors import RateLimited, Unauthenticated
from homeshelf.table import Database
from homeshelf.web.services import Services, open_services
from tests.costs import count_operations
from tests.databases import Opener
from tests.moment import Moment
from tests.running import (
    PASSWORD,
    SETTINGS,
    Person,
    RunningApp,
    busy_hashing_threads,
    problem_of,
    running_app,
)

WRONG = (401, "unauthenticated")
TOO_OFTEN = (429, "rate_limited")
HOME = "203.0.113.7"
DAY = 24 * 3600
FEW = Rate(4, 3600)


async def sign_in(
    running: RunningApp, email: str, address: str, password: str = PASSWORD
) -> httpx.Response:
    visitor = running.visitor(address)
    return await visitor.post("/tokens", {"email": email, "password": password})


async def guess(running: RunningApp, email: str, number: int) -> httpx.Response:
    """From an address that nobody used before."""
    return await sign_in(running, email, f"198.51.100.{number}", "a guess at it")


async def use_up(running: RunningApp, email: str) -> None:
    for number in range(FEW.times):
        assert problem_of(await guess(running, email, number)) == WRONG


def test_the_limits_are_these_unless_set() -> None:
    assert SETTINGS.limit_signins_email == Rate(100, 3600)
    assert SETTINGS.limit_signed_in == Rate(60, 3600)


@pytest.mark.parametrize("email", ["ada@home.local", "nobody@home.local"])
async def test_so_many_guesses_an_hour_wherever_they_come_from(
    database: Database, moment: Moment, email: str
) -> None:
    async with running_app(database, limit_signins_email=FEW) as running:
        await running.person("ada")
        await use_up(running, email)
        refused = await guess(running, email.upper(), 10)
        assert problem_of(refused) == TOO_OFTEN
        assert refused.headers["retry-after"] == "3600"
        assert problem_of(await guess(running, "eve@home.local", 10)) == WRONG
        moment.pass_by(3599)
        assert problem_of(await guess(running, email, 11)) == TOO_OFTEN
        moment.pass_by(1)
        assert problem_of(await guess(running, email, 11)) == WRONG


async def test_whose_account_is_under_attack_still_signs_in_from_home(database: Database) -> None:
    async with running_app(database, limit_signins_email=FEW) as running:
        ada = await running.person("ada")
        assert (await sign_in(running, ada.email, HOME)).status_code == 200
        await use_up(running, ada.email)
        assert problem_of(await sign_in(running, ada.email, "192.0.2.1")) == TOO_OFTEN
        for _ in range(3):
            assert (await sign_in(running, ada.email, HOME)).status_code == 200


async def test_home_is_home_for_its_own_people_only(database: Database) -> None:
    async with running_app(database, limit_signins_email=FEW) as running:
        ada, eve = await running.person("ada"), await running.person("eve")
        assert (await sign_in(running, ada.email, HOME)).status_code == 200
        await use_up(running, eve.email)
        assert problem_of(await sign_in(running, eve.email, HOME)) == TOO_OFTEN


async def test_the_other_limits_hold_at_home_too(database: Database) -> None:
    async with running_app(database, limit_signins=Rate(2, 900)) as running:
        ada = await running.person("ada")
        assert (await sign_in(running, ada.email, HOME)).status_code == 200
        for _ in range(2):
            assert problem_of(await sign_in(running, ada.email, HOME, "wrong one")) == WRONG
        assert problem_of(await sign_in(running, ada.email, HOME)) == TOO_OFTEN


async def test_a_home_of_ipv6_is_all_its_addresses(database: Database) -> None:
    async with running_app(database, limit_signins_email=FEW) as running:
        ada = await running.person("ada")
        assert (await sign_in(running, ada.email, "2001:db8:1:2::1")).status_code == 200
        await use_up(running, ada.email)
        assert (await sign_in(running, ada.email, "2001:db8:1:2:ffff::9")).status_code == 200
        assert problem_of(await sign_in(running, ada.email, "2001:db8:1:3::1")) == TOO_OFTEN


async def test_a_failure_makes_no_home(database: Database) -> None:
    async with running_app(database, limit_signins_email=FEW) as running:
        ada = await running.person("ada")
        assert problem_of(await sign_in(running, ada.email, HOME, "wrong one")) == WRONG
        for number in range(FEW.times - 1):
            await guess(running, ada.email, number)
        assert problem_of(await sign_in(running, ada.email, HOME)) == TOO_OFTEN
        assert await homes_of(running, ada) == []


async def test_where_somebody_signed_up_is_home(database: Database) -> None:
    async with running_app(database, limit_signins_email=FEW) as running:
        new = {"email": "ada@home.local", "password": PASSWORD, "name": "Ada"}
        assert (await running.visitor(HOME).post("/accounts", new)).status_code == 201
        await use_up(running, "ada@home.local")
        assert (await sign_in(running, "ada@home.local", HOME)).status_code == 200


async def test_who_used_a_mailed_link_gets_in_from_there(database: Database) -> None:
    async with running_app(database, limit_signins_email=FEW) as running:
        ada = await running.person("ada")
        await use_up(running, ada.email)
        new = {
            "token": tokens.reset_token(running.signer, ada.account),
            "password": "a new password",
        }
        assert (await running.visitor(HOME).post("/passwords/reset", new)).status_code == 204
        assert (await sign_in(running, ada.email, HOME, "a new password")).status_code == 200


async def test_home_is_remembered_for_ninety_days_and_noted_once_a_week(
    database: Database, moment: Moment
) -> None:
    async with running_app(database, limit_signins_email=FEW) as running:
        ada = await running.person("ada")
        seen = []
        for _ in range(9):
            assert (await sign_in(running, ada.email, HOME)).status_code == 200
            seen.append((await homes_of(running, ada))[0].seen)
            moment.pass_by(DAY)
        assert len(set(seen[:7])) == 1
        assert seen[7] == seen[8] == seen[0] + 7 * DAY
        moment.pass_by(88 * DAY - 1)
        await use_up(running, ada.email)
        assert (await sign_in(running, ada.email, HOME)).status_code == 200
        moment.pass_by(90 * DAY)
        await use_up(running, ada.email)
        assert problem_of(await sign_in(running, ada.email, HOME)) == TOO_OFTEN


async def test_so_many_homes_are_kept_and_the_latest_of_them(
    database: Database, moment: Moment
) -> None:
    keys = []
    for number in range(MOST + 3):
        arrival = KnownAddress.now("door", "ada", str(number))
        await database.transact(*await arrival.noted(database, None))
        keys.append(arrival.own_key())
        moment.pass_by(1)
    kept = await database.get_many(keys)
    assert [home is not None for home in kept] == [False] * 3 + [True] * MOST


async def test_who_leaves_takes_their_homes_along(running: RunningApp) -> None:
    ada, eve = await running.person("ada"), await running.person("eve")
    for person in (ada, eve):
        assert (await sign_in(running, person.email, HOME)).status_code == 200
    assert (await ada.delete("/me", {"password": PASSWORD})).status_code == 204
    assert await homes_of(running, ada) == []
    assert len(await homes_of(running, eve)) == 1


async def test_no_work_tells_whether_there_is_an_account(open_another: Opener) -> None:
    async with running_app(open_another(), limit_signins_email=FEW) as running:
        ada = await running.person("ada")
        door = await open_services(replace(SETTINGS, limit_signins_email=FEW), open_another())
        for number in range(FEW.times + 2):
            spent = [await spent_on(door, email, number) for email in (ada.email, "no@body")]
            assert spent[0] == spent[1]


async def test_past_the_limit_nothing_is_written_or_hashed(open_another: Opener) -> None:
    async with running_app(open_another(), limit_signins_email=FEW) as running:
        ada = await running.person("ada")
        await use_up(running, ada.email)
        async with busy_hashing_threads(running):
            assert problem_of(await guess(running, ada.email, 10)) == TOO_OFTEN
        door = await open_services(replace(SETTINGS, limit_signins_email=FEW), open_another())
        assert (await spent_on(door, ada.email, 11)).keys() == {"get", "get_many"}
        counted = await running.db.get(
            Attempts.key(kind=signing_in.SIGN_IN, about=digest_of_email(ada.email))
        )
        assert counted is not None
        assert len(counted.times) == FEW.times


@pytest.mark.usefixtures("usual_hashes")
async def test_many_at_once_from_everywhere_count_exactly(open_another: Opener) -> None:
    """In two processes that share the table, as workers do."""
    settings = {"limit_signins_email": FEW}
    async with (
        running_app(open_another(), **settings) as one,
        running_app(open_another(), **settings) as other,
    ):
        ada = await one.person("ada")
        assert (await sign_in(one, ada.email, HOME)).status_code == 200
        asked = [guess(running, ada.email, n) for n in range(20) for running in (one, other)]
        *answers, home = await asyncio.gather(*asked, sign_in(other, ada.email, HOME))
        statuses = Counter(answer.status_code for answer in answers)
        assert statuses == {401: FEW.times, 429: 40 - FEW.times}
        assert home.status_code == 200


async def test_strangers_do_not_keep_who_is_signed_in_from_a_new_password(
    database: Database,
) -> None:
    async with running_app(database, limit_signins_email=FEW) as running:
        ada = await running.person("ada")
        await use_up(running, ada.email)
        change = {"password": "a new password", "currentPassword": PASSWORD}
        assert (await ada.patch("/me", change)).status_code == 200


async def test_who_stole_a_session_gets_no_more_guesses_by_moving_about(
    database: Database,
) -> None:
    async with running_app(database, limit_signins_email=FEW) as running:
        ada = await running.person("ada")
        stolen = running.access_token(ada.member_id, ada.session_id)
        answers = []
        for number in range(FEW.times + 1):
            thief = running.visitor(f"198.51.100.{number}")
            thief.bear(stolen)
            guessed = {"password": "a new password", "currentPassword": "a guess at it"}
            answers.append(problem_of(await thief.patch("/me", guessed)))
        assert answers == [(400, "validation")] * FEW.times + [TOO_OFTEN]


async def test_the_right_password_opens_so_often_an_hour(
    database: Database, moment: Moment
) -> None:
    async with running_app(database, limit_signed_in=Rate(3, 3600)) as running:
        ada, eve = await running.person("ada"), await running.person("eve")
        for number in range(3):
            assert problem_of(await sign_in(running, ada.email, HOME, "wrong one")) == WRONG
            answer = await sign_in(running, ada.email.upper(), f"192.0.2.{number}")
            assert answer.status_code == 200
            moment.pass_by(10)
        async with busy_hashing_threads(running):
            refused = await sign_in(running, ada.email, HOME)
        assert problem_of(refused) == TOO_OFTEN
        assert refused.headers["retry-after"] == str(3600 - 30)
        change = {"password": "a new password", "currentPassword": PASSWORD}
        assert problem_of(await ada.patch("/me", change)) == TOO_OFTEN
        assert (await sign_in(running, eve.email, HOME)).status_code == 200
        moment.pass_by(3600 - 30)
        assert (await sign_in(running, ada.email, HOME)).status_code == 200


@pytest.mark.usefixtures("usual_hashes")
async def test_of_many_right_ones_at_once_so_many_open(open_another: Opener) -> None:
    settings = {"limit_signed_in": Rate(3, 3600)}
    async with (
        running_app(open_another(), **settings) as one,
        running_app(open_another(), **settings) as other,
    ):
        ada = await one.person("ada")
        asked = [
            sign_in(running, ada.email, f"192.0.2.{number}")
            for number in range(4)
            for running in (one, other)
        ]
        answers = await asyncio.gather(*asked)
        assert sorted(answer.status_code for answer in answers) == [200] * 3 + [429] * 5
        sessions = (await ada.get("/me/sessions")).json()["items"]
        assert len(sessions) == 1 + 3
        assert problem_of(await guess(one, ada.email, 1)) == TOO_OFTEN


async def spent_on(door: Services, email: str, number: int) -> Counter[str]:
    """What the table is asked for a guess, with nothing going on beside it."""
    with count_operations(door.db) as spent, suppress(Unauthenticated, RateLimited):
        await signing_in.sign_in(door, f"198.51.100.{number}", email, "a guess at it")
    return spent


async def homes_of(running: RunningApp, person: Person) -> list[KnownAddress]:
    return list(
        await running.db.all(known_addresses(signing_in.SIGN_IN, digest_of_email(person.email)))
    )
