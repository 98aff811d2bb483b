"""Test that a child can ask for an item of the stock or for something new."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest

from homeshelf.coordination.changes import changes_since
from homeshelf.errors import ItemUnavailable, NotFound
from homeshelf.families.store import get_member
from homeshelf.inventory import store as inventory
from homeshelf.suggestions import store
from homeshelf.suggestions.model import Suggestion
from tests.api_client import Shown, edit_item, set_archived
from tests.database_hooks import before_first_transaction, with_hook
from tests.home import NOBODYS, Home
from tests.running import Person, problem_of
from tests.suggestions.wish_requests import (
    ask_for,
    propose,
    suggest,
    wish_now,
    without_computed_fields,
)

MOST = 9_999_999_999


def pending_fields(home: Home, kid: Person, wish: Shown) -> Shown:
    """Return the common fields of every new suggestion."""
    return {
        "suggestionId": wish["suggestionId"],
        "familyId": home.family_id,
        "suggestedBy": kid.member_id,
        "suggestedByName": "kid",
        "status": "pending",
        "rejectionNotes": None,
        "reviewedBy": None,
        "reviewedAt": None,
        "version": 1,
        "entityType": "Suggestion",
        "createdAt": wish["createdAt"],
        "updatedAt": wish["createdAt"],
    }


async def test_wish_for_item_has_documented_fields(home: Home, kid: Person, rice: Shown) -> None:
    wish = await ask_for(kid, rice, notes="  We're almost out! ")
    assert wish == pending_fields(home, kid, wish) | {
        "type": "add_to_shopping",
        "itemId": rice["itemId"],
        "itemNameSnapshot": "Rice",
        "proposedItemName": None,
        "proposedQuantity": None,
        "proposedThreshold": None,
        "notes": "We're almost out!",
    }
    assert without_computed_fields(await wish_now(kid, wish)) == wish


async def test_wish_for_new_item_has_documented_fields(home: Home, kid: Person) -> None:
    wish = await propose(
        kid, " Snack bars ", proposedQuantity=MOST, proposedThreshold=0, notes=None
    )
    assert wish == pending_fields(home, kid, wish) | {
        "type": "create_item",
        "itemId": None,
        "itemNameSnapshot": None,
        "proposedItemName": "Snack bars",
        "proposedQuantity": MOST,
        "proposedThreshold": 0,
        "notes": None,
    }
    assert without_computed_fields(await wish_now(kid, wish)) == wish


async def test_new_item_needs_only_a_name(kid: Person) -> None:
    wish = await propose(kid, "Candy")
    assert (wish["proposedQuantity"], wish["proposedThreshold"]) == (None, None)


async def test_null_field_equals_missing_field(kid: Person, rice: Shown) -> None:
    await ask_for(kid, rice, proposedItemName=None, proposedQuantity=None, notes=None)
    await propose(kid, "Candy", itemId=None, proposedThreshold=None)


async def test_suggestion_is_stored_with_documented_keys(
    home: Home, kid: Person, rice: Shown
) -> None:
    wish = await ask_for(kid, rice)
    stored = await home.running.db.engine.get(store.key_of(home.family_id, wish["suggestionId"]))
    partition = f"FAMILY#{home.family_id}"
    assert stored == wish | {
        "PK": partition,
        "SK": f"SUGGESTION#{wish['suggestionId']}",
        "GSI2PK": f"{partition}#SUGGESTIONS",
        "GSI2SK": f"STATUS#pending#CREATED#{wish['createdAt']}",
    }


async def test_new_suggestion_sends_a_change_event(home: Home, kid: Person, rice: Shown) -> None:
    wish = await ask_for(kid, rice)
    *_, last = await changes_since(home.running.db, home.family_id, None)
    assert (last.type, last.id, last.version) == ("Suggestion", wish["suggestionId"], 1)


TYPE = "Type must be 'add_to_shopping' or 'create_item'"
ITEM = "Item ID required for add_to_shopping type"
NAME = "Proposed item name required for create_item type"
QUANTITY = "Quantity must be a non-negative integer"
THRESHOLD = "Threshold must be a non-negative integer"
NOTES = "Notes must be 500 characters or less"
NO_QUANTITY = "Only a create_item suggestion can have a quantity"
NO_THRESHOLD = "Only a create_item suggestion can have a threshold"
BUY_ITEM: dict[str, Any] = {"type": "add_to_shopping", "itemId": NOBODYS}
ADD_ITEM: dict[str, Any] = {"type": "create_item", "proposedItemName": "Candy"}
WRONG: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({}, {"type": TYPE}),
    ({"type": None}, {"type": TYPE}),
    ({"type": "CREATE_ITEM"}, {"type": TYPE}),
    ({"type": 1, "notes": "x" * 501}, {"type": TYPE, "notes": NOTES}),
    ({"type": "x", "itemId": "x", "proposedQuantity": -1}, {
        "type": TYPE, "itemId": ITEM, "proposedQuantity": QUANTITY
    }),
    ({"type": "add_to_shopping"}, {"itemId": ITEM}),
    (BUY_ITEM | {"itemId": None}, {"itemId": ITEM}),
    (BUY_ITEM | {"itemId": "rice"}, {"itemId": ITEM}),
    (BUY_ITEM | {"itemId": 7, "notes": 7}, {"itemId": ITEM, "notes": NOTES}),
    (BUY_ITEM | {"proposedItemName": "Candy"}, {"proposedItemName": NAME}),
    (BUY_ITEM | {"proposedQuantity": 0, "proposedThreshold": 0}, {
        "proposedQuantity": NO_QUANTITY, "proposedThreshold": NO_THRESHOLD
    }),
    (BUY_ITEM | {"notes": "x" * 501}, {"notes": NOTES}),
    ({"type": "create_item"}, {"proposedItemName": NAME}),
    (ADD_ITEM | {"proposedItemName": "  "}, {"proposedItemName": NAME}),
    (ADD_ITEM | {"proposedItemName": "x" * 101}, {"proposedItemName": NAME}),
    (ADD_ITEM | {"itemId": NOBODYS}, {"itemId": ITEM}),
    (ADD_ITEM | {"proposedQuantity": -1, "proposedThreshold": -1}, {
        "proposedQuantity": QUANTITY, "proposedThreshold": THRESHOLD
    }),
    (ADD_ITEM | {"proposedQuantity": 1.5, "proposedThreshold": "3"}, {
        "proposedQuantity": QUANTITY, "proposedThreshold": THRESHOLD
    }),
    (ADD_ITEM | {"proposedQuantity": True, "proposedThreshold": MOST + 1}, {
        "proposedQuantity": QUANTITY, "proposedThreshold": THRESHOLD
    }),
    ({"type": "create_item", "itemId": NOBODYS, "proposedQuantity": -1, "notes": "x" * 501}, {
        "itemId": ITEM, "proposedItemName": NAME, "proposedQuantity": QUANTITY, "notes": NOTES
    }),
    (ADD_ITEM | {"status": "approved"}, {"status": "There’s no such field."}),
    (ADD_ITEM | {"suggestedBy": NOBODYS}, {"suggestedBy": "There’s no such field."}),
    (ADD_ITEM | {"rejectionNotes": "x"}, {"rejectionNotes": "There’s no such field."}),
]  # fmt: skip


async def test_invalid_suggestion_names_every_wrong_field(kid: Person) -> None:
    for body, errors in WRONG:
        answer = await kid.post("/suggestions", body)
        assert problem_of(answer) == (400, "validation")
        named = [(error["field"], error["message"]) for error in answer.json()["errors"]]
        assert sorted(named) == sorted(errors.items()), body


async def test_body_that_is_no_object_returns_400(kid: Person) -> None:
    bodies: list[Any] = [[], "add_to_shopping", 3]
    for body in bodies:
        assert problem_of(await kid.post("/suggestions", body)) == (400, "validation")


async def test_wish_for_unknown_item_returns_404(kid: Person) -> None:
    assert problem_of(await kid.post("/suggestions", BUY_ITEM)) == (404, "not_found")


async def test_wish_for_archived_item_returns_422(home: Home, kid: Person, rice: Shown) -> None:
    await set_archived(home.admin, rice, "archive")
    body = {"type": "add_to_shopping", "itemId": rice["itemId"]}
    assert problem_of(await kid.post("/suggestions", body)) == (422, "item_unavailable")
    assert (await kid.get("/suggestions")).json() == {"suggestions": []}


async def test_suggestion_keeps_names_of_its_creation(home: Home, kid: Person, rice: Shown) -> None:
    before = await ask_for(kid, rice)
    await edit_item(home.admin, rice, name="Brown rice")
    assert (await kid.patch("/me", {"name": "Kim"})).status_code == 200
    after = await ask_for(kid, rice)
    names = ("suggestedByName", "itemNameSnapshot")
    for wish, expected in ((before, ["kid", "Rice"]), (after, ["Kim", "Brown rice"])):
        assert [(await wish_now(kid, wish))[name] for name in names] == expected


async def test_wish_sees_concurrent_change_of_its_item(
    home: Home, kid: Person, rice: Shown
) -> None:
    key = inventory.key_of(home.family_id, rice["itemId"])
    suggester = await get_member(home.running.db, home.family_id, kid.member_id)
    assert suggester is not None
    wish = {"type": "add_to_shopping", "item_id": rice["itemId"]}

    async def add_suggestion_during(act: Callable[[], Awaitable[Any]]) -> Suggestion:
        db = with_hook(home.running.db, before_first_transaction(act))
        return await store.add_suggestion(db, suggester, wish)

    renamed = partial(inventory.edit, home.running.db, key, 1, {"name": "Brown rice"}, ())
    assert (await add_suggestion_during(renamed)).item_name_snapshot == "Brown rice"
    with pytest.raises(ItemUnavailable):
        await add_suggestion_during(partial(inventory.set_status, home.running.db, key, "archived"))
    await set_archived(home.admin, rice, "unarchive")
    with pytest.raises(NotFound):
        await add_suggestion_during(partial(inventory.remove, home.running.db, key, ()))
    assert len((await kid.get("/suggestions")).json()["suggestions"]) == 1


async def test_equal_wishes_are_two_and_a_repeated_request_is_one(kid: Person, rice: Shown) -> None:
    first, second = await ask_for(kid, rice), await ask_for(kid, rice)
    assert first["suggestionId"] != second["suggestionId"]
    body = {"type": "add_to_shopping", "itemId": rice["itemId"]}
    answers = [await kid.post("/suggestions", body, key="k") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].content == answers[1].content
    assert len((await kid.get("/suggestions")).json()["suggestions"]) == 3


async def test_longest_name_and_notes_are_stored(home: Home, kid: Person) -> None:
    longest = {"proposedItemName": "🥕" * 100, "notes": "🥕" * 500}
    wish = await suggest(kid, type="create_item", **longest)
    stored = await store.suggestion(home.running.db, home.family_id, wish["suggestionId"])
    assert stored is not None
    assert (stored.proposed_item_name, stored.notes) == ("🥕" * 100, "🥕" * 500)
