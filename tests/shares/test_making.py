"""Test creating a list through the API."""

import re
from typing import Any

import pytest

from homeshelf.config.values import Rate
from homeshelf.shares.checklist.model import ChecklistItem
from homeshelf.shares.checklist.store import items_of
from homeshelf.shares.model import Shareable, normalize_short_id
from homeshelf.table import Database
from tests.moment import DAY, HOUR, MINUTE, Moment
from tests.running import RunningApp, Visitor, problem_of, running_app
from tests.shares.clients import (
    PASSCODES,
    VIEW,
    bearer_headers,
    item_ids,
    names,
    new_list,
    see,
    seen,
    visitor_from,
)

SHORT_ID = re.compile("[a-z]{3}-[a-z]{3}-[0-9]{5}")


async def test_created_list_is_returned_in_full(nobody: Visitor, moment: Moment) -> None:
    made = await new_list(nobody, "Tent", "Rope", note="For July")
    assert SHORT_ID.fullmatch(made["shortId"])
    item = made["items"][0]
    assert made == {
        "shortId": made["shortId"],
        "entity": "checklist",
        "name": "Camping",
        "note": "For July",
        "expiresAt": "2024-12-01T12:00:00.000Z",
        "version": 1,
        "access": "admin",
        "items": made["items"],
    }
    assert item == {
        "checklistItemId": item["checklistItemId"],
        "order": 0,
        "name": "Tent",
        "note": None,
        "checked": False,
        "checkedAt": None,
        "checkedBy": None,
    }
    assert await seen(nobody, made) == made
    assert moment.at.year == 2024


async def test_list_is_found_by_any_spelling_of_its_id(nobody: Visitor) -> None:
    made = await new_list(nobody)
    bare = made["shortId"].replace("-", "")
    for typed in (bare, bare.upper(), made["shortId"].upper(), f"{bare[:6]} {bare[6:]}"):
        assert (await see(nobody, {"shortId": typed})).json() == made


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("ABC-DEF-12345", "abc-def-12345"),
        ("abcdef12345", "abc-def-12345"),
        ("a0c def 1234O", "aoc-def-12340"),
        ("abc-def-l2i45", "abc-def-12145"),
        (" abc def 12345 ", "abc-def-12345"),
        ("abc-def-1234", None),
        ("abc-def-123456", None),
        ("abc-d3f-12345", None),
        ("abc-def-1234x", None),
        ("äbc-def-12345", None),
        ("abc-def-1234\N{ARABIC-INDIC DIGIT FIVE}", None),
        ("abc#def12345", None),
        ("", None),
    ],
)
def test_short_id_with_confused_letters_and_digits_is_found(typed: str, meant: str | None) -> None:
    assert normalize_short_id(typed) == meant


async def test_list_needs_only_a_name(nobody: Visitor) -> None:
    made = await new_list(nobody, items=[])
    assert (made["items"], made["note"]) == ([], None)
    assert "token" not in made
    assert (await seen(nobody, made))["items"] == []


@pytest.mark.parametrize("passcodes", ["view", "admin", "both"])
async def test_maker_of_locked_list_gets_an_admin_token(nobody: Visitor, passcodes: str) -> None:
    made = await new_list(nobody, **PASSCODES[passcodes])
    token = made.pop("token")
    assert made["access"] == "admin"
    assert await seen(nobody, made, token) == made
    added = await nobody.post(
        f"/shareables/{made['shortId']}/items", {"name": "Map"}, **bearer_headers(token)
    )
    assert added.status_code == 201


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no name": ({}, "name"),
    "an empty name": ({"name": "  "}, "name"),
    "a long name": ({"name": "x" * 201}, "name"),
    "a long note": ({"name": "x", "note": "x" * 2001}, "note"),
    "an unknown entity": ({"name": "x", "entity": "poll"}, "entity"),
    "too many items": ({"name": "x", "items": [{"name": "x"}] * 501}, "items"),
    "an item without a name": ({"name": "x", "items": [{"name": "x"}, {}]}, "items.1.name"),
    "an item with a long note": (
        {"name": "x", "items": [{"name": "x", "note": "x" * 2001}]},
        "items.0.note",
    ),
    "an item with something else": (
        {"name": "x", "items": [{"name": "x", "checked": True}]},
        "items.0.checked",
    ),
    "a short passcode": ({"name": "x", "viewPasscode": "abc"}, "viewPasscode"),
    "a long passcode": ({"name": "x", "adminPasscode": "x" * 129}, "adminPasscode"),
    "the same passcodes": (
        {"name": "x", "viewPasscode": "same", "adminPasscode": "same"},
        "adminPasscode",
    ),
    "no days": ({"name": "x", "expiresInDays": 0}, "expiresInDays"),
    "too many days": ({"name": "x", "expiresInDays": 366}, "expiresInDays"),
    "days as text": ({"name": "x", "expiresInDays": "3"}, "expiresInDays"),
    "another field": ({"name": "x", "expiresAt": "2030-01-01T00:00:00.000Z"}, "expiresAt"),
}


