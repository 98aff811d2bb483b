import asyncio
from typing import Any

import httpx
import pytest

from tests.databases import Opener
from tests.home import new_home
from tests.house import PASSWORD, OpenHouse, Visitor, open_house, problem_of
from tests.moment import Moment

REFUSED = (401, "unauthenticated")


async def signed_in(house: OpenHouse, email: str, **more: Any) -> dict[str, Any]:
    answer = await house.visitor().post("/tokens", {"email": email, "password": PASSWORD, **more})
    assert answer.status_code == 200, answer.text
    pair: dict[str, Any] = answer.json()
    return pair


async def refresh(visitor: Visitor, pair: dict[str, Any], **more: Any) -> httpx.Response:
    asked = {"refreshToken": pair["refreshToken"], **more}
    return await visitor.post("/tokens/refresh", asked)


async def is_signed_in(house: OpenHouse, pair: dict[str, Any]) -> bool:
    visitor = house.visitor()
    visitor.bear(pair["accessToken"])
    return (await visitor.get("/me")).status_code == 200


@pytest.mark.parametrize("purpose", ["access", "web", "mail", "forged"])
async def test_what_is_no_refresh_token_refreshes_nothing(house: OpenHouse, purpose: Any) -> None:
    ada = await house.person("ada")
    who = {"sub": ada.member_id, "sid": ada.session_id, "turn": 1}
    token = "a.b.c" if purpose == "forged" else house.signer.token(purpose, 900, **who)
    assert problem_of(await refresh(ada, {"refreshToken": token})) == REFUSED


async def test_a_pair_gets_the_next_pair(house: OpenHouse, moment: Moment) -> None:
    ada, visitor = await house.person("ada"), house.visitor()
    pair = await signed_in(house, ada.email)
    for _ in range(3):
        moment.pass_by(15 * 60)
        assert not await is_signed_in(house, pair)
        answer = await refresh(visitor, pair)
        assert answer.status_code == 200
        assert set(answer.json()) == set(pair)
        pair = answer.json()
        assert await is_signed_in(house, pair)


async def test_a_session_that_is_used_goes_on(house: OpenHouse, moment: Moment) -> None:
    ada, visitor = await house.person("ada"), house.visitor()
    pair = await signed_in(house, ada.email)
    for _ in range(3):
        moment.pass_by(50 * 24 * 3600)
        pair = (await refresh(visitor, pair)).json()
    moment.pass_by(60 * 24 * 3600)
    assert problem_of(await refresh(visitor, pair)) == REFUSED


async def test_again_at_once_is_refused_and_ends_nothing(house: OpenHouse, moment: Moment) -> None:
    ada, visitor = await house.person("ada"), house.visitor()
    first = await signed_in(house, ada.email)
    second = (await refresh(visitor, first)).json()
    third = (await refresh(visitor, second)).json()
    moment.pass_by(29)
    for used in (first, second):
        assert problem_of(await refresh(visitor, used)) == REFUSED
    assert await is_signed_in(house, third)
    assert (await refresh(visitor, third)).status_code == 200


async def test_used_again_later_it_was_stolen_and_the_session_ends(
    house: OpenHouse, moment: Moment
) -> None:
    ada, visitor = await house.person("ada"), house.visitor()
    first = await signed_in(house, ada.email)
    second = (await refresh(visitor, first)).json()
    moment.pass_by(31)
    assert problem_of(await refresh(visitor, first)) == REFUSED
    assert not await is_signed_in(house, second)
    assert problem_of(await refresh(visitor, second)) == REFUSED
    assert (await ada.get("/me")).status_code == 200, "her other session goes on"


async def test_one_from_before_the_last_was_stolen_too(house: OpenHouse, moment: Moment) -> None:
    ada, visitor = await house.person("ada"), house.visitor()
    first = await signed_in(house, ada.email)
    second = (await refresh(visitor, first)).json()
    moment.pass_by(900)
    third = (await refresh(visitor, second)).json()
    assert problem_of(await refresh(visitor, first)) == REFUSED
    assert not await is_signed_in(house, third)


async def test_of_many_at_once_one_wins(open_another: Opener) -> None:
    async with open_house(open_another()) as one, open_house(open_another()) as other:
        ada = await one.person("ada")
        pair = await signed_in(one, ada.email)
        asked = [refresh(house.visitor(), pair) for _ in range(4) for house in (one, other)]
        answers = await asyncio.gather(*asked)
        assert sorted(answer.status_code for answer in answers) == [200] + [401] * 7
        won = next(answer.json() for answer in answers if answer.status_code == 200)
        assert await is_signed_in(one, won)
        assert (await refresh(other.visitor(), won)).status_code == 200


async def test_refreshing_switches_the_family_and_remembers_it(house: OpenHouse) -> None:
    home = await new_home(house, "Home", "ada")
    other = await new_home(house, "Elsewhere", "eve")
    await other.let_in(home.admin, "suggester")
    ada = home.admin
    pair = await signed_in(house, ada.email, familyId=home.family_id)
    ada.bear(pair["accessToken"])
    assert (await ada.get("/family")).json()["name"] == "Home"
    pair = (await refresh(ada, pair, familyId=other.family_id.upper())).json()
    for _ in range(2):
        ada.bear(pair["accessToken"])
        assert (await ada.get("/family")).json()["name"] == "Elsewhere"
        pair = (await refresh(ada, pair)).json()
    await other.send_away(ada)
    assert problem_of(await ada.get("/family")) == (404, "not_found")
    ada.bear((await refresh(ada, pair)).json()["accessToken"])
    assert (await ada.get("/family")).json()["name"] == "Home"


async def test_a_family_that_is_not_theirs_uses_up_nothing(house: OpenHouse) -> None:
    ada, home = await house.person("ada"), await new_home(house, "Elsewhere", "eve")
    pair = await signed_in(house, ada.email)
    answer = await refresh(ada, pair, familyId=home.family_id)
    assert problem_of(answer) == (404, "not_found")
    assert (await refresh(ada, pair)).status_code == 200


async def test_signing_out_ends_the_session_and_its_tokens_at_once(house: OpenHouse) -> None:
    ada, visitor = await house.person("ada"), house.visitor()
    pair = await signed_in(house, ada.email)
    visitor.bear(pair["accessToken"])
    assert (await visitor.delete("/tokens")).status_code == 204
    assert problem_of(await visitor.get("/me")) == REFUSED
    assert problem_of(await visitor.delete("/tokens")) == REFUSED
    assert problem_of(await refresh(visitor, pair)) == REFUSED
    assert (await ada.get("/me")).status_code == 200
