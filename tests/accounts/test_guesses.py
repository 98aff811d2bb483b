"""Password guesses at one account from many addresses."""

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
    """Sign in from an address that was not used before."""
    return await sign_in(running, email, f"198.51.100.{number}", "a guess at it")


async def use_up_limit(running: RunningApp, email: str) -> None:
    for number in range(FEW.times):
        assert problem_of(await guess(running, email, number)) == WRONG


def test_default_sign_in_limits() -> None:
    assert SETTINGS.limit_signins_email == Rate(100, 3600)
    assert SETTINGS.limit_signed_in == Rate(60, 3600)


@pytest.mark.parametrize("email", ["ada@home.local", "nobody@home.local"])
async def test_guesses_per_hour_are_limited_over_all_addresses(
    database: Database, moment: Moment, email: str
) -> None:
    async with running_app(database, limit_signins_email=FEW) as running:
        await running.person("ada")
        await use_up_limit(running, email)
        refused = await guess(running, email.upper(), 10)
        assert problem_of(refused) == TOO_OFTEN
        assert refused.headers["retry-after"] == "3600"
        assert problem_of(await guess(running, "eve@home.local", 10)) == WRONG
        moment.pass_by(3599)
        assert problem_of(await guess(running, email, 11)) == TOO_OFTEN
        moment.pass_by(1)
        assert problem_of(await guess(running, email, 11)) == WRONG


async def test_owner_signs_in_from_known_address_during_attack(database: Database) -> None:
    async with running_app(database, limit_signins_email=FEW) as running:
        ada = await running.person("ada")
        assert (await sign_in(running, ada.email, HOME)).status_code == 200
        await use_up_limit(running, ada.email)
        assert problem_of(await sign_in(running, ada.email, "192.0.2.1")) == TOO_OFTEN
        for _ in range(3):
            assert (await sign_in(running, ada.email, HOME)).status_code == 200


async def test_address_is_known_only_for_its_own_account(database: Database) -> None:
    async with running_app(database, limit_signins_email=FEW) as running:
        ada, eve = await running.person("ada"), await running.person("eve")
        assert (await sign_in(running, ada.email, HOME)).status_code == 200
        await use_up_limit(running, eve.email)
        assert problem_of(await sign_in(running, eve.email, HOME)) == TOO_OFTEN


async def test_other_limits_apply_at_known_address(database: Database) -> None:
    async with running_app(database, limit_signins=Rate(2, 900)) as running:
        ada = await running.person("ada")
        assert (await sign_in(running, ada.email, HOME)).status_code == 200
        for _ in range(2):
            assert problem_of(await sign_in(running, ada.email, HOME, "wrong one")) == WRONG
        assert problem_of(await sign_in(running, ada.email, HOME)) == TOO_OFTEN


async def test_known_ipv6_address_covers_its_network(database: Database) -> None:
    async with running_app(database, limit_signins_email=FEW) as running:
        ada = await running.person("ada")
        assert (await sign_in(running, ada.email, "2001:db8:1:2::1")).status_code == 200
        await use_up_limit(running, ada.email)
        assert (await sign_in(running, ada.email, "2001:db8:1:2:ffff::9")).status_code == 200
        assert problem_of(await sign_in(running, ada.email, "2001:db8:1:3::1")) == TOO_OFTEN


async def test_failed_sign_in_does_not_make_address_known(database: Database) -> None:
    async with running_app(database, limit_signins_email=FEW) as running:
        ada = await running.person("ada")
        assert problem_of(await sign_in(running, ada.email, HOME, "wrong one")) == WRONG
        for number in range(FEW.times - 1):
            await guess(running, ada.email, number)
        assert problem_of(await sign_in(running, ada.email, HOME)) == TOO_OFTEN
        assert await known_addresses_of(running, ada) == []


async def test_sign_up_makes_address_known(database: Database) -> None:
    async with running_app(database, limit_signins_email=FEW) as running:
        new = {"email": "ada@home.local", "password": PASSWORD, "name": "Ada"}
        assert (await running.visitor(HOME).post("/accounts", new)).status_code == 201
        await use_up_limit(running, "ada@home.local")
        assert (await sign_in(running, "ada@home.local", HOME)).status_code == 200


async def test_mailed_link_makes_address_known(database: Database) -> None:
    async with running_app(database, limit_signins_email=FEW) as running:
        ada = await running.person("ada")
        await use_up_limit(running, ada.email)
        new = {
            "token": tokens.reset_token(running.signer, ada.account),
            "password": "a new password",
        }
        assert (await running.visitor(HOME).post("/passwords/reset", new)).status_code == 204
        assert (await sign_in(running, ada.email, HOME, "a new password")).status_code == 200


