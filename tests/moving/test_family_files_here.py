"""What is in a house stays as it is, whatever the file of a family that comes in says."""

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
from tests.moving.houses import elsewhere, everything, file_of, furnished, let_in, moved
from tests.running import Person, RunningApp
from tests.taps.tags import tap

__all__ = ["elsewhere"]


async def test_a_family_that_is_here_stays_as_it_is(home: Home, kid: Person) -> None:
    await furnished(home, kid)
    text = await file_of(home)
    before = await everything(home.running.db)
    with pytest.raises(BadFile, match="This family is here already and was not changed"):
        await moved(home, home.running, text)
    assert await everything(home.running.db) == before


async def test_who_is_here_joins_only_by_invitation(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    """Whether by their address or by their id."""
    by_address = await elsewhere.person("ada", verified=True)
    by_id = Account(
        member_id=kid.member_id,
        email="other@home.local",
        name="Other",
        origin="password",
        created_at=clock.timestamp(),
        updated_at=clock.timestamp(),
    )
    await elsewhere.db.put(by_id)
    made = await furnished(home, kid)
    said = await moved(home, elsewhere)
    assert await get_account(elsewhere.db, by_id.member_id) == by_id
    mine = await get_account(elsewhere.db, by_address.member_id)
    assert mine == by_address.account
    other = await let_in(elsewhere, by_id.member_id)
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
    members = await elsewhere.db.all(Member.where(family_id=home.family_id))
    family = await elsewhere.db.get(Family.key(family_id=home.family_id))
    assert family is not None
    assert family.admins == sum(each.is_admin for each in members) == 2
    history = (await by_address.get(f"/items/{made['rice']['itemId']}/history")).json()["items"]
    assert {each["by"] for each in history if each.get("by")}.isdisjoint(
        {home.admin.member_id, kid.member_id}
    )


async def test_who_is_here_without_an_address_in_the_file_is_invited_at_the_one_they_have(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    """Otherwise nobody would get into a family whose only parent it is."""
    at = clock.timestamp()
    there = Account(
        member_id=home.admin.member_id,
        email="other@home.local",
        name="Other",
        origin="password",
        created_at=at,
        updated_at=at,
    )
    await elsewhere.db.put(there)
    await furnished(home, kid)
    file = json.loads(await file_of(home))
    for kind, nothing in (("Member", None), ("Account", "")):
        for each in file["records"][kind]:
            each["email"] = nothing if each["memberId"] == there.member_id else each["email"]
    said = await moved(home, elsewhere, json.dumps(file).encode())
    (line,) = (each for each in said if "/join/" in each)
    assert line.startswith("other@home.local has an account here")
    other = await let_in(elsewhere, there.member_id)
    token = {"token": line.rpartition("/")[2]}
    assert (await other.post("/invitations/accept", token)).json()["role"] == "admin"


async def test_a_tag_of_another_family_here_is_not_taken_over(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    made = await furnished(home, kid)
    text = await file_of(home)
    tag = made["tag"]["urlId"]
    other = json.loads(text)
    family_id = clock.new_id()
    await moved(home, elsewhere, text)
    stolen = json.dumps(other).replace(home.family_id, family_id).encode()
    before = await everything(elsewhere.db)
    with pytest.raises(BadFile, match="has the address of one of its tags"):
        await moved(home, elsewhere, stolen)
    assert await everything(elsewhere.db) == before
    assert (await tap(elsewhere.visitor(), {"urlId": tag}, -1)).status_code == 200


async def test_nothing_of_somebody_here_is_touched(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    """Neither by a link in their name, nor by an account that has their address."""
    bob = await elsewhere.person("bob", verified=True)
    await furnished(home, kid)
    text = await file_of(home)

    linked = json.loads(text)
    linked["records"]["SignInLink"][0]["memberId"] = bob.member_id
    before = await everything(elsewhere.db)
    with pytest.raises(BadFile, match="for nobody in the family"):
        await moved(home, elsewhere, json.dumps(linked).encode())
    assert await everything(elsewhere.db) == before

    named = json.loads(text)
    for each in named["records"]["Account"]:
        if each["memberId"] == kid.member_id:
            each["email"] = bob.email
    said = await moved(home, elsewhere, json.dumps(named).encode())
    assert await get_account(elsewhere.db, bob.member_id) == bob.account
    assert await get_account(elsewhere.db, kid.member_id) is None
    emails = [each.email for each in await every_account(elsewhere.db)]
    assert emails.count(bob.email) == 1
    assert not any("reset-password" in line and kid.member_id in line for line in said)


async def every_account(db: Database) -> list[Account]:
    items = (await db.engine.scan(HELPER, 100_000)).items
    return [Account.load(item) for item in items if item["SK"] == "ACCOUNT"]


async def test_what_is_here_in_the_place_of_a_record_stays(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    """A link that was left behind for a child that is gone, say."""
    made = await furnished(home, kid)
    child = SignInLink.key(member_id=made["child"]["memberId"])
    link = await home.running.db.get(child)
    assert link is not None
    await elsewhere.db.put(link.changed(family_id=clock.new_id()))
    before = await everything(elsewhere.db)
    with pytest.raises(BadFile, match="another record is here already"):
        await moved(home, elsewhere)
    assert await everything(elsewhere.db) == before


async def test_an_invitation_in_the_file_takes_no_place_of_one_that_is_made(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    await elsewhere.person("ada", verified=True)
    await furnished(home, kid)
    file = json.loads(await file_of(home))
    ghost = uuid5(UUID(home.family_id), home.admin.member_id)
    forged = str(uuid5(UUID(home.family_id), f"invitation {ghost}"))
    file["records"]["Invitation"][0]["invitationId"] = forged
    before = await everything(elsewhere.db)
    with pytest.raises(BadFile, match="the same record comes twice"):
        await moved(home, elsewhere, json.dumps(file).encode())
    assert await everything(elsewhere.db) == before


async def test_of_two_files_with_the_same_person_one_waits(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    await furnished(home, kid)
    text = await file_of(home)
    file, other_id = json.loads(text), clock.new_id()
    file["records"].update(NFCUrl=[], WeekOfTaps=[])
    other = json.dumps(file).replace(home.family_id, other_id).encode()
    done = await asyncio.gather(
        moved(home, elsewhere, text), moved(home, elsewhere, other), return_exceptions=True
    )
    (late,) = (each for each in done if isinstance(each, BaseException))
    assert str(late) == "Another file is being imported: try again in half a minute."
    said = await moved(home, elsewhere, text if isinstance(done[0], BaseException) else other)
    assert sum("/join/" in line for line in said) == 2
    came = await get_account(elsewhere.db, home.admin.member_id)
    assert came is not None
    assert len(came.families) == 1
    for family_id in (home.family_id, other_id):
        family = await elsewhere.db.get(Family.key(family_id=family_id))
        assert family is not None
        assert family.admins == 1
