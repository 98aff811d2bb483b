"""The caller with membership and account, as types for signatures."""

from typing import Annotated

from fastapi import Depends

from homeshelf import access
from homeshelf.access.view import View, for_admin, for_member, for_suggester
from homeshelf.accounts.model import Account, Session
from homeshelf.errors import NotForChildren
from homeshelf.families.model import Member as Membership

FamilyMember = access.Caller[Account, Session, Membership]
Member = Annotated[FamilyMember, Depends(access.in_family)]
Admin = Annotated[FamilyMember, Depends(access.as_admin)]
Suggester = Annotated[FamilyMember, Depends(access.as_suggester)]
MemberView = Annotated[View[FamilyMember], Depends(for_member)]
AdminView = Annotated[View[FamilyMember], Depends(for_admin)]
SuggesterView = Annotated[View[FamilyMember], Depends(for_suggester)]


def require_may_remove(who: FamilyMember, member_id: str) -> None:
    """Admins remove anybody, others themselves; children stay."""
    if member_id != who.member_id:
        who.require_admin()
    elif who.account.is_child:
        raise NotForChildren
