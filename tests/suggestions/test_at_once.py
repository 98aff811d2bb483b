"""Test that one of eight concurrent decisions on a wish succeeds."""

import asyncio
from collections import Counter
from random import Random

import pytest

from homeshelf.shopping.store import pending_entries
from tests.api_client import Shown, add_item
from tests.databases import Opener
from tests.home import Home, new_home
from tests.running import Person, problem_of, running_app
from tests.suggestions.wish_requests import (
    approve,
    ask_for,
    entries_of,
    items_of,
    propose,
    reject,
    wish_now,
    without_computed_fields,
)

ROUNDS = 50


@pytest.mark.timeout(180)
async def test_one_of_eight_concurrent_decisions_succeeds(open_another: Opener) -> None:
    async with running_app(open_another()) as one, running_app(open_another()) as other:
        home = await new_home(one, "Lovelace", "ada")
        admins = [home.admin]
        for number in range(7):
            admin = await (one if number % 2 else other).person(f"admin{number}")
            await home.let_in(admin, "admin")
            admins.append(admin)
        kid = await home.with_member("kid", "suggester")
        rice = await add_item(home.admin, name="Rice")
        chance, outcomes = Random(7), Counter[str]()
        for round_ in range(ROUNDS):
            wish = await (propose(kid, "Candy") if round_ % 2 else ask_for(kid, rice))
            outcomes[await decide_concurrently(home, admins, wish, chance)] += 1
        assert set(outcomes) == {"approved", "rejected"}
        waiting = await pending_entries(one.db, home.family_id, rice["itemId"])
        entries = await entries_of(home)
        assert sorted(waiting.members) == sorted(entry.shopping_item_id for entry in entries)


async def decide_concurrently(home: Home, admins: list[Person], wish: Shown, chance: Random) -> str:
    """Decide concurrently, and return the only decision."""
    before = Counter(await _created_kinds(home))
    chance.shuffle(admins)
    lead = chance.randrange(2)  # the first request often wins
    answers = await asyncio.gather(
        *(
            (approve if (number + lead) % 2 else reject)(admin, wish)
            for number, admin in enumerate(admins)
        )
    )
    succeeded = [number for number, answer in enumerate(answers) if answer.is_success]
    assert len(succeeded) == 1
    now = await wish_now(home.admin, wish)
    for number, answer in enumerate(answers):
        if number not in succeeded:
            assert problem_of(answer) == (409, "already_reviewed")
            assert answer.json()["current"] == without_computed_fields(now)
    winner = succeeded[0]
    assert (now["version"], now["reviewedBy"]) == (2, admins[winner].member_id)
    granted = (winner + lead) % 2 == 1
    assert now["status"] == ("approved" if granted else "rejected")
    made = Counter(await _created_kinds(home)) - before
    kind = {"add_to_shopping": "ShoppingListItem", "create_item": "InventoryItem"}[wish["type"]]
    assert made == (Counter([kind]) if granted else Counter())
    return str(now["status"])


async def _created_kinds(home: Home) -> list[str]:
    entries, items = await entries_of(home), await items_of(home)
    return ["ShoppingListItem"] * len(entries) + ["InventoryItem"] * len(items)


async def test_concurrent_approvals_for_one_item_all_succeed(open_another: Opener) -> None:
    async with running_app(open_another()) as one, running_app(open_another()) as other:
        home = await new_home(one, "Lovelace", "ada")
        bob = await other.person("bob")
        await home.let_in(bob, "admin")
        kid = await home.with_member("kid", "suggester")
        rice = await add_item(home.admin, name="Rice")
        wishes = [await ask_for(kid, rice) for _ in range(8)]
        answers = await asyncio.gather(
            *(
                approve(admin, wish)
                for admin, wish in zip([home.admin, bob] * 4, wishes, strict=True)
            )
        )
        assert [answer.status_code for answer in answers] == [200] * 8
        created = [answer.json()["created"]["shoppingItemId"] for answer in answers]
        waiting = await pending_entries(one.db, home.family_id, rice["itemId"])
        assert sorted(waiting.members) == sorted(created)
        assert len(await entries_of(home)) == 8


async def test_concurrent_approval_and_archiving_stay_consistent(
    open_another: Opener,
) -> None:
    """Either the entry is added first, or the item is archived and the wish stays pending."""
    async with running_app(open_another()) as one, running_app(open_another()) as other:
        home = await new_home(one, "Lovelace", "ada")
        bob = await other.person("bob")
        await home.let_in(bob, "admin")
        kid = await home.with_member("kid", "suggester")
        for _ in range(10):
            rice = await add_item(home.admin, name="Rice")
            wish = await ask_for(kid, rice)
            answer, archived = await asyncio.gather(
                approve(home.admin, wish), bob.post(f"/items/{rice['itemId']}/archive")
            )
            assert archived.status_code == 200
            now = await wish_now(kid, wish)
            entries = [each for each in await entries_of(home) if each.item_id == rice["itemId"]]
            if answer.is_success:
                assert (now["status"], len(entries)) == ("approved", 1)
            else:
                assert problem_of(answer) == (422, "item_unavailable")
                assert (now["status"], len(entries)) == ("pending", 0)
