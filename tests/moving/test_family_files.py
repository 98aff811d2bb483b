"""Test that a family moves to another house with its records and without any way to sign in."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from homeshelf import families
from homeshelf.accounts.model import Account, Session
from homeshelf.accounts.store import get_account, get_account_by_email
from homeshelf.app import SLICES
from homeshelf.commands.files import import_records
from homeshelf.coordination.belongings import Belonging
from homeshelf.families.model import Family, Invitation
from homeshelf.families.moving import accounts_of
from homeshelf.inventory.model import InventoryItem
from homeshelf.moving.export import export_records
from homeshelf.moving.file_import import BadFile, plan_import, read_file
from homeshelf.moving.progress_marks import ImportMark
from homeshelf.table import CannotOpen, Database
from homeshelf.web.services import Slice
from tests.home import Home, set_may_tick, token_in
from tests.moving.households import (
    CODE,
    active_notices,
    add_later_records,
    all_records,
    export_family,
    fill_household,
    import_family,
    other_house,
    sign_in_member,
)
from tests.running import Person, RunningApp, problem_of
from tests.taps.tags import tap

__all__ = ["other_house"]


async def test_features_work_after_a_family_import(
    home: Home, kid: Person, other_house: RunningApp
) -> None:
    made = await fill_household(home, kid)
    await set_may_tick(home.admin, kid)
    await import_family(home, other_house)
    ada = await sign_in_member(other_house, home.admin.member_id)
    child = await sign_in_member(other_house, kid.member_id)
    rice, there = made["rice"]["itemId"], other_house.visitor()

    (place,) = (await ada.get("/locations")).json()["items"]
    renamed = {"name": "Cellar", "version": place["version"]}
    assert (await ada.patch(f"/locations/{place['locationId']}", renamed)).status_code == 200
    assert problem_of(await ada.post("/stores", {"name": "corner SHOP"}))[0] == 409
    assert problem_of(await ada.post("/items", {"name": "Other", "barcodes": [CODE]}))[0] == 409
    assert (await ada.get(f"/items/by-barcode/{CODE}")).json()["itemId"] == rice
    assert (await child.get(f"/members/{kid.member_id}")).json()["mayTick"] is True
    again = await ada.post("/shopping-list", {"itemId": rice})
    assert problem_of(again)[0] == 409
    notices = (await ada.get("/notifications")).json()["items"]
    assert len(notices) == len((await home.admin.get("/notifications")).json()["items"])
    tapped = await tap(there, made["tag"], -1)
    assert tapped.json()["quantity"] == 1
    assert await active_notices(ada) == ["Rice", "Salt"]
    for delta, names in ((5, ["Rice"]), (-5, ["Rice", "Salt"]), (-5, ["Rice", "Salt"])):
        await ada.post(f"/items/{made['salt']['itemId']}/adjust", {"delta": delta})
        assert await active_notices(ada) == names
    assert len((await ada.get(f"/items/{rice}/history")).json()["items"]) >= 4
    mine = (await child.get("/suggestions")).json()["suggestions"]
    assert [each["suggestionId"] for each in mine] == [made["wish"]["suggestionId"]]
    wish = f"/suggestions/{made['wish']['suggestionId']}"
    assert (await ada.post(f"{wish}/approve", {"version": 1})).status_code == 200
    assert (await ada.get("/shopping-list/usual")).status_code == 200
    members = (await ada.get("/members")).json()["items"]
    assert {each["name"] for each in members} == {"ada", "kid", "Byron"}
    deleted = await ada.delete(f"/items/{rice}")
    assert deleted.status_code in (200, 204), deleted.text
    assert (await tap(there, made["tag"], -1)).status_code == 404
    assert (await ada.post("/items", {"name": "Other", "barcodes": [CODE]})).status_code == 201
    invited = await ada.post("/invitations", {"email": "new@home.local", "role": "admin"})
    assert invited.status_code == 201


async def test_imported_people_have_no_password_session_or_provider(
    home: Home, kid: Person, other_house: RunningApp
) -> None:
    await fill_household(home, kid)
    said = await import_family(home, other_house)
    db = other_house.db
    for person in (home.admin, kid):
        came = await get_account(db, person.member_id)
        assert came is not None
        assert (came.password_hash, came.issuer, came.subject) == (None, None, None)
        assert (came.origin, came.email_verified) == ("password", False)
        assert came.families == (home.family_id,)
        assert await get_account_by_email(db, person.email) is None
        assert await db.all(Session.where(member_id=person.member_id)) == []
        answer = await other_house.visitor().post(
            "/tokens", {"email": person.email, "password": person.password}
        )
        assert answer.status_code == 401
        assert any(line.endswith(f"user reset-password {person.member_id}") for line in said)
        visitor = other_house.visitor()
        visitor.bear(home.running.access_token(person.member_id, person.session_id))
        assert (await visitor.get("/me")).status_code == 401


@pytest.mark.parametrize("origin", [None, "provider"])
async def test_imported_account_is_linked_to_no_provider(
    home: Home, other_house: RunningApp, origin: str | None
) -> None:
    """An account without an origin counts as made by the provider."""
    vouched = {"issuer": "https://id.example", "subject": "ada"} if origin else {}
    old = home.admin.account
    theirs = old.changed(password_hash=None, origin=origin, families=(home.family_id,), **vouched)
    await home.running.db.put(theirs)
    await import_family(home, other_house)
    came = await get_account(other_house.db, home.admin.member_id)
    assert came is not None
    assert (came.origin, came.issuer, came.subject) == ("password", None, None)
    assert not came.predates_claims
    assert not came.needs_provider


async def test_imported_invitations_and_links_are_invalid(
    home: Home, kid: Person, other_house: RunningApp
) -> None:
    """This also holds if both houses have the same signing key."""
    made = await fill_household(home, kid)
    text = await export_family(home)
    assert await home.running.db.all(Family.where(family_id=home.family_id))
    await import_family(home, other_house, text)
    db = other_house.db
    (invitation,) = (
        each
        for each in await db.all(Invitation.where(family_id=home.family_id))
        if each.email == "guest@home.local"
    )
    assert (invitation.status, invitation.secret_hash) == ("revoked", "")
    guest = await other_house.person("guest", verified=True)
    token = token_in(made["invitation"])
    assert (await guest.post("/invitations/accept", {"token": token})).status_code == 404
    assert (await guest.get("/invitations/mine")).json()["items"] == []
    ada = await sign_in_member(other_house, home.admin.member_id)
    children = (await ada.get("/members")).json()["items"]
    byron = next(each for each in children if each["name"] == "Byron")
    fresh = await ada.post(f"/members/{byron['memberId']}/sign-in-link", {})
    assert fresh.status_code in (200, 201), fresh.text


async def test_family_file_holds_no_secrets_except_tag_addresses(home: Home, kid: Person) -> None:
    made = await fill_household(home, kid)
    text = (await export_family(home)).decode()
    assert made["tag"]["urlId"] in text
    for item in await all_records(home.running.db):
        for each in item:
            for name in ("passwordHash", "secretHash", "nameDigest", "viewPasscode"):
                assert not each.get(name) or str(each[name]) not in text
    for word in (
        'Hash"',
        '"PK"',
        "argon2",
        "igest",
    ):  # tag addresses may have any letters
        assert word not in text


@pytest.mark.parametrize("times", [1, 3, 100])
async def test_export_reads_again_if_the_family_changes(
    home: Home, kid: Person, other_house: RunningApp, times: int
) -> None:
    """A person who joins between two reads would be only partly in the file."""
    await fill_household(home, kid)
    turns = 0

    async def meanwhile(db: Database, family_id: str) -> Sequence[Account]:
        nonlocal turns
        turns += 1
        if turns <= times:
            joining = await home.running.person(f"guest{turns}", verified=True)
            token = token_in(await home.invite(joining.email))
            assert (await joining.post("/invitations/accept", {"token": token})).is_success
        return await accounts_of(db, family_id)

    of = next(each for each in families.SLICE.belongings if each.kind is Account)
    slices = [replace(each, belongings=belongings(each, of, meanwhile)) for each in SLICES]
    reading = export_records(home.running.db, slices, "family", home.family_id)
    if times == 100:
        with pytest.raises(CannotOpen, match="at a quieter moment"):
            await reading
        return
    text, _ = await reading
    assert turns == times + 2
    await import_family(home, other_house, text)
    assert len(json.loads(text)["records"]["Account"]) == 3 + times


def belongings(each: Slice, of: Belonging, find: Any) -> Sequence[Belonging]:
    return [replace(one, find=find) if one is of else one for one in each.belongings]


async def test_import_report_escapes_control_characters_in_names(
    home: Home, kid: Person, other_house: RunningApp
) -> None:
    await fill_household(home, kid)
    file = json.loads(await export_family(home))
    for each in file["records"]["Account"]:
        each["name"] = "Ada\n\x1b[2Jhomeshelf user reset-password somebody"
    said = await import_family(home, other_house, json.dumps(file).encode())
    assert said
    assert all(line.isprintable() for line in said)


class InterruptedImport(Exception):
    pass


async def test_interrupted_import_resumes_with_the_same_file_only(
    home: Home, kid: Person, other_house: RunningApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await fill_household(home, kid)
    text = await export_family(home)
    transact, turns = Database.transact, 0

    async def interrupted(self: Database, *writes: Any) -> None:
        nonlocal turns
        turns += 1
        if turns > 2:
            raise InterruptedImport
        await transact(self, *writes)

    with monkeypatch.context() as patch:
        patch.setattr(Database, "transact", interrupted)
        with pytest.raises(InterruptedImport):
            await import_family(home, other_house, text)
    assert await other_house.db.get(ImportMark.key(owner_id=home.family_id)) is not None
    assert await other_house.db.get(Family.key(family_id=home.family_id)) is None
    changed_since = json.loads(text)
    changed_since["records"]["Family"][0]["name"] = "Others"
    with pytest.raises(BadFile, match="import that one again first"):
        await import_family(home, other_house, json.dumps(changed_since).encode())
    await import_family(home, other_house, text)
    assert await other_house.db.get(ImportMark.key(owner_id=home.family_id)) is None
    ada = await sign_in_member(other_house, home.admin.member_id)
    items = (await ada.get("/items")).json()["items"]
    assert made["rice"]["itemId"] in [each["itemId"] for each in items]
    with pytest.raises(BadFile, match="is here already"):
        await import_family(home, other_house, text)


async def test_import_does_not_resume_if_records_changed_since(
    home: Home, kid: Person, other_house: RunningApp
) -> None:
    await fill_household(home, kid)
    file = read_file(await export_family(home), SLICES)
    plan = await plan_import(other_house.db, SLICES, file, Family, {})
    await other_house.db.put(plan.mark)
    (item, *_) = (each for each in plan.records if isinstance(each, InventoryItem))
    await other_house.db.put(item.changed(quantity=77))
    with pytest.raises(BadFile, match="have changed since"):
        await import_records(other_house.services, file)
    assert await other_house.db.get(item.own_key()) == item.changed(quantity=77)
    assert await other_house.db.get(Family.key(family_id=home.family_id)) is None


async def test_second_export_equals_the_imported_file(
    home: Home, kid: Person, other_house: RunningApp
) -> None:
    await add_later_records(home, await fill_household(home, kid))
    first = json.loads(await export_family(home))
    assert [name for name, records in first["records"].items() if not records] == []
    await import_family(home, other_house)
    text, _ = await export_records(other_house.db, SLICES, "family", home.family_id)
    again = json.loads(text)
    for name, records in first["records"].items():
        if name in ("Invitation", "SignInLink", "Account"):
            assert len(again["records"][name]) == len(records)
        else:
            assert sorted(map(str, again["records"][name])) == sorted(map(str, records)), name
