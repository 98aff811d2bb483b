"""Test that suggestions without version and names are read, listed and decided."""

from typing import Any

import pytest

from homeshelf.errors import AlreadyReviewed, VersionConflict
from homeshelf.suggestions import store
from homeshelf.suggestions.store import approve as approve_by_store
from homeshelf.table import INVENTORY
from homeshelf.table.expressions import Set
from homeshelf.table.operations import Put, Update
from tests.api_client import Shown
from tests.database_hooks import before_first_transaction, with_hook
from tests.home import NOBODYS, Home
from tests.running import Person, problem_of
from tests.suggestions.wish_requests import (
    LATER,
    approve,
    ask_for,
    entries_of,
    get_created,
    propose,
    reject,
    strip_later_attributes,
    wish_now,
)


async def stored_item(home: Home, wish: Shown) -> dict[str, Any]:
    key = store.key_of(home.family_id, wish["suggestionId"])
    return dict(await home.running.db.engine.get(key) or {})


async def test_old_suggestion_is_read_with_current_names(
    home: Home, kid: Person, rice: Shown
) -> None:
    for wish in (await ask_for(kid, rice), await propose(kid, "Candy")):
        before = await wish_now(kid, wish)
        await strip_later_attributes(home, wish)
        assert await wish_now(kid, wish) == before
        assert "version" not in await stored_item(home, wish)


@pytest.mark.parametrize("kept", ["suggestedByName", "itemNameSnapshot"])
async def test_old_suggestion_with_one_name_gets_the_other(
    home: Home, kid: Person, rice: Shown, kept: str
) -> None:
    wish = await ask_for(kid, rice)
    before = await wish_now(kid, wish)
    await strip_later_attributes(home, wish, **{kept: wish[kept]})
    assert await wish_now(kid, wish) == before


async def test_old_suggestions_are_listed_with_version_and_names(
    home: Home, kid: Person, rice: Shown
) -> None:
    for wish in (await ask_for(kid, rice), await propose(kid, "Candy")):
        await strip_later_attributes(home, wish)
    await ask_for(kid, rice)
    listed = (await home.admin.get("/suggestions")).json()["suggestions"]
    assert [each["version"] for each in listed] == [1, 1, 1]
    assert [each["suggestedByName"] for each in listed] == ["kid", "kid", "kid"]
    assert [each["itemNameSnapshot"] for each in listed] == ["Rice", None, "Rice"]
    assert [each["rejectionNotes"] for each in listed] == [None, None, None]


async def test_old_suggestion_of_unknown_member_and_item_is_unknown(
    home: Home, kid: Person, rice: Shown
) -> None:
    buy = await strip_later_attributes(
        home, await ask_for(kid, rice), suggestedBy=NOBODYS, itemId=NOBODYS
    )
    new = await strip_later_attributes(home, await propose(kid, "Candy"), suggestedBy=NOBODYS)
    seen = await wish_now(home.admin, buy)
    assert (seen["suggestedByName"], seen["suggesterStatus"]) == ("Unknown", "removed")
    assert (seen["itemNameSnapshot"], seen["itemStatus"]) == ("Unknown Item", "deleted")
    seen = await wish_now(home.admin, new)
    assert (seen["itemNameSnapshot"], seen["itemStatus"]) == (None, None)
    assert problem_of(await approve(home.admin, buy)) == (422, "item_unavailable")
    assert (await reject(home.admin, buy)).status_code == 200


async def test_old_suggestion_is_approved_as_version_1(
    home: Home, kid: Person, rice: Shown
) -> None:
    for wish in (await ask_for(kid, rice), await propose(kid, "Candy")):
        await strip_later_attributes(home, wish)
        answer = await approve(home.admin, wish | {"version": 2})
        assert problem_of(answer) == (409, "version_conflict")
        assert answer.json()["current"] == wish
        await get_created(home.admin, wish)
        now = await stored_item(home, wish)
        assert (now["version"], now["status"]) == (2, "approved")
        assert now["GSI2SK"] == f"STATUS#approved#CREATED#{wish['createdAt']}"
        assert (now["suggestedByName"], now.get("itemNameSnapshot")) == (
            "kid",
            wish["itemNameSnapshot"],
        )
        answer = await reject(home.admin, wish)
        assert problem_of(answer) == (409, "already_reviewed")
        assert answer.json()["current"]["version"] == 2
    assert len(await entries_of(home)) == 1