@pytest.mark.parametrize("case", WRONG)
async def test_invalid_field_is_named_in_the_error(nobody: Visitor, case: str) -> None:
    body, field = WRONG[case]
    answer = await nobody.post("/shareables", body)
    assert problem_of(answer) == (400, "validation")
    assert [error["field"] for error in answer.json()["errors"]] == [field]


async def test_values_at_their_limits_are_accepted(nobody: Visitor) -> None:
    items = [{"name": "x" * 200, "note": "x" * 2000}] * 500
    made = await new_list(
        nobody,
        name="y" * 200,
        note="z" * 2000,
        items=items,
        expiresInDays=365,
        viewPasscode="1234",
        adminPasscode="5" * 128,
    )
    assert len(made["items"]) == 500
    assert len(set(item_ids(made))) == 500


async def test_anonymous_caller_may_send_a_long_list_but_no_other_long_body(
    nobody: Visitor,
) -> None:
    made = await new_list(nobody)
    long = {"name": "x", "note": "x" * 70_000}
    answer = await nobody.post(f"/shareables/{made['shortId']}/items", long)
    assert answer.status_code == 413
    answer = await nobody.post("/shareables", {"name": "x", "note": "x" * 1_500_000})
    assert answer.status_code == 413


@pytest.mark.usefixtures("usual_hashes")
async def test_stored_records_equal_the_source_document(
    running: RunningApp, nobody: Visitor, moment: Moment
) -> None:
    made = await new_list(nobody, "Tent", **PASSCODES["both"])
    bare = made["shortId"].replace("-", "")
    stored = await running.db.engine.get(Shareable.key(short_id=made["shortId"]))
    assert stored is not None
    year_later = int(moment.at.timestamp()) + (30 + 365) * DAY
    assert stored.pop("viewPasscode").startswith("$argon2id$v=19$m=19456,t=2,p=1$")  # type: ignore[attr-defined]  # a dict, a text
    assert stored.pop("adminPasscode").startswith("$argon2id$")  # type: ignore[attr-defined]  # a dict, a text
    assert stored == {
        "pk": f"shareable#{bare}",
        "sk": "01#",
        "entity": "checklist",
        "shortId": made["shortId"],
        "name": "Camping",
        "expiresAt": "2024-12-01T12:00:00.000Z",
        "version": 1,
        "ttl": year_later,
    }
    item_id = made["items"][0]["checklistItemId"]
    key = ChecklistItem.key(short_id=made["shortId"], checklist_item_id=item_id)
    assert await running.db.engine.get(key) == {
        "pk": f"checklist_item#{bare}",
        "sk": f"01#{item_id.replace('-', '')}#",
        "shortId": made["shortId"],
        "checklistItemId": item_id,
        "order": 0,
        "name": "Tent",
        "ttl": year_later,
    }


KEY = "3f1c2a52-6a3e-4bb7-9f43-8f3b4d3f8a11"


