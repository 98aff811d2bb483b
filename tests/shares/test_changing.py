"""Test changing a list, and adding, ticking and reordering its items."""

import asyncio
from typing import Any

import pytest

from homeshelf.shares.checklist.model import ChecklistItem
from homeshelf.shares.checklist.store import items_of
from homeshelf.shares.model import Shareable
from tests.api_client import wait_until
from tests.moment import DAY, Moment
from tests.running import RunningApp, Visitor, problem_of
from tests.shares.clients import (
    PASSCODES,
    Shown,
    bearer_headers,
    item_ids,
    names,
    new_list,
    see,
    seen,
)

NOWHERE = "0b0d1e5a-7c55-4c1b-9f6e-0d5f1e3f7a10"


def path_of(made: Shown, number: int | None = None) -> str:
    path = f"/shareables/{made['shortId']}"
    return path if number is None else f"{path}/items/{item_ids(made)[number]}"


async def stored_items(running: RunningApp, made: Shown) -> dict[str, ChecklistItem]:
    found = await running.db.all(items_of(made["shortId"]).up_to_date())
    return {item.checklist_item_id: item for item in found}


async def test_only_given_fields_change(nobody: Visitor) -> None:
    made = await new_list(nobody, note="For July")
    changed = (await nobody.patch(path_of(made), {"version": 1, "name": "Hiking"})).json()
    assert changed == made | {"name": "Hiking", "version": 2}
    changed = (await nobody.patch(path_of(made), {"version": 2, "note": None})).json()
    assert changed == made | {"name": "Hiking", "note": None, "version": 3}
    same = (await nobody.patch(path_of(made), {"version": 3, "name": "Hiking"})).json()
    assert same == changed
    assert await seen(nobody, made) == changed


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": "x"}, "version"),
        ({"version": 0}, "version"),
        ({"version": "1"}, "version"),
        ({"version": 1, "name": None}, "name"),
        ({"version": 1, "expiresInDays": None}, "expiresInDays"),
        ({"version": 1, "expiresInDays": 366}, "expiresInDays"),
        ({"version": 1, "viewPasscode": "abc"}, "viewPasscode"),
        ({"version": 1, "items": []}, "items"),
        ({"version": 1, "entity": "checklist"}, "entity"),
    ],
)
async def test_invalid_change_is_refused(nobody: Visitor, body: Any, field: str) -> None:
    made = await new_list(nobody)
    answer = await nobody.patch(path_of(made), body)
    assert problem_of(answer) == (400, "validation")
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert await seen(nobody, made) == made


async def test_stale_version_returns_the_current_list(nobody: Visitor) -> None:
    made = await new_list(nobody, **PASSCODES["admin"])
    sent = bearer_headers(made["token"])
    await nobody.patch(path_of(made), {"version": 1, "name": "Hiking"}, **sent)
    for version in (1, 3):
        answer = await nobody.patch(path_of(made), {"version": version, "name": "Mine"}, **sent)
        assert problem_of(answer) == (409, "version_conflict")
        assert answer.json()["current"] == await seen(nobody, made, made["token"])


async def test_one_of_two_concurrent_changes_conflicts(nobody: Visitor) -> None:
    made = await new_list(nobody)
    answers = await asyncio.gather(
        *(nobody.patch(path_of(made), {"version": 1, "name": name}) for name in ("One", "Two"))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 409]


async def test_every_change_except_a_tick_raises_the_version(nobody: Visitor) -> None:
    made = await new_list(nobody)
    path = path_of(made)
    await nobody.patch(path_of(made, 0), {"checked": True})
    assert (await seen(nobody, made))["version"] == 1
    await nobody.patch(path_of(made, 0), {"name": "Lamp"})
    assert (await seen(nobody, made))["version"] == 2
    added = (await nobody.post(f"{path}/items", {"name": "Map"})).json()
    assert (await seen(nobody, made))["version"] == 3
    ids = [*item_ids(made)[::-1], added["checklistItemId"]]
    await nobody.put(f"{path}/order", {"checklistItemIds": ids})
    assert (await seen(nobody, made))["version"] == 4
    await nobody.delete(path_of(made, 0))
    assert (await seen(nobody, made))["version"] == 5


async def test_an_item_is_added_at_the_end(nobody: Visitor) -> None:
    made = await new_list(nobody)
    answer = await nobody.post(f"{path_of(made)}/items", {"name": " Map ", "note": "of Norway"})
    assert answer.status_code == 201
    assert (answer.json()["name"], answer.json()["note"]) == ("Map", "of Norway")
    found = await seen(nobody, made)
    assert names(found) == ["Tent", "Rope", "Map"]
    assert found["items"][-1] == answer.json()
    for wrong in ({}, {"name": ""}, {"name": "x" * 201}, {"name": "x", "order": 3}):
        answer = await nobody.post(f"{path_of(made)}/items", wrong)
        assert problem_of(answer) == (400, "validation")