async def test_old_suggestion_is_rejected_as_version_1(
    home: Home, kid: Person, rice: Shown
) -> None:
    wish = await strip_later_attributes(home, await ask_for(kid, rice))
    answer = await reject(home.admin, wish, "Not now")
    assert answer.status_code == 200
    assert answer.json() == answer.json() | {
        "version": 2,
        "status": "rejected",
        "rejectionNotes": "Not now",
        "itemNameSnapshot": "Rice",
    }


@pytest.mark.parametrize("kind", ["add_to_shopping", "create_item"])
async def test_rejected_old_suggestion_stores_null_for_missing_fields(
    home: Home, kid: Person, rice: Shown, kind: str
) -> None:
    is_new = kind == "create_item"
    wish = await (propose(kid, "Candy") if is_new else ask_for(kid, rice))
    key = store.key_of(home.family_id, wish["suggestionId"])
    new = await stored_item(home, wish)
    old = {name: value for name, value in new.items() if value is not None and name not in LATER}
    await home.running.db.engine.write(Put(INVENTORY, old))
    assert (await reject(home.admin, wish)).status_code == 200
    now = await home.running.db.engine.get(key)
    assert now is not None
    assert now.keys() == new.keys()
    assert now["rejectionNotes"] is None
    assert now["itemNameSnapshot"] == (None if is_new else "Rice")


@pytest.mark.parametrize("lacks_name", [True, False])
async def test_old_suggestion_for_new_item_has_no_item_name(
    home: Home, kid: Person, lacks_name: bool
) -> None:
    wish = await propose(kid, "Candy")
    names = {} if lacks_name else {"suggestedByName": "kid"}
    await strip_later_attributes(home, wish, itemNameSnapshot="Sweets", **names)
    assert (await wish_now(kid, wish))["itemNameSnapshot"] is None
    (listed,) = (await home.admin.get("/suggestions")).json()["suggestions"]
    assert listed["itemNameSnapshot"] is None
    conflict = await approve(home.admin, wish | {"version": 2})
    assert conflict.json()["current"]["itemNameSnapshot"] is None
    assert (await reject(home.admin, wish)).json()["itemNameSnapshot"] is None
    assert (await stored_item(home, wish))["itemNameSnapshot"] is None


async def test_old_suggestion_changed_during_approval_is_refused(
    home: Home, kid: Person, rice: Shown
) -> None:
    """The write requires that the record has no version and is still pending."""
    for change, error in (
        (Set("version", 2), VersionConflict),
        (Set("status", "rejected"), AlreadyReviewed),
    ):
        wish = await strip_later_attributes(home, await ask_for(kid, rice))
        key = store.key_of(home.family_id, wish["suggestionId"])
        meanwhile = Update(key, (change,))
        db = with_hook(
            home.running.db,
            before_first_transaction(lambda: home.running.db.write(meanwhile)),  # noqa: B023  # called in this round
        )
        with pytest.raises(error):
            await approve_by_store(db, key, 1, home.admin.member_id)
    assert list(await entries_of(home)) == []


async def test_decided_old_suggestion_is_shown_and_final(
    home: Home, kid: Person, rice: Shown
) -> None:
    wish = await ask_for(kid, rice)
    await reject(home.admin, wish, "No")
    await strip_later_attributes(home, wish)
    seen = await wish_now(kid, wish)
    assert (seen["status"], seen["version"], seen["rejectionNotes"]) == ("rejected", 1, None)
    answer = await approve(home.admin, wish)
    assert problem_of(answer) == (409, "already_reviewed")
