"""Creating, revoking and resending invitations by the API."""

import asyncio
from typing import Any

import pytest

from homeshelf.families import store
from homeshelf.families.model import parse_token
from homeshelf.table import HELPER, Database
from tests.home import NOBODYS, Home, ids, token_in
from tests.moment import Moment
from tests.running import Person, problem_of, running_app

EVE = {"email": "eve@home.local", "role": "suggester"}
WEEK = 7 * 24 * 3600


async def test_strangers_cannot_invite(
    home: Home, kid: Person, neighbour: Person, gone: Person
) -> None:
    invitation = await home.invite("eve@home.local")
    path = f"/invitations/{invitation['invitationId']}"
    for stranger, refusal in (
        (home.running.visitor(), (401, "unauthenticated")),
        (gone, (403, "no_family")),
        (kid, (403, "forbidden")),
    ):
        assert problem_of(await stranger.get("/invitations")) == refusal
        assert problem_of(await stranger.post("/invitations", EVE)) == refusal
        assert problem_of(await stranger.delete(path)) == refusal
        assert problem_of(await stranger.post(f"{path}/resend")) == refusal
    assert problem_of(await neighbour.delete(path)) == (404, "not_found")
    assert problem_of(await neighbour.post(f"{path}/resend")) == (404, "not_found")
    assert ids(await neighbour.get("/invitations?status=all"), "invitationId") == []
    assert ids(await home.admin.get("/invitations"), "invitationId") == [invitation["invitationId"]]


async def test_invitation_link_is_returned_once(home: Home, moment: Moment) -> None:
    moment.move("2024-11-01T12:00:00.750Z")
    invitation = await home.invite("Eve@Home.local", "admin")
    assert (invitation["email"], invitation["role"]) == ("Eve@Home.local", "admin")
    assert (invitation["status"], invitation["version"]) == ("pending", 1)
    assert invitation["invitedBy"] == home.admin.member_id
    assert invitation["expiresAt"] == "2024-11-08T12:00:00.000Z"
    assert invitation["link"] == f"http://home.test/join/{token_in(invitation)}"
    assert invitation.keys() == {
        "invitationId",
        "familyId",
        "email",
        "role",
        "status",
        "invitedBy",
        "expiresAt",
        "link",
        "version",
        "createdAt",
        "updatedAt",
        "entityType",
    }
    [listed] = (await home.admin.get("/invitations")).json()["items"]
    assert listed == {name: value for name, value in invitation.items() if name != "link"}


async def test_database_contains_no_invitation_secret(home: Home) -> None:
    token = token_in(await home.invite("eve@home.local"))
    ticket = parse_token(token)
    assert ticket is not None
    assert ticket.secret is not None
    found = await store.get_invitation(home.running.db, ticket.family_id, ticket.invitation_id)
    assert found is not None
    assert ticket.secret not in str(found.item())


async def test_link_uses_the_public_url(database: Database) -> None:
    async with running_app(database, public_url="https://shelf.example") as running:
        ada = await running.person("ada")
        await ada.post("/families", {"name": "Lovelace"})
        link = (await ada.post("/invitations", EVE)).json()["link"]
    assert link.startswith("https://shelf.example/join/")


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["email", "role"]),
        ({"email": "eve", "role": "owner"}, ["email", "role"]),
        ({"email": "eve @home", "role": "admin"}, ["email"]),
        ({"email": f"{'e' * 250}@home", "role": "admin"}, ["email"]),
        ({"email": None, "role": "admin"}, ["email"]),
        ({"email": "eve@home\r\nBcc: x@y", "role": "admin"}, ["email"]),
        (EVE | {"familyId": "x"}, ["familyId"]),
    ],
)
async def test_invalid_invitation_returns_errors(
    home: Home, body: dict[str, Any], fields: list[str]
) -> None:
    answer = await home.admin.post("/invitations", body)
    assert problem_of(answer) == (400, "validation")
    assert [error["field"] for error in answer.json()["errors"]] == fields


async def test_address_has_one_pending_invitation_per_family(home: Home, neighbour: Person) -> None:
    first = await home.invite("eve@home.local")
    again = await home.admin.post("/invitations", EVE | {"email": "EVE@home.local"})
    assert problem_of(again) == (409, "duplicate")
    assert again.json()["existing"]["invitationId"] == first["invitationId"]
    assert "link" not in again.json()["existing"]
    assert "secretHash" not in again.text
    assert (await neighbour.post("/invitations", EVE)).status_code == 201


