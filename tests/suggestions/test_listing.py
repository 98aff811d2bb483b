"""Test the list of suggestions: newest first, in pages, during concurrent decisions."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from random import Random
from typing import Any

from homeshelf import clock
from homeshelf.coordination.transaction import existing
from homeshelf.suggestions import store
from homeshelf.suggestions.model import Suggestion
from tests.api_client import Shown, add_item, set_archived
from tests.costs import count_operations
from tests.database_hooks import after_first_query, with_hook
from tests.databases import Opener
from tests.home import Home, new_home
from tests.records import make_record
from tests.running import Person, problem_of, running_app
from tests.suggestions.wish_requests import (
    approve,
    ask_for,
    get_created,
    propose,
    reject,
    wish_now,
)
from tests.table.support import eventually

STATUSES = ("pending", "approved", "rejected")


async def wish_pages(person: Person, limit: int, status: str = "") -> AsyncIterator[list[Shown]]:
    path = f"/suggestions?limit={limit}" + (f"&status={status}" if status else "")
    token, before = "", None
    while True:
        answer = await person.get(path + (f"&nextToken={token}" if token else ""))
        assert answer.status_code == 200, answer.text
        assert answer.json().keys() <= {"suggestions", "nextToken"}
        page: list[Shown] = answer.json()["suggestions"]
        assert page != before, "the same page over and over"
        yield page
        if "nextToken" not in answer.json():
            return
        assert len(page) == limit
        token, before = answer.json()["nextToken"], page


async def all_wishes(person: Person, limit: int = 100, status: str = "") -> list[Shown]:
    return [wish async for page in wish_pages(person, limit, status) for wish in page]


async def put_wishes(home: Home, count: int, a_moment: int = 1) -> list[str]:
    """Store suggestions, `a_moment` of them with each time, and return their ids, newest first."""
    wishes = [
        make_record(
            Suggestion,
            family_id=home.family_id,
            suggestion_id=f"0b0d1e5a-7c55-4c1b-9f6e-{number:012}",
            suggested_by=home.admin.member_id,
            type="create_item",
            proposed_item_name="Candy",
            status=STATUSES[number % 3],
            created_at=f"2025-01-01T10:00:00.{number // a_moment:03}Z",
            updated_at="2025-01-01T10:00:00.000Z",
        )
        for number in range(count)
    ]
    await home.running.db.batch([wish.put() for wish in wishes])
    ids = [wish.suggestion_id for wish in wishes][::-1]
    await eventually(lambda: all_wishes(home.admin), lambda found: len(found) == count)
    return ids


async def test_list_without_wishes_is_empty(home: Home, kid: Person) -> None:
    for member in (home.admin, kid):
        assert (await member.get("/suggestions")).json() == {"suggestions": []}


async def test_wishes_are_listed_newest_first_in_every_status(home: Home, kid: Person) -> None:
    wishes = [await propose(kid, f"Candy {number}") for number in range(6)]
    await approve(home.admin, wishes[1])
    await reject(home.admin, wishes[4])
    await approve(home.admin, wishes[5])
    newest_first = [f"Candy {number}" for number in (5, 4, 3, 2, 1, 0)]
    decided = ["approved", "rejected", "pending", "pending", "approved", "pending"]

    async def listed_wishes() -> list[Any]:
        return [(each["proposedItemName"], each["status"]) for each in await all_wishes(kid)]

    expected = list(zip(newest_first, decided, strict=True))
    await eventually(listed_wishes, lambda found: found == expected)
    for status in STATUSES:
        names = [each["proposedItemName"] for each in await all_wishes(kid, status=status)]
        assert names == [name for name, found in expected if found == status]


async def test_listed_wish_has_status_of_suggester_and_item(
    home: Home, kid: Person, rice: Shown
) -> None:
    sibling = await home.with_member("sibling", "suggester")
    archived, deleted = [await add_item(home.admin, name=name) for name in ("Peas", "Corn")]
    wishes = [
        await ask_for(kid, rice),
        await ask_for(sibling, archived),
        await ask_for(kid, deleted),
        await propose(sibling, "Candy"),
    ]
    await get_created(home.admin, await ask_for(kid, rice))
    await set_archived(home.admin, archived, "archive")
    await home.admin.delete(f"/items/{deleted['itemId']}")
    await home.remove_member(sibling)
    listed = {each["suggestionId"]: each for each in await all_wishes(home.admin)}
    found = [
        (each["suggesterStatus"], each["itemStatus"], each["alreadyOnList"])
        for each in (listed[wish["suggestionId"]] for wish in wishes)
    ]
    assert found == [
        ("active", "active", True),
        ("removed", "archived", False),
        ("active", "deleted", False),
        ("removed", None, False),
    ]
    for wish in wishes:
        assert await wish_now(kid, wish) == listed[wish["suggestionId"]]


async def test_purchased_entry_does_not_count_as_listed(
    home: Home, kid: Person, rice: Shown
) -> None:
    wish = await ask_for(kid, rice)
    entry = await get_created(home.admin, await ask_for(kid, rice))
    assert (await wish_now(kid, wish))["alreadyOnList"]
    path = f"/shopping-list/{entry['shoppingItemId']}"
    bought = await home.admin.patch(f"{path}/status", {"status": "purchased", "version": 1})
    assert bought.status_code == 200
    assert not (await wish_now(kid, wish))["alreadyOnList"]


async def test_cost_of_listing_does_not_grow_with_page_size(home: Home, kid: Person) -> None:
    """One query for each status, and one read for all members and items."""
    items = [await add_item(home.admin, name=f"Item {number}") for number in range(12)]
    wishes = [await ask_for(kid, item) for item in items]
    for wish in wishes[:4]:
        await approve(home.admin, wish)
    spent = []
    for limit in (2, 12):
        with count_operations(home.running.db) as operations:
            answer = await kid.get(f"/suggestions?limit={limit}")
        assert len(answer.json()["suggestions"]) == limit
        spent.append({name: count for name, count in operations.items() if count})
    assert spent[0]["query"] == spent[1]["query"] == 3
    assert spent[0] == spent[1]


async def test_pages_contain_every_wish_once_in_order(home: Home) -> None:
    ids = await put_wishes(home, 40)
    for limit in (1, 3, 7, 40, 100):
        found = [each["suggestionId"] for each in await all_wishes(home.admin, limit)]
        assert found == ids


async def test_wishes_with_the_same_time_have_a_stable_order(home: Home) -> None:
    ids = await put_wishes(home, 30, a_moment=10)
    for limit in (1, 4, 9):
        found = [each["suggestionId"] for each in await all_wishes(home.admin, limit)]
        assert found == ids


async def test_unknown_status_returns_400(home: Home) -> None:
    for status in ("PENDING", "open", "", "pending,approved"):
        answer = await home.admin.get(f"/suggestions?status={status}")
        assert problem_of(answer) == (400, "validation")
        message = "Invalid suggestion status"
        assert answer.json()["errors"] == [{"field": "status", "message": message}]


async def test_page_token_is_bound_to_member_and_filter(home: Home, kid: Person) -> None:
    await put_wishes(home, 6)
    token = (await kid.get("/suggestions?limit=2")).json()["nextToken"]
    assert (await kid.get(f"/suggestions?limit=3&nextToken={token}")).status_code == 200
    for person, path in (
        (home.admin, f"/suggestions?nextToken={token}"),
        (kid, f"/suggestions?nextToken={token}x"),
        (kid, f"/suggestions?status=pending&nextToken={token}"),
    ):
        assert problem_of(await person.get(path)) == (400, "validation")


async def test_pages_contain_every_wish_once_during_decisions(open_another: Opener) -> None:
    """A suggestion moves to the list of another status while pages are read."""
    async with running_app(open_another()) as one, running_app(open_another()) as other:
        home = await new_home(one, "Lovelace", "ada")
        bob = await other.person("bob")
        await home.let_in(bob, "admin")
        chance = Random(7)
        for _ in range(3):
            ids = await put_wishes(home, 45)
            waiting = [wish for wish in await all_wishes(bob) if wish["status"] == "pending"]
            chance.shuffle(waiting)
            found, _ = await asyncio.gather(_read_slowly(home.admin), _decide(bob, waiting))
            assert found == ids


async def test_wish_decided_during_a_read_is_returned_once(home: Home, kid: Person) -> None:
    wish = await propose(kid, "Kite")

    async def decide() -> None:
        await reject(home.admin, wish)

    db = with_hook(home.running.db, after_first_query(decide))
    (found,) = await store.suggestions_by_member(
        db, home.family_id, wish["suggestedBy"], 30, since=""
    )
    assert found.status == "rejected"


async def test_answers_of_wishes_within_one_year_are_found(home: Home, kid: Person) -> None:
    today, names = (
        clock.now(),
        {"Ball": (1, 0), "Drum": (65, 60), "Kite": (364, 0), "Old": (366, 0)},
    )
    for name, (asked, decided) in names.items():
        wish = await propose(kid, name)
        found = await existing(home.running.db, store.key_of(home.family_id, wish["suggestionId"]))
        changed = found.changed(
            status="rejected",
            created_at=clock.timestamp(today - timedelta(days=asked)),
            reviewed_at=clock.timestamp(today - timedelta(days=decided)),
        )
        await home.running.db.put(changed)
    since = clock.timestamp(today - timedelta(days=14))
    own = await store.suggestions_by_member(
        home.running.db, home.family_id, kid.member_id, 1, since
    )
    assert [each.proposed_item_name for each in own] == ["Ball", "Kite"]


async def _read_slowly(person: Person) -> list[str]:
    found = []
    async for page in wish_pages(person, 4):
        found += [each["suggestionId"] for each in page]
        await asyncio.sleep(0.005)
    return found


async def _decide(admin: Person, wishes: list[Shown]) -> None:
    for number, wish in enumerate(wishes):
        decide = approve if number % 2 else reject
        assert (await decide(admin, wish)).status_code == 200
