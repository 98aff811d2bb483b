"""Children without an e-mail address, and their rights."""

from typing import Any

import pytest

from homeshelf.accounts import store as accounts
from homeshelf.accounts.model import Account
from homeshelf.accounts.tokens import web_token
from homeshelf.errors import Forbidden
from homeshelf.families import children, memberships, store
from homeshelf.families.model import Member
from homeshelf.table import Database
from tests.home import WISH, Home, account_of, add_child, ids, new_home, signed_in, token_in, tried
from tests.running import Person, RunningApp, Visitor, problem_of

FORBIDDEN = (403, "forbidden")


@pytest.fixture
async def alva(home: Home) -> dict[str, Any]:
    return await add_child(home)


@pytest.fixture
async def phone(home: Home, alva: dict[str, Any]) -> Visitor:
    return await signed_in(home.running, token_in(alva))


async def test_strangers_cannot_add_children(
    home: Home, kid: Person, gone: Person, phone: Visitor
) -> None:
    before = ids(await home.admin.get("/members?status=all"), "memberId")
    for stranger, refusal in (
        (home.running.visitor(), (401, "unauthenticated")),
        (await home.running.person("eve"), (403, "no_family")),
        (gone, (403, "no_family")),
        (kid, FORBIDDEN),
        (phone, FORBIDDEN),
    ):
        assert problem_of(await stranger.post("/members", {"name": "Eve"})) == refusal
    assert ids(await home.admin.get("/members?status=all"), "memberId") == before


async def test_child_is_added_with_name_and_picture(home: Home) -> None:
    alva = await add_child(home, " Alva ", picture="🦊")
    link, expires = alva.pop("link"), alva.pop("linkExpiresAt")
    assert link.startswith("http://home.test/sign-in-link/")
    assert expires > alva["createdAt"]
    assert (await home.admin.get(f"/members/{alva['memberId']}")).json() == alva
    assert (alva["name"], alva["picture"], alva["email"]) == ("Alva", "🦊", None)
    assert (alva["role"], alva["status"], alva["version"]) == ("suggester", "active", 1)


@pytest.mark.parametrize(
    ("asked", "fields"),
    [
        ({}, ["name"]),
        ({"name": " "}, ["name"]),
        ({"name": "x" * 101, "picture": "fox"}, ["name", "picture"]),
        ({"name": "Alva", "picture": "🦊🦊"}, ["picture"]),
        ({"name": "Alva", "email": "alva@home.local"}, ["email"]),
        ({"name": "Alva", "role": "admin"}, ["role"]),
    ],
)
async def test_invalid_child_returns_errors(
    home: Home, asked: dict[str, str], fields: list[str]
) -> None:
    answer = await home.admin.post("/members", asked)
    assert problem_of(answer) == (400, "validation")
    assert sorted(each["field"] for each in answer.json()["errors"]) == fields
    assert ids(await home.admin.get("/members"), "memberId") == [home.admin.member_id]


async def test_admin_demoted_during_request_cannot_add_child(home: Home, gone: Person) -> None:
    was = await home.running.db.get(Member.key(family_id=home.family_id, member_id=gone.member_id))
    assert was is not None
    admin = was.changed(status="active")
    services = home.running.services
    with pytest.raises(Forbidden):
        await children.add_child(home.running.db, admin, services, "Eve", None)
    alva = await add_child(home)
    key = Account.key(member_id=alva["memberId"])
    with pytest.raises(Forbidden):
        await children.replace_link(home.running.db, key, services, admin, end_others=True)
    assert (await tried(home.running, token_in(alva))).status_code == 200


async def test_child_has_the_rights_of_a_suggester(
    home: Home, alva: dict[str, Any], phone: Visitor
) -> None:
    me = (await phone.get("/me")).json()
    assert (me["memberId"], me["email"], me["emailVerified"]) == (alva["memberId"], None, False)
    (family,) = me["families"]
    assert (family["familyId"], family["role"]) == (home.family_id, "suggester")
    assert (await phone.get("/items")).status_code == 200
    wish = await phone.post("/suggestions", WISH)
    assert wish.status_code == 201
    assert wish.json()["suggestedByName"] == "Alva"
    assert problem_of(await phone.post("/items", {"name": "Jam"})) == FORBIDDEN
    assert (await phone.patch("/me", {"name": "Alva May"})).status_code == 200
    assert (await phone.get("/me/sessions")).json()["items"][0]["current"] is True
    assert (await phone.delete("/tokens")).status_code == 204
    assert problem_of(await phone.get("/me")) == (401, "unauthenticated")