async def test_last_place_goes_to_one_of_many_concurrent_items(
    running: RunningApp, nobody: Visitor
) -> None:
    made = await new_list(nobody, *(f"{number}" for number in range(497)))
    answers = await asyncio.gather(
        *(running.visitor().post(f"{path_of(made)}/items", {"name": f"n{n}"}) for n in range(8))
    )
    assert sorted(answer.status_code for answer in answers) == [201] * 3 + [422] * 5
    refused = next(answer for answer in answers if answer.status_code == 422)
    assert problem_of(refused) == (422, "too_many")
    assert len((await seen(nobody, made))["items"]) == 500


async def test_tick_has_a_time_and_a_name(nobody: Visitor, moment: Moment) -> None:
    made = await new_list(nobody)
    ticked = await nobody.patch(path_of(made, 0), {"checked": True, "checkedBy": " Ada "})
    item = ticked.json()
    assert (item["checked"], item["checkedBy"]) == (True, "Ada")
    assert item["checkedAt"] == "2024-11-01T12:00:00.000Z"
    moment.pass_by(60)
    again = (await nobody.patch(path_of(made, 0), {"checked": True})).json()
    assert again == item, "it was ticked already"
    other = (await nobody.patch(path_of(made, 0), {"checked": True, "checkedBy": "Bo"})).json()
    assert (other["checkedBy"], other["checkedAt"][11:16]) == ("Bo", "12:01")
    unticked = (await nobody.patch(path_of(made, 0), {"checked": False})).json()
    assert unticked == made["items"][0]
    named = (await nobody.patch(path_of(made, 0), {"checkedBy": "Cy"})).json()
    assert named == made["items"][0], "nobody ticked it"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"checked": None}, "checked"),
        ({"checked": "true"}, "checked"),
        ({"checked": 1}, "checked"),
        ({"checked": True, "checkedBy": "x" * 51}, "checkedBy"),
        ({"checkedAt": "2024-11-01T12:00:00.000Z"}, "checkedAt"),
        ({"name": None}, "name"),
        ({"note": "x" * 2001}, "note"),
        ({"order": 1}, "order"),
    ],
)
async def test_invalid_tick_is_refused(nobody: Visitor, body: Any, field: str) -> None:
    made = await new_list(nobody)
    answer = await nobody.patch(path_of(made, 0), body)
    assert problem_of(answer) == (400, "validation")
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert await seen(nobody, made) == made


async def test_concurrent_ticks_and_edits_are_all_kept(
    running: RunningApp, nobody: Visitor
) -> None:
    made = await new_list(nobody, *(f"{number}" for number in range(10)))
    edits = [running.visitor().patch(path_of(made, n), {"name": f"new {n}"}) for n in range(10)]
    notes = [running.visitor().patch(path_of(made, n), {"note": f"note {n}"}) for n in range(10)]
    ticks = [running.visitor().patch(path_of(made, n), {"checked": True}) for n in range(10)]
    answers = await asyncio.gather(*edits, *ticks, *notes)
    assert {answer.status_code for answer in answers} == {200}
    found = await seen(nobody, made)
    assert [(i["name"], i["note"], i["checked"]) for i in found["items"]] == [
        (f"new {n}", f"note {n}", True) for n in range(10)
    ]


async def test_one_request_may_tick_and_edit(nobody: Visitor) -> None:
    made = await new_list(nobody)
    both = {"name": "Lamp", "checked": True, "checkedBy": "Ada"}
    item = (await nobody.patch(path_of(made, 0), both)).json()
    assert (item["name"], item["checked"], item["checkedBy"]) == ("Lamp", True, "Ada")
    assert (await seen(nobody, made))["items"][0] == item
    nothing = (await nobody.patch(path_of(made, 0), {})).json()
    assert nothing == item


@pytest.mark.parametrize("item_id", [NOWHERE, "malformed"])
async def test_unknown_item_returns_404(nobody: Visitor, item_id: str) -> None:
    made, other = await new_list(nobody), await new_list(nobody)
    for named in (item_id, item_ids(other)[0]):
        path = f"{path_of(made)}/items/{named}"
        for body in ({"checked": True}, {"name": "x"}):
            assert problem_of(await nobody.patch(path, body)) == (404, "not_found")
        assert problem_of(await nobody.delete(path)) == (404, "not_found")
    assert await seen(nobody, other) == other


