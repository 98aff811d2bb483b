"""Tags: create, relabel, rotate and revoke."""

import asyncio
import re

from homeshelf.coordination.changes import changes_since
from homeshelf.taps.item_observer import BATCH_SIZE
from homeshelf.taps.store import tags_of_item, weeks_of_item
from homeshelf.taps.use_counts import AccessCounts
from tests.api_client import Shown, add_item, edit_item, get_all_pages, set_archived, wait_until
from tests.costs import count_operations
from tests.home import NOBODYS, Home
from tests.running import Person, problem_of
from tests.taps.tags import make_tag, rotate, stored, tap


async def test_tag_has_documented_attributes(home: Home, towels: Shown) -> None:
    made = await make_tag(home.admin, towels, label=" pantry ")
    url_id = made["urlId"]
    assert re.fullmatch("[0-9A-Za-z]{22}", url_id)
    assert made == {
        "urlId": url_id,
        "itemId": towels["itemId"],
        "familyId": home.family_id,
        "itemName": "Paper Towels",
        "isActive": True,
        "label": "pantry",
        "createdAt": made["createdAt"],
        "createdBy": home.admin.member_id,
        "lastAccessedAt": None,
        "accessCount": 0,
        "rotatedAt": None,
        "rotatedBy": None,
        "entityType": "NFCUrl",
        "url": f"http://home.test/t/{url_id}",
    }
    item = (await stored(home, made)).item()
    assert item["GSI1PK"] == f"URL#{url_id}"
    assert item["GSI2SK"] == f"CREATED#{made['createdAt']}#URL#{url_id}"


async def test_item_may_have_several_tags(home: Home, towels: Shown) -> None:
    first, second = await make_tag(home.admin, towels), await make_tag(home.admin, towels, label="")
    assert second["label"] is None
    await home.admin.delete(f"/nfc-urls/{first['urlId']}")
    found = await get_all_pages(home.admin, f"/items/{towels['itemId']}/nfc-urls", 100)
    assert {each["urlId"]: each["isActive"] for each in found} == {
        first["urlId"]: False,
        second["urlId"]: True,
    }
    assert "url" not in found[0]


async def test_only_active_items_get_tags(home: Home, towels: Shown) -> None:
    await set_archived(home.admin, towels, "archive")
    path = f"/items/{towels['itemId']}/nfc-urls"
    assert problem_of(await home.admin.post(path)) == (422, "item_unavailable")
    assert problem_of(await home.admin.post(f"/items/{NOBODYS}/nfc-urls")) == (404, "not_found")
    assert problem_of(await home.admin.get(f"/items/{NOBODYS}/nfc-urls")) == (404, "not_found")


async def test_label_has_at_most_fifty_characters(home: Home, towels: Shown, tag: Shown) -> None:
    for answer in (
        await home.admin.post(f"/items/{towels['itemId']}/nfc-urls", {"label": "x" * 51}),
        await home.admin.patch(f"/nfc-urls/{tag['urlId']}", {"label": "x" * 51}),
    ):
        assert answer.json()["errors"] == [
            {"field": "label", "message": "Label must be 50 characters or less"}
        ]


async def test_family_tags_are_paged_newest_first(home: Home, towels: Shown) -> None:
    beans = await add_item(home.admin, name="Beans")
    made = [await make_tag(home.admin, each) for each in (towels, beans, towels, beans)]
    made.sort(key=lambda each: (each["createdAt"], each["urlId"]), reverse=True)
    await home.admin.delete(f"/nfc-urls/{made[1]['urlId']}")
    for status, expected in (
        ("", [made[0], made[2], made[3]]),
        ("?status=inactive", [made[1]]),
        ("?status=all", made),
    ):
        found = await get_all_pages(home.admin, f"/nfc-urls{status}", 2)
        assert [each["urlId"] for each in found] == [each["urlId"] for each in expected]
    assert problem_of(await home.admin.get("/nfc-urls?status=dead")) == (400, "validation")


