"""Test that a second kind of shared list has the common features, such as access and expiry."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import TypeAdapter

from homeshelf import app
from homeshelf.commands.files import import_records
from homeshelf.moving.export import export_records
from homeshelf.moving.file_import import read_file
from homeshelf.shares.kinds import KINDS
from homeshelf.shares.list_schema import NewListBody, children_schema
from homeshelf.shares.model import Shareable
from homeshelf.table import SHAREABLES
from homeshelf.web.openapi import Maybe
from tests.moment import DAY, Moment
from tests.moving.households import other_house, sign_in_member
from tests.running import Person, RunningApp, Visitor, problem_of
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
)
from tests.shares.countdown import COUNTDOWN, kinds_of_shareables, load_days

__all__ = ["other_house"]
NEW = {"entity": "countdown", "name": "Christmas", "day": "2026-12-24"}


@pytest.fixture(autouse=True, scope="module")
def countdowns() -> Iterator[None]:
    with kinds_of_shareables(COUNTDOWN):
        yield


async def new_countdown(visitor: Visitor, **sent: Any) -> Shown:
    answer = await visitor.post("/shareables", NEW | sent)
    assert answer.status_code == 201, answer.text
    made: Shown = answer.json()
    return made


async def test_countdown_is_made_and_read(nobody: Visitor, running: RunningApp) -> None:
    made = await new_countdown(nobody)
    assert (made["entity"], made["day"], made["access"]) == ("countdown", "2026-12-24", "admin")
    assert "items" not in made
    found = await seen(running.visitor(), made)
    assert found == {name: made[name] for name in made if name != "token"}
    (day,) = await load_days(running.db, made["shortId"])
    shared = await running.db.get(Shareable.key(short_id=made["shortId"]))
    assert shared
    assert shared.ttl == day.ttl is not None


async def test_same_request_again_has_the_same_response(nobody: Visitor) -> None:
    key = {"headers": {"Idempotency-Key": "8d7b1c66-8f0e-4a47-9d1c-3a4a0b1c2d3e"}}
    first = await nobody.post("/shareables", NEW, **key)
    again = await nobody.post("/shareables", NEW, **key)
    assert first.status_code == 201
    assert again.json() == first.json()


@pytest.mark.parametrize("entity", ["poll", "Countdown", "", 7, ["countdown"]])
async def test_unknown_entity_is_400(nobody: Visitor, entity: object) -> None:
    answer = await nobody.post("/shareables", NEW | {"entity": entity})
    assert problem_of(answer) == (400, "validation")
    said = {each["field"]: each["message"] for each in answer.json()["errors"]}
    assert said["entity"] == "Choose checklist / countdown."


async def test_wrong_fields_are_named_as_for_a_checklist(nobody: Visitor) -> None:
    wrong = {"entity": "countdown", "name": "", "items": [], "expiresInDays": 0}
    answer = await nobody.post("/shareables", wrong)
    assert problem_of(answer) == (400, "validation")
    fields = {each["field"] for each in answer.json()["errors"]}
    assert fields == {"name", "day", "items", "expiresInDays"}


async def test_without_an_entity_it_is_a_checklist(nobody: Visitor) -> None:
    made = await new_list(nobody)
    assert (made["entity"], len(made["items"])) == ("checklist", 2)


async def test_passcodes_decide_who_reads_and_changes(nobody: Visitor, running: RunningApp) -> None:
    made = await new_countdown(nobody, **PASSCODES["both"])
    path, stranger = f"/shareables/{made['shortId']}", running.visitor()
    later = {"day": "2026-12-25"}
    assert problem_of(await see(stranger, made)) == (401, "unauthenticated")
    assert problem_of(await stranger.put(f"{path}/day", later)) == (401, "unauthenticated")
    view = await unlock(stranger, made, VIEW)
    assert (await seen(stranger, made, view))["day"] == "2026-12-24"
    refused = await stranger.put(f"{path}/day", later, **bearer_headers(view))
    assert problem_of(refused) == (403, "forbidden")
    admin = await unlock(stranger, made, ADMIN)
    assert (await stranger.put(f"{path}/day", later, **bearer_headers(admin))).json() == later
    found = await seen(stranger, made, admin)
    assert (found["day"], found["dayVersion"], found["version"]) == ("2026-12-25", 2, 2)


async def test_routes_of_one_kind_are_404_for_the_other(nobody: Visitor) -> None:
    countdown, checklist = await new_countdown(nobody), await new_list(nobody)
    path, item_id = f"/shareables/{countdown['shortId']}", "0" * 8 + "-0000-4000-8000-" + "0" * 12
    for answer in (
        await nobody.post(f"{path}/items", {"name": "Tent"}),
        await nobody.patch(f"{path}/items/{item_id}", {"checked": True}),
        await nobody.delete(f"{path}/items/{item_id}"),
        await nobody.put(f"{path}/order", {"checklistItemIds": []}),
        await nobody.put(f"/shareables/{checklist['shortId']}/day", {"day": "2026-12-25"}),
    ):
        assert problem_of(answer) == (404, "not_found")
    assert (await seen(nobody, countdown))["version"] == 1
    for page in ("print", "order", f"items/{item_id}"):
        assert (await nobody.client.get(f"/s/{countdown['shortId']}/{page}")).status_code == 404


async def test_clone_has_the_day_and_an_id_of_its_own(nobody: Visitor) -> None:
    made = await new_countdown(nobody, note="Tree")
    answer = await nobody.post(f"/shareables/{made['shortId']}/clone", {"name": "Again"})
    assert answer.status_code == 201, answer.text
    copy = answer.json()
    assert copy["shortId"] != made["shortId"]
    assert [copy[name] for name in ("entity", "name", "note", "day")] == [
        "countdown",
        "Again",
        "Tree",
        "2026-12-24",
    ]


async def test_pages_show_the_countdown(nobody: Visitor, running: RunningApp) -> None:
    made = await new_countdown(nobody)
    path = f"/s/{made['shortId']}"
    page = await nobody.client.get(f"{path}?said=moved")
    assert page.text == "<h1>Christmas on 2026-12-24</h1>It is on another day."
    assert f'href="{path}/print"' not in (await nobody.client.get(f"{path}/share")).text
    assert (await nobody.client.get(f"{path}/copy")).status_code == 200
    closed = await new_countdown(nobody, viewPasscode=VIEW)
    page = await running.visitor().client.get(f"/s/{closed['shortId']}")
    assert page.status_code == 401
    assert "Christmas" not in page.text


async def test_expired_countdown_is_410_and_is_gone_a_year_later(
    running: RunningApp, nobody: Visitor, moment: Moment
) -> None:
    made = await new_countdown(nobody, expiresInDays=3, adminPasscode=ADMIN)
    moment.pass_by(3 * DAY)
    assert problem_of(await see(running.visitor(), made)) == (410, "expired")
    token = await unlock(nobody, made, ADMIN)
    assert (await seen(nobody, made, token))["day"] == "2026-12-24"
    moment.pass_by(365 * DAY)
    assert problem_of(await see(nobody, made, token)) == (404, "not_found")
    assert await load_days(running.db, made["shortId"]) == []


async def test_day_lives_as_long_as_the_countdown_when_that_changes(
    running: RunningApp, nobody: Visitor
) -> None:
    made = await new_countdown(nobody)
    changed = await nobody.patch(
        f"/shareables/{made['shortId']}", {"version": 1, "expiresInDays": 300}
    )
    assert changed.json()["day"] == "2026-12-24"
    shared = await running.db.get(Shareable.key(short_id=made["shortId"]))
    (day,) = await load_days(running.db, made["shortId"])
    assert shared
    assert day.ttl == shared.ttl


async def test_deleting_leaves_nothing_behind(running: RunningApp, nobody: Visitor) -> None:
    made = await new_countdown(nobody)
    assert await load_days(running.db, made["shortId"])
    assert (await nobody.delete(f"/shareables/{made['shortId']}")).status_code == 204
    assert (await see(nobody, made)).status_code == 404
    assert await load_days(running.db, made["shortId"]) == []
    assert (await running.db.engine.scan(SHAREABLES, 10)).items == []


async def test_countdowns_are_among_my_lists(ada: Person) -> None:
    made = await new_countdown(ada)
    (mine,) = (await ada.get("/me/shareables")).json()["items"]
    assert (mine["shortId"], mine["entity"]) == (made["shortId"], "countdown")


async def test_countdown_moves_to_another_house_with_its_maker(
    running: RunningApp, other_house: RunningApp
) -> None:
    ada = await running.person("ada", verified=True)
    made = [await new_countdown(ada, **PASSCODES["view"]), await new_list(ada)]
    text, _ = await export_records(running.db, app.SLICES, "person", ada.member_id)
    await import_records(other_house.app.state.services, read_file(text, app.SLICES))
    moved = await sign_in_member(other_house, ada.member_id)
    mine = (await moved.get("/me/shareables")).json()["items"]
    assert {each["entity"] for each in mine} == {"countdown", "checklist"}
    short_id = next(each["shortId"] for each in mine if each["entity"] == "countdown")
    assert short_id not in {each["shortId"] for each in made}
    found = await moved.get(f"/shareables/{short_id}")
    assert found.status_code == 200, found.text
    assert found.json()["day"] == "2026-12-24"


def test_api_documents_every_kind() -> None:
    documented = TypeAdapter(NewListBody).json_schema()
    assert len(documented["anyOf"]) == 2
    shape = children_schema([*KINDS, COUNTDOWN])
    assert shape["day"] == Maybe(str)
    assert shape.keys() == {"items", "day", "dayVersion"}
    assert children_schema(KINDS).keys() == {"items"}
