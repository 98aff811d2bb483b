"""Members, their roles, and their removal."""

from typing import Any

import pytest

from homeshelf import clock
from homeshelf.accounts.model import Account
from homeshelf.families import store
from homeshelf.families.model import Member
from tests.home import Home, ids, new_home, token_in
from tests.pages import look
from tests.records import make_record
from tests.running import Person, RunningApp, problem_of
from tests.table.faulty_engines import warp


async def test_strangers_cannot_read_a_member(home: Home, neighbour: Person, gone: Person) -> None:
    path = f"/members/{home.admin.member_id}"
    assert problem_of(await home.running.visitor().get(path)) == (401, "unauthenticated")
    assert problem_of(await neighbour.get(path)) == (404, "not_found")
    assert problem_of(await gone.get(path)) == (403, "no_family")


async def test_strangers_cannot_change_or_remove_members(
    home: Home, kid: Person, neighbour: Person, gone: Person
) -> None:
    path = f"/members/{home.admin.member_id}"
    change = {"role": "suggester", "version": 1}
    for stranger, refusal in (
        (home.running.visitor(), (401, "unauthenticated")),
        (neighbour, (404, "not_found")),
        (gone, (403, "no_family")),
        (kid, (403, "forbidden")),
    ):
        assert problem_of(await stranger.patch(path, change)) == refusal
        assert problem_of(await stranger.delete(path)) == refusal
    assert (await home.member(home.admin))["version"] == 1


async def test_role_is_checked_before_the_record(home: Home, kid: Person) -> None:
    for path in (f"/members/{clock.new_id()}", "/members/nobody"):
        change = {"role": "admin", "version": 1}
        assert problem_of(await kid.patch(path, change)) == (403, "forbidden")
        assert problem_of(await home.admin.patch(path, change)) == (404, "not_found")
    assert problem_of(await kid.delete(f"/members/{clock.new_id()}")) == (403, "forbidden")


@pytest.mark.parametrize("member_id", ["nobody", "x" * 2000, "MEMBER%231", "%00"])
async def test_malformed_member_id_returns_404(home: Home, member_id: str) -> None:
    for method in ("GET", "DELETE"):
        answer = await home.admin.ask(method, f"/members/{member_id}")
        assert problem_of(answer) == (404, "not_found")


async def test_uppercase_member_id_is_accepted(home: Home) -> None:
    answer = await home.admin.get(f"/members/{home.admin.member_id.upper()}")
    assert answer.json()["memberId"] == home.admin.member_id


async def test_every_role_can_list_members(home: Home, kid: Person) -> None:
    expected = sorted([home.admin.member_id, kid.member_id])
    for member in (home.admin, kid):
        assert ids(await member.get("/members"), "memberId") == expected
    shown = (await kid.get(f"/members/{kid.member_id}")).json()
    assert shown.keys() == {
        "memberId",
        "familyId",
        "email",
        "name",
        "picture",
        "role",
        "mayTick",
        "status",
        "version",
        "createdAt",
        "updatedAt",
        "entityType",
    }


async def test_only_admins_list_removed_members(home: Home, kid: Person, gone: Person) -> None:
    for status in ("removed", "all"):
        assert problem_of(await kid.get(f"/members?status={status}")) == (403, "forbidden")
    admin = home.admin
    assert ids(await admin.get("/members?status=removed"), "memberId") == [gone.member_id]
    everyone = sorted([admin.member_id, kid.member_id, gone.member_id])
    assert ids(await admin.get("/members?status=all"), "memberId") == everyone
    assert problem_of(await admin.get("/members?status=gone")) == (400, "validation")


async def test_member_list_has_full_pages_despite_removed_members(home: Home) -> None:
    people = [
        make_record(
            Member,
            family_id=home.family_id,
            member_id=clock.new_id(),
            status="removed" if number % 3 else "active",
        )
        for number in range(30)
    ]
    await home.running.db.batch([person.put() for person in people])
    seen: list[str] = []
    path = "/members?limit=4"
    while True:
        page = await home.admin.get(path)
        seen += ids(page, "memberId")
        token = page.json().get("nextToken")
        if token is None:
            break
        assert len(page.json()["items"]) == 4
        path = f"/members?limit=4&nextToken={token}"
    active = [person.member_id for person in people if person.is_active]
    assert seen == sorted([*active, home.admin.member_id])


