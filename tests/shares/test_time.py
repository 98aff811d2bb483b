"""Test the expiry, retention and deletion of a list."""

import pytest

from homeshelf.shares.checklist.store import items_of
from homeshelf.shares.model import Shareable
from homeshelf.shares.store import find_shareable
from homeshelf.table import Remove, Set
from tests.costs import count_operations
from tests.moment import DAY, Moment
from tests.running import Person, RunningApp, Visitor, problem_of
from tests.shares.clients import PASSCODES, Shown, bearer_headers, new_list, see, seen, unlock

LIFE = 3 * DAY


@pytest.fixture
async def expiring_list(ada: Person, moment: Moment) -> Shown:
    assert moment.at.hour == 12
    return await new_list(ada, expiresInDays=3, **PASSCODES["both"])


async def test_list_expires_at_its_last_second(
    nobody: Visitor, expiring_list: Shown, moment: Moment
) -> None:
    view = await unlock(nobody, expiring_list, "seven-view")
    moment.pass_by(LIFE - 0.001)
    assert (await see(nobody, expiring_list, view)).status_code == 200
    assert problem_of(await see(nobody, expiring_list)) == (401, "unauthenticated")
    moment.pass_by(0.001)
    assert problem_of(await see(nobody, expiring_list, view)) == (410, "expired")
    assert problem_of(await see(nobody, expiring_list)) == (410, "expired"), (
        "before a passcode is asked"
    )


async def test_admin_keeps_an_expired_list_for_a_year(
    running: RunningApp, nobody: Visitor, expiring_list: Shown, moment: Moment
) -> None:
    moment.pass_by(LIFE + 365 * DAY - 1)
    token = await unlock(nobody, expiring_list, "seven-admin")
    assert len((await seen(nobody, expiring_list, token))["items"]) == 2
    moment.pass_by(1)
    assert problem_of(await see(nobody, expiring_list, token)) == (404, "not_found")
    path = f"/shareables/{expiring_list['shortId']}"
    for answer in (
        await nobody.post(f"{path}/unlock", {"passcode": "seven-admin"}),
        await nobody.post(f"{path}/clone", **bearer_headers(token)),
        await nobody.delete(path, **bearer_headers(token)),
    ):
        assert problem_of(answer) == (404, "not_found")
    assert await running.db.all(items_of(expiring_list["shortId"])) == [], "its items went with it"


async def test_list_without_a_ttl_is_purged_too(
    running: RunningApp, nobody: Visitor, expiring_list: Shown, moment: Moment
) -> None:
    key = Shareable.key(short_id=expiring_list["shortId"])
    await running.db.write(Shareable.update(key, Remove("ttl")))
    moment.pass_by(LIFE + 365 * DAY - 1)
    assert (await see(nobody, expiring_list)).status_code == 410
    moment.pass_by(1)
    assert (await see(nobody, expiring_list)).status_code == 404
    assert await find_shareable(running.db, expiring_list["shortId"]) is None


async def test_expiry_without_milliseconds_is_read(
    running: RunningApp, nobody: Visitor, expiring_list: Shown, moment: Moment
) -> None:
    key = Shareable.key(short_id=expiring_list["shortId"])
    await running.db.write(Shareable.update(key, Set("expiresAt", "2024-11-01T12:00:10Z")))
    moment.pass_by(9.999)
    assert (await see(nobody, expiring_list)).status_code == 401
    moment.pass_by(0.001)
    assert (await see(nobody, expiring_list)).status_code == 410


async def test_extended_list_stays_available(
    nobody: Visitor, expiring_list: Shown, moment: Moment
) -> None:
    moment.pass_by(2 * DAY)
    path, sent = f"/shareables/{expiring_list['shortId']}", bearer_headers(expiring_list["token"])
    longer = await nobody.patch(path, {"version": 1, "expiresInDays": 30}, **sent)
    assert longer.json()["expiresAt"] == "2024-12-03T12:00:00.000Z"
    moment.pass_by(30 * DAY - 1)
    assert len((await seen(nobody, expiring_list, expiring_list["token"]))["items"]) == 2


async def test_clone_of_an_expired_list_is_not_expired(
    nobody: Visitor, expiring_list: Shown, moment: Moment
) -> None:
    moment.pass_by(LIFE)
    path = f"/shareables/{expiring_list['shortId']}"
    token = await unlock(nobody, expiring_list, "seven-admin")
    clone = (await nobody.post(f"{path}/clone", **bearer_headers(token))).json()
    assert clone["expiresAt"] == "2024-12-04T12:00:00.000Z"
    assert (await see(nobody, clone)).status_code == 200


async def test_expired_list_without_admin_passcode_is_only_for_its_maker(
    running: RunningApp, nobody: Visitor, ada: Person, moment: Moment
) -> None:
    made = await new_list(ada, expiresInDays=1, **PASSCODES["view"])
    bo = await running.person("bo")
    kept = await bo.put(f"/me/shareables/{made['shortId']}", {"token": made["token"]})
    assert kept.status_code == 204
    moment.pass_by(DAY)
    found = await seen(ada, made)
    assert found["access"] == "admin"
    for who, token in ((bo, None), (nobody, made["token"]), (nobody, None)):
        assert problem_of(await see(who, made, token)) == (410, "expired")
    clone = await ada.post(f"/shareables/{made['shortId']}/clone")
    assert clone.status_code == 201
    assert (await ada.delete(f"/shareables/{made['shortId']}")).status_code == 204


async def test_purged_list_responds_like_an_unknown_one(
    running: RunningApp, nobody: Visitor, expiring_list: Shown, moment: Moment
) -> None:
    moment.pass_by(LIFE + 365 * DAY)
    never = {"shortId": "zzz-zzz-99999"}
    token = expiring_list["token"]
    answers, spent = [], []
    for each in (expiring_list, never):
        for sent in (None, token):
            with count_operations(running.db) as counted:
                answers.append(await see(nobody, each, sent))
            spent.append(dict(counted))
        with count_operations(running.db) as counted:
            path = f"/shareables/{each['shortId']}/unlock"
            answers.append(await nobody.post(path, {"passcode": "guess"}))
        spent.append(dict(counted))
    assert spent == [{"get": 1}] * 6
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1
    assert len({tuple(sorted(answer.headers.items())) for answer in answers}) == 1
