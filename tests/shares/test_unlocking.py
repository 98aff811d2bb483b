"""Test unlocking a list by its passcodes, and the limits on guessing."""

import asyncio
from typing import Any

import pytest

from homeshelf.accounts import passwords
from homeshelf.config.values import Rate
from homeshelf.table import Database
from tests.moment import HOUR, MINUTE, Moment
from tests.running import RunningApp, Visitor, problem_of, running_app
from tests.shares.clients import (
    ADMIN,
    PASSCODES,
    VIEW,
    Shown,
    bearer_headers,
    new_list,
    see,
    seen,
    unlock,
    visitor_from,
)

Answer = tuple[int, str | None]


async def try_passcode(
    visitor: Visitor, made: Shown, passcode: str, token: str | None = None
) -> Answer:
    path = f"/shareables/{made['shortId']}/unlock"
    answer = await visitor.post(path, {"passcode": passcode}, **bearer_headers(token))
    return answer.status_code, answer.json().get("access")


UNLOCKED: dict[str, dict[str, Answer]] = {
    "open": {VIEW: (200, "admin"), ADMIN: (200, "admin"), "wrong": (200, "admin")},
    "view": {VIEW: (200, "admin"), ADMIN: (401, None), "wrong": (401, None)},
    "admin": {VIEW: (401, None), ADMIN: (200, "admin"), "wrong": (401, None)},
    "both": {VIEW: (200, "view"), ADMIN: (200, "admin"), "wrong": (401, None)},
}
EXPIRED: dict[str, dict[str, Answer]] = {
    "open": dict.fromkeys((VIEW, ADMIN, "wrong"), (410, None)),
    "view": dict.fromkeys((VIEW, ADMIN, "wrong"), (410, None)),
    "admin": {VIEW: (401, None), ADMIN: (200, "admin"), "wrong": (401, None)},
    "both": {VIEW: (401, None), ADMIN: (200, "admin"), "wrong": (401, None)},
}


@pytest.mark.parametrize("passcodes", PASSCODES)
async def test_passcode_grants_its_role(nobody: Visitor, moment: Moment, passcodes: str) -> None:
    made = await new_list(nobody, expiresInDays=1, **PASSCODES[passcodes])
    for passcode, answer in UNLOCKED[passcodes].items():
        assert await try_passcode(nobody, made, passcode) == answer, passcode
    moment.pass_by(24 * HOUR)
    for passcode, answer in EXPIRED[passcodes].items():
        assert await try_passcode(nobody, made, passcode) == answer, passcode


async def test_list_without_passcodes_gives_no_token(nobody: Visitor) -> None:
    made = await new_list(nobody)
    answer = await nobody.post(f"/shareables/{made['shortId']}/unlock", {"passcode": "any"})
    assert answer.json() == {"access": "admin"}


async def test_token_response_has_its_lifetime(nobody: Visitor, moment: Moment) -> None:
    made = await new_list(nobody, expiresInDays=365, **PASSCODES["view"])
    path = f"/shareables/{made['shortId']}"
    answer = (await nobody.post(f"{path}/unlock", {"passcode": VIEW})).json()
    assert answer.keys() == {"access", "token", "expiresIn"}
    moment.pass_by(answer["expiresIn"] - 1)
    assert (await see(nobody, made, answer["token"])).status_code == 200
    moment.pass_by(1)
    assert (await see(nobody, made, answer["token"])).status_code == 401


@pytest.mark.parametrize("body", [{}, {"passcode": None}, {"passcode": 1234}, {"passcode": ""}])
async def test_unlock_requires_a_passcode(nobody: Visitor, body: dict[str, Any]) -> None:
    made = await new_list(nobody, **PASSCODES["view"])
    answer = await nobody.post(f"/shareables/{made['shortId']}/unlock", body)
    assert problem_of(answer) == (400, "validation")


