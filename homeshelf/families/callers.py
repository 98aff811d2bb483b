"""The caller with membership and account, as types for signatures."""

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request

from homeshelf import access
from homeshelf.access.view import View, for_admin, for_member, for_suggester
from homeshelf.accounts.callers import AccountHolder
from homeshelf.errors import NotForChildren
from homeshelf.families.model import Member as Membership


@dataclass(frozen=True)
class FamilyMember(AccountHolder, access.InFamily):
    membership: Membership


Member = Annotated[FamilyMember, Depends(access.in_family)]
Admin = Annotated[FamilyMember, Depends(access.as_admin)]
Suggester = Annotated[FamilyMember, Depends(access.as_suggester)]
MemberView = Annotated[View[FamilyMember], Depends(for_member)]
AdminView = Annotated[View[FamilyMember], Depends(for_admin)]
SuggesterView = Annotated[View[FamilyMember], Depends(for_suggester)]


async def in_family(request: Request) -> FamilyMember:
    """For a handler that also answers callers without a family."""
    return cast(FamilyMember, await access.in_family(request))


def require_may_remove(who: FamilyMember, member_id: str) -> None:
    """Admins remove anybody, others themselves; children stay."""
    if member_id != who.member_id:
        who.require_admin()
    elif who.account.is_child:
        raise NotForChildren
