"""Accepting and declining invitations."""

import asyncio
from typing import Any

import pytest

from homeshelf.coordination.changes import changes_since
from homeshelf.families.model import Family
from tests.home import NOBODYS, Home, ids, new_home, token_in
from tests.moment import Moment
from tests.running import Person, RunningApp, problem_of

WEEK = 7 * 24 * 3600
ROLES = ("admin", "suggester")


async def test_anonymous_answer_returns_401(home: Home) -> None:
    visitor = home.running.visitor()
    token = token_in(await home.invite("eve@home.local"))
    for path in ("/invitations/accept", "/invitations/decline"):
        assert problem_of(await visitor.post(path, {"token": token})) == (401, "unauthenticated")
    assert problem_of(await visitor.get("/invitations/mine")) == (401, "unauthenticated")


@pytest.mark.parametrize("verb", ["accept", "decline"])
async def test_modified_link_is_refused(home: Home, verb: str) -> None:
    token = token_in(await home.invite("eve@home.local"))
    other = token_in(await home.invite("other@home.local"))
    eve = await home.running.person("eve")
    wrong_secret = token[:-1] + ("A" if token[-1] != "A" else "B")
    mixed = token[:43] + other[43:]
    for wrong in (wrong_secret, mixed, token[:-1], token + "x", "x", "A" * 64, "x" * 5000):
        answer = await eve.post(f"/invitations/{verb}", {"token": wrong})
        assert problem_of(answer) == (404, "not_found")
    assert problem_of(await eve.get("/family")) == (403, "no_family")


@pytest.mark.parametrize(
    "body",
    [{}, {"token": 5}, {"invitationId": "x"}, {"token": "x", "invitationId": NOBODYS}],
)
async def test_answer_must_name_one_invitation(running: RunningApp, body: dict[str, Any]) -> None:
    eve = await running.person("eve")
    for verb in ("accept", "decline"):
        assert problem_of(await eve.post(f"/invitations/{verb}", body)) == (400, "validation")


async def test_link_holder_joins_at_once(home: Home) -> None:
    token = token_in(await home.invite("somebody@home.local", "admin"))
    eve = await home.running.person("eve")
    answer = await eve.post("/invitations/accept", {"token": token})
    assert answer.status_code == 200
    member = answer.json()
    assert (member["memberId"], member["role"], member["status"]) == (
        eve.member_id,
        "admin",
        "active",
    )
    assert (member["name"], member["email"]) == ("eve", "eve@home.local")
    assert (await eve.get("/family")).json() == home.family
    [accepted] = (await home.admin.get("/invitations?status=accepted")).json()["items"]
    assert accepted["version"] == 2


async def test_invitation_link_works_once(home: Home) -> None:
    token = token_in(await home.invite("eve@home.local"))
    eve, mallory = await home.running.person("eve"), await home.running.person("mallory")
    assert (await eve.post("/invitations/accept", {"token": token})).status_code == 200
    for person in (mallory, eve):
        again = await person.post("/invitations/accept", {"token": token})
        assert problem_of(again) == (404, "not_found")


async def test_concurrent_acceptances_of_one_link_admit_one_person(home: Home) -> None:
    people = [await home.running.person(name) for name in ("eve", "mallory")]
    for _ in range(10):
        token = token_in(await home.invite("somebody@home.local"))
        answers = await asyncio.gather(
            *(person.post("/invitations/accept", {"token": token}) for person in people)
        )
        assert sorted(answer.status_code for answer in answers) == [200, 404]
        [joined] = [p for p, answer in zip(people, answers, strict=True) if answer.is_success]
        await home.remove_member(joined)


async def test_repeated_acceptance_is_replayed(home: Home) -> None:
    token = token_in(await home.invite("eve@home.local"))
    eve = await home.running.person("eve")
    answers = [await eve.post("/invitations/accept", {"token": token}, key="k") for _ in range(2)]
    answers += await asyncio.gather(
        *(eve.post("/invitations/accept", {"token": token}, key="k") for _ in range(2))
    )
    assert [answer.status_code for answer in answers] == [200] * 4
    assert len({answer.text for answer in answers}) == 1


async def test_invitation_expires_after_a_week(home: Home, moment: Moment) -> None:
    token = token_in(await home.invite("eve@home.local"))
    moment.pass_by(WEEK)
    eve = await home.running.person("eve")
    for verb in ("accept", "decline"):
        answer = await eve.post(f"/invitations/{verb}", {"token": token})
        assert problem_of(answer) == (404, "not_found")


