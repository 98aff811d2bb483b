"""Invitation letters that waited in the outbox."""

import pytest

from homeshelf.families import invitations, store
from homeshelf.families.invitations import invitation_letter
from homeshelf.families.messages import write_invitation
from homeshelf.families.model import Invitation
from homeshelf.outbox.model import Message
from tests.home import Home, token_in
from tests.moment import DAY, MINUTE, Moment
from tests.running import problem_of

EVE = {"email": "eve@home.local", "role": "suggester"}


async def stored_invitation(home: Home, invitation_id: str) -> Invitation:
    found = await store.get_invitation(home.running.db, home.family_id, invitation_id)
    assert found is not None
    return found


async def write_messages(home: Home, invitation: Invitation) -> Message | None:
    return await write_invitation(home.running.services, invitation_letter(invitation))


def _sign_in(home: Home) -> None:
    home.admin.bear(home.running.access_token(home.admin.member_id, home.admin.session_id))


@pytest.mark.parametrize(
    ("role", "may"), [("admin", "run the household together"), ("suggester", "ask for what you")]
)
async def test_letter_names_inviter_family_and_role(home: Home, role: str, may: str) -> None:
    made = await home.invite("eve@home.local", role)
    words = await write_messages(home, await stored_invitation(home, made["invitationId"]))
    assert words is not None
    assert (words.to.email, words.title) == ("eve@home.local", "ada has invited you to Lovelace")
    assert words.link.endswith(f"/join/{token_in(made)}")
    assert may in words.before[1]


async def test_immediate_letter_does_not_prolong_invitation(home: Home, moment: Moment) -> None:
    before = await stored_invitation(home, (await home.invite("eve@home.local"))["invitationId"])
    moment.pass_by(10 * MINUTE)
    assert await write_messages(home, before) is not None
    assert await stored_invitation(home, before.invitation_id) == before


async def test_waiting_letter_prolongs_invitation_to_a_week(home: Home, moment: Moment) -> None:
    made = await home.invite("eve@home.local")
    before = await stored_invitation(home, made["invitationId"])
    moment.pass_by(3 * DAY)
    words = await write_messages(home, before)
    assert words is not None
    assert "until 11 November 2024" in words.after[0]
    moment.pass_by(7 * DAY - 1)
    _sign_in(home)
    assert problem_of(await home.admin.post("/invitations", EVE)) == (409, "duplicate")
    (shown,) = (await home.admin.get("/invitations")).json()["items"]
    assert (shown["expiresAt"], shown["version"]) == ("2024-11-11T12:00:00.000Z", 2)
    assert shown["updatedAt"] == made["updatedAt"]
    eve = await home.running.person("eve")
    joined = await eve.post("/invitations/accept", {"token": token_in(made)})
    assert joined.status_code == 200


async def test_invitation_changed_during_mailing_is_not_prolonged(
    home: Home, moment: Moment
) -> None:
    made = [await home.invite(f"{name}@home.local") for name in ("answered", "again", "late")]
    seen = [await stored_invitation(home, each["invitationId"]) for each in made]
    moment.pass_by(DAY)
    _sign_in(home)
    await home.admin.delete(f"/invitations/{made[0]['invitationId']}")
    await home.admin.post(f"/invitations/{made[1]['invitationId']}/resend")
    now = [await stored_invitation(home, each.invitation_id) for each in seen]
    for each in seen[:2]:
        assert await invitations.prolong_for_mail(home.running.db, each) is None
    moment.pass_by(6 * DAY)
    assert await invitations.prolong_for_mail(home.running.db, seen[2]) is None
    assert [await stored_invitation(home, each.invitation_id) for each in seen] == now


async def test_expired_invitation_is_not_mailed(home: Home, moment: Moment) -> None:
    before = await stored_invitation(home, (await home.invite("eve@home.local"))["invitationId"])
    moment.pass_by(7 * DAY)
    assert await write_messages(home, before) is None


async def test_invitation_of_deleted_family_is_not_mailed(home: Home) -> None:
    before = await stored_invitation(home, (await home.invite("eve@home.local"))["invitationId"])
    family = await store.get_family(home.running.db, home.family_id)
    assert family is not None
    await home.running.db.transact(family.delete())
    assert await write_messages(home, before) is None
