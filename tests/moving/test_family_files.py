"""A family moves into another house: with everything it has, and with nobody's way in."""

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
from tests.home import Home, token_in
from tests.moving.houses import (
    CODE,
    elsewhere,
    everything,
    file_of,
    furnished,
    let_in,
    moved,
    told,
    with_what_comes_with_time,
)
from tests.running import Person, RunningApp, problem_of
from tests.taps.tags import tap

__all__ = ["elsewhere"]


async def test_every_feature_works_afterwards(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    made = await furnished(home, kid)
    await moved(home, elsewhere)
    ada = await let_in(elsewhere, home.admin.member_id)
    child = await let_in(elsewhere, kid.member_id)
    rice, there = made["rice"]["itemId"], elsewhere.visitor()

    (place,) = (await ada.get("/locations")).json()["items"]
    renamed = {"name": "Cellar", "version": place["version"]}
    assert (await ada.patch(f"/locations/{place['locationId']}", renamed)).status_code == 200
    assert problem_of(await ada.post("/stores", {"name": "corner SHOP"}))[0] == 409
    assert problem_of(await ada.post("/items", {"name": "Other", "barcodes": [CODE]}))[0] == 409
    assert (await ada.get(f"/items/by-barcode/{CODE}")).json()["itemId"] == rice
    again = await ada.post("/shopping-list", {"itemId": rice})
    assert problem_of(again)[0] == 409
    notices = (await ada.get("/notifications")).json()["items"]
    assert len(notices) == len((await home.admin.get("/notifications")).json()["items"])
    tapped = await tap(there, made["tag"], -1)
    assert tapped.json()["quantity"] == 1
    assert await told(ada) == ["Rice", "Salt"]
    for delta, names in ((5, ["Rice"]), (-5, ["Rice", "Salt"]), (-5, ["Rice", "Salt"])):
        await ada.post(f"/items/{made['salt']['itemId']}/adjust", {"delta": delta})
        assert await told(ada) == names
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


async def test_people_come_without_any_way_in(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    await furnished(home, kid)
    said = await moved(home, elsewhere)
    db = elsewhere.db
    for person in (home.admin, kid):
        came = await get_account(db, person.member_id)
        assert came is not None
        assert (came.password_hash, came.issuer, came.subject) == (None, None, None)
        assert (came.origin, came.email_verified) == ("password", False)
        assert came.families == (home.family_id,)
        assert await get_account_by_email(db, person.email) is None
        assert await db.all(Session.where(member_id=person.member_id)) == []
        answer = await elsewhere.visitor().post(
            "/tokens", {"email": person.email, "password": person.password}
        )
        assert answer.status_code == 401
        assert any(line.endswith(f"user reset-password {person.member_id}") for line in said)
        visitor = elsewhere.visitor()
        visitor.bear(home.running.access_token(person.member_id, person.session_id))
        assert (await visitor.get("/me")).status_code == 401


@pytest.mark.parametrize("origin", [None, "provider"])
async def test_no_provider_takes_over_who_came_in(
    home: Home, elsewhere: RunningApp, origin: str | None
) -> None:
    """One that an account without an origin is taken to be made by."""
    vouched = {"issuer": "https://id.example", "subject": "ada"} if origin else {}
    old = home.admin.account
    theirs = old.changed(password_hash=None, origin=origin, families=(home.family_id,), **vouched)
    await home.running.db.put(theirs)
    await moved(home, elsewhere)
    came = await get_account(elsewhere.db, home.admin.member_id)
    assert came is not None
    assert (came.origin, came.issuer, came.subject) == ("password", None, None)
    assert not came.predates_claims
    assert not came.needs_provider


async def test_links_come_in_dead(home: Home, kid: Person, elsewhere: RunningApp) -> None:
    """Also where the other house has the same signing key."""
    made = await furnished(home, kid)
    text = await file_of(home)
    assert await home.running.db.all(Family.where(family_id=home.family_id))
    await moved(home, elsewhere, text)
    db = elsewhere.db
    (invitation,) = (
        each
        for each in await db.all(Invitation.where(family_id=home.family_id))
        if each.email == "guest@home.local"
    )
    assert (invitation.status, invitation.secret_hash) == ("revoked", "")
    guest = await elsewhere.person("guest", verified=True)
    token = token_in(made["invitation"])
    assert (await guest.post("/invitations/accept", {"token": token})).status_code == 404
    assert (await guest.get("/invitations/mine")).json()["items"] == []
    ada = await let_in(elsewhere, home.admin.member_id)
    children = (await ada.get("/members")).json()["items"]
    byron = next(each for each in children if each["name"] == "Byron")
    fresh = await ada.post(f"/members/{byron['memberId']}/sign-in-link", {})
    assert fresh.status_code in (200, 201), fresh.text


async def test_no_hash_and_no_secret_is_in_it_but_the_addresses_of_tags(
    home: Home, kid: Person
) -> None:
    made = await furnished(home, kid)
    text = (await file_of(home)).decode()
    assert made["tag"]["urlId"] in text
    for item in await everything(home.running.db):
        for each in item:
            for name in ("passwordHash", "secretHash", "nameDigest", "viewPasscode"):
                assert not each.get(name) or str(each[name]) not in text
    for word in ('Hash"', '"PK"', "argon2", "igest"):  # an address of a tag may have any letters
        assert word not in text


@pytest.mark.parametrize("times", [1, 3, 100])
async def test_what_changes_while_it_is_read_is_read_again(
    home: Home, kid: Person, elsewhere: RunningApp, times: int
) -> None:
    """Who joins after the members were read, and before the accounts, is in half of the file."""
    await furnished(home, kid)
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
    await moved(home, elsewhere, text)
    assert len(json.loads(text)["records"]["Account"]) == 3 + times


def belongings(each: Slice, of: Belonging, find: Any) -> Sequence[Belonging]:
    return [replace(one, find=find) if one is of else one for one in each.belongings]


async def test_what_is_said_is_one_line_for_each_whatever_they_are_called(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    await furnished(home, kid)
    file = json.loads(await file_of(home))
    for each in file["records"]["Account"]:
        each["name"] = "Ada\n\x1b[2Jhomeshelf user reset-password somebody"
    said = await moved(home, elsewhere, json.dumps(file).encode())
    assert said
    assert all(line.isprintable() for line in said)


class Away(Exception):
    pass


async def test_what_was_interrupted_goes_on_and_is_nobodys_until_then(
    home: Home, kid: Person, elsewhere: RunningApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await furnished(home, kid)
    text = await file_of(home)
    transact, turns = Database.transact, 0

    async def interrupted(self: Database, *writes: Any) -> None:
        nonlocal turns
        turns += 1
        if turns > 2:
            raise Away
        await transact(self, *writes)

    with monkeypatch.context() as patch:
        patch.setattr(Database, "transact", interrupted)
        with pytest.raises(Away):
            await moved(home, elsewhere, text)
    assert await elsewhere.db.get(ImportMark.key(owner_id=home.family_id)) is not None
    assert await elsewhere.db.get(Family.key(family_id=home.family_id)) is None
    changed_since = json.loads(text)
    changed_since["records"]["Family"][0]["name"] = "Others"
    with pytest.raises(BadFile, match="import that one again first"):
        await moved(home, elsewhere, json.dumps(changed_since).encode())
    await moved(home, elsewhere, text)
    assert await elsewhere.db.get(ImportMark.key(owner_id=home.family_id)) is None
    ada = await let_in(elsewhere, home.admin.member_id)
    items = (await ada.get("/items")).json()["items"]
    assert made["rice"]["itemId"] in [each["itemId"] for each in items]
    with pytest.raises(BadFile, match="is here already"):
        await moved(home, elsewhere, text)


async def test_what_came_in_and_was_changed_since_is_not_gone_on_with(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    await furnished(home, kid)
    file = read_file(await file_of(home), SLICES)
    plan = await plan_import(elsewhere.db, SLICES, file, Family, {})
    await elsewhere.db.put(plan.mark)
    (item, *_) = (each for each in plan.records if isinstance(each, InventoryItem))
    await elsewhere.db.put(item.changed(quantity=77))
    with pytest.raises(BadFile, match="have changed since"):
        await import_records(elsewhere.services, file)
    assert await elsewhere.db.get(item.own_key()) == item.changed(quantity=77)
    assert await elsewhere.db.get(Family.key(family_id=home.family_id)) is None


async def test_it_goes_out_as_it_came_in(home: Home, kid: Person, elsewhere: RunningApp) -> None:
    await with_what_comes_with_time(home, await furnished(home, kid))
    first = json.loads(await file_of(home))
    assert [name for name, records in first["records"].items() if not records] == []
    await moved(home, elsewhere)
    text, _ = await export_records(elsewhere.db, SLICES, "family", home.family_id)
    again = json.loads(text)
    for name, records in first["records"].items():
        if name in ("Invitation", "SignInLink", "Account"):
            assert len(again["records"][name]) == len(records)
        else:
            assert sorted(map(str, again["records"][name])) == sorted(map(str, records)), name
