"""Test that the records of another program work after the adoption."""

import asyncio
from typing import Any

import pytest
from argon2 import PasswordHasher, Type

from homeshelf.shares.checklist.model import ChecklistItem
from homeshelf.shares.model import Shareable
from homeshelf.shares.pool import claim_of, find_free_id
from homeshelf.table import SHAREABLES, ConditionFailed, Database
from tests.home import ids
from tests.moving.foreign_tables import (
    EMMA,
    LIST,
    LOW,
    MARKET,
    MILK,
    NOTICE,
    OPEN_LIST,
    PANTRY,
    TAG,
    TAGGED,
    TOWELS,
    WAITING,
    adopt,
    emma,
    house,
    import_time,
    john,
    smiths,
    write_raw,
)
from tests.running import RunningApp, Visitor, problem_of, running_app
from tests.table.faulty_engines import warp

__all__ = ["emma", "house", "import_time", "john"]


async def test_second_entry_of_adopted_item_needs_force(john: Visitor) -> None:
    refused = await john.post("/shopping-list", {"itemId": TOWELS})
    assert problem_of(refused) == (409, "duplicate")
    assert refused.json()["existing"]["shoppingItemId"] == WAITING
    forced = await john.post("/shopping-list", {"itemId": TOWELS, "force": True})
    assert forced.status_code == 201


async def test_adopted_entry_is_bought_put_away_and_added_again(john: Visitor) -> None:
    bought = await john.patch(
        f"/shopping-list/{WAITING}/status", {"status": "purchased", "version": 1}
    )
    assert (bought.status_code, bought.json()["version"]) == (200, 2), bought.text
    again = await john.patch(
        f"/shopping-list/{WAITING}/status", {"status": "pending", "version": 1}
    )
    assert problem_of(again) == (409, "version_conflict")
    away = await john.post(f"/shopping-list/{WAITING}/put-away", {"version": 2})
    assert away.status_code == 200, away.text
    assert (await john.get(f"/items/{TOWELS}")).json()["quantity"] == 6
    assert (await john.post("/shopping-list", {"itemId": TOWELS})).status_code == 201


async def test_low_adopted_item_has_one_open_notice(john: Visitor) -> None:
    async def open_notices() -> list[str]:
        found = await john.get("/notifications?status=active")
        return ids(found, "notificationId")

    assert await open_notices() == [NOTICE]
    assert (await john.post(f"/items/{LOW}/adjust", {"delta": 5})).json()["item"]["version"] == 2
    assert await open_notices() == []
    assert (await john.post(f"/items/{LOW}/adjust", {"delta": -5})).status_code == 200
    (new,) = await open_notices()
    assert new != NOTICE
    assert (await john.post(f"/items/{LOW}/adjust", {"delta": -1})).status_code == 200
    assert await open_notices() == [new]
    seen = await john.post(f"/notifications/{new}/acknowledge")
    assert seen.status_code == 200, seen.text


@pytest.mark.parametrize(("path", "place_id"), [("stores", MARKET), ("locations", PANTRY)])
async def test_adopted_place_is_renamed_and_frees_its_name(
    john: Visitor, path: str, place_id: str
) -> None:
    old = {"name": {"stores": "market", "locations": "pantry"}[path]}
    assert problem_of(await john.post(f"/{path}", old)) == (409, "duplicate")
    renamed = await john.patch(f"/{path}/{place_id}", {"name": "Another", "version": 1})
    assert (renamed.status_code, renamed.json()["version"]) == (200, 2), renamed.text
    assert (await john.post(f"/{path}", old)).status_code == 201
    assert problem_of(await john.post(f"/{path}", {"name": "another"})) == (409, "duplicate")


async def test_adopted_barcode_belongs_to_its_item(john: Visitor) -> None:
    found = await john.get("/items/by-barcode/4006381333931")
    assert found.json()["itemId"] == MILK
    taken = {"name": "Oats", "barcodes": ["4006381333931"]}
    assert problem_of(await john.post("/items", taken)) == (409, "duplicate")


async def test_adopted_wishes_are_approved_only_once(john: Visitor, emma: Visitor) -> None:
    async def waiting() -> list[str]:
        found = (await john.get("/suggestions?status=pending")).json()["suggestions"]
        return [each["suggestionId"] for each in found]

    pending = await waiting()
    assert len(pending) == 2
    for each in pending:
        done = await john.post(f"/suggestions/{each}/approve", {"version": 1})
        assert done.status_code == 200, done.text
        again = await john.post(f"/suggestions/{each}/reject", {"version": 1})
        assert again.status_code == 409
    assert await waiting() == []
    wish = {"type": "add_to_shopping", "itemId": MILK}
    assert (await emma.post("/suggestions", wish)).status_code == 201


async def test_adopted_tag_works_until_it_is_rotated(house: RunningApp, john: Visitor) -> None:
    tapped = await house.visitor().post(f"/taps/{TAG}", {"delta": -1})
    assert (tapped.status_code, tapped.json()["quantity"]) == (200, 4), tapped.text
    rotated = await john.post(f"/nfc-urls/{TAG}/rotate")
    assert rotated.status_code in (200, 201), rotated.text
    assert (await house.visitor().post(f"/taps/{TAG}", {"delta": -1})).status_code == 404
    assert (await john.get(f"/items/{TAGGED}")).json()["version"] == 2


