import asyncio
from typing import Any

import httpx
import pytest

from tests.databases import Opener
from tests.home import new_home
from tests.moment import Moment
from tests.running import PASSWORD, RunningApp, Visitor, problem_of, running_app

REFUSED = (401, "unauthenticated")


async def get_tokens(running: RunningApp, email: str, **more: Any) -> dict[str, Any]:
    answer = await running.visitor().post("/tokens", {"email": email, "password": PASSWORD, **more})
    assert answer.status_code == 200, answer.text
    pair: dict[str, Any] = answer.json()
    return pair


async def refresh(visitor: Visitor, pair: dict[str, Any], **more: Any) -> httpx.Response:
    asked = {"refreshToken": pair["refreshToken"], **more}
    return await visitor.post("/tokens/refresh", asked)


async def is_signed_in(running: RunningApp, pair: dict[str, Any]) -> bool:
    visitor = running.visitor()
    visitor.bear(pair["accessToken"])
    return (await visitor.get("/me")).status_code == 200


@pytest.mark.parametrize("purpose", ["access", "web", "mail", "forged"])
async def test_invalid_refresh_token_returns_401(running: RunningApp, purpose: Any) -> None:
    ada = await running.person("ada")
    who = {"sub": ada.member_id, "sid": ada.session_id, "turn": 1}
    token = "a.b.c" if purpose == "forged" else running.signer.token(purpose, 900, **who)
    assert problem_of(await refresh(ada, {"refreshToken": token})) == REFUSED


async def test_refresh_returns_the_next_token_pair(running: RunningApp, moment: Moment) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    pair = await get_tokens(running, ada.email)
    for _ in range(3):
        moment.pass_by(15 * 60)
        assert not await is_signed_in(running, pair)
        answer = await refresh(visitor, pair)
        assert answer.status_code == 200
        assert set(answer.json()) == set(pair)
        pair = answer.json()
        assert await is_signed_in(running, pair)


async def test_refreshing_prolongs_the_session(running: RunningApp, moment: Moment) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    pair = await get_tokens(running, ada.email)
    for _ in range(3):
        moment.pass_by(50 * 24 * 3600)
        pair = (await refresh(visitor, pair)).json()
    moment.pass_by(60 * 24 * 3600)
    assert problem_of(await refresh(visitor, pair)) == REFUSED


async def test_immediate_token_reuse_is_refused_and_keeps_session(
    running: RunningApp, moment: Moment
) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    first = await get_tokens(running, ada.email)
    second = (await refresh(visitor, first)).json()
    third = (await refresh(visitor, second)).json()
    moment.pass_by(29)
    for used in (first, second):
        assert problem_of(await refresh(visitor, used)) == REFUSED
    assert await is_signed_in(running, third)
    assert (await refresh(visitor, third)).status_code == 200


async def test_later_token_reuse_ends_the_session(running: RunningApp, moment: Moment) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    first = await get_tokens(running, ada.email)
    second = (await refresh(visitor, first)).json()
    moment.pass_by(31)
    assert problem_of(await refresh(visitor, first)) == REFUSED
    assert not await is_signed_in(running, second)
    assert problem_of(await refresh(visitor, second)) == REFUSED
    assert (await ada.get("/me")).status_code == 200, "her other session goes on"


async def test_reuse_of_an_older_token_ends_the_session(
    running: RunningApp, moment: Moment
) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    first = await get_tokens(running, ada.email)
    second = (await refresh(visitor, first)).json()
    moment.pass_by(900)
    third = (await refresh(visitor, second)).json()
    assert problem_of(await refresh(visitor, first)) == REFUSED
    assert not await is_signed_in(running, third)


async def test_stolen_token_ends_the_session_although_the_clock_was_set_back(
    running: RunningApp, moment: Moment
) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    first = await get_tokens(running, ada.email)
    second = (await refresh(visitor, first)).json()
    moment.pass_by(-3600)
    third = (await refresh(visitor, second)).json()
    assert problem_of(await refresh(visitor, second)) == REFUSED
    assert await is_signed_in(running, third), "used again at once"
    assert problem_of(await refresh(visitor, first)) == REFUSED
    assert not await is_signed_in(running, third)


async def test_concurrent_refreshes_succeed_once(open_another: Opener) -> None:
    async with running_app(open_another()) as one, running_app(open_another()) as other:
        ada = await one.person("ada")
        pair = await get_tokens(one, ada.email)
        asked = [refresh(running.visitor(), pair) for _ in range(4) for running in (one, other)]
        answers = await asyncio.gather(*asked)
        assert sorted(answer.status_code for answer in answers) == [200] + [401] * 7
        won = next(answer.json() for answer in answers if answer.status_code == 200)
        assert await is_signed_in(one, won)
        assert (await refresh(other.visitor(), won)).status_code == 200


async def test_refresh_switches_family_and_keeps_it(running: RunningApp) -> None:
    home = await new_home(running, "Home", "ada")
    other = await new_home(running, "Elsewhere", "eve")
    await other.let_in(home.admin, "suggester")
    ada = home.admin
    pair = await get_tokens(running, ada.email, familyId=home.family_id)
    ada.bear(pair["accessToken"])
    assert (await ada.get("/family")).json()["name"] == "Home"
    pair = (await refresh(ada, pair, familyId=other.family_id.upper())).json()
    for _ in range(2):
        ada.bear(pair["accessToken"])
        assert (await ada.get("/family")).json()["name"] == "Elsewhere"
        pair = (await refresh(ada, pair)).json()
    await other.remove_member(ada)
    assert problem_of(await ada.get("/family")) == (404, "not_found")
    ada.bear((await refresh(ada, pair)).json()["accessToken"])
    assert (await ada.get("/family")).json()["name"] == "Home"


async def test_refresh_for_another_family_does_not_use_the_token(running: RunningApp) -> None:
    ada, home = await running.person("ada"), await new_home(running, "Elsewhere", "eve")
    pair = await get_tokens(running, ada.email)
    answer = await refresh(ada, pair, familyId=home.family_id)
    assert problem_of(answer) == (404, "not_found")
    assert (await refresh(ada, pair)).status_code == 200


async def test_sign_out_voids_session_and_tokens_at_once(running: RunningApp) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    pair = await get_tokens(running, ada.email)
    visitor.bear(pair["accessToken"])
    assert (await visitor.delete("/tokens")).status_code == 204
    assert problem_of(await visitor.get("/me")) == REFUSED
    assert problem_of(await visitor.delete("/tokens")) == REFUSED
    assert problem_of(await refresh(visitor, pair)) == REFUSED
    assert (await ada.get("/me")).status_code == 200