async def test_child_cannot_become_admin(home: Home, alva: dict[str, Any]) -> None:
    change = {"role": "admin", "version": 1}
    answer = await home.admin.patch(f"/members/{alva['memberId']}", change)
    assert problem_of(answer) == (409, "wrong_state")
    assert answer.json()["current"]["role"] == "suggester"
    family = (await home.admin.get("/family")).json()
    assert family == home.family
    assert problem_of(await home.admin.delete("/me", {"password": home.admin.password})) == (
        409,
        "last_admin",
    )


async def test_child_cannot_change_account_or_leave_by_api(
    home: Home, alva: dict[str, Any], phone: Visitor, neighbour: Person
) -> None:
    invited = await neighbour.post(
        "/invitations", {"email": "alva@home.local", "role": "suggester"}
    )
    before = await account_of(home.running, alva)
    password = {"password": "a new password", "currentPassword": "whatever"}
    for refused in (
        await phone.post("/families", {"name": "Alva's"}),
        await phone.post("/invitations/accept", {"token": token_in(invited.json())}),
        await phone.patch("/me", password),
        await phone.patch("/me", {"password": password["password"]}),
        await phone.delete(f"/members/{alva['memberId']}"),
        await phone.delete("/me"),
        await phone.delete("/me", {"password": "whatever"}),
    ):
        assert problem_of(refused) == FORBIDDEN
    assert await account_of(home.running, alva) == before
    assert (await phone.get("/family")).status_code == 200


async def test_child_cannot_change_account_or_leave_on_pages(
    home: Home, alva: dict[str, Any], phone: Visitor
) -> None:
    same = {"sec-fetch-site": "same-origin"}
    before = await account_of(home.running, alva)
    for path, form in (
        ("/families/new", {"name": "Alva's"}),
        ("/settings/password", {"currentPassword": "whatever", "password": "a new password"}),
        ("/settings/leave", {"confirm": "Alva", "password": ""}),
        (f"/family/members/{alva['memberId']}/remove", {}),
    ):
        answer = await phone.client.post(path, data=form, headers=same)
        assert answer.status_code == 403, path
    assert await account_of(home.running, alva) == before


async def test_session_from_link_is_limited_to_its_family(
    home: Home, alva: dict[str, Any], neighbour: Person
) -> None:
    db, there = home.running.db, (await neighbour.get("/family")).json()["familyId"]
    pair = (await tried(home.running, token_in(alva))).json()
    phone = home.running.visitor()
    phone.bear(pair["accessToken"])
    account = await account_of(home.running, alva)
    await db.put(account.changed(families=(home.family_id, there)))
    member = await db.get(Member.key(family_id=home.family_id, member_id=alva["memberId"]))
    assert member is not None
    await db.put(member.changed(family_id=there))

    async def assert_limited_to_family(phone: Visitor) -> None:
        (family,) = (await phone.get("/me")).json()["families"]
        assert family["familyId"] == home.family_id
        assert (await phone.get("/family")).json()["familyId"] == home.family_id
        for other in (there, there.upper()):
            headers = {"Homeshelf-Family": other}
            assert problem_of(await phone.get("/items", headers=headers)) == (404, "not_found")
        renamed = await phone.patch("/me", {"name": "Alva"})
        assert [each["familyId"] for each in renamed.json()["families"]] == [home.family_id]

    await assert_limited_to_family(phone)
    (session,) = await children.child_devices(db, home.family_id, alva["memberId"])
    browser = home.running.visitor()
    browser.client.cookies.set("homeshelf", web_token(home.running.signer, session, None))
    assert (await browser.get("/family")).json()["familyId"] == home.family_id
    asked = {"refreshToken": pair["refreshToken"], "familyId": there}
    assert problem_of(await phone.post("/tokens/refresh", asked)) == (404, "not_found")
    refreshed = await phone.post("/tokens/refresh", {"refreshToken": pair["refreshToken"]})
    phone.bear(refreshed.json()["accessToken"])
    await assert_limited_to_family(phone)
    same = {"sec-fetch-site": "same-origin"}
    chosen = await phone.client.post(f"/families/{there}/choose", headers=same)
    assert chosen.status_code == 404
    page = await phone.client.get("/families", headers={"accept": "text/html"})
    assert "Lovelace" in page.text
    assert "Babbage" not in page.text


