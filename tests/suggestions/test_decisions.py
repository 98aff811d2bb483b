"""Test that a decision is final: an approval creates records, a rejection can have a reason."""

import asyncio
from typing import Any

import pytest

from homeshelf.coordination.changes import changes_since
from homeshelf.inventory.store import history_of
from homeshelf.places.model import Store
from homeshelf.shopping import store as shopping
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.shopping.store import pending_entries
from homeshelf.suggestions.store import approve as approve_suggestion
from homeshelf.suggestions.store import key_of, with_status
from homeshelf.table.operations import Delete
from tests.api_client import (
    Shown,
    add_item,
    add_place,
    edit_item,
    get_item,
    get_notices,
    set_archived,
)
from tests.database_hooks import before_first_transaction, with_hook
from tests.home import Home
from tests.running import Person, problem_of
from tests.suggestions.wish_requests import (
    approve,
    ask_for,
    entries_of,
    get_created,
    items_of,
    propose,
    reject,
    wish_now,
    without_computed_fields,
)
from tests.table.support import eventually


async def assert_decided(home: Home, wish: Shown, **changes: Any) -> Shown:
    """Return the suggestion after Ada's decision."""
    now = without_computed_fields(await wish_now(home.admin, wish))
    review = {"reviewedBy": home.admin.member_id, "reviewedAt": now["reviewedAt"]}
    assert now["reviewedAt"] == now["updatedAt"] > wish["updatedAt"]
    assert now == wish | review | {"version": 2, "updatedAt": now["updatedAt"]} | changes
    return now


async def test_approved_wish_for_item_creates_list_entry(home: Home, kid: Person) -> None:
    market = await add_place(home.admin, "stores", "Market")
    rice = await add_item(home.admin, name="Rice", preferredStoreId=market["storeId"])
    wish = await ask_for(kid, rice, notes="The brown one")
    answer = await approve(home.admin, wish)
    assert answer.status_code == 200
    assert answer.json()["suggestion"] == await assert_decided(home, wish, status="approved")
    entry = answer.json()["created"]
    assert entry == entry | {
        "familyId": home.family_id,
        "itemId": rice["itemId"],
        "name": "Rice",
        "storeId": market["storeId"],
        "status": "pending",
        "quantity": 1,
        "notes": "The brown one",
        "addedBy": home.admin.member_id,
        "version": 1,
        "entityType": "ShoppingListItem",
    }
    (stored,) = await entries_of(home)
    assert stored.shopping_item_id == entry["shoppingItemId"]
    assert await get_item(home.admin, rice) == rice


async def test_approved_wish_and_entry_are_found_by_index(home: Home, kid: Person) -> None:
    market = await add_place(home.admin, "stores", "Market")
    rice = await add_item(home.admin, name="Rice", preferredStoreId=market["storeId"])
    entry = await get_created(home.admin, await ask_for(kid, rice))
    db, found = home.running.db, [entry["shoppingItemId"]]
    for query in (
        shopping.pending_at_store(home.family_id, market["storeId"]),
        shopping.entries_at_store(home.family_id, market["storeId"]),
        shopping.entries_with_status(home.family_id, "pending"),
    ):

        async def ids(query: Any = query) -> list[str]:
            return [each.shopping_item_id for each in await db.all(query)]

        await eventually(ids, lambda ids: ids == found)
    assert list(await db.all(shopping.entries_at_store(home.family_id, None))) == []
    wishes = await eventually(
        lambda: db.all(with_status(home.family_id, "approved")),
        lambda found: len(found) == 1,
    )
    assert wishes[0].status == "approved"
    assert list(await db.all(with_status(home.family_id, "pending"))) == []


async def test_approval_of_listed_item_creates_second_entry(
    home: Home, kid: Person, rice: Shown
) -> None:
    first, second = await ask_for(kid, rice), await ask_for(kid, rice)
    assert not (await wish_now(home.admin, second))["alreadyOnList"]
    one = await get_created(home.admin, first)
    assert (await wish_now(home.admin, second))["alreadyOnList"]
    other = await get_created(home.admin, second)
    waiting = await pending_entries(home.running.db, home.family_id, rice["itemId"])
    assert waiting.members == (one["shoppingItemId"], other["shoppingItemId"])


async def test_approval_omits_missing_store(home: Home, kid: Person) -> None:
    """The item of another program can still name it."""
    market = await add_place(home.admin, "stores", "Market")
    rice = await add_item(home.admin, name="Rice", preferredStoreId=market["storeId"])
    wish = await ask_for(kid, rice)
    await home.running.db.write(Delete(Store.key_for(home.family_id, market["storeId"])))
    assert (await get_created(home.admin, wish))["storeId"] is None


