"""Test the limits on writes of anonymous callers."""

import json
from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from homeshelf.config.values import Rate
from homeshelf.coordination.idempotency import StoredResponse
from homeshelf.table import HELPER, Database
from tests.moment import DAY, HOUR, MINUTE, Moment
from tests.running import RunningApp, Visitor, problem_of, running_app
from tests.shares.clients import (
    OURS,
    PASSCODES,
    VIEW,
    Shown,
    bearer_headers,
    item_ids,
    new_list,
    see,
    seen,
    unlock,
    visitor_from,
)

TOO_OFTEN = (429, "rate_limited")
NOTE, WHO = "é" * 1000, "é" * 50
KEY = "3f1c2a52-6a3e-4bb7-9f43-8f3b4d3f8a11"


def path_of(made: Shown) -> str:
    return f"/shareables/{made['shortId']}"


def item_path(made: Shown) -> str:
    return f"{path_of(made)}/items/{item_ids(made)[0]}"


async def tick(visitor: Visitor, made: Shown, **options: Any) -> httpx.Response:
    return await visitor.patch(item_path(made), {"checked": True}, **options)


async def send_form(visitor: Visitor, made: Shown, after: str, **form: str) -> httpx.Response:
    path = f"/s/{made['shortId']}{after}"
    return await visitor.client.post(path, data=form, headers=OURS)


async def test_writes_past_the_rate_of_an_address_are_refused(
    database: Database, moment: Moment
) -> None:
    async with running_app(database, limit_share_writes=Rate(3, MINUTE)) as running:
        here = visitor_from(running, 1)
        made, other = await new_list(here), await new_list(here)
        for each in (made, other, made):
            assert (await tick(here, each)).status_code == 200
        refused = await tick(here, other)
        assert problem_of(refused) == TOO_OFTEN
        assert int(refused.headers["retry-after"]) == MINUTE
        form = await send_form(here, made, f"/items/{item_ids(made)[0]}/tick", checked="false")
        assert (form.status_code, form.headers["retry-after"]) == (429, str(MINUTE))
        assert problem_of(await here.delete(path_of(made))) == TOO_OFTEN
        assert (await see(here, made)).status_code == 200
        assert (await tick(visitor_from(running, 2), made)).status_code == 200
        moment.pass_by(MINUTE)
        assert (await tick(here, made)).status_code == 200


async def test_writes_to_one_list_from_many_addresses_are_limited_together(
    database: Database,
) -> None:
    async with running_app(database, limit_share_writes_list=Rate(3, MINUTE)) as running:
        here = visitor_from(running, 1)
        made, other = await new_list(here, **PASSCODES["view"]), await new_list(here)
        for number in range(5):
            assert (await tick(visitor_from(running, number), made)).status_code == 401
        sent = bearer_headers(made["token"])
        for number in range(3):
            assert (await tick(visitor_from(running, number), made, **sent)).status_code == 200
        assert problem_of(await tick(visitor_from(running, 4), made, **sent)) == TOO_OFTEN
        assert (await tick(visitor_from(running, 4), other)).status_code == 200


WRITES: Mapping[str, tuple[str, str, dict[str, Any]]] = {
    "change the note": ("PATCH", "", {"note": NOTE, "version": 1}),
    "add an item": ("POST", "/items", {"name": "x", "note": NOTE}),
    "edit an item": ("PATCH", "/items/{item}", {"note": NOTE}),
    "say who ticks": ("PATCH", "/items/{item}", {"checked": True, "checkedBy": WHO}),
    "form: add an item": ("form", "/items", {"name": "x", "note": NOTE}),
    "form: edit an item": ("form", "/items/{item}", {"name": "x", "note": NOTE}),
    "form: put an item back": ("form", "/items/restore", {"name": "x", "note": NOTE}),
    "form: change the settings": ("form", "/settings", {"name": "x", "note": NOTE, "version": 1}),
}


async def write(visitor: Visitor, made: Shown, way: str) -> httpx.Response:
    method, after, body = WRITES[way]
    after = after.format(item=item_ids(made)[0])
    if "version" in body:
        body = body | {"version": (await seen(visitor, made))["version"]}
    if method == "form":
        return await send_form(visitor, made, after, **{name: str(body[name]) for name in body})
    return await visitor.ask(method, f"{path_of(made)}{after}", body)


@pytest.mark.parametrize("way", WRITES)
async def test_text_of_every_write_counts_for_the_address_and_for_the_house(
    database: Database, way: str
) -> None:
    limits = {
        "limit_shares_size": Rate(13_000, DAY),
        "limit_shares_size_house": Rate(20_000, DAY),
    }
    async with running_app(database, **limits) as running:
        here, there = visitor_from(running, 1), visitor_from(running, 2)
        made, written = await new_list(here), {here: 0, there: 0}
        text = len((WHO if way == "say who ticks" else NOTE).encode())
        for visitor in (here, there):
            while (answer := await write(visitor, made, way)).status_code != 429:
                assert answer.status_code in (200, 201, 303), answer.text
                written[visitor] += text
                assert written[visitor] < 13_000
            assert int(answer.headers["retry-after"]) > 20 * HOUR
        assert written[here] > 3_000
        assert 0 < written[there] < 10_000
        large = {"name": "x", "items": [{"name": "x", "note": NOTE}] * 3}
        assert problem_of(await here.post("/shareables", large)) == TOO_OFTEN


