"""Export and import families, without any link or password."""

from collections.abc import Sequence

from homeshelf.accounts.model import Account
from homeshelf.accounts.moving import without_access
from homeshelf.coordination.belongings import Arrival
from homeshelf.families import store
from homeshelf.families.links import SignInLink
from homeshelf.families.model import Family, Invitation, Member
from homeshelf.table import Database, Record


async def accounts_of(db: Database, family_id: str) -> Sequence[Account]:
    members = await store.active_members(db, family_id, skip=False)
    found = await db.get_many([Account.key(member_id=each.member_id) for each in members])
    return [account for account in found if account is not None]


async def links_of(db: Database, family_id: str) -> Sequence[SignInLink]:
    members = await db.all(store.members_of(family_id).up_to_date(), skip=False)
    found = await db.get_many([SignInLink.key(member_id=each.member_id) for each in members])
    return [link for link in found if link is not None and link.family_id == family_id]


async def move_in(_db: Database, arrival: Arrival) -> Sequence[Record]:
    if arrival.owner != "family":
        return []
    if len(arrival.of(Family)) != 1:
        raise ValueError("there is not one family in it")
    (family,) = arrival.of(Family)
    members = arrival.of(Member)
    admins = sum(member.is_admin for member in members)
    if not admins:
        raise ValueError("the family has no parent")
    links = arrival.of(SignInLink)
    if {link.member_id for link in links} - {member.member_id for member in members}:
        raise ValueError("a sign-in link is for nobody in the family")
    return [
        family.changed(admins=admins),
        *members,
        *_accounts_with_access(arrival, members),
        *(
            each.revised(arrival.at, status="revoked") if each.status == "pending" else each
            for each in arrival.of(Invitation)
        ),
        *(link.end() for link in links),
    ]


def _accounts_with_access(arrival: Arrival, members: Sequence[Member]) -> list[Account]:
    """Return an account for each active member, and refuse any other account."""
    known = {account.member_id: account for account in arrival.of(Account)}
    active = {member.member_id: member for member in members if member.is_active}
    if known.keys() - active.keys():
        raise ValueError("somebody in it is no member of the family")
    made = []
    for member_id, member in active.items():
        account = known.get(member_id) or account_for(member, arrival.at)
        made.append(without_access(account.changed(families=(arrival.owner_id,))))
    return made


def account_for(member: Member, at: str) -> Account:
    return Account(
        member_id=member.member_id,
        email=member.email or "",
        name=member.name,
        created_at=at,
        updated_at=at,
    )