async def test_page_token_of_another_person_is_refused(
    home: Home, kid: Person, neighbour: Person
) -> None:
    token = (await home.admin.get("/members?limit=1")).json()["nextToken"]
    for stranger in (kid, neighbour):
        answer = await stranger.get(f"/members?limit=1&nextToken={token}")
        assert problem_of(answer) == (400, "validation")
    for tampered in (f"x{token}", f"{token}x", "x", "."):
        answer = await home.admin.get("/members", params={"nextToken": tampered})
        assert problem_of(answer) == (400, "validation")
    other_question = await home.admin.get(f"/members?status=all&nextToken={token}")
    assert problem_of(other_question) == (400, "validation")


async def test_page_token_of_another_family_is_refused(home: Home, kid: Person) -> None:
    other = (await kid.post("/families", {"name": "Other"})).json()["familyId"]
    here, there = ({"Homeshelf-Family": family} for family in (home.family_id, other))
    token = (await kid.get("/members?limit=1", headers=here)).json()["nextToken"]
    answer = await kid.get(f"/members?limit=1&nextToken={token}", headers=there)
    assert problem_of(answer) == (400, "validation")


async def test_admin_changes_roles_and_names(home: Home, kid: Person) -> None:
    path = f"/members/{kid.member_id}"
    assert problem_of(await kid.get("/invitations")) == (403, "forbidden")
    answer = await home.admin.patch(path, {"role": "admin", "name": " Byron ", "version": 1})
    assert answer.status_code == 200
    member = answer.json()
    assert (member["role"], member["name"], member["version"]) == ("admin", "Byron", 2)
    assert (await kid.get("/invitations")).status_code == 200
    await home.admin.patch(path, {"role": "suggester", "version": 2})
    assert problem_of(await kid.get("/invitations")) == (403, "forbidden")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"role": "admin"}, "version"),
        ({"role": "owner", "version": 1}, "role"),
        ({"role": None, "version": 1}, "role"),
        ({"name": "", "version": 1}, "name"),
        ({"name": "n" * 101, "version": 1}, "name"),
        ({"name": None, "version": 1}, "name"),
        ({"version": True}, "version"),
        ({"version": 1, "status": "removed"}, "status"),
        ({"version": 1, "email": "a@b"}, "email"),
    ],
)
async def test_invalid_member_change_returns_errors(
    home: Home, body: dict[str, Any], field: str
) -> None:
    answer = await home.admin.patch(f"/members/{home.admin.member_id}", body)
    assert problem_of(answer) == (400, "validation")
    assert [error["field"] for error in answer.json()["errors"]] == [field]


async def test_member_name_is_limited_to_hundred_characters(home: Home, kid: Person) -> None:
    change = {"name": "n" * 100, "version": 1}
    assert (await home.admin.patch(f"/members/{kid.member_id}", change)).status_code == 200
    assert (await home.member(kid))["name"] == "n" * 100


async def test_stale_version_returns_409_with_current_member(home: Home, kid: Person) -> None:
    path = f"/members/{kid.member_id}"
    current = (await home.admin.patch(path, {"name": "Byron", "version": 1})).json()
    stale = await home.admin.patch(path, {"name": "Ralph", "version": 1})
    assert problem_of(stale) == (409, "version_conflict")
    assert stale.json()["current"] == current


async def test_change_to_current_values_keeps_the_version(home: Home, kid: Person) -> None:
    before = await home.member(kid)
    path = f"/members/{kid.member_id}"
    for body in ({"version": 1}, {"role": "suggester", "name": "kid", "version": 1}):
        assert (await home.admin.patch(path, body)).json() == before
    same = await home.admin.patch(path, {"name": "kid", "version": 1}, key="k")
    await home.admin.patch(path, {"name": "Byron", "version": 1})
    again = await home.admin.patch(path, {"name": "kid", "version": 1}, key="k")
    assert (same.json(), again.content) == (before, same.content)


