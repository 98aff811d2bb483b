import asyncio
from typing import Any

import pytest

from homeshelf import clock
from homeshelf.accounts import profile
from homeshelf.accounts.model import Session
from homeshelf.books.model import Book, Note, ReaderSettings, ReadingEvent
from homeshelf.inventory.model import InventoryItem, QuantityChange
from homeshelf.table import BOOKS, HELPER, INVENTORY, Database, Record
from homeshelf.table.schema import Table
from tests.databases import Opener
from tests.home import Home, new_home, token_in
from tests.moment import Moment
from tests.queues import do_what_is_due
from tests.records import make_record
from tests.running import PASSWORD, Person, RunningApp, Visitor, problem_of, running_app

LEAVE = {"password": PASSWORD}
LAST_ADMIN = (409, "last_admin")


async def test_account_deletion_requires_the_password(running: RunningApp) -> None:
    ada = await running.person("ada")
    for body in ({"password": "not mine"}, {"password": ""}, {}, None, {"password": 7}):
        assert problem_of(await ada.delete("/me", body)) == (400, "validation")
    assert (await ada.get("/me")).status_code == 200


async def test_account_deletion_deletes_all_personal_records(running: RunningApp) -> None:
    ada, eve = await running.person("ada"), await running.person("eve")
    await running.db.batch(
        [record.put() for person in (ada, eve) for record in shelf_records(person)]
    )
    await ada.patch("/me/preferences", {"theme": "dark"}, key="kept")
    await running.session_of(ada.member_id)
    theirs = await records_about(running.db, eve.member_id)
    assert (await ada.delete("/me", LEAVE)).status_code == 204
    assert problem_of(await ada.get("/me")) == (401, "unauthenticated")
    assert await records_about(running.db, ada.member_id) == []
    assert await records_about(running.db, eve.member_id) == theirs
    assert problem_of(await sign_in(running.visitor(), ada)) == (401, "unauthenticated")


async def test_account_deletion_frees_the_address(running: RunningApp) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    new = {"email": ada.email, "password": PASSWORD, "name": "Another Ada"}
    assert problem_of(await visitor.post("/accounts", new)) == (409, "duplicate")
    await ada.delete("/me", LEAVE)
    answer = await visitor.post("/accounts", new)
    assert answer.status_code == 201
    assert answer.json()["memberId"] != ada.member_id


async def test_former_member_keeps_name_and_loses_address(running: RunningApp) -> None:
    home = await new_home(running, "Home", "ada")
    kid = await home.with_member("kid", "suggester")
    assert (await kid.delete("/me", LEAVE)).status_code == 204
    left = await home.member(kid)
    assert (left["name"], left["email"], left["status"]) == ("kid", None, "removed")
    assert (await home.admin.get("/members")).json()["items"][0]["name"] == "ada"


async def test_account_deletion_clears_address_of_old_memberships(running: RunningApp) -> None:
    home = await new_home(running, "Home", "ada")
    kid = await home.with_member("kid", "suggester")
    await home.remove_member(kid)
    assert (await home.member(kid))["email"] == kid.email
    assert (await kid.delete("/me", LEAVE)).status_code == 204
    assert (await home.member(kid))["email"] is None


async def test_last_admin_with_other_members_cannot_delete_account(running: RunningApp) -> None:
    home = await new_home(running, "Home", "ada")
    alone = await home.admin.post("/families", {"name": "Alone"})
    choosing = {"Homeshelf-Family": alone.json()["familyId"]}
    invitation = {"email": "eve@home.local", "role": "admin"}
    await home.admin.post("/invitations", invitation, headers=choosing)
    kid = await running.person("kid")
    token = token_in(await invite_to_this_family(home, kid.email))
    await kid.post("/invitations/accept", {"token": token})
    before = await all_records(running.db)
    answer = await home.admin.delete("/me", LEAVE)
    assert problem_of(answer) == LAST_ADMIN
    assert "Home" in answer.json()["detail"]
    assert await all_records(running.db) == before
    assert (await kid.delete("/me", LEAVE)).status_code == 204
    assert (await home.admin.delete("/me", LEAVE)).status_code == 204


async def test_one_of_two_admins_can_delete_account(running: RunningApp) -> None:
    home = await new_home(running, "Home", "ada")
    eve = await home.with_member("eve", "admin")
    await home.with_member("kid", "suggester")
    assert (await home.admin.delete("/me", LEAVE)).status_code == 204
    assert problem_of(await eve.delete("/me", LEAVE)) == LAST_ADMIN


async def test_account_in_more_than_thirty_families_cannot_be_deleted(
    running: RunningApp,
) -> None:
    ada, eve = await running.person("ada"), await running.person("eve")
    for person, families in ((ada, 30), (eve, 31)):
        for number in range(families):
            made = await person.post("/families", {"name": f"Family {number}"})
            assert made.status_code == 201, made.text
    assert (await ada.delete("/me", LEAVE)).status_code == 204
    before = await all_records(running.db)
    assert problem_of(await eve.delete("/me", LEAVE)) == (422, "too_many")
    assert await all_records(running.db) == before


async def test_concurrent_deletions_of_two_admins_keep_one(open_another: Opener) -> None:
    async with running_app(open_another()) as one, running_app(open_another()) as other:
        home = await new_home(one, "Home", "ada")
        eve = await home.with_member("eve", "admin")
        kid = await home.with_member("kid", "suggester")
        elsewhere = other.visitor()
        elsewhere.bear(other.access_token(eve.member_id, eve.session_id))
        answers = await asyncio.gather(
            home.admin.delete("/me", LEAVE), elsewhere.delete("/me", LEAVE)
        )
        assert sorted(answer.status_code for answer in answers) == [204, 409]
        members = (await kid.get("/members")).json()["items"]
        assert sorted(member["role"] for member in members) == ["admin", "suggester"]


