"""A family keeps at least one admin under concurrent changes."""

import asyncio
from collections.abc import AsyncIterator
from random import Random

import httpx
import pytest

from homeshelf.families import store
from homeshelf.families.model import Family
from homeshelf.table import Database
from tests.database_hooks import before_first_transaction, with_hook
from tests.databases import Opener
from tests.home import Home, new_home
from tests.running import Person, problem_of, running_app

ROUNDS = 50
MOST_ROUNDS = 1000
"""The limit on rounds, high because two requests rarely overlap on some machines."""


@pytest.fixture
async def two_admins(open_another: Opener) -> AsyncIterator[tuple[Home, Person]]:
    """Ada and Bob, each with a process and an engine of their own."""
    async with running_app(open_another()) as one, running_app(open_another()) as other:
        home = await new_home(one, "Lovelace", "ada")
        bob = await other.person("bob")
        await home.let_in(bob, "admin")
        yield home, bob


async def test_last_admin_cannot_leave_or_be_demoted(home: Home, kid: Person) -> None:
    path = f"/members/{home.admin.member_id}"
    assert problem_of(await home.admin.delete(path)) == (409, "last_admin")
    stepped_down = await home.admin.patch(path, {"role": "suggester", "version": 1})
    assert problem_of(stepped_down) == (409, "last_admin")
    assert (await home.member(home.admin))["role"] == "admin"
    promoted = await home.admin.patch(f"/members/{kid.member_id}", {"role": "admin", "version": 1})
    assert promoted.status_code == 200
    assert (await home.admin.delete(path)).status_code == 204
    assert problem_of(await kid.delete(f"/members/{kid.member_id}")) == (409, "last_admin")


async def test_former_member_is_not_counted_as_admin(home: Home) -> None:
    bob = await home.with_member("bob", "admin")
    await home.remove_member(bob)
    answer = await home.admin.delete(f"/members/{home.admin.member_id}")
    assert problem_of(answer) == (409, "last_admin")


async def test_last_admin_can_be_renamed(home: Home) -> None:
    path = f"/members/{home.admin.member_id}"
    answer = await home.admin.patch(path, {"name": "Augusta", "role": "admin", "version": 1})
    assert answer.status_code == 200


async def test_concurrent_demotions_of_two_admins_keep_one(
    two_admins: tuple[Home, Person],
) -> None:
    home, bob = two_admins
    ada = home.admin
    db = home.running.db
    chance = Random(7)
    rounds = real_races = 0
    while rounds < ROUNDS or (real_races == 0 and rounds < MOST_ROUNDS):
        rounds += 1
        attempts = await asyncio.gather(
            await _demote_or_remove(db, home, ada, bob, chance),
            await _demote_or_remove(db, home, bob, ada, chance),
        )
        assert sum(answer.is_success for answer in attempts) == 1
        real_races += any("last_admin" in answer.text for answer in attempts)
        survivor = ada if attempts[0].is_success else bob
        assert await _admin_ids(db, home) == [survivor.member_id]
        await _restore(db, home, survivor, bob if survivor is ada else ada)
    assert real_races > 0


async def test_concurrent_leaving_of_two_admins_keeps_one(
    two_admins: tuple[Home, Person],
) -> None:
    home, bob = two_admins
    answers = await asyncio.gather(
        *(each.delete(f"/members/{each.member_id}") for each in (home.admin, bob))
    )
    assert sorted(answer.status_code for answer in answers) == [204, 409]
    assert len(await _admin_ids(home.running.db, home)) == 1


async def test_concurrent_changes_keep_the_admin_count(home: Home) -> None:
    people = [await home.with_member(f"person{number}", "suggester") for number in range(4)]
    for role, version in (("admin", 1), ("suggester", 2), ("admin", 3)):
        answers = await asyncio.gather(
            *(
                home.admin.patch(f"/members/{each.member_id}", {"role": role, "version": version})
                for each in people
            )
        )
        assert [answer.status_code for answer in answers] == [200] * 4
    assert len(await _admin_ids(home.running.db, home)) == 5


async def _demote_or_remove(
    db: Database, home: Home, one: Person, other: Person, chance: Random
) -> "asyncio.Task[httpx.Response]":
    """Let one admin remove or demote the other."""
    path = f"/members/{other.member_id}"
    member = await store.get_member(db, home.family_id, other.member_id)
    assert member is not None
    if chance.random() < 0.5:
        return asyncio.create_task(one.delete(path))
    change = {"role": "suggester", "version": member.version}
    return asyncio.create_task(one.patch(path, change))


async def _admin_ids(db: Database, home: Home) -> list[str]:
    """Return the admins, after comparing their number with the count."""
    members = await db.all(store.members_of(home.family_id).up_to_date())
    admins = [member.member_id for member in members if member.is_admin]
    family = await store.get_family(db, home.family_id)
    assert family is not None
    assert family.admins == len(admins)
    return admins


async def _restore(db: Database, home: Home, survivor: Person, loser: Person) -> None:
    member = await store.get_member(db, home.family_id, loser.member_id)
    assert member is not None
    if member.is_active:
        change = {"role": "admin", "version": member.version}
        assert (await survivor.patch(f"/members/{loser.member_id}", change)).status_code == 200
    else:
        await Home(home.running, home.family, survivor).let_in(loser, "admin")


async def test_admin_demoted_during_leaving_can_leave(home: Home) -> None:
    db, other = home.running.db, await home.with_member("other", "admin")

    async def demote() -> None:
        key = store.member_key(home.family_id, other.member_id)
        await store.change_member(db, key, 1, {"role": "suggester"})

    late = with_hook(db, before_first_transaction(demote))
    await store.remove_member(late, home.family_id, other.member_id)
    gone = await store.get_member(db, home.family_id, other.member_id)
    assert gone is not None
    assert gone.status == "removed"


async def test_concurrent_rename_keeps_the_admin_count(home: Home) -> None:
    db, kid = home.running.db, await home.with_member("kid", "suggester")

    async def promote() -> None:
        key = store.member_key(home.family_id, kid.member_id)
        await store.change_member(db, key, 1, {"role": "admin"})

    looking_on = with_hook(db, before_first_transaction(promote))
    await store.rename_family(looking_on, Family.key(family_id=home.family_id), "Byron", 1)
    assert len(await _admin_ids(db, home)) == 2
