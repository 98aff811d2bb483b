from collections.abc import Sequence

from homeshelf.families.model import Family, Invitation, Member, digest_of_email
from homeshelf.table import Database, Page, Query


async def family(db: Database, family_id: str) -> Family | None:
    return await db.get(Family.key(family_id=family_id))


async def member(db: Database, family_id: str, member_id: str) -> Member | None:
    """Get member: asked anew on every request, because a removal bites at once."""
    return await db.get(Member.key(family_id=family_id, member_id=member_id))


def members_of(family_id: str) -> Query[Member]:
    return Member.where(family_id=family_id)


async def families_of(db: Database, member_id: str) -> Sequence[Member]:
    """A person's memberships, by GSI1. It lags, so it decides nobody's access."""
    return await db.all(Member.where("GSI1", member_id=member_id))


async def invitation(db: Database, family_id: str, invitation_id: str) -> Invitation | None:
    return await db.get(Invitation.key(family_id=family_id, invitation_id=invitation_id))


async def invitations_of(db: Database, family_id: str) -> Page[Invitation]:
    return await db.query(Invitation.where(family_id=family_id))


async def invitations_for(db: Database, email: str) -> Sequence[Invitation]:
    """Those that wait for an address, in whichever family."""
    return await db.all(Invitation.where("GSI1", invited=digest_of_email(email)))
