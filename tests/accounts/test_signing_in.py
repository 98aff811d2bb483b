import asyncio
from statistics import median
from time import perf_counter, process_time

import httpx
import pytest

from homeshelf.config.values import Rate
from homeshelf.signing import Signer
from homeshelf.table import Database
from tests.databases import Opener
from tests.home import new_home
from tests.moment import Moment
from tests.running import PASSWORD, RunningApp, Visitor, problem_of, running_app

WRONG = (401, "unauthenticated")
TOO_OFTEN = (429, "rate_limited")


async def sign_in(visitor: Visitor, email: str, password: str = PASSWORD) -> httpx.Response:
    return await visitor.post("/tokens", {"email": email, "password": password})


async def test_unknown_address_and_wrong_password_have_the_same_response(
    running: RunningApp,
) -> None:
    ada = await running.person("ada")
    unknown = await sign_in(running.visitor(), "nobody@home.local")
    wrong = await sign_in(running.visitor(), ada.email, "not the password")
    assert problem_of(unknown) == problem_of(wrong) == WRONG
    assert unknown.content == wrong.content


@pytest.mark.usefixtures("usual_hashes")
async def test_unknown_address_and_wrong_password_take_the_same_cpu_time(
    running: RunningApp,
) -> None:
    """Measure CPU time, as other processes disturb wall time."""
    ada = await running.person("ada")
    took: dict[str, list[float]] = {ada.email: [], "nobody@home.local": []}
    for number in range(8):
        for email, times in took.items():
            visitor = running.visitor(f"203.0.113.{number}")
            began = process_time()
            await sign_in(visitor, email, "not the password")
            times.append(process_time() - began)
    known, unknown = (median(times) for times in took.values())
    assert 0.6 < known / unknown < 1.6


async def test_sign_in_returns_access_token_for_fifteen_minutes(running: RunningApp) -> None:
    ada = await running.person("ada")
    answer = await sign_in(running.visitor(), ada.email)
    assert answer.status_code == 200
    pair = answer.json()
    assert set(pair) == {"accessToken", "tokenType", "expiresIn", "refreshToken"}
    assert (pair["tokenType"], pair["expiresIn"]) == ("Bearer", 900)
    assert answer.headers["cache-control"] == "no-store"
    ada.bear(pair["accessToken"])
    assert (await ada.get("/me")).json()["memberId"] == ada.member_id


async def test_sign_in_accepts_own_family(running: RunningApp) -> None:
    home = await new_home(running, "Home", "ada")
    other = await new_home(running, "Elsewhere", "eve")
    await other.let_in(home.admin, "suggester")
    asked = {"email": home.admin.email, "password": PASSWORD}
    assert problem_of(await home.admin.get("/family")) == (409, "choose_family")
    for chosen in (home, other):
        answer = await running.visitor().post("/tokens", asked | {"familyId": chosen.family_id})
        home.admin.bear(answer.json()["accessToken"])
        assert (await home.admin.get("/family")).json()["familyId"] == chosen.family_id


@pytest.mark.parametrize("removed", [True, False])
async def test_sign_in_with_foreign_family_returns_404(running: RunningApp, removed: bool) -> None:
    home = await new_home(running, "Home", "ada")
    kid = await running.person("kid")
    if removed:
        await home.let_in(kid, "suggester")
        await home.remove_member(kid)
    asked = {"email": kid.email, "password": PASSWORD, "familyId": home.family_id}
    assert problem_of(await running.visitor().post("/tokens", asked)) == (404, "not_found")
    wrong = asked | {"password": "not the password"}
    assert problem_of(await running.visitor().post("/tokens", wrong)) == WRONG
    malformed = asked | {"familyId": "home"}
    assert problem_of(await running.visitor().post("/tokens", malformed)) == (400, "validation")
    assert len((await kid.get("/me/sessions")).json()["items"]) == 1


