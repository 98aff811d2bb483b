"""What people are told who are invited."""

from homeshelf import clock
from homeshelf.accounts.model import Account
from homeshelf.families import invitations, store
from homeshelf.families.links import token_of
from homeshelf.families.model import Invitation
from homeshelf.outbox.model import Letter, Message, Recipient, letter
from homeshelf.outbox.store import can_mail
from homeshelf.sentences import _
from homeshelf.table import Database, absent
from homeshelf.web.services import Services
from homeshelf.web.wording import day


def goes_by_mail(services: Services, admin: Account) -> bool:
    """Not for an inviter whose address nobody has verified: they could be anybody."""
    return can_mail(services.settings) and admin.email_verified


def mailed(services: Services, admin: Account, db: Database) -> Database:
    """For an invitation, whose letter is put with it where one goes out."""
    if not goes_by_mail(services, admin):
        return db
    return db.also(lambda invitation: [invitation_letter(invitation).put(absent)])


def invitation_letter(invitation: Invitation) -> Letter:
    return letter(
        "invitation",
        by=invitation.invited_by,
        familyId=invitation.family_id,
        invitationId=invitation.invitation_id,
        link=invitation.links,
    )


async def write_invitation(services: Services, letter: Letter) -> Message | None:
    """Only while it is open, and only its last link: a letter about an earlier one is void."""
    family_id, invitation_id = letter.about["familyId"], letter.about["invitationId"]
    invitation = await store.invitation(services.db, family_id, invitation_id)
    family = await store.family(services.db, family_id)
    if invitation is None or family is None or not invitation.is_open(clock.timestamp()):
        return None
    if invitation.links != letter.about["link"]:
        return None
    inviter = await services.db.get(Account.key(member_id=invitation.invited_by))
    if inviter is None or not inviter.email_verified:
        return None
    member = await store.member(services.db, family_id, invitation.invited_by)
    if member is None or not invitation.is_vouched_for(member):
        return None
    invitation = await invitations.holding_for_a_week(services.db, invitation)
    if invitation is None:
        return None
    host = member.name
    token = token_of(services.signer, invitation)
    return Message(
        to=Recipient(email=invitation.email),
        title=f"{host} invites you to {family.name}",
        before=(
            _("{host} invites you to {name} on Homeshelf.", host=host, name=family.name),
            _MAY[invitation.role],
        ),
        link=f"{services.settings.public_url}/join/{token}",
        link_text="Look at the invitation",
        after=(
            _("The link holds until {day}, for one person.", day=day(invitation.expires_at)),
            _("If you do not know {host}, do nothing.", host=host),
        ),
    )


_MAY = {
    "admin": _(
        "You will run the household together: what is there, what to buy, what the children "
        "ask for."
    ),
    "suggester": _(
        "You can see what is there and what is on the list, and ask for what you would like."
    ),
}