async def test_patch_changes_and_removes_label(home: Home, tag: Shown) -> None:
    path = f"/nfc-urls/{tag['urlId']}"
    assert (await home.admin.patch(path, {"label": "fridge"})).json()["label"] == "fridge"
    assert (await stored(home, tag)).label == "fridge"
    assert (await home.admin.patch(path, {})).json()["label"] == "fridge"
    for nothing in (None, " "):
        await home.admin.patch(path, {"label": "fridge"})
        assert (await home.admin.patch(path, {"label": nothing})).json()["label"] is None
        assert "label" not in (await stored(home, tag)).item()


async def test_repeated_patch_without_change_returns_first_response(home: Home, tag: Shown) -> None:
    path = f"/nfc-urls/{tag['urlId']}"
    first = await home.admin.patch(path, {"label": "pantry"}, key="k")
    await home.admin.patch(path, {"label": "fridge"})
    again = await home.admin.patch(path, {"label": "pantry"}, key="k")
    assert again.json() == first.json()
    assert (await stored(home, tag)).label == "fridge"


async def test_rotation_ends_old_address_and_keeps_label(home: Home, tag: Shown) -> None:
    answer = await home.admin.post(f"/nfc-urls/{tag['urlId']}/rotate")
    both = answer.json()
    assert both.keys() == {"oldUrl", "newUrl"}
    old, new = both["oldUrl"], both["newUrl"]
    assert (old["urlId"], old["isActive"], old["rotatedBy"]) == (
        tag["urlId"],
        False,
        home.admin.member_id,
    )
    assert old["rotatedAt"] is not None
    assert (new["label"], new["isActive"], new["itemId"]) == ("pantry", True, tag["itemId"])
    assert new["url"].endswith(f"/t/{new['urlId']}")
    assert (await stored(home, tag)).is_active is False
    somebody = home.running.visitor()
    assert problem_of(await tap(somebody, tag)) == (404, "not_found")
    assert (await tap(somebody, new)).status_code == 200


async def test_dead_tag_cannot_be_rotated(home: Home, tag: Shown) -> None:
    path = f"/nfc-urls/{tag['urlId']}"
    await rotate(home.admin, tag)
    answer = await home.admin.post(f"{path}/rotate")
    assert problem_of(answer) == (409, "wrong_state")
    assert answer.json()["current"]["urlId"] == tag["urlId"]


async def test_concurrent_rotations_give_one_conflict(home: Home, tag: Shown) -> None:
    other = await home.with_member("other", "admin")
    path = f"/nfc-urls/{tag['urlId']}/rotate"
    answers = await asyncio.gather(*(who.post(path) for who in (home.admin, other) for _ in "123"))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409, 409]
    query = tags_of_item(home.family_id, tag["itemId"]).up_to_date()
    tags = await home.running.db.all(query)
    assert sorted(each.is_active for each in tags) == [False, True]


async def test_repeated_rotation_returns_first_response(home: Home, tag: Shown) -> None:
    path = f"/nfc-urls/{tag['urlId']}/rotate"
    first = await home.admin.post(path, key="k")
    assert (await home.admin.post(path, key="k")).json() == first.json()
    path = f"/items/{tag['itemId']}/nfc-urls"
    first = await home.admin.post(path, {"label": "x"}, key="k")
    again = await home.admin.post(path, {"label": "x"}, key="k")
    assert (again.status_code, again.json()) == (201, first.json())


async def test_revoked_tag_is_dead_for_good(home: Home, tag: Shown) -> None:
    path = f"/nfc-urls/{tag['urlId']}"
    assert (await home.admin.delete(path)).status_code == 204
    first = await stored(home, tag)
    assert (first.is_active, first.rotated_by) == (False, home.admin.member_id)
    assert first.rotated_at is not None
    assert (await home.admin.delete(path)).status_code == 204
    assert await stored(home, tag) == first
    assert problem_of(await tap(home.running.visitor(), tag)) == (404, "not_found")


