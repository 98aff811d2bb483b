"""Mail to people who are invited."""

from collections.abc import Sequence

import structlog

from homeshelf import clock
from homeshelf.errors import RateLimited
from homeshelf.families import store
from homeshelf.families.links import token_of
from homeshelf.families.model import Invitation
from homeshelf.mail.model import Letter, Words, letter
from homeshelf.mail.store import can_send, outbox_writes
from homeshelf.table import Write
from homeshelf.table.answers import Also, nothing_else
from homeshelf.web.house import House
from homeshelf.web.words import day

log = structlog.get_logger()


def mailed(house: House, admin_id: str, also: Also = nothing_else) -> Also:
    """What else goes into the transaction of an invitation: its letter too, where mail is sent."""

    def writes(invitation: Invitation) -> Sequence[Write]:
        return (*also(invitation), *_letter_writes(house, admin_id, invitation))

    return writes


def invitation_letter(invitation: Invitation) -> Letter:
    return letter(
        "invitation",
        familyId=invitation.family_id,
        invitationId=invitation.invitation_id,
        link=invitation.links,
    )


async def write_invitation(house: House, letter: Letter) -> Words | None:
    """Only while it is open, and only its last link: a letter about an earlier one is void."""
    family_id, invitation_id = letter.about["familyId"], letter.about["invitationId"]
    invitation = await store.invitation(house.db, family_id, invitation_id)
    family = await store.family(house.db, family_id)
    if invitation is None or family is None or not invitation.is_open(clock.timestamp()):
        return None
    if invitation.links != letter.about["link"]:
        return None
    member = await store.member(house.db, family_id, invitation.invited_by)
    if member is None or not invitation.is_vouched_for(member):
        return None
    host = member.name
    token = token_of(house.signer, invitation)
    return Words(
        to=invitation.email,
        subject=f"{host} invites you to {family.name}",
        before=(f"{host} invites you to {family.name} on Homeshelf.", _MAY[invitation.role]),
        link=f"{house.settings.public_url}/join/{token}",
        link_word="Look at the invitation",
        after=(
            f"The link holds until {day(invitation.expires_at)}, for one person.",
            f"If you do not know {host}, do nothing.",
        ),
    )


_MAY = {
    "admin": "You will run the household together: what is there, what to buy, what the children "
    "ask for.",
    "suggester": "You can see what is there and what is on the list, and ask for what you would "
    "like.",
}


def _letter_writes(house: House, admin_id: str, invitation: Invitation) -> Sequence[Write]:
    """The link is on the admin's screen as well, so that nothing is refused for want of mail."""
    if not can_send(house.settings):
        return ()
    try:
        house.limits.invitations.take(admin_id)
        house.limits.letters.take(invitation.email.lower())
    except RateLimited:
        log.warning("letter_held_back", kind="invitation", why="too many letters in a short time")
        return ()
    return outbox_writes(house.settings, invitation_letter(invitation))
