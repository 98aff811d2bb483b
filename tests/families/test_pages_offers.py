"""Offers of invitations on the pages of the invited person."""

import pytest

from tests.home import Home, new_home
from tests.pages import see, send, sent_from_elsewhere
from tests.running import Person, RunningApp

OFFER = "ada has invited you to Lovelace"


def path_of(invitation: dict[str, object], verb: str) -> str:
    return f"/invitations/{invitation['invitationId']}/{verb}"


@pytest.fixture
async def guest(running: RunningApp) -> Person:
    """An admin of another family, with a verified address."""
    return (await new_home(running, "Byron", "guest")).admin


async def test_home_page_offers_invitation(home: Home, guest: Person) -> None:
    assert "has invited you" not in await see(guest, "/")
    invitation = await home.invite(guest.email, "admin")
    shown = await see(guest, "/")
    assert OFFER in shown
    assert "Run the household together." in shown
    assert f'action="{path_of(invitation, "accept")}"' in shown
    assert f'action="{path_of(invitation, "decline")}"' in shown
    assert OFFER in await see(guest, "/families")


async def test_person_without_family_is_offered_invitation_on_new_family_page(
    home: Home, running: RunningApp
) -> None:
    new = await running.person("new", verified=True)
    invitation = await home.invite(new.email)
    assert OFFER in await see(new, "/families/new")
    assert "ask for what you’d like" in await see(new, "/families")
    answer = await send(new, path_of(invitation, "accept"))
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert "homeshelf" in answer.headers["set-cookie"]
    assert (await home.member(new))["role"] == "suggester"
    shown = await see(new, "/")
    assert "Lovelace" in shown
    assert "has invited you" not in shown


async def test_unverified_address_is_offered_no_invitation(home: Home, running: RunningApp) -> None:
    new = await running.person("new")
    invitation = await home.invite(new.email)
    assert "has invited you" not in await see(new, "/families/new")
    for verb in ("accept", "decline"):
        assert (await send(new, path_of(invitation, verb))).status_code == 404
    assert len((await home.admin.get("/invitations")).json()["items"]) == 1


async def test_offer_to_another_address_cannot_be_answered(
    home: Home, guest: Person, neighbour: Person
) -> None:
    invitation = await home.invite(guest.email)
    assert "has invited you" not in await see(neighbour, "/")
    for verb in ("accept", "decline"):
        assert (await send(neighbour, path_of(invitation, verb))).status_code == 404
    assert OFFER in await see(guest, "/")


async def test_declining_ends_the_offer(home: Home, guest: Person) -> None:
    invitation = await home.invite(guest.email)
    answer = await send(guest, path_of(invitation, "decline"))
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert "has invited you" not in await see(guest, "/")
    declined = (await home.admin.get("/invitations?status=declined")).json()["items"]
    assert [each["email"] for each in declined] == [guest.email]
    assert (await send(guest, path_of(invitation, "accept"))).status_code == 404


async def test_revoked_invitation_is_not_offered(home: Home, guest: Person) -> None:
    invitation = await home.invite(guest.email)
    await home.admin.delete(f"/invitations/{invitation['invitationId']}")
    assert "has invited you" not in await see(guest, "/")
    assert (await send(guest, path_of(invitation, "accept"))).status_code == 404


async def test_member_is_not_offered_invitation(home: Home, guest: Person) -> None:
    invitation = await home.invite("other@home.local")
    await home.invite(guest.email)
    token = str(invitation["link"]).rpartition("/")[2]
    assert (await guest.post("/invitations/accept", {"token": token})).status_code == 200
    assert "has invited you" not in await see(guest, "/families")


async def test_cross_site_answers_are_refused(home: Home, guest: Person) -> None:
    invitation = await home.invite(guest.email)
    for verb in ("accept", "decline"):
        assert await sent_from_elsewhere(guest, path_of(invitation, verb)) == 403
    assert OFFER in await see(guest, "/")