async def test_approval_omits_store_deleted_during_it(home: Home, kid: Person) -> None:
    market = await add_place(home.admin, "stores", "Market")
    rice = await add_item(home.admin, name="Rice", preferredStoreId=market["storeId"])
    wish = await ask_for(kid, rice)
    db, key = home.running.db, key_of(home.family_id, wish["suggestionId"])
    going = Delete(Store.key_for(home.family_id, market["storeId"]))
    late = with_hook(db, before_first_transaction(lambda: db.write(going)))
    granted = await approve_suggestion(late, key, wish["version"], home.admin.member_id)
    assert isinstance(granted.created, ShoppingListItem)
    assert granted.created.store_id is None


async def test_approved_entry_has_current_name_of_item(
    home: Home, kid: Person, rice: Shown
) -> None:
    wish = await ask_for(kid, rice)
    await edit_item(home.admin, rice, name="Brown rice")
    assert (await get_created(home.admin, wish))["name"] == "Brown rice"
    assert (await wish_now(kid, wish))["itemNameSnapshot"] == "Rice"


async def test_approved_wish_for_new_item_creates_item(home: Home, kid: Person) -> None:
    wish = await propose(kid, "Snack bars", proposedQuantity=10, proposedThreshold=5, notes="Yum")
    answer = await approve(home.admin, wish)
    assert answer.status_code == 200
    assert answer.json()["suggestion"] == await assert_decided(home, wish, status="approved")
    item = answer.json()["created"]
    expected = {"name": "Snack bars", "quantity": 10, "threshold": 5, "status": "active"}
    assert item == item | expected | {"createdBy": home.admin.member_id, "isLowStock": False}
    assert await get_item(kid, item) == item
    history = await home.running.db.all(history_of(home.family_id, item["itemId"]))
    assert [(each.source, each.delta, each.quantity) for each in history] == [("created", 10, 10)]
    assert await get_notices(home.admin, item) == []
    assert list(await entries_of(home)) == []


async def test_new_item_without_quantity_has_count_zero(home: Home, kid: Person) -> None:
    item = await get_created(home.admin, await propose(kid, "Candy"))
    assert (item["quantity"], item["threshold"], item["isLowStock"]) == (0, 0, False)


async def test_new_low_item_has_a_notice(home: Home, kid: Person) -> None:
    item = await get_created(home.admin, await propose(kid, "Candy", proposedThreshold=2))
    (notice,) = await get_notices(home.admin, item)
    assert (notice["status"], notice["currentQuantity"], notice["threshold"]) == ("active", 0, 2)


async def test_rejection_stores_optional_reason(home: Home, kid: Person) -> None:
    for why, kept in (("  We have enough ", "We have enough"), ("", ""), (None, None)):
        wish = await propose(kid, "Candy")
        answer = await reject(home.admin, wish, why)
        assert answer.status_code == 200
        assert answer.json() == await assert_decided(
            home, wish, status="rejected", rejectionNotes=kept
        )
    assert list(await items_of(home)) == []


async def test_decision_sends_change_events(home: Home, kid: Person, rice: Shown) -> None:
    for wish, decide, kinds in (
        (await ask_for(kid, rice), approve, {"ShoppingListItem", "Suggestion"}),
        (await propose(kid, "Tea"), approve, {"InventoryItem", "Suggestion"}),
        (await propose(kid, "Candy"), reject, {"Suggestion"}),
    ):
        before = await changes_since(home.running.db, home.family_id, None)
        await decide(home.admin, wish)
        after = (await changes_since(home.running.db, home.family_id, None))[len(before) :]
        assert {each.type for each in after} == kinds
        versions = {each.id: each.version for each in after}
        assert versions[wish["suggestionId"]] == 2


async def test_second_decision_returns_409_with_current_state(
    home: Home, kid: Person, rice: Shown
) -> None:
    bob = await home.with_member("bob", "admin")
    for wish, decide in (
        (await ask_for(kid, rice), approve),
        (await propose(kid, "Tea"), approve),
        (await propose(kid, "Candy"), reject),
    ):
        assert (await decide(home.admin, wish)).status_code == 200
        now = without_computed_fields(await wish_now(home.admin, wish))
        before = [await entries_of(home), await items_of(home)]
        for again in (approve, reject):
            for version in (1, 2, 7):
                answer = await again(bob, wish | {"version": version})
                assert problem_of(answer) == (409, "already_reviewed")
                assert answer.json()["current"] == now
        assert [await entries_of(home), await items_of(home)] == before


async def test_outdated_version_returns_409_with_current_suggestion(
    home: Home, kid: Person, rice: Shown
) -> None:
    wish = await ask_for(kid, rice)
    for decide in (approve, reject):
        answer = await decide(home.admin, wish | {"version": 2})
        assert problem_of(answer) == (409, "version_conflict")
        assert answer.json()["current"] == wish
    assert list(await entries_of(home)) == []


async def test_decision_without_valid_version_returns_400(home: Home, kid: Person) -> None:
    wish = await propose(kid, "Candy")
    message = "Version must be a positive integer"
    for decide in (approve, reject):
        for version in (None, 0, -1, "1", 1.5, True):
            answer = await decide(home.admin, wish | {"version": version})
            assert problem_of(answer) == (400, "validation")
            assert answer.json()["errors"] == [{"field": "version", "message": message}]