async def test_tick_does_not_restore_a_removed_item(nobody: Visitor) -> None:
    made = await new_list(nobody)
    assert (await nobody.delete(path_of(made, 0))).status_code == 204
    for body in ({"checked": True}, {"name": "x"}):
        assert problem_of(await nobody.patch(path_of(made, 0), body)) == (404, "not_found")
    assert names(await seen(nobody, made)) == ["Rope"]


async def test_order_must_name_every_item_once(nobody: Visitor) -> None:
    made = await new_list(nobody, "Tent", "Rope", "Map")
    ids = item_ids(made)
    for wrong in (ids[1:], [*ids, ids[0]], [*ids[1:], NOWHERE], [], ["malformed"], None):
        answer = await nobody.put(f"{path_of(made)}/order", {"checklistItemIds": wrong})
        assert problem_of(answer) == (400, "validation")
    answer = await nobody.put(f"{path_of(made)}/order", {"checklistItemIds": [ids[2], *ids[:2]]})
    assert names(answer.json()) == ["Map", "Tent", "Rope"]
    assert await seen(nobody, made) == answer.json()


async def test_moving_one_of_500_writes_one_item(running: RunningApp, nobody: Visitor) -> None:
    made = await new_list(nobody, *(f"{number:03}" for number in range(500)))
    ids = item_ids(made)
    before = {
        item.checklist_item_id: item for item in await running.db.all(items_of(made["shortId"]))
    }
    moved = [*ids[:7], ids[300], *ids[7:300], *ids[301:]]
    answer = await nobody.put(f"{path_of(made)}/order", {"checklistItemIds": moved})
    assert item_ids(answer.json()) == moved
    after = await stored_items(running, made)
    assert [id_ for id_ in ids if before[id_] != after[id_]] == [ids[300]]


async def test_500_items_are_reordered_arbitrarily(nobody: Visitor, running: RunningApp) -> None:
    made = await new_list(nobody, *(f"{number:03}" for number in range(500)))
    ids = item_ids(made)[::-1]
    for wanted in (ids, ids[250:] + ids[:250]):
        answer = await nobody.put(f"{path_of(made)}/order", {"checklistItemIds": wanted})
        assert item_ids(answer.json()) == wanted

    async def is_finished() -> bool:
        found = await running.db.get(Shareable.key(short_id=made["shortId"]))
        return found is not None and (found.ordering, found.version) == (None, 3)

    await wait_until(is_finished)
    assert item_ids(await seen(nobody, made)) == wanted