async def test_member_address_cannot_be_invited(home: Home, kid: Person) -> None:
    answer = await home.admin.post("/invitations", {"email": "KID@home.local", "role": "admin"})
    assert problem_of(answer) == (409, "duplicate")
    assert answer.json()["existing"]["memberId"] == kid.member_id
    await home.remove_member(kid)
    await home.invite("kid@home.local")


async def test_concurrent_invitations_to_one_address_return_one_conflict(home: Home) -> None:
    for round_ in range(10):
        body = {"email": f"eve{round_}@home.local", "role": "admin"}
        answers = await asyncio.gather(
            home.admin.post("/invitations", body), home.admin.post("/invitations", body)
        )
        assert sorted(answer.status_code for answer in answers) == [201, 409]


async def test_repeated_invitation_request_returns_a_valid_link(home: Home) -> None:
    first = await home.admin.post("/invitations", EVE, key="k")
    again = await home.admin.post("/invitations", EVE, key="k")
    assert (again.status_code, again.json()) == (201, first.json())
    eve = await home.running.person("eve")
    joined = await eve.post("/invitations/accept", {"token": token_in(again.json())})
    assert joined.status_code == 200
    used = await home.admin.post("/invitations", EVE, key="k")
    assert (used.status_code, used.json()["status"]) == (201, "pending")


async def test_concurrent_equal_requests_create_one_invitation(home: Home) -> None:
    answers = await asyncio.gather(
        *(home.admin.post("/invitations", EVE, key="k") for _ in range(4))
    )
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["link"] for answer in answers}) == 1


async def test_stored_response_contains_no_link(home: Home) -> None:
    link = (await home.admin.post("/invitations", EVE, key="k")).json()["link"]
    resent = await home.admin.post("/invitations/x/resend", key="k")
    assert problem_of(resent) == (404, "not_found")
    scanned = await home.running.db.engine.scan(HELPER, 100)
    assert not any(link.rpartition("/")[2] in str(item) for item in scanned.items)


async def test_expired_invitation_allows_a_new_one(home: Home, moment: Moment) -> None:
    first = await home.invite("eve@home.local")
    moment.pass_by(WEEK - 1)
    assert problem_of(await home.admin.post("/invitations", EVE)) == (409, "duplicate")
    moment.pass_by(1)
    home.admin.bear(home.running.access_token(home.admin.member_id, home.admin.session_id))
    second = await home.invite("eve@home.local")
    resent = await home.admin.post(f"/invitations/{first['invitationId']}/resend")
    assert problem_of(resent) == (409, "duplicate")
    assert resent.json()["existing"]["invitationId"] == second["invitationId"]


async def test_invitations_are_listed_by_status(home: Home, moment: Moment) -> None:
    made = {}
    for status in ("expired", "accepted", "declined", "revoked"):
        made[status] = await home.invite(f"{status}@home.local")
    for verb, status in (("accept", "accepted"), ("decline", "declined")):
        person = await home.running.person(status)
        await person.post(f"/invitations/{verb}", {"token": token_in(made[status])})
    await home.admin.delete(f"/invitations/{made['revoked']['invitationId']}")
    moment.pass_by(WEEK)
    home.admin.bear(home.running.access_token(home.admin.member_id, home.admin.session_id))
    made["pending"] = await home.invite("pending@home.local")
    for status, invitation in made.items():
        answer = await home.admin.get(f"/invitations?status={status}")
        [listed] = answer.json()["items"]
        assert (listed["invitationId"], listed["status"]) == (invitation["invitationId"], status)
    listed = (await home.admin.get("/invitations")).json()["items"]
    assert [each["status"] for each in listed] == ["pending"]
    everything = (await home.admin.get("/invitations?status=all")).json()["items"]
    assert sorted(each["status"] for each in everything) == sorted(made)
    assert "secretHash" not in str(everything)
    assert problem_of(await home.admin.get("/invitations?status=lost")) == (400, "validation")


async def test_invitation_list_has_full_pages(home: Home) -> None:
    for number in range(5):
        invitation = await home.invite(f"eve{number}@home.local")
        if number < 2:
            await home.admin.delete(f"/invitations/{invitation['invitationId']}")
    page = (await home.admin.get("/invitations?limit=2")).json()
    rest = (await home.admin.get(f"/invitations?limit=2&nextToken={page['nextToken']}")).json()
    assert (len(page["items"]), len(rest["items"]), "nextToken" in rest) == (2, 1, False)