async def test_family_without_other_members_is_deleted_too(running: RunningApp) -> None:
    home = await new_home(running, "Home", "ada")
    kid = await home.with_member("kid", "suggester")
    await home.remove_member(kid)
    await add_items(running.db, home.family_id)
    other = await new_home(running, "Elsewhere", "eve")
    invitation = await home.invite("bob@home.local")
    bob = await running.person("bob", verified=True)
    assert (await home.admin.delete("/me", LEAVE)).status_code == 204
    left = await all_records(running.db, INVENTORY)
    assert {item["familyId"] for item in left} == {other.family_id}
    accepted = await bob.post("/invitations/accept", {"token": token_in(invitation)})
    assert problem_of(accepted) == (404, "not_found")
    assert (await bob.get("/invitations/mine")).json()["items"] == []
    assert problem_of(await kid.get("/family")) == (403, "no_family")


async def test_member_who_joins_during_deletion_keeps_the_family(
    open_another: Opener,
) -> None:
    async with running_app(open_another()) as one, running_app(open_another()) as other:
        for number in range(5):
            home = await new_home(one, "Home", f"ada{number}")
            kid = await one.person(f"kid{number}")
            token = token_in(await invite_to_this_family(home, kid.email))
            joining = other.visitor()
            joining.bear(other.access_token(kid.member_id, kid.session_id))

            async def join(
                visitor: Visitor = joining, token: str = token, wait: float = number * 0.01
            ) -> int:
                await asyncio.sleep(wait)
                answer = await visitor.post("/invitations/accept", {"token": token})
                return answer.status_code

            left, joined = await asyncio.gather(home.admin.delete("/me", LEAVE), join())
            assert (left.status_code, joined) in [(204, 404), (409, 200)]
            family = await kid.get("/family")
            assert family.status_code == (200 if joined == 200 else 403)


async def test_account_deletion_is_finished_after_a_crash(
    running: RunningApp, monkeypatch: pytest.MonkeyPatch, moment: Moment
) -> None:
    async def crash(*_: object) -> None:
        return

    monkeypatch.setattr("homeshelf.coordination.transaction.finish_soon", crash)
    home = await new_home(running, "Home", "ada")
    await add_items(running.db, home.family_id)
    await running.db.batch([record.put() for record in shelf_records(home.admin)])
    assert (await home.admin.delete("/me", LEAVE)).status_code == 204
    assert problem_of(await home.admin.get("/me")) == (401, "unauthenticated")
    assert await records_about(running.db, home.admin.member_id) != []
    moment.pass_by(60)
    while await do_what_is_due(running.db, running.todos):
        pass
    assert await all_records(running.db, INVENTORY, BOOKS) == []
    sessions = await running.db.all(Session.where(member_id=home.admin.member_id))
    assert list(sessions) == []


async def test_concurrent_deletions_of_one_account_delete_once(running: RunningApp) -> None:
    ada = await running.person("ada")
    answers = await asyncio.gather(*(ada.delete("/me", LEAVE) for _ in range(3)))
    assert sorted(answer.status_code for answer in answers) == [204, 401, 401]


async def test_deletion_is_limited_to_families_of_one_transaction(
    running: RunningApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profile, "MAX_FAMILIES", 1)
    home = await new_home(running, "Home", "ada")
    await home.admin.post("/families", {"name": "Second"})
    assert problem_of(await home.admin.delete("/me", LEAVE)) == (422, "too_many")
    assert len((await home.admin.get("/me")).json()["families"]) == 2


def shelf_records(person: Person) -> list[Record]:
    who, at = person.member_id, clock.timestamp()
    books = [make_record(Book, user_id=who, id=f"b{number}", updated_at=at) for number in range(3)]
    notes = [make_record(Note, user_id=who, book_id=book.id, id="n") for book in books]
    events = [make_record(ReadingEvent, user_id=who, book_id=book.id, id="e") for book in books]
    return [*books, *notes, *events, ReaderSettings(user_id=who, yearly_goal=12)]


async def add_items(db: Database, family_id: str) -> None:
    items = [make_record(InventoryItem, family_id=family_id, item_id=f"i{n}") for n in range(60)]
    past = [
        make_record(QuantityChange, family_id=family_id, item_id=item.item_id, id="h", ttl=2**40)
        for item in items
    ]
    await db.batch([record.put() for record in (*items, *past)])


async def invite_to_this_family(home: Home, email: str) -> dict[str, Any]:
    """Invite to this family, although the admin is in others."""
    answer = await home.admin.post(
        "/invitations",
        {"email": email, "role": "suggester"},
        headers={"Homeshelf-Family": home.family_id},
    )
    invitation: dict[str, Any] = answer.json()
    return invitation


async def sign_in(visitor: Visitor, person: Person) -> Any:
    return await visitor.post("/tokens", {"email": person.email, "password": PASSWORD})


async def all_records(db: Database, *tables: Table) -> list[dict[str, Any]]:
    """Return all records but the attempts and leases, which change all the time."""
    found = [
        dict(item)
        for table in tables or (INVENTORY, BOOKS, HELPER)
        for item in (await db.engine.scan(table, 10_000)).items
    ]
    passing = ("ATTEMPTS#", "LEASE#")
    kept = [item for item in found if not str(item.get("PK", "")).startswith(passing)]
    return sorted(kept, key=lambda item: sorted(map(str, item.items())))


async def records_about(db: Database, member_id: str) -> list[dict[str, Any]]:
    """Return the records that name a person, without the family's changes."""
    return [item for item in await all_records(db) if member_id in str(item)]