async def test_member_gets_conflict_and_link_stays_valid(home: Home, kid: Person) -> None:
    token = token_in(await home.invite("somebody@home.local"))
    answer = await kid.post("/invitations/accept", {"token": token})
    assert problem_of(answer) == (409, "duplicate")
    assert answer.json()["existing"]["memberId"] == kid.member_id
    eve = await home.running.person("eve")
    assert (await eve.post("/invitations/accept", {"token": token})).status_code == 200


async def test_person_who_declined_can_be_invited_again(home: Home) -> None:
    token = token_in(await home.invite("eve@home.local"))
    eve = await home.running.person("eve")
    declined = [await eve.post("/invitations/decline", {"token": token}, key="k") for _ in range(2)]
    assert [(answer.status_code, answer.content) for answer in declined] == [(204, b"")] * 2
    answer = await eve.post("/invitations/accept", {"token": token})
    assert problem_of(answer) == (404, "not_found")
    assert problem_of(await eve.get("/family")) == (403, "no_family")
    await home.invite("eve@home.local")


async def test_unverified_address_lists_no_invitations(home: Home) -> None:
    invitation = await home.invite("EVE@home.local")
    unverified = await home.running.person("eve")
    assert (await unverified.get("/invitations/mine")).json() == {"items": []}
    body = {"invitationId": invitation["invitationId"]}
    for verb in ("accept", "decline"):
        answer = await unverified.post(f"/invitations/{verb}", body)
        assert problem_of(answer) == (404, "not_found")


async def test_invitation_to_another_address_is_not_listed(home: Home) -> None:
    invitation = await home.invite("eve@home.local")
    mallory = await home.running.person("mallory", verified=True)
    assert (await mallory.get("/invitations/mine")).json() == {"items": []}
    body = {"invitationId": invitation["invitationId"]}
    for verb in ("accept", "decline"):
        answer = await mallory.post(f"/invitations/{verb}", body)
        assert problem_of(answer) == (404, "not_found")


async def test_verified_address_lists_its_invitations(running: RunningApp, home: Home) -> None:
    other = await new_home(running, "Babbage", "charles")
    eve = await running.person("eve", verified=True)
    mine = [await each.invite("Eve@home.local") for each in (home, other)]
    taken_back = await home.invite("other@home.local")
    await home.admin.delete(f"/invitations/{taken_back['invitationId']}")
    answer = await eve.get("/invitations/mine")
    offered = {each["invitationId"]: each for each in answer.json()["items"]}
    assert offered == {
        each["invitationId"]: {name: value for name, value in each.items() if name != "link"}
        | {"familyName": name}
        for each, name in zip(mine, ("Lovelace", "Babbage"), strict=True)
    }
    joined = await eve.post("/invitations/accept", {"invitationId": mine[0]["invitationId"]})
    assert joined.json()["familyId"] == home.family_id
    declined = await eve.post("/invitations/decline", {"invitationId": mine[1]["invitationId"]})
    assert declined.status_code == 204
    assert (await eve.get("/invitations/mine")).json() == {"items": []}
    assert (await eve.get("/family")).json() == home.family


async def test_own_invitations_are_paged(running: RunningApp) -> None:
    eve = await running.person("eve", verified=True)
    for number in range(3):
        home = await new_home(running, f"Family {number}", f"admin{number}")
        await home.invite(eve.email)
    page = (await eve.get("/invitations/mine?limit=2")).json()
    assert len(page["items"]) == 2
    mallory = await running.person("mallory", verified=True)
    path = f"/invitations/mine?limit=2&nextToken={page['nextToken']}"
    assert problem_of(await mallory.get(path)) == (400, "validation")
    rest = await eve.get(path)
    assert len(ids(rest, "invitationId")) == 1
    assert "nextToken" not in rest.json()


async def test_link_to_deleted_family_is_refused(home: Home) -> None:
    family = await home.running.db.get(Family.key(family_id=home.family_id))
    assert family is not None
    tokens = [token_in(await home.invite(f"{role}@home.local", role)) for role in ROLES]
    await home.running.db.write(family.delete())
    eve = await home.running.person("eve")
    for token in tokens:
        answer = await eve.post("/invitations/accept", {"token": token})
        assert problem_of(answer) == (404, "not_found")


async def test_change_is_announced_to_event_streams(home: Home, kid: Person) -> None:
    told = await changes_since(home.running.db, home.family_id, None)
    heard = sorted((each.type, each.version) for each in told)
    assert heard == [("Invitation", 1), ("Invitation", 2), ("Member", 1), ("Member", 1)]
    assert kid.member_id in [each.id for each in told]
