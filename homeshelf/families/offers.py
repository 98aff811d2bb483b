"""The invitations that find a person by their address, without a link."""

from dataclasses import dataclass

from homeshelf.accounts.model import Account
from homeshelf.families import invitations
from homeshelf.families.model import Family, Invitation, Member
from homeshelf.table import Database

OFFERED = 5


@dataclass(frozen=True)
class Offer:
    invitation: Invitation
    family_name: str
    host_name: str


async def offers_to(db: Database, account: Account) -> list[Offer]:
    """To families that the person is not in; an address that nobody verified proves nothing."""
    if not account.email_verified:
        return []
    found = (await invitations.open_to(db, account.email, OFFERED)).items
    elsewhere = [each for each in found if each.family_id not in account.families]
    families = await db.get_many([Family.key(family_id=each.family_id) for each in elsewhere])
    hosts = await db.get_many(
        [Member.key(family_id=each.family_id, member_id=each.invited_by) for each in elsewhere]
    )
    return [
        Offer(invitation, family.name, host.name)
        for invitation, family, host in zip(elsewhere, families, hosts, strict=True)
        if family is not None and host is not None
    ]