async def test_invalid_rejection_names_every_wrong_field(home: Home, kid: Person) -> None:
    wish = await propose(kid, "Candy")
    path = f"/suggestions/{wish['suggestionId']}/reject"
    answer = await home.admin.post(path, {"version": 0, "rejectionNotes": "x" * 501, "x": 1})
    assert problem_of(answer) == (400, "validation")
    assert {error["field"]: error["message"] for error in answer.json()["errors"]} == {
        "version": "Version must be a positive integer",
        "rejectionNotes": "Rejection notes must be 500 characters or less",
        "x": "There’s no such field.",
    }
    assert (await wish_now(kid, wish))["status"] == "pending"


async def test_wish_for_item_archived_later_can_only_be_rejected(
    home: Home, kid: Person, rice: Shown
) -> None:
    wish = await ask_for(kid, rice)
    await set_archived(home.admin, rice, "archive")
    assert (await wish_now(home.admin, wish))["itemStatus"] == "archived"
    assert problem_of(await approve(home.admin, wish)) == (422, "item_unavailable")
    assert without_computed_fields(await wish_now(home.admin, wish)) == wish
    assert list(await entries_of(home)) == []
    assert (await reject(home.admin, wish, "We use it no more")).status_code == 200


async def test_wish_for_deleted_item_can_only_be_rejected(
    home: Home, kid: Person, rice: Shown
) -> None:
    wish = await ask_for(kid, rice)
    assert (await home.admin.delete(f"/items/{rice['itemId']}")).status_code == 204
    now = await wish_now(home.admin, wish)
    assert (now["itemStatus"], now["itemNameSnapshot"]) == ("deleted", "Rice")
    assert problem_of(await approve(home.admin, wish)) == (422, "item_unavailable")
    assert without_computed_fields(await wish_now(home.admin, wish)) == wish
    assert (await reject(home.admin, wish)).status_code == 200


async def test_wish_for_unarchived_item_can_be_approved(
    home: Home, kid: Person, rice: Shown
) -> None:
    wish = await ask_for(kid, rice)
    await set_archived(home.admin, rice, "archive")
    assert problem_of(await approve(home.admin, wish)) == (422, "item_unavailable")
    await set_archived(home.admin, rice, "unarchive")
    assert (await approve(home.admin, wish)).status_code == 200


async def test_decided_wish_for_archived_item_returns_already_reviewed(
    home: Home, kid: Person, rice: Shown
) -> None:
    wish = await ask_for(kid, rice)
    await reject(home.admin, wish)
    await set_archived(home.admin, rice, "archive")
    assert problem_of(await approve(home.admin, wish)) == (409, "already_reviewed")


async def test_wishes_of_removed_member_can_be_decided(
    home: Home, kid: Person, rice: Shown
) -> None:
    yes, no = await ask_for(kid, rice), await propose(kid, "Candy")
    await home.remove_member(kid)
    for wish in (yes, no):
        seen = await wish_now(home.admin, wish)
        assert (seen["suggesterStatus"], seen["suggestedByName"]) == ("removed", "kid")
    assert (await approve(home.admin, yes)).status_code == 200
    assert (await reject(home.admin, no)).status_code == 200
    await home.let_in(kid, "suggester")
    assert (await wish_now(kid, yes))["suggesterStatus"] == "active"


@pytest.mark.parametrize("decide", [approve, reject])
async def test_repeated_decision_request_replays_response(
    home: Home, kid: Person, rice: Shown, decide: Any
) -> None:
    wish = await ask_for(kid, rice)
    answers = [await decide(home.admin, wish, key="k") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].content == answers[1].content
    assert len(await entries_of(home)) == (1 if decide is approve else 0)
    wish = await ask_for(kid, rice)
    answers = await asyncio.gather(*(decide(home.admin, wish, key="k") for _ in range(4)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert len(await entries_of(home)) == (2 if decide is approve else 0)


async def test_pending_wishes_are_counted(home: Home, kid: Person, rice: Shown) -> None:
    async def count_pending() -> int:
        counts = (await kid.get("/family/counts")).json()
        return int(counts["pendingSuggestions"])

    wish, _ = await ask_for(kid, rice), await propose(kid, "Candy")
    await eventually(count_pending, lambda count: count == 2)
    await approve(home.admin, wish)
    await eventually(count_pending, lambda count: count == 1)


async def test_index_key_follows_status(home: Home, kid: Person) -> None:
    wish = await propose(kid, "Candy")
    await reject(home.admin, wish)
    stored = await home.running.db.engine.get(key_of(home.family_id, wish["suggestionId"]))
    assert stored is not None
    assert stored["GSI2SK"] == f"STATUS#rejected#CREATED#{wish['createdAt']}"