async def test_repeated_member_change_is_replayed(home: Home, kid: Person) -> None:
    path, body = f"/members/{kid.member_id}", {"name": "Byron", "version": 1}
    first = await home.admin.patch(path, body, key="k")
    again = await home.admin.patch(path, body, key="k")
    assert (again.status_code, again.json()) == (200, first.json())
    assert again.json()["version"] == 2


async def test_demoted_admin_gets_no_replayed_response(home: Home) -> None:
    bob = await home.with_member("bob", "admin")
    invitation = {"email": "eve@home.local", "role": "admin"}
    assert (await bob.post("/invitations", invitation, key="k")).status_code == 201
    await home.admin.patch(f"/members/{bob.member_id}", {"role": "suggester", "version": 1})
    assert problem_of(await bob.post("/invitations", invitation, key="k")) == (403, "forbidden")


async def test_removed_member_loses_access_at_once(home: Home, kid: Person) -> None:
    assert (await home.admin.delete(f"/members/{kid.member_id}")).status_code == 204
    assert problem_of(await kid.get("/family")) == (403, "no_family")
    account = await home.running.db.get(Account.key(member_id=kid.member_id))
    assert account is not None
    assert account.families == ()


async def test_family_token_ends_with_the_membership(home: Home, kid: Person) -> None:
    kid.bear(home.running.access_token(kid.member_id, kid.session_id, fam=home.family_id))
    assert (await kid.get("/family")).status_code == 200
    await home.remove_member(kid)
    assert problem_of(await kid.get("/family")) == (404, "not_found")


async def test_removed_member_keeps_the_name(home: Home, kid: Person) -> None:
    await home.remove_member(kid)
    member = await home.member(kid)
    assert (member["status"], member["name"], member["version"]) == ("removed", "kid", 2)


async def test_removed_member_cannot_be_changed_or_removed_again(home: Home, kid: Person) -> None:
    await home.remove_member(kid)
    path = f"/members/{kid.member_id}"
    change = {"role": "admin", "version": 2}
    assert problem_of(await home.admin.patch(path, change)) == (404, "not_found")
    assert (await home.admin.delete(path)).status_code == 204
    assert (await home.member(kid))["version"] == 2


async def test_removed_member_has_no_access_despite_stale_account(home: Home, kid: Person) -> None:
    found = await store.get_member(home.running.db, home.family_id, kid.member_id)
    assert found is not None
    await home.running.db.put(found.remove(clock.timestamp()))
    assert (await kid.get("/me")).json()["families"] == []
    assert "Lovelace" not in (await look(kid, "/families")).words
    assert problem_of(await kid.get("/family")) == (403, "no_family")


async def test_every_role_can_leave(kid: Person) -> None:
    assert (await kid.delete(f"/members/{kid.member_id}")).status_code == 204
    assert problem_of(await kid.get("/family")) == (403, "no_family")


async def test_leaving_one_family_keeps_the_other(running: RunningApp, home: Home) -> None:
    other = await new_home(running, "Babbage", "charles")
    await other.let_in(home.admin, "suggester")
    chosen = {"Homeshelf-Family": other.family_id}
    left = await home.admin.delete(f"/members/{home.admin.member_id}", headers=chosen)
    assert left.status_code == 204
    assert (await home.admin.get("/family")).json() == home.family


async def test_rename_updates_readable_memberships(
    running: RunningApp, home: Home, kid: Person
) -> None:
    other = await new_home(running, "Babbage", "charles")
    await other.let_in(kid, "suggester")
    await warp(
        running.db, Member.key(family_id=other.family_id, member_id=kid.member_id), role="butler"
    )
    assert (await kid.patch("/me", {"name": "Kim"})).status_code == 200
    assert (await home.member(kid))["name"] == "Kim"


async def test_former_member_returns_by_invitation(home: Home, kid: Person) -> None:
    before = await home.member(kid)
    await home.remove_member(kid)
    invitation = await home.invite(kid.email, "admin")
    answer = await kid.post("/invitations/accept", {"token": token_in(invitation)})
    member = answer.json()
    assert (member["role"], member["status"], member["version"]) == ("admin", "active", 3)
    assert member["createdAt"] == before["createdAt"]
    assert ids(await kid.get("/members"), "memberId").count(kid.member_id) == 1