async def test_eleventh_failure_is_refused(running: RunningApp, moment: Moment) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    for _ in range(10):
        assert problem_of(await sign_in(visitor, ada.email.upper(), "wrong one")) == WRONG
        moment.pass_by(30)
    refused = await sign_in(visitor, ada.email)
    assert problem_of(refused) == TOO_OFTEN
    assert int(refused.headers["retry-after"]) == 15 * 60 - 300
    moment.pass_by(15 * 60 - 301)
    assert problem_of(await sign_in(visitor, ada.email)) == TOO_OFTEN
    moment.pass_by(1)
    assert (await sign_in(visitor, ada.email)).status_code == 200


async def test_failures_from_other_address_do_not_lock_out(running: RunningApp) -> None:
    ada, eve = await running.person("ada"), running.visitor("198.51.100.9")
    for _ in range(10):
        await sign_in(eve, ada.email, "a guess at it")
    assert problem_of(await sign_in(eve, ada.email)) == TOO_OFTEN
    assert (await sign_in(running.visitor(), ada.email)).status_code == 200


async def test_failures_per_address_are_limited_over_all_accounts(database: Database) -> None:
    async with running_app(database, limit_signins_address=Rate(12, 900)) as running:
        ada = await running.person("ada")
        statuses = [
            (await sign_in(running.visitor(), f"{number}@home.local")).status_code
            for number in range(14)
        ]
        assert statuses == [401] * 12 + [429] * 2
        assert problem_of(await sign_in(running.visitor(), ada.email)) == TOO_OFTEN
        assert (await sign_in(running.visitor("203.0.113.8"), ada.email)).status_code == 200


async def test_ipv6_network_counts_as_one_address(running: RunningApp) -> None:
    ada = await running.person("ada")
    for number in range(10):
        visitor = running.visitor(f"2001:db8:1:2::{number:x}")
        assert problem_of(await sign_in(visitor, ada.email, "wrong one")) == WRONG
    neighbour = running.visitor("2001:db8:1:2:ffff::1")
    assert problem_of(await sign_in(neighbour, ada.email)) == TOO_OFTEN
    assert (await sign_in(running.visitor("2001:db8:1:3::1"), ada.email)).status_code == 200


@pytest.mark.usefixtures("usual_hashes")
async def test_successful_sign_ins_are_not_counted_as_failures(running: RunningApp) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    for _ in range(9):
        assert problem_of(await sign_in(visitor, ada.email, "wrong one")) == WRONG
    answers = await asyncio.gather(*(sign_in(visitor, ada.email) for _ in range(14)))
    assert {answer.status_code for answer in answers} == {200}
    assert problem_of(await sign_in(visitor, ada.email, "wrong one")) == WRONG
    assert problem_of(await sign_in(visitor, ada.email)) == TOO_OFTEN


@pytest.mark.usefixtures("usual_hashes")
async def test_concurrent_failures_in_two_processes_are_counted_exactly(
    open_another: Opener,
) -> None:
    async with running_app(open_another()) as one, running_app(open_another()) as other:
        ada = await one.person("ada")
        asked = [
            sign_in(running.visitor(), ada.email, "wrong one")
            for _ in range(10)
            for running in (one, other)
        ]
        answers = await asyncio.gather(*asked)
        statuses = sorted(answer.status_code for answer in answers)
        assert statuses == [401] * 10 + [429] * 10


@pytest.mark.usefixtures("usual_hashes")
async def test_attempt_over_limit_is_not_hashed(running: RunningApp) -> None:
    visitor = running.visitor()
    times = []
    for _ in range(13):
        began = perf_counter()
        await sign_in(visitor, "nobody@home.local")
        times.append(perf_counter() - began)
    assert median(times[10:]) < median(times[:10]) / 2


async def test_password_confirmation_is_limited_like_sign_in(running: RunningApp) -> None:
    ada = await running.person("ada")
    guess = {"password": "a new password", "currentPassword": "a guess at it"}
    for _ in range(5):
        assert problem_of(await ada.patch("/me", guess)) == (400, "validation")
    for _ in range(5):
        answer = await ada.delete("/me", {"password": "a guess at it"})
        assert problem_of(answer) == (400, "validation")
    assert problem_of(await ada.patch("/me", guess)) == TOO_OFTEN
    assert problem_of(await sign_in(running.visitor(), ada.email)) == TOO_OFTEN


def test_signer_repr_hides_its_secret() -> None:
    assert "secret" not in repr(Signer(b"the secret"))
