"""Types for signatures: the caller with membership and account."""

from typing import Annotated

from fastapi import Depends

from homeshelf import access
from homeshelf.access.view import View, for_admin, for_member, for_suggester
from homeshelf.accounts.model import Account, Session
from homeshelf.errors import NotForChildren
from homeshelf.families import store
from homeshelf.families.model import Member as Membership
from homeshelf.table import Database, Query

FamilyMember = access.Caller[Account, Session, Membership]
Member = Annotated[FamilyMember, Depends(access.in_family)]
Admin = Annotated[FamilyMember, Depends(access.as_admin)]
Suggester = Annotated[FamilyMember, Depends(access.as_suggester)]
MemberView = Annotated[View[FamilyMember], Depends(for_member)]
AdminView = Annotated[View[FamilyMember], Depends(for_admin)]
SuggesterView = Annotated[View[FamilyMember], Depends(for_suggester)]


def visible_members(caller: FamilyMember, status: str) -> Query[Membership]:
    """Return the members with a status, or `all`; only admins see removed members."""
    if status != "active":
        caller.require_admin()
    if status == "all":
        return store.members_of(caller.family_id)
    return store.members_with_status(caller.family_id, status)


async def remove_person(db: Database, caller: FamilyMember, member_id: str) -> None:
    require_may_remove(caller, member_id)
    await store.remove_member(db, caller.family_id, member_id)


def require_may_remove(caller: FamilyMember, member_id: str) -> None:
    """Let admins remove any member, and adults remove themselves."""
    if member_id != caller.member_id:
        caller.require_admin()
    elif caller.account.is_child:
        raise NotForChildren