async def test_a_stored_response_counts_as_text(database: Database) -> None:
    async with running_app(database, limit_shares_size=Rate(20_000, DAY)) as running:
        here = visitor_from(running, 1)
        made = await new_list(here, items=[{"name": "Tent", "note": NOTE}])
        statuses = [(await tick(here, made, key=f"k{n}")).status_code for n in range(8)]
        assert statuses == [200] * 6 + [429] * 2
        again = await tick(here, made, key="k0")
        assert again.status_code == 200, "a replay stores nothing"
        large = {"name": "x", "items": [{"name": "x", "note": "x" * 2000}] * 5}
        with_key = await visitor_from(running, 2).post("/shareables", large, key=KEY)
        assert problem_of(with_key) == TOO_OFTEN
        assert (await visitor_from(running, 3).post("/shareables", large)).status_code == 201


async def stored_answers(running: RunningApp) -> list[StoredResponse]:
    items = (await running.db.engine.scan(HELPER, 1000)).items
    return [
        StoredResponse.load(item) for item in items if str(item["PK"]).startswith("ANSWERS#list")
    ]


async def test_repeated_change_counts_its_text_once(database: Database) -> None:
    async with running_app(database, limit_shares_size=Rate(13_000, DAY)) as running:
        visitor = visitor_from(running, 1)
        path = f"{path_of(await new_list(visitor))}/items"
        body = {"name": "x", "note": NOTE}
        first = await visitor.post(path, body, key="k")
        for _ in range(13_000 // len(NOTE) + 1):
            again = await visitor.post(path, body, key="k")
            assert (again.status_code, again.content) == (201, first.content)


async def test_a_stored_change_of_a_list_holds_none_of_its_text(
    running: RunningApp, nobody: Visitor
) -> None:
    made = await new_list(nobody, items=[{"name": "Tent", "note": NOTE}] * 20)
    change = {"version": 1, "name": "Hiking", **PASSCODES["both"]}
    assert (await nobody.patch(path_of(made), change, key="k")).status_code == 200
    (stored,) = await stored_answers(running)
    assert len(stored.body) < 200
    assert "Hiking" not in stored.body


async def test_a_change_sent_again_returns_the_current_list(nobody: Visitor) -> None:
    made = await new_list(nobody)
    change = {"version": 1, "name": "Hiking"}
    first = await nobody.patch(path_of(made), change, key="k")
    await nobody.patch(path_of(made), {"version": 2, "name": "Sailing"})
    await tick(nobody, made)
    again = await nobody.patch(path_of(made), change, key="k")
    assert (again.status_code, again.json()) == (200, await seen(nobody, made))
    assert (first.json()["name"], again.json()["name"]) == ("Hiking", "Sailing")
    other = await nobody.patch(path_of(made), change | {"name": "Rowing"}, key="k")
    assert problem_of(other) == (409, "idempotency_mismatch")


async def test_a_change_sent_again_shows_only_what_its_caller_may_see(nobody: Visitor) -> None:
    made = await new_list(nobody)
    change = {"version": 1, **PASSCODES["view"]}
    first = (await nobody.patch(path_of(made), change, key="k")).json()
    admin = {"version": 2, "adminPasscode": "a third"}
    second = (await nobody.patch(path_of(made), admin, **bearer_headers(first["token"]))).json()
    again = (await nobody.patch(path_of(made), change, key="k")).json()
    assert (again["access"], again["version"]) == ("view", 3)
    holder = await nobody.patch(path_of(made), change, key="k", **bearer_headers(second["token"]))
    assert holder.json()["access"] == "admin"
    last = {"version": 3, "viewPasscode": "another"}
    await nobody.patch(path_of(made), last, **bearer_headers(second["token"]))
    refused = await nobody.patch(path_of(made), change, key="k")
    assert problem_of(refused) == (401, "unauthenticated")
    assert "items" not in refused.json()


@pytest.mark.parametrize("note", ["short", "x" * 1000])
async def test_a_response_stored_by_the_version_before_is_replayed(
    running: RunningApp, nobody: Visitor, note: str
) -> None:
    items = [{"name": "Tent", "note": note}] * 100
    made = await new_list(nobody, items=items, **PASSCODES["view"])
    sent = bearer_headers(made["token"])
    change = {"version": 1, "viewPasscode": "another"}
    first = (await nobody.patch(path_of(made), change, key="k", **sent)).json()
    token = first.pop("token")
    (stored,) = await stored_answers(running)
    former = json.loads(stored.body) | {"list": first if note == "short" else None}
    await running.db.write(stored.changed(body=json.dumps(former)).put())
    again = await nobody.patch(path_of(made), change, key="k", **sent)
    assert again.status_code == 200
    assert again.json() | {"token": ""} == first | {"token": ""}
    assert (await see(nobody, made, again.json()["token"])).status_code == 200
    other = await nobody.patch(path_of(made), {"version": 1}, key="k", **bearer_headers(token))
    assert problem_of(other) == (409, "idempotency_mismatch")


async def test_a_long_list_with_a_passcode_is_shown_when_it_was_changed(nobody: Visitor) -> None:
    items = [{"name": "Tent", "note": NOTE}] * 60
    made = await new_list(nobody, items=items, **PASSCODES["view"])
    token = await unlock(nobody, made, VIEW)
    changed = await nobody.patch(
        path_of(made), {"version": 1, "name": "x"}, **bearer_headers(token)
    )
    assert changed.status_code == 200
    assert changed.json() == await seen(nobody, made, token)