async def test_repeated_idempotency_key_creates_one_list(
    running: RunningApp, nobody: Visitor
) -> None:
    body = {"name": "Camping", "items": [{"name": "Tent"}], **PASSCODES["both"]}
    first = (await nobody.post("/shareables", body, key=KEY)).json()
    again = await nobody.post("/shareables", body, key=KEY)
    assert again.status_code == 201
    token = again.json()["token"]
    assert again.json() | {"token": ""} == first | {"token": ""}
    assert (await see(nobody, first, token)).status_code == 200
    for name in ("Hiking", ""):
        other = await nobody.post("/shareables", body | {"name": name}, key=KEY)
        assert problem_of(other) == (409, "idempotency_mismatch")
    ada = await running.person("ada")
    hers = await ada.post("/shareables", body, key=KEY)
    assert hers.json()["shortId"] != first["shortId"], "a key belongs to its caller"


async def test_replay_returns_no_token_for_a_newer_passcode(
    nobody: Visitor,
) -> None:
    body = {"name": "Camping", **PASSCODES["admin"]}
    made = (await nobody.post("/shareables", body, key=KEY)).json()
    path = f"/shareables/{made['shortId']}"
    change = {"version": 1, "adminPasscode": "another"}
    assert (await nobody.patch(path, change, **bearer_headers(made["token"]))).status_code == 200
    again = (await nobody.post("/shareables", body, key=KEY)).json()
    refused = await nobody.delete(path, **bearer_headers(again["token"]))
    assert problem_of(refused) == (401, "unauthenticated")


async def test_replay_of_a_long_list_reads_it_again(nobody: Visitor) -> None:
    body = {"name": "x", "items": [{"name": "x", "note": "x" * 1000}] * 200}
    first = await nobody.post("/shareables", body, key=KEY)
    again = await nobody.post("/shareables", body, key=KEY)
    assert again.json() == first.json()
    await nobody.delete(f"/shareables/{first.json()['shortId']}")
    gone = await nobody.post("/shareables", body, key=KEY)
    assert problem_of(gone) == (404, "not_found")


async def test_replay_of_a_long_list_requires_view_access(nobody: Visitor) -> None:
    body = {"name": "x", "items": [{"name": "x", "note": "x" * 1000}] * 200}
    made = (await nobody.post("/shareables", body, key=KEY)).json()
    path = f"/shareables/{made['shortId']}"
    await nobody.patch(path, {"version": 1, "name": "secret", **PASSCODES["view"]})
    again = await nobody.post("/shareables", body, key=KEY)
    assert problem_of(again) == (401, "unauthenticated")
    assert "secret" not in again.text


async def test_idempotency_key_that_is_no_uuid_returns_400(nobody: Visitor) -> None:
    answer = await nobody.post("/shareables", {"name": "x"}, key="guessable")
    assert problem_of(answer) == (400, "validation")


async def test_anonymous_caller_creates_no_list_if_only_members_may(database: Database) -> None:
    async with running_app(database) as running:
        before = await new_list(running.visitor(), **PASSCODES["both"])
        plain = await new_list(running.visitor())
    async with running_app(database, shares="members") as running:
        nobody, ada = running.visitor(), await running.person("ada")
        for body in ({"name": "x"}, {"name": ""}):
            refused = await nobody.post("/shareables", body)
            assert problem_of(refused) == (401, "unauthenticated")
        listed = await nobody.post("/shareables", {"name": "x"}, **bearer_headers(before["token"]))
        assert problem_of(listed) == (401, "unauthenticated")
        assert (await ada.post("/shareables", {"name": "x"})).status_code == 201
        path = f"/shareables/{before['shortId']}"
        assert (await nobody.get(path, **bearer_headers(before["token"]))).status_code == 200
        clone = await nobody.post(f"{path}/clone", {}, **bearer_headers(before["token"]))
        assert clone.status_code == 201
        assert (await nobody.post(f"{path}/clone", {})).status_code == 401
        assert (await nobody.post(f"/shareables/{plain['shortId']}/clone")).status_code == 201