async def test_session_from_link_refuses_token_for_another_family(
    home: Home, alva: dict[str, Any], neighbour: Person
) -> None:
    running, there = home.running, (await neighbour.get("/family")).json()["familyId"]
    await tried(running, token_in(alva))
    (session,) = await children.child_devices(running.db, home.family_id, alva["memberId"])
    account = await account_of(running, alva)
    await running.db.put(account.changed(families=(there,)))
    member = await running.db.get(Member.key(family_id=home.family_id, member_id=alva["memberId"]))
    assert member is not None
    await running.db.put(member.changed(family_id=there))
    phone = running.visitor()
    for chosen in ({"fam": there}, {}):
        phone.bear(running.access_token(alva["memberId"], session.session_id, **chosen))
        assert problem_of(await phone.get("/items")) == (404, "not_found")


async def test_admin_changes_name_and_picture_of_child(
    home: Home, alva: dict[str, Any], phone: Visitor
) -> None:
    path = f"/members/{alva['memberId']}"
    changed = await home.admin.patch(path, {"name": "Alma", "picture": "🐻", "version": 1})
    assert (changed.json()["name"], changed.json()["picture"]) == ("Alma", "🐻")
    assert (await phone.get("/me")).json()["name"] == "Alma", "theirs everywhere"
    cleared = await home.admin.patch(path, {"picture": None, "version": 2})
    assert (cleared.json()["name"], cleared.json()["picture"]) == ("Alma", None)
    refused = await home.admin.patch(path, {"picture": "bear", "version": 3})
    assert problem_of(refused) == (400, "validation")
    assert problem_of(await phone.patch(path, {"picture": "🐻", "version": 3})) == FORBIDDEN


async def test_adult_member_has_picture_and_own_account_name(home: Home, kid: Person) -> None:
    change = {"name": "Kiddo", "picture": "🐸", "version": 1}
    changed = await home.admin.patch(f"/members/{kid.member_id}", change)
    assert changed.json()["picture"] == "🐸"
    assert (await kid.get("/me")).json()["name"] == "kid"


async def test_member_record_without_picture_is_readable(home: Home) -> None:
    key = Member.key(family_id=home.family_id, member_id=home.admin.member_id)
    found = await home.running.db.get(key)
    assert found is not None
    assert "picture" not in found.item()
    assert (await home.member(home.admin))["picture"] is None


async def test_child_ids_exclude_members_with_password(
    home: Home, alva: dict[str, Any], kid: Person
) -> None:
    people = await store.active_members(home.running.db, home.family_id)
    assert await children.child_ids_among(home.running.db, people) == {alva["memberId"]}
    assert kid.member_id in {each.member_id for each in people}


async def test_child_gets_no_mail_without_errors(home: Home, phone: Visitor) -> None:
    wish = (await phone.post("/suggestions", WISH)).json()
    path = f"/suggestions/{wish['suggestionId']}"
    assert (await home.admin.post(f"{path}/approve", {"version": 1})).status_code == 200
    assert (await phone.get(path)).json()["status"] == "approved"
    assert (await phone.post("/me/verification")).status_code == 404
    assert (await phone.get("/invitations/mine")).json() == {"items": []}
    found = await home.admin.get("/invitations?status=all")
    assert found.json()["items"] == []
    invited = await home.admin.post(
        "/invitations", {"email": "alva@home.local", "role": "suggester"}
    )
    assert invited.status_code == 201, "nobody has that address"


async def test_leaving_admin_keeps_children_in_the_family(running: RunningApp) -> None:
    home = await new_home(running, "Lovelace", "ada")
    bob = await home.with_member("bob", "admin")
    alva = await add_child(home)
    phone = await signed_in(running, token_in(alva))
    assert (await home.admin.delete("/me", {"password": home.admin.password})).status_code == 204
    assert (await phone.get("/family")).status_code == 200
    assert alva["memberId"] in ids(await bob.get("/members"), "memberId")


async def test_link_of_removed_child_is_void_before_family_deletion(
    home: Home, database: Database
) -> None:
    alva = await add_child(home)
    await home.admin.delete(f"/members/{alva['memberId']}")
    link = await home.admin.post(f"/members/{alva['memberId']}/sign-in-link")
    ada = await accounts.get_account(database, home.admin.member_id)
    assert ada is not None
    (alone,) = await memberships.family_exits(home.running.db, ada)
    assert not alone.others
    assert problem_of(await tried(home.running, token_in(link.json()))) == (404, "not_found")