async def test_revoked_invitation_cannot_be_accepted(home: Home) -> None:
    invitation = await home.invite("eve@home.local")
    path = f"/invitations/{invitation['invitationId']}"
    assert (await home.admin.delete(path)).status_code == 204
    assert (await home.admin.delete(path)).status_code == 204
    eve = await home.running.person("eve")
    answer = await eve.post("/invitations/accept", {"token": token_in(invitation)})
    assert problem_of(answer) == (404, "not_found")
    await home.invite("eve@home.local")


async def test_answered_invitation_cannot_be_revoked_or_resent(home: Home) -> None:
    invitation = await home.invite("eve@home.local")
    eve = await home.running.person("eve")
    await eve.post("/invitations/accept", {"token": token_in(invitation)})
    path = f"/invitations/{invitation['invitationId']}"
    assert problem_of(await home.admin.delete(path)) == (404, "not_found")
    assert problem_of(await home.admin.post(f"{path}/resend")) == (404, "not_found")
    assert (await eve.get("/family")).status_code == 200


@pytest.mark.parametrize("id_", ["nothing", NOBODYS])
async def test_unknown_invitation_returns_404(home: Home, id_: str) -> None:
    assert problem_of(await home.admin.delete(f"/invitations/{id_}")) == (404, "not_found")
    resent = await home.admin.post(f"/invitations/{id_}/resend")
    assert problem_of(resent) == (404, "not_found")


async def test_resending_replaces_link_and_adds_seven_days(home: Home, moment: Moment) -> None:
    first = await home.invite("eve@home.local")
    moment.pass_by(600)
    answer = await home.admin.post(f"/invitations/{first['invitationId']}/resend", {}, key="k")
    second = answer.json()
    assert (answer.status_code, second["version"]) == (200, 2)
    assert second["expiresAt"] == "2024-11-08T12:10:00.000Z"
    assert second["link"] != first["link"]
    again = await home.admin.post(f"/invitations/{first['invitationId']}/resend", {}, key="k")
    assert again.json() == second
    replayed = await home.admin.get("/invitations")
    assert len(replayed.json()["items"]) == 1
    eve = await home.running.person("eve")
    dead = await eve.post("/invitations/accept", {"token": token_in(first)})
    assert problem_of(dead) == (404, "not_found")
    alive = await eve.post("/invitations/accept", {"token": token_in(second)})
    assert alive.status_code == 200


async def test_expired_invitation_is_resent(home: Home, moment: Moment) -> None:
    invitation = await home.invite("eve@home.local")
    moment.pass_by(2 * WEEK)
    home.admin.bear(home.running.access_token(home.admin.member_id, home.admin.session_id))
    again = await home.admin.post(f"/invitations/{invitation['invitationId']}/resend")
    assert (again.status_code, again.json()["status"]) == (200, "pending")
    assert problem_of(await home.admin.post("/invitations", EVE)) == (409, "duplicate")
    eve = await home.running.person("eve")
    joined = await eve.post("/invitations/accept", {"token": token_in(again.json())})
    assert joined.status_code == 200


async def test_invitation_to_a_member_cannot_be_resent(home: Home, moment: Moment) -> None:
    first = await home.invite("eve@home.local")
    moment.pass_by(WEEK + 1)
    home.admin.bear(home.running.access_token(home.admin.member_id, home.admin.session_id))
    eve = await home.with_member("eve", "suggester")
    again = await home.admin.post(f"/invitations/{first['invitationId']}/resend")
    assert problem_of(again) == (409, "duplicate")
    assert again.json()["existing"]["memberId"] == eve.member_id


async def test_repeated_first_request_returns_the_current_link(home: Home) -> None:
    first = await home.admin.post("/invitations", EVE, key="k")
    path = f"/invitations/{first.json()['invitationId']}/resend"
    second = (await home.admin.post(path)).json()
    again = await home.admin.post("/invitations", EVE, key="k")
    assert again.json() == first.json() | {"link": second["link"]}


async def test_resend_with_a_field_is_refused(home: Home) -> None:
    invitation = await home.invite("eve@home.local")
    path = f"/invitations/{invitation['invitationId']}/resend"
    refused = await home.admin.post(path, {"email": "other@home.local"})
    assert problem_of(refused) == (400, "validation")


def test_truncated_token_is_refused() -> None:
    token = "A" * 64
    ticket = parse_token(token)
    assert ticket is not None
    assert ticket.invitation_id == "00000000-0000-0000-0000-000000000000"
    for broken in ("", "A", "A" * 63, "A" * 65, "A" * 68, f"{token[:-1]}!", f"{token}=", "ü" * 64):
        assert parse_token(broken) is None
