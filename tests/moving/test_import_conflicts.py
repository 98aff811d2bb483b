"""Test that an imported file never changes existing records of a house."""

import asyncio
import json
from uuid import UUID, uuid5

import pytest

from homeshelf import clock
from homeshelf.accounts.model import Account
from homeshelf.accounts.store import get_account
from homeshelf.families.links import SignInLink
from homeshelf.families.model import Family, Member
from homeshelf.moving.file_import import BadFile
from homeshelf.table import HELPER, Database
from tests.home import Home
from tests.moving.households import (
    all_records,
    export_family,
    fill_household,
    import_family,
    other_house,
    sign_in_member,
)
from tests.running import Person, RunningApp
from tests.taps.tags import tap

__all__ = ["other_house"]


async def test_import_of_existing_family_changes_nothing(home: Home, kid: Person) -> None:
    await fill_household(home, kid)
    text = await export_family(home)
    before = await all_records(home.running.db)
    with pytest.raises(BadFile, match="This family is here already and was not changed"):
        await import_family(home, home.running, text)
    assert await all_records(home.running.db) == before


async def test_people_with_an_account_here_join_by_invitation_only(
    home: Home, kid: Person, other_house: RunningApp
) -> None:
    """One person has the same address, and one has the same id."""
    by_address = await other_house.person("ada", verified=True)
    by_id = Account(
        member_id=kid.member_id,
        email="other@home.local",
        name="Other",
        origin="password",
        created_at=clock.timestamp(),
        updated_at=clock.timestamp(),
    )
    await other_house.db.put(by_id)
    made = await fill_household(home, kid)
    said = await import_family(home, other_house)
    assert await get_account(other_house.db, by_id.member_id) == by_id
    mine = await get_account(other_house.db, by_address.member_id)
    assert mine == by_address.account
    other = await sign_in_member(other_house, by_id.member_id)
    for person in (by_address, other):
        answer = await person.get("/items", headers={"homeshelf-family": home.family_id})
        assert answer.status_code in (403, 404)
    lines = [line for line in said if "/join/" in line]
    assert sorted(line.split()[0] for line in lines) == ["ada@home.local", "kid@home.local"]
    (link,) = (line.rpartition("/")[2] for line in lines if line.startswith("ada@"))
    joined = await by_address.post("/invitations/accept", {"token": link})
    assert joined.status_code == 200, joined.text
    assert joined.json()["role"] == "admin"
    items = (await by_address.get("/items")).json()["items"]
    assert made["rice"]["itemId"] in [each["itemId"] for each in items]
    members = await other_house.db.all(Member.where(family_id=home.family_id))
    family = await other_house.db.get(Family.key(family_id=home.family_id))
    assert family is not None
    assert family.admins == sum(each.is_admin for each in members) == 2
    history = (await by_address.get(f"/items/{made['rice']['itemId']}/history")).json()["items"]
    assert {each["by"] for each in history if each.get("by")}.isdisjoint(
        {home.admin.member_id, kid.member_id}
    )


async def test_person_without_address_in_the_file_is_invited_at_their_own_address(
    home: Home, kid: Person, other_house: RunningApp
) -> None:
    """The family would be inaccessible if this person is its only parent."""
    at = clock.timestamp()
    there = Account(
        member_id=home.admin.member_id,
        email="other@home.local",
        name="Other",
        origin="password",
        created_at=at,
        updated_at=at,
    )
    await other_house.db.put(there)
    await fill_household(home, kid)
    file = json.loads(await export_family(home))
    for kind, nothing in (("Member", None), ("Account", "")):
        for each in file["records"][kind]:
            each["email"] = nothing if each["memberId"] == there.member_id else each["email"]
    said = await import_family(home, other_house, json.dumps(file).encode())
    (line,) = (each for each in said if "/join/" in each)
    assert line.startswith("other@home.local has an account here")
    other = await sign_in_member(other_house, there.member_id)
    token = {"token": line.rpartition("/")[2]}
    assert (await other.post("/invitations/accept", token)).json()["role"] == "admin"