async def test_long_reordering_returns_the_final_order(
    nobody: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await new_list(nobody, *(f"{number:03}" for number in range(150)))
    wanted = item_ids(made)[::-1]

    async def postpone(*_: object) -> None:
        return None

    monkeypatch.setattr("homeshelf.coordination.transaction.finish_soon", postpone)
    answer = await nobody.put(f"{path_of(made)}/order", {"checklistItemIds": wanted})
    assert item_ids(answer.json()) == wanted

    async def is_finished() -> bool:
        return item_ids(await seen(nobody, made)) == wanted

    await wait_until(is_finished)


async def test_one_of_two_concurrent_orders_wins(running: RunningApp, nobody: Visitor) -> None:
    made = await new_list(nobody, *(f"{number:03}" for number in range(150)))
    ids = item_ids(made)
    wanted = [ids[::-1], ids[75:] + ids[:75], ids[::2] + ids[1::2]]
    answers = await asyncio.gather(
        *(
            running.visitor().put(f"{path_of(made)}/order", {"checklistItemIds": each})
            for each in wanted
        )
    )
    assert {answer.status_code for answer in answers} == {200}
    assert item_ids(await seen(nobody, made)) in wanted


async def test_new_expiry_applies_to_the_items(
    running: RunningApp, nobody: Visitor, moment: Moment
) -> None:
    made = await new_list(nobody)
    changed = await nobody.patch(path_of(made), {"version": 1, "expiresInDays": 2})
    assert changed.json()["expiresAt"] == "2024-11-03T12:00:00.000Z"
    items = await running.db.all(items_of(made["shortId"]))
    assert {item.ttl for item in items} == {int(moment.at.timestamp()) + (2 + 365) * DAY}
    await nobody.patch(path_of(made, 0), {"checked": True})
    await nobody.patch(path_of(made), {"version": 2, "expiresInDays": 300})
    items = await running.db.all(items_of(made["shortId"]))
    assert {item.ttl for item in items} == {int(moment.at.timestamp()) + (300 + 365) * DAY}
    assert sorted(bool(item.checked) for item in items) == [False, True]


async def test_repeated_request_is_executed_once(nobody: Visitor) -> None:
    made = await new_list(nobody)
    path = path_of(made)
    first = await nobody.post(f"{path}/items", {"name": "Map"}, key="k1")
    again = await nobody.post(f"{path}/items", {"name": "Map"}, key="k1")
    assert again.json() == first.json()
    assert names(await seen(nobody, made)) == ["Tent", "Rope", "Map"]
    other = await nobody.post(f"{path}/items", {"name": "Pan"}, key="k1")
    assert problem_of(other) == (409, "idempotency_mismatch")
    changed = await nobody.patch(path, {"version": 2, "name": "Hiking"}, key="k2")
    assert (await nobody.patch(path, {"version": 2, "name": "Hiking"}, key="k2")).json() == (
        changed.json()
    )
    clone = await nobody.post(f"{path}/clone", {}, key="k3")
    assert (await nobody.post(f"{path}/clone", {}, key="k3")).json() == clone.json()
    ticked = await nobody.patch(path_of(made, 0), {"checked": True}, key="k4")
    await nobody.patch(path_of(made, 0), {"checked": False})
    assert (await nobody.patch(path_of(made, 0), {"checked": True}, key="k4")).json() == (
        ticked.json()
    )
    assert (await seen(nobody, made))["items"][0]["checked"] is False


async def test_replay_requires_access(nobody: Visitor) -> None:
    made = await new_list(nobody, **PASSCODES["both"])
    path, sent = path_of(made), bearer_headers(made["token"])
    await nobody.post(f"{path}/items", {"name": "Map"}, key="k1", **sent)
    refused = await nobody.post(f"{path}/items", {"name": "Map"}, key="k1")
    assert problem_of(refused) == (401, "unauthenticated")


CHANGES: dict[str, tuple[str, dict[str, str | None]]] = {
    "open: a view passcode": ("open", {"viewPasscode": "another"}),
    "open: both": ("open", {"viewPasscode": "another", "adminPasscode": "yet another"}),
    "view: its own": ("view", {"viewPasscode": "another"}),
    "view: an admin passcode": ("view", {"adminPasscode": "another"}),
    "admin: its own": ("admin", {"adminPasscode": "another"}),
    "both: the admin's": ("both", {"adminPasscode": "another"}),
    "both: no admin's": ("both", {"adminPasscode": None}),
}


@pytest.mark.parametrize("case", CHANGES)
async def test_caller_locked_out_by_own_change_can_replay_it(nobody: Visitor, case: str) -> None:
    passcodes, change = CHANGES[case]
    made = await new_list(nobody, **PASSCODES[passcodes])
    path, body, sent = path_of(made), {"version": 1, **change}, bearer_headers(made.get("token"))
    first = (await nobody.patch(path, body, key="k", **sent)).json()
    assert (await nobody.patch(path, {"version": 2}, **sent)).status_code in (401, 403)
    again = await nobody.patch(path, body, key="k", **sent)
    assert again.status_code == 200
    token = again.json()["token"]
    assert again.json() | {"token": ""} == first | {"token": ""}
    assert (await seen(nobody, made, token))["access"] == "admin"
    other = await new_list(nobody, **PASSCODES["both"])
    for wrong in ({**body, "note": "x"}, {"version": 1}):
        refused = await nobody.patch(path, wrong, key="k", **sent)
        assert refused.status_code in (401, 403), "another request"
    for wrong_key in ("x", "a b"):
        refused = await nobody.patch(path, body, key=wrong_key, **sent)
        assert refused.status_code in (401, 403), "never answered"
    for stranger in ({}, bearer_headers(other["token"])):
        if "token" in made:
            refused = await nobody.patch(path, body, key="k", **stranger)
            assert problem_of(refused) == (401, "unauthenticated"), "somebody else"
    gone = {"version": 2, "viewPasscode": "a third", "adminPasscode": "a fourth"}
    assert (await nobody.patch(path, gone, **bearer_headers(token))).status_code == 200
    late = await nobody.patch(path, body, key="k", **sent)
    assert late.status_code in (401, 403), "its token is over"


async def test_caller_locked_out_by_others_cannot_replay(nobody: Visitor) -> None:
    made = await new_list(nobody)
    path, renamed = path_of(made), {"version": 1, "name": "Hiking"}
    assert (await nobody.patch(path, renamed, key="k")).status_code == 200
    await nobody.patch(path, {"version": 2, **PASSCODES["view"]})
    refused = await nobody.patch(path, renamed, key="k")
    assert problem_of(refused) == (401, "unauthenticated")


async def test_deleted_list_leaves_no_items(running: RunningApp, nobody: Visitor) -> None:
    made = await new_list(nobody)
    assert (await nobody.delete(path_of(made))).status_code == 204
    assert problem_of(await see(nobody, made)) == (404, "not_found")
    assert problem_of(await nobody.delete(path_of(made))) == (404, "not_found")
    assert problem_of(await nobody.patch(path_of(made, 0), {"checked": True})) == (404, "not_found")
    assert await running.db.all(items_of(made["shortId"])) == []
