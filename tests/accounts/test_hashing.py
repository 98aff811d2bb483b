"""Limits on password hashing, which costs time and memory."""

import asyncio
from collections import Counter
from collections.abc import Callable

import httpx
import pytest

from homeshelf.accounts import passwords, tokens
from homeshelf.accounts.limits import AccountLimits
from homeshelf.config.values import Rate
from homeshelf.table import Database
from homeshelf.web import limits
from homeshelf.web.limits import PLACES, WAITING_FOR_A_TURN
from tests.moment import Moment
from tests.running import (
    PASSWORD,
    SETTINGS,
    RunningApp,
    Visitor,
    busy_hashing_threads,
    problem_of,
    running_app,
)

pytestmark = pytest.mark.usefixtures("usual_hashes")

NEW = "a new password"
GONE = (404, "not_found")
TOO_OFTEN = (429, "rate_limited")
AWAY = (503, "unavailable")
FEW = 16


@pytest.fixture(params=[FEW, pytest.param(PLACES, marks=pytest.mark.torture)])
def queue_length(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """The number of places in the queue, small unless the test is slow."""
    found: int = request.param
    monkeypatch.setattr(limits, "PLACES", found)
    return found


async def sign_in(visitor: Visitor, email: str, password: str = PASSWORD) -> httpx.Response:
    return await visitor.post("/tokens", {"email": email, "password": password})


async def sign_up(visitor: Visitor, name: str) -> httpx.Response:
    new = {"email": f"{name}@home.local", "password": PASSWORD, "name": name}
    return await visitor.post("/accounts", new)


async def test_void_link_is_refused_without_hashing(running: RunningApp) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    spent = {"token": tokens.reset_token(running.signer, ada.account), "password": NEW}
    assert (await visitor.post("/passwords/reset", spent)).status_code == 204
    async with busy_hashing_threads(running):
        for token in (spent["token"], "nonsense"):
            again = {"token": token, "password": NEW}
            assert problem_of(await visitor.post("/passwords/reset", again)) == GONE
            page = f"/reset/{token}"
            assert (await visitor.client.get(page)).status_code == 404
            ours = {"Origin": "http://home.test"}
            sent = await visitor.client.post(page, data={"password": NEW}, headers=ours)
            assert sent.status_code == 404


async def test_concurrent_uses_of_one_link_hash_once(
    running: RunningApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    hash_password: list[str] = []
    hash_password_blocking = passwords.hash_password_blocking

    def hash_and_record(password: str) -> str:
        hash_password.append(password)
        return hash_password_blocking(password)

    monkeypatch.setattr(passwords, "hash_password_blocking", hash_and_record)
    link = {"token": tokens.reset_token(running.signer, ada.account), "password": NEW}
    async with busy_hashing_threads(running):
        uses = [asyncio.create_task(visitor.post("/passwords/reset", link)) for _ in range(5)]
        await wait_until(lambda: account_limits(running).trusted.waiting > 0)
        await asyncio.sleep(0.05)
        assert account_limits(running).trusted.waiting == 1
    answers = await asyncio.gather(*uses)
    assert sorted(answer.status_code for answer in answers) == [204, 404, 404, 404, 404]
    assert hash_password == [NEW]


@pytest.mark.parametrize("path", ["/passwords/reset", "/accounts/verify"])
async def test_link_attempts_per_address_are_limited(
    database: Database, moment: Moment, path: str
) -> None:
    body = {"token": "nonsense"} | ({"password": NEW} if "reset" in path else {})
    async with running_app(database, limit_links=Rate(3, 900)) as running:
        for _ in range(3):
            assert problem_of(await running.visitor().post(path, body)) == GONE
        async with busy_hashing_threads(running):
            assert problem_of(await running.visitor().post(path, body)) == TOO_OFTEN
        other = "/accounts/verify" if "reset" in path else "/passwords/reset"
        also = {"token": "nonsense"} | ({"password": NEW} if "reset" in other else {})
        assert problem_of(await running.visitor().post(other, also)) == TOO_OFTEN
        assert problem_of(await running.visitor("192.0.2.1").post(path, body)) == GONE
        moment.pass_by(900)
        assert problem_of(await running.visitor().post(path, body)) == GONE


async def test_link_attempts_on_pages_are_limited_too(database: Database) -> None:
    async with running_app(database, limit_links=Rate(2, 900)) as running:
        visitor = running.visitor()
        ours = {"Origin": "http://home.test"}
        statuses = []
        for path in ("/reset/nonsense", "/verify/nonsense", "/reset/nonsense", "/verify/nonsense"):
            answer = await visitor.client.post(path, data={"password": NEW}, headers=ours)
            statuses.append(answer.status_code)
        assert statuses == [404, 404, 429, 429]
        assert (await visitor.client.get("/reset/nonsense")).status_code == 404


def test_default_link_limit() -> None:
    assert SETTINGS.limit_links == Rate(30, 900)


async def test_requests_over_a_limit_are_refused_without_hashing(
    database: Database,
) -> None:
    few = {"limit_signups": Rate(1, 3600), "limit_signins": Rate(1, 900)}
    async with running_app(database, **few) as running:
        ada, visitor = await running.person("ada"), running.visitor()
        assert (await sign_up(visitor, "eve")).status_code == 201
        assert (await sign_in(visitor, ada.email, "wrong one")).status_code == 401
        async with busy_hashing_threads(running):
            assert problem_of(await sign_up(visitor, "zoe")) == TOO_OFTEN
            assert problem_of(await sign_in(visitor, ada.email)) == TOO_OFTEN
            change = {"password": NEW, "currentPassword": PASSWORD}
            assert problem_of(await ada.patch("/me", change)) == TOO_OFTEN
            assert problem_of(await ada.delete("/me", {"password": PASSWORD})) == TOO_OFTEN


async def test_flood_of_sign_ups_does_not_block_sign_ins(
    database: Database, queue_length: int
) -> None:
    async with running_app(database, limit_signups=Rate(9999, 3600)) as running:
        ada = await running.person("ada")
        done: list[str] = []

        async def new(number: int) -> httpx.Response:
            answer = await sign_up(running.visitor(f"198.51.100.{number}"), f"n{number}")
            done.append("new")
            return answer

        async with busy_hashing_threads(running):
            flood = [asyncio.create_task(new(number)) for number in range(queue_length + 20)]
            await wait_until(lambda: len(done) == 20)  # the requests without a place
            signing_in = asyncio.create_task(sign_in(running.visitor(), ada.email))
            await wait_until(lambda: account_limits(running).untrusted.waiting == 1)
        assert (await signing_in).status_code == 200
        assert len(done) < 20 + queue_length / 2
        answers = await asyncio.gather(*flood)
        refused = [answer for answer in answers if answer.status_code == 503]
        assert Counter(answer.status_code for answer in answers) == {201: queue_length, 503: 20}
        assert {problem_of(answer) for answer in refused} == {AWAY}
        assert {answer.headers["retry-after"] for answer in refused} == {"2"}


async def test_flood_of_guesses_does_not_delay_known_addresses(
    queue_length: int, running: RunningApp
) -> None:
    guesses = 5 * queue_length
    ada = await running.person("ada")
    assert (await sign_in(running.visitor(), ada.email)).status_code == 200
    async with busy_hashing_threads(running):
        flood = [
            asyncio.create_task(
                sign_in(running.visitor(f"198.51.{number // 250}.{number % 250}"), f"{number}@x")
            )
            for number in range(guesses)
        ]
        await wait_until(lambda: sum(each.done() for each in flood) == guesses - queue_length)
        assert {problem_of(each.result()) for each in flood if each.done()} == {AWAY}
        assert (await ada.get("/me")).status_code == 200
        at_home = asyncio.create_task(sign_in(running.visitor(), ada.email))
        away = asyncio.create_task(sign_in(running.visitor("192.0.2.1"), ada.email))
        assert problem_of(await away) == AWAY
        await wait_until(lambda: account_limits(running).trusted.waiting == 1)
    assert (await at_home).status_code == 200
    waiting = [each for each in flood if not each.done()]
    assert len(waiting) > queue_length / 2
    answers = await asyncio.gather(*flood)
    statuses = Counter(answer.status_code for answer in answers)
    assert statuses == {401: queue_length, 503: guesses - queue_length}


async def test_refusal_for_a_full_lane_is_no_failed_attempt(database: Database) -> None:
    async with running_app(database, limit_signins=Rate(1, 900)) as running:
        ada = await running.person("ada")
        places = [account_limits(running).untrusted.place() for _ in range(PLACES)]
        for lane in places:
            lane.__enter__()
        for _ in range(3):
            assert problem_of(await sign_in(running.visitor(), ada.email)) == AWAY
        for lane in places:
            lane.__exit__(None, None, None)
        assert (await sign_in(running.visitor(), ada.email)).status_code == 200


async def test_thousand_sign_ins_from_one_address_do_not_queue_up(
    running: RunningApp,
) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    async with busy_hashing_threads(running):
        flood = [asyncio.create_task(sign_in(visitor, ada.email)) for _ in range(1000)]
        await wait_until(
            lambda: sum(each.done() for each in flood) == 1000 - 1 - WAITING_FOR_A_TURN
        )
        assert {problem_of(each.result()) for each in flood if each.done()} == {TOO_OFTEN}
        elsewhere = asyncio.create_task(sign_in(running.visitor("192.0.2.1"), ada.email))
        await wait_until(lambda: account_limits(running).untrusted.waiting == 2)
        for each in flood:
            each.cancel()
    assert (await elsewhere).status_code == 200


async def wait_until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110  # no event announces it
            await asyncio.sleep(0.005)


def account_limits(running: RunningApp) -> AccountLimits:
    ours: limits.Limits = running.services.limits
    return ours.of(AccountLimits)