async def test_number_of_lists_per_address_is_limited(database: Database, moment: Moment) -> None:
    async with running_app(database, limit_shares=Rate(3, HOUR)) as running:
        nobody = running.visitor()
        made = await new_list(nobody)
        await new_list(nobody)
        clone = await nobody.post(f"/shareables/{made['shortId']}/clone")
        assert clone.status_code == 201
        for path in ("/shareables", f"/shareables/{made['shortId']}/clone"):
            refused = await nobody.post(path, {"name": "x"})
            assert problem_of(refused) == (429, "rate_limited")
            assert int(refused.headers["retry-after"]) == HOUR
        await new_list(visitor_from(running, 1))
        moment.pass_by(HOUR)
        await new_list(nobody)


async def test_size_of_lists_per_address_and_house_is_limited(
    database: Database, moment: Moment
) -> None:
    much = {"name": "x", "items": [{"name": "x", "note": "é" * 2000}] * 5}
    limits = {"limit_shares_size": Rate(50_000, DAY), "limit_shares_size_house": Rate(70_000, DAY)}
    async with running_app(database, **limits) as running:
        here, there = visitor_from(running, 1), visitor_from(running, 2)
        made = await here.post("/shareables", much)
        assert made.status_code == 201
        clone = f"/shareables/{made.json()['shortId']}/clone"
        assert (await here.post(clone)).status_code == 201
        assert problem_of(await here.post("/shareables", much)) == (429, "rate_limited")
        assert problem_of(await here.post(clone)) == (429, "rate_limited")
        assert (await there.post("/shareables", much)).status_code == 201
        assert problem_of(await there.post(clone)) == (429, "rate_limited"), "the house is full"
        moment.pass_by(DAY + DAY / 24)
        assert (await here.post("/shareables", much)).status_code == 201


def test_default_limits_equal_the_documentation(running: RunningApp) -> None:
    settings = running.services.settings
    assert (settings.limit_shares, settings.limit_unlocks) == (Rate(1000, HOUR), Rate(10, 900))
    assert settings.limit_unlocks_list == Rate(300, HOUR)
    assert settings.limit_shares_size == Rate(20_000_000, DAY)
    assert settings.limit_shares_size_house == Rate(500_000_000, DAY)
    assert settings.limit_share_writes == settings.limit_share_writes_list == Rate(1200, MINUTE)
    assert settings.limit_unlocked == Rate(120, HOUR)
    assert settings.limit_share_streams == 50


async def test_clone_has_its_own_passcodes_and_no_ticks(
    running: RunningApp, nobody: Visitor, moment: Moment
) -> None:
    made = await new_list(nobody, "Tent", "Rope", note="For July", **PASSCODES["both"])
    path, sent = f"/shareables/{made['shortId']}", bearer_headers(made["token"])
    item = f"{path}/items/{item_ids(made)[0]}"
    await nobody.patch(item, {"checked": True, "checkedBy": "Ada"}, **sent)
    moment.pass_by(DAY)
    clone = (await nobody.post(f"{path}/clone", None, **sent)).json()
    assert clone["shortId"] != made["shortId"]
    assert set(item_ids(clone)).isdisjoint(item_ids(made))
    assert (clone["name"], clone["note"], names(clone)) == ("Camping", "For July", names(made))
    assert [item["checked"] for item in clone["items"]] == [False, False]
    assert (clone["version"], clone["expiresAt"][:10]) == (1, "2024-12-02")
    assert "token" not in clone
    assert await seen(nobody, clone) == clone, "it has no passcodes but those that are given"
    another = {"name": "Hiking", "viewPasscode": VIEW, "expiresInDays": 2}
    other = (await nobody.post(f"{path}/clone", another, **sent)).json()
    assert (other["name"], other["expiresAt"][:10]) == ("Hiking", "2024-11-04")
    assert (await see(nobody, other)).status_code == 401
    assert (await see(nobody, other, other["token"])).status_code == 200
    same = await nobody.post(
        f"{path}/clone", {"viewPasscode": "same", "adminPasscode": "same"}, **sent
    )
    assert problem_of(same) == (400, "validation")
    assert len(await running.db.all(items_of(made["shortId"]))) == 2