async def test_qr_code_is_svg_without_caching(home: Home, tag: Shown) -> None:
    answer = await home.admin.get(f"/nfc-urls/{tag['urlId']}/qr.svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.text.startswith("<svg xmlns=")


async def test_malformed_url_id_returns_404(home: Home) -> None:
    for wrong in ("x", "x" * 23, "x" * 21 + "-", "x" * 22):
        for method, path in (
            ("PATCH", f"/nfc-urls/{wrong}"),
            ("DELETE", f"/nfc-urls/{wrong}"),
            ("POST", f"/nfc-urls/{wrong}/rotate"),
            ("GET", f"/nfc-urls/{wrong}/qr.svg"),
            ("GET", f"/taps/{wrong}"),
        ):
            body = {"label": "a"} if method == "PATCH" else None
            assert problem_of(await home.admin.ask(method, path, body)) == (404, "not_found")


async def test_rename_updates_tags_and_announces_once(home: Home, towels: Shown) -> None:
    tags = [await make_tag(home.admin, towels) for _ in range(3)]
    before = await _tag_changes(home)
    await edit_item(home.admin, towels, name="Kitchen Roll")
    assert {(await stored(home, tag)).item_name for tag in tags} == {"Kitchen Roll"}
    (told,) = (await _tag_changes(home))[len(before) :]
    assert sorted(told) == sorted(tag["urlId"] for tag in tags)


async def test_rename_of_many_tags_uses_todo(home: Home, towels: Shown) -> None:
    for _ in range(BATCH_SIZE + 1):
        await make_tag(home.admin, towels)
    with count_operations(home.running.db) as spent:
        await edit_item(home.admin, towels, name="Kitchen Roll")
    assert spent["transact"] == 1
    query = tags_of_item(home.family_id, towels["itemId"]).up_to_date()

    async def all_are_renamed() -> bool:
        return {tag.item_name for tag in await home.running.db.all(query)} == {"Kitchen Roll"}

    await wait_until(all_are_renamed)


async def test_tags_of_deleted_item_are_dead(home: Home, towels: Shown, tag: Shown) -> None:
    others = [await make_tag(home.admin, towels) for _ in range(BATCH_SIZE)]
    await home.admin.delete(f"/items/{towels['itemId']}")

    async def all_are_dead() -> bool:
        return not any([(await stored(home, each)).is_active for each in (tag, *others)])

    await wait_until(all_are_dead)
    assert (await stored(home, tag)).rotated_by == home.admin.member_id
    assert problem_of(await home.admin.post(f"/nfc-urls/{tag['urlId']}/rotate")) == (
        409,
        "wrong_state",
    )


async def test_use_counts_are_deleted_with_item(home: Home, tag: Shown) -> None:
    counts = home.running.services.of(AccessCounts)
    counts.count_use((await stored(home, tag)).tag_id)
    await counts.flush()
    weeks = weeks_of_item(home.family_id, tag["itemId"]).up_to_date()
    assert len(await home.running.db.all(weeks)) == 1
    await home.admin.delete(f"/items/{tag['itemId']}")

    async def nothing_is_left() -> bool:
        return not await home.running.db.all(weeks)

    await wait_until(nothing_is_left)


async def test_only_admins_manage_tags(
    home: Home, kid: Person, neighbour: Person, tag: Shown
) -> None:
    for method, path in (
        ("GET", "/nfc-urls"),
        ("GET", f"/items/{tag['itemId']}/nfc-urls"),
        ("POST", f"/items/{tag['itemId']}/nfc-urls"),
        ("PATCH", f"/nfc-urls/{tag['urlId']}"),
        ("POST", f"/nfc-urls/{tag['urlId']}/rotate"),
        ("DELETE", f"/nfc-urls/{tag['urlId']}"),
        ("GET", f"/nfc-urls/{tag['urlId']}/qr.svg"),
    ):
        body = {"label": "a"} if method == "PATCH" else None
        assert problem_of(await kid.ask(method, path, body)) == (403, "forbidden")
        if path != "/nfc-urls":
            assert problem_of(await neighbour.ask(method, path, body)) == (404, "not_found")
    assert (await stored(home, tag)).label == "pantry"
    assert (await neighbour.get("/nfc-urls?status=all")).json() == {"items": []}


async def _tag_changes(home: Home) -> list[tuple[str, ...]]:
    changes = await changes_since(home.running.db, home.family_id, None)
    told = [change for change in changes if change.type == "NFCUrl"]
    assert {change.version for change in told} == {1}, "none has one, and none is ever gone"
    return [change.ids for change in told]
