"""Test the lists that a signed-in person created or saved."""

from typing import Any

import pytest

from homeshelf.shares.model import Shareable
from homeshelf.shares.saved_lists import kept_lists
from tests.moment import DAY, Moment
from tests.running import Person, RunningApp, Visitor, problem_of
from tests.shares.clients import PASSCODES, VIEW, Shown, bearer_headers, new_list, see, unlock


async def get_my_lists(person: Person, **asked: Any) -> list[Shown]:
    answer = await person.get("/me/shareables", params=asked)
    assert answer.status_code == 200, answer.text
    found: list[Shown] = answer.json()["items"]
    return found


async def get_my_list_ids(person: Person) -> set[str]:
    return {each["shortId"] for each in await get_my_lists(person)}


@pytest.fixture
async def bo(running: RunningApp) -> Person:
    return await running.person("bo")


async def test_anonymous_caller_has_no_saved_lists(nobody: Visitor) -> None:
    made = await new_list(nobody)
    path = f"/me/shareables/{made['shortId']}"
    for answer in (await nobody.get("/me/shareables"), await nobody.put(path)):
        assert problem_of(answer) == (401, "unauthenticated")
    assert problem_of(await nobody.delete(path)) == (401, "unauthenticated")
    listed = await nobody.put(
        path, **bearer_headers((await new_list(nobody, **PASSCODES["view"]))["token"])
    )
    assert problem_of(listed) == (401, "unauthenticated")


async def test_created_list_is_among_its_makers_lists_only(
    ada: Person, bo: Person, nobody: Visitor
) -> None:
    made = await new_list(ada, **PASSCODES["both"])
    await new_list(nobody)
    assert await get_my_lists(ada) == [
        {
            "shortId": made["shortId"],
            "name": "Camping",
            "entity": "checklist",
            "expiresAt": made["expiresAt"],
        }
    ]
    assert await get_my_lists(bo) == []


async def test_saving_a_list_requires_view_access(ada: Person, bo: Person, nobody: Visitor) -> None:
    made, other = [await new_list(ada, **PASSCODES["both"]) for _ in range(2)]
    path = f"/me/shareables/{made['shortId']}"
    for wrong in (None, {}, {"token": None}, {"token": other["token"]}, {"token": "nonsense"}):
        assert problem_of(await bo.put(path, wrong)) == (401, "unauthenticated")
    assert await get_my_list_ids(bo) == set()
    view = await unlock(nobody, made, VIEW)
    assert (await bo.put(path, {"token": view})).status_code == 204
    assert (await bo.put(path, {"token": view})).status_code == 204
    assert [each["name"] for each in await get_my_lists(bo)] == ["Camping"]


async def test_name_is_hidden_after_view_access_ends(
    ada: Person, bo: Person, nobody: Visitor
) -> None:
    made = await new_list(ada)
    path = f"/me/shareables/{made['shortId']}"
    assert (await bo.put(path)).status_code == 204
    await nobody.patch(f"/shareables/{made['shortId']}", {"version": 1, "name": "Hiking"})
    assert [each["name"] for each in await get_my_lists(bo)] == ["Hiking"]
    set_ = {"version": 2, "viewPasscode": VIEW}
    token = (await nobody.patch(f"/shareables/{made['shortId']}", set_)).json()["token"]
    for person in (ada, bo):
        assert [each["name"] for each in await get_my_lists(person)] == [None]
    assert (await bo.put(path, {"token": token})).status_code == 204
    assert [each["name"] for each in await get_my_lists(bo)] == ["Hiking"]


async def test_maker_sees_the_name_of_an_expired_list(
    ada: Person, bo: Person, moment: Moment
) -> None:
    made = await new_list(ada, expiresInDays=1)
    assert (await bo.put(f"/me/shareables/{made['shortId']}")).status_code == 204
    moment.pass_by(DAY)
    assert [each["name"] for each in await get_my_lists(ada)] == ["Camping"]
    assert [each["name"] for each in await get_my_lists(bo)] == [None]
    again = await bo.put(f"/me/shareables/{made['shortId']}")
    assert problem_of(again) == (410, "expired")


async def test_saving_a_list_makes_no_maker(ada: Person, bo: Person, moment: Moment) -> None:
    made = await new_list(ada, expiresInDays=1)
    path = f"/me/shareables/{made['shortId']}"
    await bo.put(path)
    for person in (ada, bo):
        assert (await person.delete(path)).status_code == 204
        assert await get_my_list_ids(person) == set()
        assert problem_of(await person.delete(path)) == (404, "not_found")
        assert (await person.put(path)).status_code == 204
    assert (await ada.delete(path)).status_code == 204
    moment.pass_by(DAY)
    assert (await see(ada, made)).status_code == 200, "who made it stays its maker"
    assert (await see(bo, made)).status_code == 410
    assert (await ada.put(path)).status_code == 204
    assert await get_my_list_ids(ada) == {made["shortId"]}


async def test_deleted_lists_are_removed_from_my_lists(
    running: RunningApp, ada: Person, moment: Moment
) -> None:
    kept, deleted, purged = [await new_list(ada, expiresInDays=n) for n in (3, 2, 1)]
    await ada.delete(f"/shareables/{deleted['shortId']}")
    moment.pass_by(366 * DAY)
    assert await get_my_list_ids(ada) == {kept["shortId"]}
    assert len(await running.db.all(kept_lists(ada.member_id))) == 1
    assert purged["shortId"] not in await get_my_list_ids(ada)


async def test_saved_record_without_ttl_is_removed_too(
    running: RunningApp, ada: Person, moment: Moment
) -> None:
    made = await new_list(ada, expiresInDays=1)
    shared = await running.db.get(Shareable.key(short_id=made["shortId"]))
    assert shared is not None
    await running.db.put(shared.changed(ttl=None))
    moment.pass_by(365 * DAY)
    assert await get_my_list_ids(ada) == {made["shortId"]}
    moment.pass_by(DAY)
    assert await get_my_list_ids(ada) == set()
    assert await running.db.all(kept_lists(ada.member_id)) == []


async def test_pages_are_full(ada: Person) -> None:
    made = [await new_list(ada) for _ in range(7)]
    for gone in made[::2]:
        await ada.delete(f"/shareables/{gone['shortId']}")
    first = (await ada.get("/me/shareables", params={"limit": 2})).json()
    assert len(first["items"]) == 2
    found = list(first["items"])
    rest = await ada.get("/me/shareables", params={"limit": 2, "nextToken": first["nextToken"]})
    found += rest.json()["items"]
    assert {each["shortId"] for each in found} == {each["shortId"] for each in made[1::2]}
    assert "nextToken" not in rest.json()


@pytest.mark.parametrize("short_id", ["zzz-zzz-99999", "malformed"])
async def test_saving_an_unknown_list_returns_404(ada: Person, short_id: str) -> None:
    path = f"/me/shareables/{short_id}"
    for answer in (await ada.put(path), await ada.delete(path)):
        assert problem_of(answer) == (404, "not_found")


async def test_deleted_account_keeps_its_lists_for_others(
    running: RunningApp, ada: Person, nobody: Visitor
) -> None:
    made = await new_list(ada)
    assert (await ada.delete("/me", {"password": ada.password})).status_code == 204
    assert await running.db.all(kept_lists(ada.member_id)) == []
    assert (await see(nobody, made)).status_code == 200