async def test_new_passcode_revokes_only_tokens_of_its_role(nobody: Visitor) -> None:
    made = await new_list(nobody, **PASSCODES["both"])
    view, admin = await unlock(nobody, made, VIEW), made["token"]
    path = f"/shareables/{made['shortId']}"
    changed = await nobody.patch(
        path, {"version": 1, "viewPasscode": "fresh"}, **bearer_headers(admin)
    )
    assert changed.status_code == 200
    assert "token" not in changed.json(), "it was not the caller's own"
    assert (await see(nobody, made, view)).status_code == 401
    assert (await see(nobody, made, admin)).status_code == 200
    changed = await nobody.patch(
        path, {"version": 2, "adminPasscode": "newer"}, **bearer_headers(admin)
    )
    fresh = changed.json()["token"]
    assert (await see(nobody, made, admin)).status_code == 401
    assert (await seen(nobody, made, fresh))["access"] == "admin"
    assert await try_passcode(nobody, made, ADMIN) == (401, None)
    assert await try_passcode(nobody, made, "newer") == (200, "admin")


async def test_caller_who_sets_a_passcode_keeps_access(nobody: Visitor) -> None:
    made = await new_list(nobody)
    path = f"/shareables/{made['shortId']}"
    first = (await nobody.patch(path, {"version": 1, "viewPasscode": VIEW})).json()
    assert (await see(nobody, made)).status_code == 401
    second = await nobody.patch(
        path, {"version": 2, "adminPasscode": ADMIN}, **bearer_headers(first["token"])
    )
    assert (await seen(nobody, made, first["token"]))["access"] == "view"
    token = second.json()["token"]
    third = await nobody.patch(path, {"version": 3, "adminPasscode": None}, **bearer_headers(token))
    assert (await seen(nobody, made, third.json()["token"]))["access"] == "admin"
    assert (await see(nobody, made, token)).status_code == 401
    fourth = await nobody.patch(
        path, {"version": 4, "viewPasscode": None}, **bearer_headers(third.json()["token"])
    )
    assert "token" not in fourth.json()
    assert (await seen(nobody, made))["access"] == "admin"


async def test_equal_passcodes_are_refused(nobody: Visitor) -> None:
    made = await new_list(nobody, **PASSCODES["both"])
    path, sent = f"/shareables/{made['shortId']}", bearer_headers(made["token"])
    for wrong in (
        {"viewPasscode": ADMIN},
        {"adminPasscode": VIEW},
        {"viewPasscode": "same", "adminPasscode": "same"},
    ):
        assert problem_of(await nobody.patch(path, {"version": 1, **wrong}, **sent)) == (
            400,
            "validation",
        )
    swapped = {"version": 1, "viewPasscode": ADMIN, "adminPasscode": VIEW}
    assert (await nobody.patch(path, swapped, **sent)).status_code == 200
    assert await try_passcode(nobody, made, VIEW) == (200, "admin")


async def test_address_may_guess_ten_times(running: RunningApp, moment: Moment) -> None:
    here, there = visitor_from(running, 1), visitor_from(running, 2)
    made, other = (
        await new_list(here, **PASSCODES["view"]),
        await new_list(there, **PASSCODES["view"]),
    )
    assert [await try_passcode(here, made, f"guess {n}") for n in range(10)] == [(401, None)] * 10
    assert await try_passcode(here, made, VIEW) == (429, None), "not even with the right one"
    assert await try_passcode(here, made, VIEW, made["token"]) == (429, None)
    assert (await see(here, made, made["token"])).status_code == 200
    assert await try_passcode(here, other, VIEW) == (200, "admin")
    assert await try_passcode(there, made, VIEW) == (200, "admin")
    moment.pass_by(15 * MINUTE - 1)
    assert await try_passcode(here, made, VIEW) == (429, None)
    moment.pass_by(1)
    assert await try_passcode(here, made, VIEW) == (200, "admin")