async def test_records_without_version_accept_writes_with_version_1(john: Visitor) -> None:
    """The next write requires that the record still has no version."""
    renamed = await john.patch("/family", {"name": "Smiths", "version": 1})
    assert (renamed.status_code, renamed.json()["version"]) == (200, 2), renamed.text
    for path in (f"/members/{EMMA}", f"/items/{MILK}"):
        for version, status in ((2, 409), (1, 200), (1, 409)):
            answer = await john.patch(path, {"name": f"Named {version}", "version": version})
            assert answer.status_code == status, answer.text
    listed = (await john.get("/items")).json()["items"]
    assert {each["name"]: each["version"] for each in listed} == {
        "Named 1": 2,
        "Paper Towels": 1,
        "Rice": 1,
    }


async def test_lists_return_version_1_for_records_without_version(john: Visitor) -> None:
    seen: dict[str, set[Any]] = {}
    for path, name in {
        "/items": "items",
        "/stores": "items",
        "/locations": "items",
        "/members": "items",
        "/invitations": "items",
        "/notifications": "items",
        "/shopping-list": "items",
        "/suggestions": "suggestions",
    }.items():
        seen[path] = {each["version"] for each in (await john.get(path)).json()[name]}
    assert seen == {path: {1} for path in seen}


async def test_one_of_two_concurrent_changes_without_version_wins(john: Visitor) -> None:
    async def both(path: str, **changes: Any) -> None:
        wanted = [{**changes, "name": f"Named {number}", "version": 1} for number in range(2)]
        answers = await asyncio.gather(*(john.patch(path, each) for each in wanted))
        assert sorted(each.status_code for each in answers) == [200, 409], path
        assert {each.json().get("version", 2) for each in answers} == {2}

    await both("/family")
    await both(f"/stores/{MARKET}")
    await both(f"/shopping-list/{WAITING}")
    await both(f"/items/{TAGGED}")
    await both(f"/shareables/{OPEN_LIST}")


async def test_adopted_list_is_opened_ticked_and_reordered(house: RunningApp) -> None:
    visitor = house.visitor()
    path = f"/shareables/{OPEN_LIST}"
    opened = (await visitor.get(path)).json()
    assert [each["name"] for each in opened["items"]] == ["Tent", "Stove", "Rope"]
    tent, stove, rope = (each["checklistItemId"] for each in opened["items"])
    ticked = await visitor.patch(f"{path}/items/{tent}", {"checked": True})
    assert ticked.status_code == 200, ticked.text
    order = {"checklistItemIds": [rope, tent, stove]}
    moved = await visitor.put(f"{path}/order", order)
    assert moved.status_code in (200, 204), moved.text
    names = [each["name"] for each in (await visitor.get(path)).json()["items"]]
    assert names == ["Rope", "Tent", "Stove"]
    shared = await house.db.get(Shareable.key(short_id=OPEN_LIST))
    items = await house.db.all(ChecklistItem.where(short_id=OPEN_LIST))
    assert shared is not None
    assert {shared.ttl, *(each.ttl for each in items)} == {shared.purge_time}


async def test_adoption_skips_items_of_unreadable_list(database: Database) -> None:
    await write_raw(database, smiths())
    items = await database.all(ChecklistItem.where(short_id=OPEN_LIST))
    await warp(database, Shareable.key(short_id=OPEN_LIST), version="first")
    said = "\n".join((await adopt(database)).remarks)
    assert "Some records cannot be read" in said
    assert await database.all(ChecklistItem.where(short_id=OPEN_LIST)) == items


async def test_adopted_short_ids_are_claimed(house: RunningApp) -> None:
    for short_id in (LIST, OPEN_LIST, "aaa-aaa-00000"):
        with pytest.raises(ConditionFailed):
            await house.db.write(claim_of(short_id).take())


async def test_new_list_takes_short_id_from_adopted_pool(house: RunningApp) -> None:
    free = await find_free_id(house.db, 99)
    assert free.short_id == "aaa-aaa-00000"
    await house.db.transact(*free.writes)
    assert (await find_free_id(house.db, 99)).short_id != free.short_id


async def test_masked_passcode_of_another_program_opens_nothing(house: RunningApp) -> None:
    for passcode in ("***", "****", ""):
        answer = await house.visitor().post(
            f"/shareables/{LIST}/unlock", {"passcode": passcode or "none"}
        )
        assert answer.status_code in (401, 410), answer.text


@pytest.mark.parametrize(
    ("form", "opens"),
    [
        (PasswordHasher(time_cost=1, memory_cost=64, parallelism=1), True),
        (PasswordHasher(time_cost=1, memory_cost=64, parallelism=1, type=Type.I), False),
        (PasswordHasher(time_cost=9, memory_cost=64, parallelism=1), False),
        (PasswordHasher(time_cost=1, memory_cost=80 * 1024, parallelism=1), False),
    ],
    ids=["argon2id", "argon2i", "slow", "large"],
)
async def test_only_cheap_argon2id_passcodes_are_kept(
    database: Database, form: PasswordHasher, opens: bool
) -> None:
    locked = next(item for _, item in smiths() if item.get("shortId") == OPEN_LIST)
    await write_raw(database, [(SHAREABLES, locked | {"viewPasscode": form.hash("open sesame")})])
    said = (await adopt(database)).remarks
    assert any(f"the view passcode of the list {OPEN_LIST}" in each for each in said) is not opens
    async with running_app(database) as running:
        asked = {"passcode": "open sesame"}
        answer = await running.visitor().post(f"/shareables/{OPEN_LIST}/unlock", asked)
        assert answer.status_code == (200 if opens else 401)


async def test_adopted_books_are_found_by_status(john: Visitor) -> None:
    found = await john.get("/books?status=READING")
    assert [each["title"] for each in found.json()["items"]] == ["The Hobbit"]
    (book_id,) = ids(found, "id")
    assert (await john.post(f"/books/{book_id}/page", {"page": 20})).status_code in (200, 201)
    assert [each["page"] for each in (await john.get(f"/books/{book_id}/events")).json()["items"]]