async def test_known_address_lasts_ninety_days_and_is_refreshed_weekly(
    database: Database, moment: Moment
) -> None:
    async with running_app(database, limit_signins_email=FEW) as running:
        ada = await running.person("ada")
        seen = []
        for _ in range(9):
            assert (await sign_in(running, ada.email, HOME)).status_code == 200
            seen.append((await known_addresses_of(running, ada))[0].seen)
            moment.pass_by(DAY)
        assert len(set(seen[:7])) == 1
        assert seen[7] == seen[8] == seen[0] + 7 * DAY
        moment.pass_by(88 * DAY - 1)
        await use_up_limit(running, ada.email)
        assert (await sign_in(running, ada.email, HOME)).status_code == 200
        moment.pass_by(90 * DAY)
        await use_up_limit(running, ada.email)
        assert problem_of(await sign_in(running, ada.email, HOME)) == TOO_OFTEN


async def test_only_the_latest_known_addresses_are_kept(database: Database, moment: Moment) -> None:
    keys = []
    for number in range(MOST + 3):
        arrival = KnownAddress.now("door", "ada", str(number))
        await database.transact(*await arrival.success_writes(database, None))
        keys.append(arrival.own_key())
        moment.pass_by(1)
    kept = await database.get_many(keys)
    assert [home is not None for home in kept] == [False] * 3 + [True] * MOST


async def test_deleting_an_account_deletes_its_known_addresses(running: RunningApp) -> None:
    ada, eve = await running.person("ada"), await running.person("eve")
    for person in (ada, eve):
        assert (await sign_in(running, person.email, HOME)).status_code == 200
    assert (await ada.delete("/me", {"password": PASSWORD})).status_code == 204
    assert await known_addresses_of(running, ada) == []
    assert len(await known_addresses_of(running, eve)) == 1


async def test_guesses_cost_the_same_with_and_without_an_account(open_another: Opener) -> None:
    async with running_app(open_another(), limit_signins_email=FEW) as running:
        ada = await running.person("ada")
        door = await open_services(replace(SETTINGS, limit_signins_email=FEW), open_another())
        for number in range(FEW.times + 2):
            spent = [
                await count_operations_of_guess(door, email, number)
                for email in (ada.email, "no@body")
            ]
            assert spent[0] == spent[1]


async def test_guess_past_limit_writes_and_hashes_nothing(open_another: Opener) -> None:
    async with running_app(open_another(), limit_signins_email=FEW) as running:
        ada = await running.person("ada")
        await use_up_limit(running, ada.email)
        async with busy_hashing_threads(running):
            assert problem_of(await guess(running, ada.email, 10)) == TOO_OFTEN
        door = await open_services(replace(SETTINGS, limit_signins_email=FEW), open_another())
        assert (await count_operations_of_guess(door, ada.email, 11)).keys() == {"get", "get_many"}
        counted = await running.db.get(
            Attempts.key(kind=signing_in.SIGN_IN, about=digest_of_email(ada.email))
        )
        assert counted is not None
        assert len(counted.times) == FEW.times


@pytest.mark.usefixtures("usual_hashes")
async def test_concurrent_guesses_in_two_processes_are_counted_exactly(
    open_another: Opener,
) -> None:
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


async def test_guesses_do_not_block_signed_in_password_change(
    database: Database,
) -> None:
    async with running_app(database, limit_signins_email=FEW) as running:
        ada = await running.person("ada")
        await use_up_limit(running, ada.email)
        change = {"password": "a new password", "currentPassword": PASSWORD}
        assert (await ada.patch("/me", change)).status_code == 200


async def test_stolen_session_gets_no_more_guesses_from_other_addresses(
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


async def test_successful_sign_ins_per_hour_are_limited(database: Database, moment: Moment) -> None:
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
async def test_concurrent_successful_sign_ins_are_limited(open_another: Opener) -> None:
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


async def count_operations_of_guess(door: Services, email: str, number: int) -> Counter[str]:
    """Count the table operations of a guess, without background work."""
    with count_operations(door.db) as spent, suppress(Unauthenticated, RateLimited):
        await signing_in.sign_in(door, f"198.51.100.{number}", email, "a guess at it")
    return spent


async def known_addresses_of(running: RunningApp, person: Person) -> list[KnownAddress]:
    return list(
        await running.db.all(known_addresses(signing_in.SIGN_IN, digest_of_email(person.email)))
    )