async def test_import_with_tag_of_another_family_is_refused(
    home: Home, kid: Person, other_house: RunningApp
) -> None:
    made = await fill_household(home, kid)
    text = await export_family(home)
    tag = made["tag"]["urlId"]
    other = json.loads(text)
    family_id = clock.new_id()
    await import_family(home, other_house, text)
    stolen = json.dumps(other).replace(home.family_id, family_id).encode()
    before = await all_records(other_house.db)
    with pytest.raises(BadFile, match="has the address of one of its tags"):
        await import_family(home, other_house, stolen)
    assert await all_records(other_house.db) == before
    assert (await tap(other_house.visitor(), {"urlId": tag}, -1)).status_code == 200


async def test_import_cannot_touch_existing_accounts(
    home: Home, kid: Person, other_house: RunningApp
) -> None:
    """The file has a sign-in link for such an account, or an account with its address."""
    bob = await other_house.person("bob", verified=True)
    await fill_household(home, kid)
    text = await export_family(home)

    linked = json.loads(text)
    linked["records"]["SignInLink"][0]["memberId"] = bob.member_id
    before = await all_records(other_house.db)
    with pytest.raises(BadFile, match="for nobody in the family"):
        await import_family(home, other_house, json.dumps(linked).encode())
    assert await all_records(other_house.db) == before

    named = json.loads(text)
    for each in named["records"]["Account"]:
        if each["memberId"] == kid.member_id:
            each["email"] = bob.email
    said = await import_family(home, other_house, json.dumps(named).encode())
    assert await get_account(other_house.db, bob.member_id) == bob.account
    assert await get_account(other_house.db, kid.member_id) is None
    emails = [each.email for each in await every_account(other_house.db)]
    assert emails.count(bob.email) == 1
    assert not any("reset-password" in line and kid.member_id in line for line in said)


async def every_account(db: Database) -> list[Account]:
    items = (await db.engine.scan(HELPER, 100_000)).items
    return [Account.load(item) for item in items if item["SK"] == "ACCOUNT"]


async def test_import_is_refused_if_a_key_is_taken(
    home: Home, kid: Person, other_house: RunningApp
) -> None:
    """The link of a removed child is an example."""
    made = await fill_household(home, kid)
    child = SignInLink.key(member_id=made["child"]["memberId"])
    link = await home.running.db.get(child)
    assert link is not None
    await other_house.db.put(link.changed(family_id=clock.new_id()))
    before = await all_records(other_house.db)
    with pytest.raises(BadFile, match="another record is here already"):
        await import_family(home, other_house)
    assert await all_records(other_house.db) == before


async def test_import_refuses_forged_id_of_its_own_invitation(
    home: Home, kid: Person, other_house: RunningApp
) -> None:
    await other_house.person("ada", verified=True)
    await fill_household(home, kid)
    file = json.loads(await export_family(home))
    ghost = uuid5(UUID(home.family_id), home.admin.member_id)
    forged = str(uuid5(UUID(home.family_id), f"invitation {ghost}"))
    file["records"]["Invitation"][0]["invitationId"] = forged
    before = await all_records(other_house.db)
    with pytest.raises(BadFile, match="the same record comes twice"):
        await import_family(home, other_house, json.dumps(file).encode())
    assert await all_records(other_house.db) == before


async def test_second_concurrent_import_is_refused(
    home: Home, kid: Person, other_house: RunningApp
) -> None:
    await fill_household(home, kid)
    text = await export_family(home)
    file, other_id = json.loads(text), clock.new_id()
    file["records"].update(NFCUrl=[], WeekOfTaps=[])
    other = json.dumps(file).replace(home.family_id, other_id).encode()
    done = await asyncio.gather(
        import_family(home, other_house, text),
        import_family(home, other_house, other),
        return_exceptions=True,
    )
    (late,) = (each for each in done if isinstance(each, BaseException))
    assert str(late) == "Another file is being imported: try again in half a minute."
    said = await import_family(
        home, other_house, text if isinstance(done[0], BaseException) else other
    )
    assert sum("/join/" in line for line in said) == 2
    came = await get_account(other_house.db, home.admin.member_id)
    assert came is not None
    assert len(came.families) == 1
    for family_id in (home.family_id, other_id):
        family = await other_house.db.get(Family.key(family_id=family_id))
        assert family is not None
        assert family.admins == 1
