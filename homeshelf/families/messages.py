"""The mails to invited people, and to children with a new address."""

from datetime import datetime

from homeshelf import clock
from homeshelf.accounts.addresses import PendingAddress
from homeshelf.accounts.messages import letter_language
from homeshelf.accounts.store import get_account
from homeshelf.accounts.tokens import address_token
from homeshelf.families import invitations, store
from homeshelf.families.model import invitation_token
from homeshelf.outbox.model import Letter, Message, Recipient
from homeshelf.sentences import _
from homeshelf.web.services import Services


async def write_invitation(services: Services, letter: Letter) -> Message | None:
    """Write the letter only while the invitation is open and this is its last link."""
    family_id, invitation_id = letter.about["familyId"], letter.about["invitationId"]
    invitation = await store.get_invitation(services.db, family_id, invitation_id)
    family = await store.get_family(services.db, family_id)
    if invitation is None or family is None or not invitation.is_open(clock.timestamp()):
        return None
    inviter = await get_account(services.db, invitation.invited_by)
    member = await store.get_member(services.db, family_id, invitation.invited_by)
    if inviter is None or not inviter.email_verified or invitation.links != letter.about["link"]:
        return None
    if member is None or not invitation.has_valid_inviter(member):
        return None
    invitation = await invitations.prolong_for_mail(services.db, invitation)
    if invitation is None:
        return None
    host = member.name
    return Message(
        to=Recipient(email=invitation.email, language=letter_language(services, inviter)),
        title=_("{host} has invited you to {family}", host=host, family=family.name),
        before=(
            _("{host} has invited you to {family} on Homeshelf.", host=host, family=family.name),
            _MAY[invitation.role],
        ),
        link=f"{services.settings.public_url}/join/{invitation_token(services.signer, invitation)}",
        link_text=_("View invitation"),
        after=(
            _(
                "The link works until {day}, for one person.",
                day=datetime.fromisoformat(invitation.expires_at),
            ),
            _("If you don’t know {host}, ignore this mail.", host=host),
        ),
    )


_MAY = {
    "admin": _(
        "You’ll run the household together: what’s there, what to buy, and what the kids ask for."
    ),
    "suggester": _(
        "You can see what’s at home and what’s on the list, and ask for what you’d like."
    ),
}


async def write_child_address(services: Services, letter: Letter) -> Message | None:
    """Write the letter only while the address is pending and its maker is an admin."""
    db, family_id = services.db, letter.about["familyId"]
    pending = await db.get(PendingAddress.key(member_id=letter.about["memberId"]))
    if pending is None or pending.link_id != letter.about["link"]:
        return None
    parent = await get_account(db, pending.made_by)
    maker = await store.get_member(db, family_id, pending.made_by)
    child = await store.get_member(db, family_id, pending.member_id)
    if parent is None or not parent.email_verified or child is None or maker is None:
        return None
    if not maker.is_same_admin(pending.made_by, pending.term):
        return None
    token = address_token(services.signer, pending, mailed=True)
    return Message(
        to=Recipient(
            name=child.name, email=pending.email, language=letter_language(services, parent)
        ),
        title=_("Your own password for Homeshelf"),
        before=(
            _("{host} says this is {name}’s address.", host=maker.name, name=child.name),
            _("Choose a password. From then on, sign in with this address and your password."),
        ),
        link=f"{services.settings.public_url}/reset/{token}",
        link_text=_("Choose a password"),
        after=(
            _("The link works once, for one day."),
            _("If you don’t know {host}, ignore this mail.", host=maker.name),
        ),
    )