async def test_correct_passcodes_do_not_count_as_guesses(running: RunningApp) -> None:
    here = visitor_from(running, 1)
    made = await new_list(here, **PASSCODES["view"])
    for _ in range(12):
        assert await try_passcode(here, made, VIEW) == (200, "admin")


async def test_guesses_of_many_addresses_do_not_lock_out_earlier_visitors(
    database: Database, moment: Moment
) -> None:
    limits = {"limit_unlocks_list": Rate(20, HOUR)}
    async with running_app(database, **limits) as running:
        owner, guest, late = (visitor_from(running, 900 + number) for number in range(3))
        made = await new_list(owner, **PASSCODES["both"])
        assert await try_passcode(guest, made, VIEW) == (200, "view")
        guesses = [await try_passcode(visitor_from(running, n), made, "guess") for n in range(25)]
        assert guesses == [(401, None)] * 20 + [(429, None)] * 5
        assert await try_passcode(late, made, VIEW) == (429, None), "who never was in waits"
        assert await try_passcode(guest, made, VIEW) == (200, "view"), (
            "an address that was in does not"
        )
        away = visitor_from(running, 950)
        assert await try_passcode(away, made, ADMIN, made["token"]) == (200, "admin"), (
            "a token neither"
        )
        moment.pass_by(HOUR)
        assert await try_passcode(late, made, VIEW) == (200, "view")


async def test_caller_with_a_token_has_the_same_limit(database: Database) -> None:
    async with running_app(database, limit_unlocks_list=Rate(5, HOUR)) as running:
        made = await new_list(visitor_from(running, 1), **PASSCODES["both"])
        token = await unlock(visitor_from(running, 2), made, VIEW)
        guesses = [
            await try_passcode(visitor_from(running, 10 + n), made, "guess", token)
            for n in range(7)
        ]
        assert guesses == [(401, None)] * 5 + [(429, None)] * 2
        assert await try_passcode(visitor_from(running, 30), made, VIEW) == (200, "view")


@pytest.mark.usefixtures("usual_hashes")
async def test_rate_limited_guess_is_not_hashed(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed = 0
    matches = passwords.verify_password

    async def count_hashing(*arguments: Any) -> bool:
        nonlocal hashed
        hashed += 1
        return await matches(*arguments)

    async with running_app(database, limit_unlocks=Rate(2, HOUR)) as running:
        here = visitor_from(running, 1)
        made = await new_list(here, **PASSCODES["view"])
        monkeypatch.setattr(passwords, "verify_password", count_hashing)
        answers = await asyncio.gather(*(try_passcode(here, made, "guess") for _ in range(8)))
        assert sorted(status for status, _ in answers) == [401] * 2 + [429] * 6
        assert hashed == 2


async def test_guesses_are_counted_over_all_processes(database: Database) -> None:
    limits = {"limit_unlocks": Rate(3, HOUR)}
    async with running_app(database, **limits) as one, running_app(database, **limits) as two:
        made = await new_list(visitor_from(one, 1), **PASSCODES["view"])
        for running in (one, two, one):
            assert await try_passcode(visitor_from(running, 1), made, "guess") == (401, None)
        for running in (one, two):
            assert await try_passcode(visitor_from(running, 1), made, VIEW) == (429, None)


async def test_requests_for_unknown_lists_are_rate_limited(
    database: Database,
) -> None:
    async with running_app(database, limit_unknown=Rate(3, MINUTE)) as running:
        here = visitor_from(running, 1)
        made = await new_list(here)
        for typed in ("aaa-aaa-00000", "nonsense", "aaa-aaa-00001"):
            assert (await here.get(f"/shareables/{typed}")).status_code == 404
        assert (await here.get("/shareables/aaa-aaa-00002")).status_code == 429
        assert (await see(here, made)).status_code == 200
        assert (await visitor_from(running, 2).get("/shareables/aaa-aaa-00002")).status_code == 404
